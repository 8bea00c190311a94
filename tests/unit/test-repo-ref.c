/*
 * Repository references, the default host, and the hosts that a call may name (github-tool §0.4,
 * gh-policy §1.4).
 */
#include "unit.h"

#include "github/repo_ref.h"

#include "base/file.h"

static void test_parse(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *host, *slug; // slug NULL: no reference
    } cases[] = {
        { "harbor/tidepool", NULL, "harbor/tidepool" },
        { "GHE.Example.com/O/R", "ghe.example.com", "O/R" },
        { "ghe:8443/o/r", "ghe:8443", "o/r" },
        { "o/.github", NULL, "o/.github" },
        { "o_o/r.r-r", NULL, "o_o/r.r-r" },
        { NULL, NULL, NULL },
        { "", NULL, NULL },
        { "r", NULL, NULL },
        { "-o/r", NULL, NULL },
        { "--web/x", NULL, NULL },
        { "o/..", NULL, NULL },
        { "./r", NULL, NULL },
        { "../o/r", NULL, NULL },
        { "o//r", NULL, NULL },
        { "/o/r", NULL, NULL },
        { "o/r/", NULL, NULL },
        { "a/b/c/d", NULL, NULL },
        { "o/r\n", NULL, NULL },
        { "o /r", NULL, NULL },
        { "o/r?x", NULL, NULL },
        { "o/r#1", NULL, NULL },
        { "h_h/o/r", NULL, NULL },
        { "h:/o/r", NULL, NULL },
        { "h:1x/o/r", NULL, NULL },
        { "u@h/o/r", NULL, NULL },
        { "https://github.com/o/r", NULL, NULL },
        { "o/r\xc3\xa9", NULL, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(RepoRef) ref = { 0 };
        bool is_ref = repo_ref_parse(cases[i].text, &ref);
        if (is_ref != (cases[i].slug != NULL) || g_strcmp0(ref.slug, cases[i].slug) != 0 ||
            g_strcmp0(ref.host, cases[i].host) != 0)
            fail_msg("'%s': %s %s", cases[i].text, ref.host, ref.slug);
    }
}

static void test_equal(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *a, *b;
        bool want;
    } cases[] = {
        { "o/r", "O/R", true },         { "o/r", "GitHub.com/o/r", true },
        { "ghe/o/r", "GHE/O/r", true }, { "ghe/o/r", "o/r", false },
        { "o/r", "o/r2", false },       { "r", "R", true },
        { "r", "o/r", false },
    };
    g_unsetenv("GH_HOST");
    g_autoptr(Settings) settings = settings_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (repo_ref_equal(cases[i].a, cases[i].b, settings) != cases[i].want)
            fail_msg("%s and %s", cases[i].a, cases[i].b);
    }
}

static void test_default_host(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) overrides = json_pack("{s:{s:s}}", "gh", "defaultHost", "GHE.Corp");
    g_autoptr(Settings) plain = settings_new(NULL);
    g_autoptr(Settings) other = settings_new(overrides);
    g_unsetenv("GH_HOST");
    g_autofree char *usual = repo_default_host(plain);
    assert_string_equal(usual, "github.com");
    g_autofree char *configured = repo_default_host(other);
    assert_string_equal(configured, "ghe.corp");
    g_setenv("GH_HOST", "Env.Example", true);
    g_autofree char *inherited = repo_default_host(other);
    assert_string_equal(inherited, "env.example");
    g_setenv("GH_HOST", "", true);
    g_autofree char *empty = repo_default_host(plain);
    assert_string_equal(empty, "github.com");
    g_unsetenv("GH_HOST");
}

static void expect_known(const Settings *settings, const char *host, bool want)
{
    if (repo_host_is_known(host, settings) != want)
        fail_msg("%s", host);
}

static void test_known_hosts(void **state G_GNUC_UNUSED)
{
    static const char logins[] =
        "github.com:\n    user: x\n    git_protocol: https\nlogged.example:\n"
        "indented\n  inner.example:\nvalue.example: x\n";
    g_autofree char *dir = g_dir_make_tmp("kedge-hosts-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(dir, "hosts.yml", NULL);
    assert_true(g_file_set_contents(file, logins, -1, NULL));
    g_setenv("GH_CONFIG_DIR", dir, true);
    g_setenv("GH_HOST", "env.example", true);
    g_autoptr(json_t) overrides = json_pack("{s:{s:[s],s:s}}", "gh", "knownHosts", "Listed.Example",
                                            "defaultHost", "ghe.corp");
    g_autoptr(Settings) settings = settings_new(overrides);

    static const char *const known[] = { "github.com",     "GitHub.com",     "www.github.com",
                                         "ssh.github.com", "listed.example", "LISTED.example:8443",
                                         "ghe.corp",       "env.example",    "logged.example" };
    static const char *const unknown[] = { "github.com.evil.example",
                                           "evil-github.com",
                                           "example",
                                           "inner.example",
                                           "value.example",
                                           "indented",
                                           "github.com.",
                                           "sub.github.com",
                                           "" };
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        expect_known(settings, known[i], true);
    for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++)
        expect_known(settings, unknown[i], false);

    g_autoptr(json_t) strict = json_pack("{s:{s:b}}", "gh", "trustGhLogins", 0);
    g_autoptr(Settings) distrusting = settings_new(strict);
    expect_known(distrusting, "logged.example", false);
    g_unsetenv("GH_HOST");
    expect_known(settings, "env.example", false);
    g_unsetenv("GH_CONFIG_DIR");
    assert_true(file_remove_tree(dir, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_default_host),
        cmocka_unit_test(test_known_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
