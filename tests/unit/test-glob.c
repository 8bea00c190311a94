/*
 * Globs (agent-tools §3.6).
 */
#include "unit.h"

#include "base/glob.h"

static void test_matches(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *glob, *path;
        bool want;
    } cases[] = {
        { "*.c", "a.c", true },
        { "*.c", "d/a.c", false },
        { "*.c", "a.h", false },
        { "*.c", ".c", true },
        { "**/*.c", "a.c", true },
        { "**/*.c", "d/e/a.c", true },
        { "src/**", "src/a/b", true },
        { "src/**", "srcs/a", false },
        { "src/**/x", "src/x", true },
        { "src/**/x", "src/a/b/x", true },
        { "src/**/x", "src/ax", false },
        { "a**b", "aXb", true },
        { "a**b", "a/b", false },
        { "foo**/bar", "foobar", false },
        { "**", "a/b", true },
        { "?.c", "a.c", true },
        { "?.c", "é.c", true },
        { "?", "/", false },
        { "[a-c]x", "bx", true },
        { "[!a-c]x", "bx", false },
        { "[!a]x", "bx", true },
        { "[!a]x", "/x", false },
        { "[+-9]x", "/x", false }, // the range holds a slash, which is never matched
        { "[]a]x", "]x", true },
        { "[]a]x", "ax", true },
        { "[\\]]x", "]x", true },
        { "[\\d]x", "dx", true },
        { "[\\d]x", "1x", false },
        { "[a^]x", "^x", true },
        { "[[]x", "[x", true },
        { "[ax", "[ax", true }, // never closed: literal
        { "{a,b}.c", "b.c", true },
        { "{a,b}.c", "c.c", false },
        { "{a,{b,c}d}x", "cdx", true },
        { "{a,{b,c}d}x", "cx", false },
        { "{**/a,b}", "x/y/a", true },
        { "a,b", "a,b", true },
        { "a}", "a}", true },
        { "\\*.c", "*.c", true },
        { "\\*.c", "a.c", false },
        { "a.c", "abc", false },
        { "a+(b)|$^", "a+(b)|$^", true },
        { "A.c", "a.c", false },
        { "a\\", "a\\", true },
        { "*", "a\nb", true },
        { "**/*.c", "a\n/b.c", true },
        { "", "", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GRegex) regex = NULL;
        g_autoptr(GError) error = NULL;
        if (!glob_compile(cases[i].glob, &regex, &error))
            fail_msg("%s: %s", cases[i].glob, error->message);
        if (g_regex_match(regex, cases[i].path, 0, NULL) != cases[i].want)
            fail_msg("glob '%s', path '%s'", cases[i].glob, cases[i].path);
    }
}

static void test_mistakes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *glob, *want;
    } cases[] = {
        { "{a,b", "invalid glob: {a,b (a { is not closed)" },
        { "[z-a]", "invalid glob: [z-a]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GRegex *regex = NULL;
        g_autoptr(GError) error = NULL;
        assert_false(glob_compile(cases[i].glob, &regex, &error));
        assert_null(regex);
        assert_string_equal(error->message, cases[i].want);
        assert_int_equal(error->code, KEDGE_ERROR_USAGE);
    }
}

static void test_magic(void **state G_GNUC_UNUSED)
{
    static const char *const magic[] = { "*", "a?", "[a]", "{a}" };
    for (size_t i = 0; i < G_N_ELEMENTS(magic); i++)
        assert_true(glob_has_magic(magic[i]));
    assert_false(glob_has_magic("src/a-b_c.d"));
}

static void test_split(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *entry, *base, *glob;
    } cases[] = {
        { "*.c", ".", "**/*.c" },           { "**/*.c", ".", "**/*.c" },
        { "src/*.c", "src", "*.c" },        { "src/a/b*/c", "src/a", "b*/c" },
        { "/tmp/*.c", "/tmp", "*.c" },      { "/*.c", "//", "*.c" },
        { "a{b/c,d}", ".", "**/a{b/c,d}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *base = NULL, *glob = NULL;
        glob_split(cases[i].entry, &base, &glob);
        if (strcmp(base, cases[i].base) != 0 || strcmp(glob, cases[i].glob) != 0)
            fail_msg("%s: '%s' and '%s'", cases[i].entry, base, glob);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_magic),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
