/*
 * What `gh auth status` says, in its two forms (gh-policy §10).
 */
#include "unit.h"

#include "github/safe/gh_auth_status.h"

typedef struct Case {
    const char *name, *text;
    unsigned count;
    // of the active login
    GhLoginState state;
    const char *login, *source, *missing;
    bool is_environment;
} Case;

static void check(const Case *c, const GPtrArray *logins)
{
    if (logins->len != c->count)
        fail_msg("%s: %u logins, want %u", c->name, logins->len, c->count);
    const GhLogin *login = gh_auth_status_active(logins);
    if (c->count == 0) {
        assert_null(login);
        return;
    }
    if (login->state != c->state || g_strcmp0(login->login, c->login) != 0 ||
        g_strcmp0(login->source, c->source) != 0 ||
        g_strcmp0(login->missing_scopes, c->missing) != 0 ||
        gh_login_is_from_environment(login) != c->is_environment)
        fail_msg("%s: state %d, login %s, source %s, missing %s", c->name, login->state,
                 login->login, login->source, login->missing_scopes);
}

static void test_text(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { .name = "nothing said", .text = "" },
        { .name = "no account at the host",
          .text = "You are not logged into any accounts on ghe.example.com\n" },
        { .name = "no account at all",
          .text = "You are not logged into any GitHub hosts. To log in, run: gh auth login\n" },
        { "a login",
          "ghe.example.com\n  ✓ Logged in to ghe.example.com account o (keyring)\n"
          "  - Active account: true\n  - Git operations protocol: https\n"
          "  - Token: gho_****\n  - Token scopes: 'read:org', 'repo'\n",
          1, GH_LOGIN_WORKS, "o", "keyring", NULL, false },
        { "a file with blanks in its name",
          "  ✓ Logged in to ghe.example.com account o (/home/a b/(x)/hosts.yml)\n", 1,
          GH_LOGIN_WORKS, "o", "/home/a b/(x)/hosts.yml", NULL, false },
        { "from the environment",
          "  ✓ Logged in to ghe.example.com account o (GH_ENTERPRISE_TOKEN)\n", 1, GH_LOGIN_WORKS,
          "o", "GH_ENTERPRISE_TOKEN", NULL, true },
        { "scopes are missing",
          "  ✓ Logged in to ghe.example.com account o (keyring)\n  - Active account: true\n"
          "  ! Missing required token scopes: 'read:org', 'repo'\n"
          "  - To request missing scopes, run: gh auth refresh -h ghe.example.com\n",
          1, GH_LOGIN_WORKS, "o", "keyring", "read:org, repo", false },
        { "refused",
          "  X Failed to log in to ghe.example.com account o (keyring)\n"
          "  - Active account: true\n  - The token in keyring is invalid.\n",
          1, GH_LOGIN_REFUSED, "o", "keyring", NULL, false },
        { "a refused token of the environment",
          "  X Failed to log in to ghe.example.com using token (GH_TOKEN)\n", 1, GH_LOGIN_REFUSED,
          NULL, "GH_TOKEN", NULL, true },
        { "no answer", "  X Timeout trying to log in to ghe.example.com account o (keyring)\n", 1,
          GH_LOGIN_TIMEOUT, "o", "keyring", NULL, false },
        { "the second account is the active one",
          "  ✓ Logged in to ghe.example.com account a (keyring)\n  - Active account: false\n\n"
          "  X Failed to log in to ghe.example.com account b (keyring)\n"
          "  - Active account: true\n",
          2, GH_LOGIN_REFUSED, "b", "keyring", NULL, false },
        { .name = "another host, whose name begins alike",
          .text = "  ✓ Logged in to ghe.example.com.evil account o (keyring)\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) logins = gh_auth_status_read_text(cases[i].text, "ghe.example.com");
        check(&cases[i], logins);
    }
}

static void test_json(void **state G_GNUC_UNUSED)
{
#define ENTRY(rest) "{\"hosts\":{\"github.com\":[{\"host\":\"github.com\"," rest "}]}}"
    static const Case cases[] = {
        { .name = "no host", .text = "{\"hosts\":{}}" },
        { .name = "another host",
          .text = "{\"hosts\":{\"ghe.example.com\":[{\"state\":\"success\"}]}}" },
        { "a login",
          ENTRY("\"state\":\"success\",\"active\":true,\"login\":\"o\",\"tokenSource\":\"keyring\","
                "\"scopes\":\"gist, read:org, repo\""),
          1, GH_LOGIN_WORKS, "o", "keyring", NULL, false },
        { "a token of a kind without scopes",
          ENTRY(
              "\"state\":\"success\",\"active\":true,\"login\":\"o\",\"tokenSource\":\"GH_TOKEN\","
              "\"scopes\":\"\""),
          1, GH_LOGIN_WORKS, "o", "GH_TOKEN", NULL, true },
        { "scopes are missing",
          ENTRY("\"state\":\"success\",\"active\":true,\"login\":\"o\",\"tokenSource\":\"keyring\","
                "\"scopes\":\"gist\""),
          1, GH_LOGIN_WORKS, "o", "keyring", "repo, read:org", false },
        { "a wider scope will do",
          ENTRY("\"state\":\"success\",\"active\":true,\"login\":\"o\",\"tokenSource\":\"keyring\","
                "\"scopes\":\"admin:org, repo\""),
          1, GH_LOGIN_WORKS, "o", "keyring", NULL, false },
        { "refused",
          ENTRY("\"state\":\"error\",\"active\":true,\"login\":\"\",\"tokenSource\":\"keyring\","
                "\"error\":\"HTTP 401\""),
          1, GH_LOGIN_REFUSED, NULL, "keyring", NULL, false },
        { "no answer", ENTRY("\"state\":\"timeout\",\"active\":true,\"login\":\"o\""), 1,
          GH_LOGIN_TIMEOUT, "o", NULL, NULL, false },
        { "a state that is not known is no login", ENTRY("\"state\":\"odd\""), 1, GH_LOGIN_REFUSED,
          NULL, NULL, NULL, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) logins = gh_auth_status_read_json(cases[i].text, "github.com");
        assert_non_null(logins);
        check(&cases[i], logins);
    }
    static const char *const others[] = { "", "unknown flag: --json", "[]", "{}" };
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        assert_null(gh_auth_status_read_json(others[i], "github.com"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
