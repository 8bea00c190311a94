/*
 * User information of URLs as known secrets: what counts as one, and where it is looked for.
 */
#include "unit.h"

#include "base/file.h"
#include "base/secrets.h"
#include "base/url_secrets.h"

static bool is_known(const char *value)
{
    for (unsigned i = 0; i < secrets_count_known(); i++)
        if (strcmp(secrets_known(i), value) == 0)
            return true;
    return false;
}

static void test_register(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *value;
        bool is_known;
    } cases[] = {
        { "https://ann:horse-battery-1@h/x", "horse-battery-1", true },
        { "https://ann.marie.lee:horse-battery-2@h/x", "ann.marie.lee", false },
        { "https://annmarielee@bitbucket.org/annmarielee/x", "annmarielee", false },
        { "https://glpat-Ab3dE5gH7jK9mN@h/x", "glpat-Ab3dE5gH7jK9mN", true },
        { "https://0123456789abcdef0123:x-oauth-basic@h/x", "0123456789abcdef0123", true },
        { "https://0123456789abcdef0124:x-oauth-basic@h/x", "x-oauth-basic", false },
        { "HTTPS://x:with%40sign-3@h", "with%40sign-3", true },
        { "HTTPS://x:with%40sign-4@h", "with@sign-4", true },
        { "https://x:has@inside-5@h/", "has@inside-5", true },
        { "https://h/x?mail=a:not-a-secret-6@h", "not-a-secret-6", false },
        { "https://h:8080/x-not-a-secret-7", "8080", false },
        { "git@github.com:harbor/tidepool-long-name.git", "harbor/tidepool-long-name.git", false },
        { "https://ann:short-8@h/x", "short-8", false },
        { "[url \"ssh://ann:section-name-9@h/\"]\n\tinsteadOf = x", "section-name-9", true },
        { "a = https://h/\nb = https://u:second-line-10@h\n", "second-line-10", true },
        { "https://u:password@h", "password", false },
        { "://", "", false },
        { "https://:@h", "", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        url_secrets_register(cases[i].text);
        if (is_known(cases[i].value) != cases[i].is_known)
            fail_msg("%s: '%s' is %sknown", cases[i].text, cases[i].value,
                     cases[i].is_known ? "not " : "");
    }
}

static void put(const char *dir, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *parent = g_path_get_dirname(path);
    assert_int_equal(g_mkdir_with_parents(parent, 0700), 0);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void test_take(void **state G_GNUC_UNUSED)
{
    g_autofree char *dir = g_dir_make_tmp("kedge-url-secrets-XXXXXX", NULL);
    g_setenv("HOME", dir, TRUE);
    put(dir, "repo/.git/config", "[remote \"o\"]\nurl = https://u:of-the-repository@h/x\n");
    put(dir, "repo/.git/worktrees/w/commondir", "../..\n");
    put(dir, "repo/src/deep/file", "");
    put(dir, "tree/.git", "gitdir: ../repo/.git/worktrees/w\n");
    put(dir, ".gitconfig", "[url \"https://u:of-the-user-1@h/\"]\n");
    put(dir, ".config/git/config", "[url \"https://u:of-the-user-2@h/\"]\n");
    put(dir, "other/.git", "gitdir: nowhere\n");
    g_autofree char *deep = g_build_filename(dir, "repo", "src", "deep", NULL);
    g_autofree char *tree = g_build_filename(dir, "tree", NULL);
    g_autofree char *other = g_build_filename(dir, "other", NULL);

    url_secrets_take(other);
    assert_true(is_known("of-the-user-1"));
    assert_true(is_known("of-the-user-2"));
    assert_false(is_known("of-the-repository"));
    url_secrets_take(deep);
    assert_true(is_known("of-the-repository"));
    put(dir, "repo/.git/config", "[remote \"o\"]\nurl = https://u:of-the-worktree@h/x\n");
    url_secrets_take(tree);
    assert_true(is_known("of-the-worktree"));
    assert_true(file_remove_tree(dir, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_register),
        cmocka_unit_test(test_take),
    };
    return cmocka_run_group_tests_name("url-secrets", tests, NULL, NULL);
}
