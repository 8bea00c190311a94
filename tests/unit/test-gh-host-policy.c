/*
 * gh.hostPolicy through the real tool_call(): the host, and every repository that a command names.
 */
#include "unit.h"

#include "git_fixture.h"

#include "github/github.h"

static GhFixture *fixture_new(const char *settings)
{
    GhFixture *fixture = gh_fixture_new_with(settings);
    fixture->tool = &tool_gh;
    return fixture;
}

static void test_host_policy(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new("{\"gh\":{\"knownHosts\":[\"acme.ghe.com\"],"
                                               "\"hostPolicy\":{\"acme.ghe.com\":\"read-only\"}}}");
    g_auto(ToolResult) result = gh_fixture_call(
        fixture, "{\"args\":[\"pr\",\"merge\",\"5\"],\"repo\":\"acme.ghe.com/o/r\"}");
    gh_expect_error("gh-5.2-1", &result,
                    "[gh acme.ghe.com/o/r pr write policy-blocked]\n"
                    "Error: Blocked by V1 policy: writes are disabled for acme.ghe.com.\n"
                    "Reproduce: GH_PROMPT_DISABLED=1 GH_PAGER=cat GH_HOST=acme.ghe.com "
                    "GH_REPO=acme.ghe.com/o/r gh pr merge 5");
    assert_int_equal(result.failure, KEDGE_ERROR_DENIED);
    gh_expect_calls("gh-5.2-1", fixture, 0);
}

/* gh-5.2: the policy of every repository that is named holds, source and destination. */
static void test_policy_of_both_ends(void **state G_GNUC_UNUSED)
{
    static const char settings[] =
        "{\"gh\":{\"policy\":{\"write\":\"auto\"},\"knownHosts\":[\"acme.ghe.com\"],"
        "\"hostPolicy\":{\"github.com/safe/*\":\"read-only\",\"github.com/no/*\":\"deny\"}}}";
    static const struct {
        const char *arguments;
        bool is_blocked;
    } cases[] = {
        { "[\"issue\",\"transfer\",\"5\",\"o/b\",\"-R\",\"o/a\"]", false },
        { "[\"issue\",\"transfer\",\"5\",\"safe/b\",\"-R\",\"o/a\"]", true },
        { "[\"issue\",\"transfer\",\"5\",\"Safe/b.git\",\"-R\",\"o/a\"]", true },
        { "[\"issue\",\"transfer\",\"5\",\"o/b\",\"-R\",\"safe/a\"]", true },
        { "[\"label\",\"clone\",\"safe/a\",\"-R\",\"o/b\"]", false },
        { "[\"label\",\"clone\",\"no/a\",\"-R\",\"o/b\"]", true },
        { "[\"label\",\"clone\",\"o/a\",\"-R\",\"safe/b\"]", true },
        { "[\"pr\",\"create\",\"-t\",\"x\",\"-b\",\"y\",\"-R\",\"o/b\",\"--head\",\"safe:x\"]",
          true },
        { "[\"pr\",\"create\",\"-t\",\"x\",\"-b\",\"y\",\"-R\",\"o/b\",\"--head\",\"me:x\"]",
          false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = fixture_new(settings);
        gh_fixture_reply_out(fixture, "ok");
        g_autofree char *arguments = g_strdup_printf("{\"args\":%s}", cases[i].arguments);
        g_auto(ToolResult) result = gh_fixture_call(fixture, arguments);
        g_autofree char *text = tool_result_text(&result);
        bool is_blocked = strstr(text, " policy-blocked]") != NULL;
        if (is_blocked != cases[i].is_blocked)
            fail_msg("%s: %s", cases[i].arguments, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_policy),
        cmocka_unit_test(test_policy_of_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
