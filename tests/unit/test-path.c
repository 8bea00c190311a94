/* Path arithmetic, table by table. */
#include "unit.h"

#include "base/file.h"
#include "base/path.h"

static void test_expand_home(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "~", "/home/unit" },
        { "~/", "/home/unit" },
        { "~/a/b", "/home/unit/a/b" },
        { "~other/a", "~other/a" },
        { "/a/~/b", "/a/~/b" },
        { "a", "a" },
        { "", "" },
    };
    g_autofree char *before = g_strdup(g_getenv("HOME"));
    g_setenv("HOME", "/home/unit", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = path_expand_home(cases[i].in);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].in, got);
    }
    if (before)
        g_setenv("HOME", before, TRUE);
}

static void test_absolute(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *base, *want;
    } cases[] = {
        { "a", "/w", "/w/a" },
        { "./a/../b", "/w", "/w/b" },
        { "..", "/w/x", "/w" },
        { "../../../..", "/w", "/" },
        { "/a//b/./c/", "/w", "/a/b/c" },
        { "//a", "/w", "/a" },
        { "///a", "/w", "/a" },
        { "", "/w", "/w" },
        { ".", "/w/", "/w" },
        { "a", "/", "/a" },
        { "/", "/w", "/" },
        { "//", "/w", "/" },
        { "...", "/w", "/w/..." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = path_absolute(cases[i].path, cases[i].base);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s against %s: got %s", cases[i].path, cases[i].base, got);
    }
}

static void test_display(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *cwd, *want;
    } cases[] = {
        { "/w/a/b", "/w", "a/b" }, { "/w", "/w", "." },    { "/w/", "/w", "." },
        { "/wa", "/w", "/wa" },    { "/", "/w", "/" },     { "/w/../x", "/w", "/x" },
        { "/a", "/", "a" },        { "/w/a", "/w/", "a" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = path_display(cases[i].path, cases[i].cwd);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s in %s: got %s", cases[i].path, cases[i].cwd, got);
    }
}

static void test_is_inside(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *dir;
        bool want;
    } cases[] = {
        { "/a/b", "/a", true },        { "/a", "/a", true },        { "/a/", "/a", true },
        { "/a", "/a/", true },         { "/ab", "/a", false },      { "/", "/a", false },
        { "/a/../b", "/a", false },    { "/a/b/../c", "/a", true }, { "/x", "/", true },
        { "/a/..hidden", "/a", true }, { "//a/b", "/a", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (path_is_inside(cases[i].path, cases[i].dir) != cases[i].want)
            fail_msg("%s in %s", cases[i].path, cases[i].dir);
    }
}

static void test_real(void **state G_GNUC_UNUSED)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-path-XXXXXX", NULL);
    g_autofree char *real_dir = path_real(dir);
    g_autofree char *link = g_build_filename(dir, "link", NULL);
    g_autofree char *absent = g_build_filename(dir, "absent", NULL);
    assert_int_equal(symlink(".", link), 0);
    g_autofree char *got = path_real(link);
    assert_string_equal(got, real_dir);
    assert_null(path_real(absent));
    assert_true(file_remove_tree(dir, NULL));
}

static void test_has_extension(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path;
        bool want;
    } cases[] = {
        { "a.c", true },   { "/x.y/a.h", true }, { "a.cc", false }, { "/x.c/a", false },
        { "a.", false },   { "c", false },       { "a.C", false },  { "a.c h", false },
        { "a.h.c", true }, { "", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (path_has_extension(cases[i].path, " c h ") != cases[i].want)
            fail_msg("%s", cases[i].path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expand_home),   cmocka_unit_test(test_absolute),
        cmocka_unit_test(test_display),       cmocka_unit_test(test_is_inside),
        cmocka_unit_test(test_has_extension), cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
