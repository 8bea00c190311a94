/*
 * details.github of every tool that asks GitHub: which host, repository and number an answer is
 * about, as the command line, the address or the answer's own address says.
 */
#include "unit.h"

#include "item_fixture.h"

#include "github/github.h"
#include "tool/context.h"

#define PULL(host, number)                                                                         \
    "{\"host\":\"" host "\",\"repository\":\"o/r\",\"kind\":\"pull request\",\"number\":" number   \
    ",\"url\":\"https://" host "/o/r/pull/" number "\"}"
#define REPO                                                                                       \
    "{\"host\":\"github.com\",\"repository\":\"o/r\",\"kind\":\"repository\",\"url\":"             \
    "\"https://github.com/o/r\"}"
#define ISSUE                                                                                      \
    "{\"host\":\"github.com\",\"repository\":\"o/r\",\"kind\":\"issue\",\"number\":12,\"url\":"    \
    "\"https://github.com/o/r/issues/12\"}"
#define RUN                                                                                        \
    "{\"host\":\"github.com\",\"repository\":\"o/r\",\"kind\":\"run\",\"number\":5,\"url\":"       \
    "\"https://github.com/o/r/actions/runs/5\"}"
#define HOST "{\"host\":\"github.com\",\"url\":\"https://github.com\"}"

typedef struct MarkCase {
    const char *name;
    const ToolDef *tool;
    const char *arguments;
    const char *out; // of gh; NULL: "{}"
    const char *want;
} MarkCase;

static const MarkCase cases[] = {
    { "a wrapper", &tool_gh_pr_view, "{\"number\":9,\"repo\":\"o/r\"}", NULL,
      PULL("github.com", "9") },
    { "another host", &tool_gh_pr_view, "{\"number\":9,\"repo\":\"ghe.example.com/o/r\"}", NULL,
      PULL("ghe.example.com", "9") },
    { "a list", &tool_gh_pr_list, "{\"repo\":\"o/r\"}", NULL, REPO },
    { "a run", &tool_gh_run_view, "{\"run_id\":5,\"repo\":\"o/r\"}", NULL, RUN },
    { "artifacts", &tool_gh_run_artifacts, "{\"run_id\":5,\"repo\":\"o/r\"}", NULL, RUN },
    { "release", &tool_gh_release_download, "{\"repo\":\"o/r\"}", NULL, REPO },
    { "search", &tool_gh_search_issues, "{\"query\":\"x\"}", NULL, HOST },
    { "an endpoint", &tool_gh_api_get, "{\"endpoint\":\"repos/o/r/issues/12/comments?page=2\"}",
      NULL, ISSUE },
    { "an endpoint without a number", &tool_gh_api_get,
      "{\"endpoint\":\"repos/o/r/issues/comments/12\"}", NULL, REPO },
    { "an endpoint of nobody", &tool_gh_api_get, "{\"endpoint\":\"user\"}", NULL, HOST },
    { "any command", &tool_gh, "{\"args\":[\"issue\",\"view\",\"12\",\"-R\",\"o/r\"]}", NULL,
      ISSUE },
    { "a URL", &tool_gh, "{\"args\":[\"pr\",\"view\",\"https://github.com/o/r/pull/9\"]}", NULL,
      PULL("github.com", "9") },
    { "a branch", &tool_gh, "{\"args\":[\"pr\",\"view\",\"topic\",\"-R\",\"o/r\"]}", NULL, REPO },
    { "github: repo_view", &tool_github, "{\"op\":\"repo_view\",\"repo\":\"o/r\"}", NULL, REPO },
    { "github: a search", &tool_github, "{\"op\":\"search_prs\",\"query\":\"x\",\"repo\":\"o/r\"}",
      "{\"total_count\":0,\"items\":[]}", REPO },
    { "pr://", &item_fixture_tool, "{\"path\":\"pr://o/r/9/checks\"}", NULL,
      PULL("github.com", "9") },
    { "another host's pr://", &item_fixture_tool,
      "{\"path\":\"pr://ghe.example.com/o/r/9/checks\"}", NULL, PULL("ghe.example.com", "9") },
    { "issue://", &item_fixture_tool, "{\"path\":\"issue://o/r/12?comments=0\"}", NULL, ISSUE },
    { "a list's address", &item_fixture_tool, "{\"path\":\"issue://o/r\"}", "[]", REPO },
    { "gh://", &item_fixture_tool, "{\"path\":\"gh://o/r/x\"}", "[]", REPO },
};

static void test_marks(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new(NULL);
        fixture->tool = cases[i].tool;
        gh_fixture_converse(fixture);
        tool_context_set_conversation(fixture->context, fixture->home);
        gh_fixture_reply(
            fixture, &(GhReply) { .out = cases[i].out ? cases[i].out : "{}", .is_repeated = true });
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        const json_t *mark = json_get_object(result.details, "github");
        g_autofree char *got = mark ? json_to_text(mark) : g_strdup("none");
        g_autofree char *text = tool_result_text(&result);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: %s, want %s\n%s", cases[i].name, got, cases[i].want, text);
    }
}

/* What did not run is about nothing. */
static void test_refused(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->tool = &tool_gh;
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"args\":[\"pr\",\"merge\",\"9\",\"-R\",\"o/r\"]}");
    assert_true(result.is_error);
    assert_null(json_get_object(result.details, "github"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_marks),
                                        cmocka_unit_test(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
