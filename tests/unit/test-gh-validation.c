/*
 * Arguments of the `github` tool: what is refused before any process is started (github-tool §9.1),
 * and the schema that models are told.
 */
#include "unit.h"

#include "gh_fixture.h"

#include "github/github.h"
#include "tool/tool_set.h"

#define DATE_FORMS                                                                                 \
    "Expected a relative duration like \"3d\", \"12h\", \"2w\", an ISO date \"YYYY-MM-DD\", or "   \
    "an ISO "                                                                                      \
    "datetime."

typedef struct Refused {
    const char *name, *arguments, *want;
} Refused;

static const Refused refused[] = {
    { "github-T04", "{\"op\":\"search_issues\",\"limit\":0}", "limit must be a positive number" },
    { "github-T05", "{\"op\":\"search_issues\",\"limit\":-3}", "limit must be a positive number" },
    { "limit below one", "{\"op\":\"search_issues\",\"limit\":0.5}",
      "limit must be a positive number" },
    { "github-T09", "{\"op\":\"run_watch\",\"run\":\"5\",\"repo\":\"a/b\",\"tail\":0}",
      "tail must be a positive number" },
    { "github-T10", "{\"op\":\"pr_create\"}", "title is required unless fill is true" },
    { "github-T11", "{\"op\":\"pr_create\",\"title\":\"   \"}",
      "title is required unless fill is true" },
    { "github-T12", "{\"op\":\"pr_create\",\"fill\":true,\"title\":\"x\"}",
      "fill is mutually exclusive with title and body" },
    { "github-T13", "{\"op\":\"pr_create\",\"fill\":true,\"body\":\"\"}",
      "fill is mutually exclusive with title and body" },
    { "github-T14", "{\"op\":\"search_code\"}", "query must not be empty" },
    { "blank query", "{\"op\":\"search_code\",\"query\":\" \\t\"}", "query must not be empty" },
    { "github-T15", "{\"op\":\"search_code\",\"query\":\"x\",\"since\":\"3d\"}",
      "search_code does not support since/until; GitHub code search has no date qualifier." },
    { "github-T17", "{\"op\":\"run_watch\",\"run\":\"abc\"}",
      "run must be a numeric workflow run ID or a full GitHub Actions run URL" },
    { "github-T18",
      "{\"op\":\"run_watch\",\"run\":\"https://github.com/a/b/actions/runs/5\",\"repo\":\"c/d\"}",
      "run URL repository does not match the provided repo" },
    { "github-T20", "{\"op\":\"repo_view\",\"repo\":\"--web\"}",
      "invalid repo: --web. Expected owner/repo." },
    { "github-T21", "{\"op\":\"pr_checkout\",\"pr\":[\"--help\"]}",
      "invalid PR identifier: --help. Pass a PR number, URL, or branch name." },
    { "github-T22", "{\"op\":\"search_prs\",\"since\":\"yesterday\"}",
      "since: invalid date bound: yesterday. " DATE_FORMS },
    { "github-T23", "{\"op\":\"search_issues\",\"since\":\"  \"}",
      "since: date bound must not be empty" },
    { "no way out of the API path", "{\"op\":\"search_issues\",\"repo\":\"../x\"}",
      "invalid repo: ../x. Expected owner/repo." },
    { "a bare name is for repo_view only", "{\"op\":\"search_issues\",\"repo\":\"tidepool\"}",
      "invalid repo: tidepool. Expected owner/repo." },
    { "unknown host (E39)", "{\"op\":\"repo_view\",\"repo\":\"evil.example/o/r\"}",
      "host \"evil.example\" is not a known host; add it to gh.knownHosts" },
    { "unknown host in a URL",
      "{\"op\":\"repo_view\",\"repo\":\"https://github.com.evil.example/o/r\"}",
      "host \"github.com.evil.example\" is not a known host; add it to gh.knownHosts" },
    { "a token in an argument", "{\"op\":\"repo_view\",\"repo\":\"a b ghp_0123456789abcdef0123\"}",
      "invalid repo: a b [REDACTED]. Expected owner/repo." },
};

static void test_refused(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        g_auto(ToolResult) result = gh_fixture_call(fixture, refused[i].arguments);
        gh_expect_error(refused[i].name, &result, refused[i].want);
        if (result.failure != KEDGE_ERROR_USAGE)
            fail_msg("%s: failure %d", refused[i].name, result.failure);
        gh_expect_calls(refused[i].name, fixture, 0);
    }
}

/* The common validator's own words are its business; that it refuses, and names the culprit, is
 * ours. */
static void test_refused_by_the_decoder(void **state G_GNUC_UNUSED)
{
    static const Refused cases[] = {
        { "github-T01", "{\"op\":\"issue_view\",\"issue\":\"1\"}", "op" },
        { "github-T02", "{\"op\":\"repo_view\",\"foo\":1}", "foo" },
        { "github-T03", "{}", "op" },
        { "nothing is coerced", "{\"op\":\"search_issues\",\"limit\":\"7\"}", "limit" },
        { "a list of strings", "{\"op\":\"pr_checkout\",\"pr\":[7]}", "pr" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        g_autofree char *text = tool_result_text(&result);
        if (!result.is_error || result.failure != KEDGE_ERROR_USAGE || !strstr(text, cases[i].want))
            fail_msg("%s: %s", cases[i].name, text);
        gh_expect_calls(cases[i].name, fixture, 0);
    }
}

static void test_accepted(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *argv;
    } cases[] = {
        { "github-T06", "{\"op\":\"search_issues\",\"query\":\"x\",\"limit\":7.9}",
          "api|-X|GET|/search/issues|-f|q=x repo:harbor/tidepool is:issue|-F|per_page=7" },
        { "github-T07", "{\"op\":\"search_issues\",\"query\":\"x\",\"limit\":500}",
          "api|-X|GET|/search/issues|-f|q=x repo:harbor/tidepool is:issue|-F|per_page=50" },
        { "github-T08", "{\"op\":\"search_issues\",\"query\":\"x\",\"limit\":null,\"repo\":null}",
          "api|-X|GET|/search/issues|-f|q=x repo:harbor/tidepool is:issue|-F|per_page=10" },
        { "github-T16", "{\"op\":\"search_code\",\"query\":\"x\",\"since\":\"\",\"until\":\"\"}",
          "api|-X|GET|/search/code|-f|q=x repo:harbor/tidepool|-F|per_page=10|-H|"
          "Accept: application/vnd.github.text-match+json" },
        { "unused fields are ignored",
          "{\"op\":\"search_repos\",\"query\":\"x\",\"repo\":\"--web\",\"tail\":0,\"run\":\"abc\"}",
          "api|-X|GET|/search/repositories|-f|q=x|-F|per_page=10" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        gh_fixture_set_origin(fixture, GH_FIXTURE_ORIGIN);
        gh_fixture_reply_out(fixture, "{\"items\":[]}");
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        if (result.is_error)
            fail_msg("%s: %s", cases[i].name, tool_result_text(&result));
        gh_expect_calls(cases[i].name, fixture, 1);
        gh_expect_argv(cases[i].name, fixture, 0, cases[i].argv);
    }
}

static void test_run_url_of_the_same_repository(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_reply(fixture, &(GhReply) { .match = "*/actions/runs/5",
                                           .out = "{\"id\":5,\"status\":\"completed\","
                                                  "\"conclusion\":\"success\"}" });
    gh_fixture_reply(fixture, &(GhReply) { .match = "*/actions/runs/5/jobs *",
                                           .out = "{\"total_count\":0,\"jobs\":[]}" });
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"run_watch\",\"run\":\"https://github.com/a/b/actions/"
                                 "runs/5\",\"repo\":\"A/B\"}");
    g_autofree char *text = tool_result_text(&result);
    if (result.is_error || !strstr(text, "Run #5"))
        fail_msg("github-T19: %s", text);
    gh_expect_calls("github-T19", fixture, 2);
}

/* The schema of github-tool §1.2. */
static const char SCHEMA[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"op\"],\"properties\":{"
    "\"op\":{\"type\":\"string\",\"enum\":[\"repo_view\",\"pr_create\",\"pr_checkout\",\"pr_push\","
    "\"search_issues\",\"search_prs\",\"search_code\",\"search_commits\",\"search_repos\",\"run_"
    "watch\"]},"
    "\"repo\":{\"type\":\"string\",\"description\":\"owner/repo\"},"
    "\"branch\":{\"type\":\"string\"},"
    "\"pr\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{\"type\":\"string\"}}]"
    ","
    "\"description\":\"PR number, URL or branch; array = batch\"},"
    "\"force\":{\"type\":\"boolean\"},\"forceWithLease\":{\"type\":\"boolean\"},"
    "\"title\":{\"type\":\"string\"},\"body\":{\"type\":\"string\"},\"base\":{\"type\":\"string\"},"
    "\"head\":{\"type\":\"string\"},\"draft\":{\"type\":\"boolean\"},\"fill\":{\"type\":"
    "\"boolean\"},"
    "\"reviewer\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"assignee\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"label\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"query\":{\"type\":\"string\"},\"since\":{\"type\":\"string\"},\"until\":{\"type\":"
    "\"string\"},"
    "\"dateField\":{\"type\":\"string\",\"enum\":[\"created\",\"updated\"],\"default\":\"created\"}"
    ","
    "\"limit\":{\"type\":\"number\",\"default\":10},"
    "\"run\":{\"type\":\"string\",\"description\":\"Actions run id or URL\"},"
    "\"tail\":{\"type\":\"number\",\"default\":15}}}";

static void test_schema(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) want = NULL;
    assert_true(json_parse_text(SCHEMA, &want, NULL));
    g_autoptr(json_t) got = field_schema(tool_github.fields);
    if (!json_equal(got, want))
        fail_msg("the schema is %s", json_to_text(got));
}

/* github-T181: advice names only what a model can call. */
static void test_description(void **state G_GNUC_UNUSED)
{
    static const char *const absent[] = { "://", "gh_issue_view", "gh_pr_view", "gh_pr_diff" };
    static const char *const present[] = { "earlier pr_checkout", "no run appears" };
    for (size_t i = 0; i < G_N_ELEMENTS(absent); i++)
        assert_null(strstr(tool_github.description, absent[i]));
    for (size_t i = 0; i < G_N_ELEMENTS(present); i++)
        assert_non_null(strstr(tool_github.description, present[i]));
}

static void test_availability(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    assert_true(tool_is_available(&tool_github, fixture->settings));

    g_autoptr(json_t) off = json_pack("{s:{s:b}}", "github", "enabled", 0);
    g_autoptr(Settings) disabled = settings_new(off);
    assert_false(tool_is_available(&tool_github, disabled));

    g_setenv("PATH", fixture->home, true);
    assert_false(tool_is_available(&tool_github, fixture->settings));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_refused_by_the_decoder),
        cmocka_unit_test(test_accepted),     cmocka_unit_test(test_run_url_of_the_same_repository),
        cmocka_unit_test(test_schema),       cmocka_unit_test(test_description),
        cmocka_unit_test(test_availability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
