/*
 * run:// and pr://N/checks: what is said of runs, jobs and checks, and that a job is explained in
 * 4 KB however long its log, its names and its annotations are.
 */
#include "base/str.h"
#include "unit.h"

#include "item_fixture.h"

#include "github/urls/job_text.h"

#define RUN                                                                                        \
    "{\"id\":5,\"name\":\"ci\",\"display_title\":\"Fix\\n# it\",\"status\":\"completed\","         \
    "\"conclusion\":\"failure\",\"head_branch\":\"main\",\"head_sha\":"                            \
    "\"a1b2c3d4e5f60718293a4b5c6d7e8f9001122334\",\"html_url\":\"https://x/runs/5\"}"
#define JOBS                                                                                       \
    "{\"jobs\":[{\"id\":61,\"name\":\"build\",\"status\":\"completed\",\"conclusion\":"            \
    "\"success\"},{\"id\":62,\"name\":\"test\",\"status\":\"completed\",\"conclusion\":"           \
    "\"failure\"}]}"

typedef struct Run {
    const char *steps, *annotations, *log; // NULL: 404
} Run;

static void reply_or_404(GhFixture *fixture, const char *match, const char *out)
{
    gh_fixture_reply(fixture, &(GhReply) { .match = match,
                                           .out = out,
                                           .err = out ? NULL : "gh: Not Found (HTTP 404)",
                                           .status = out ? 0 : 1 });
}

static GhFixture *fixture_of(const Run *run)
{
    GhFixture *fixture = item_fixture_new("abc");
    gh_fixture_reply(fixture, &(GhReply) { .match = "*actions/runs/5", .out = RUN });
    gh_fixture_reply(fixture, &(GhReply) { .match = "*actions/runs/5/jobs*", .out = JOBS });
    reply_or_404(fixture, "*actions/jobs/62", run->steps);
    reply_or_404(fixture, "*check-runs/62/annotations", run->annotations);
    reply_or_404(fixture, "*actions/jobs/62/logs", run->log);
    return fixture;
}

#define HEAD                                                                                       \
    "# GitHub Actions Run #5: Fix # it\n\nWorkflow: ci\nStatus: completed\nConclusion: "           \
    "failure\nBranch: main\nCommit: a1b2c3d4e5f6\nURL: https://x/runs/5\n\n## Jobs (2)\n\n- "      \
    "build "                                                                                       \
    "[success]  job 61\n- test [failure]  job 62\n\n## test [failure]\n\nJob: 62\n"

static void test_run(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        Run run;
        const char *want;
    } cases[] = {
        { "all of it",
          { "{\"steps\":[{\"number\":1,\"name\":\"Set up\",\"conclusion\":\"success\"},"
            "{\"number\":4,\"name\":\"make test\",\"conclusion\":\"failure\"},"
            "{\"number\":5,\"name\":\"Post\",\"conclusion\":\"cancelled\"}]}",
            "[{\"path\":\"src/a.c\",\"start_line\":10,\"annotation_level\":\"failure\","
            "\"message\":\"no\\nsemicolon\"}]",
            "2026-01-01T00:00:00.1Z cc a.c\n2026-01-01T00:00:01.1Z a.c:10: "
            "error\n2026-01-01T00:00:02.1Z ##[error]Process completed with exit code 2.\n" },
          HEAD "Step: 4. make test [failure]\nExit code: 2\n\nAnnotations:\n- src/a.c:10 [failure] "
               "no semicolon\n\nLog, lines 1 to 3 of 3:\n```\ncc a.c\na.c:10: "
               "error\n##[error]Process completed with exit code 2.\n```" },
        { "nothing but its name",
          { NULL, NULL, NULL },
          HEAD "\nThe log is not available (yet, or no more): gh: Not Found (HTTP 404)" },
        { "odd answers",
          { "{\"steps\":[3,null,{\"conclusion\":\"failure\"}]}", "[7,{}]", "x\n" },
          HEAD "Step: 3.  [failure]\n\nAnnotations:\n- (no file) [?] \n- (no file) [?] \n\nLog, "
               "lines 1 to 1 of 1:\n```\nx\n```" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = fixture_of(&cases[i].run);
        g_auto(ToolResult) result = item_fixture_read(fixture, "run://o/r/5");
        gh_expect_text(cases[i].name, &result, cases[i].want);
        item_expect_notes(cases[i].name, &result, "Live state of run 5 in o/r");
    }
}

/* 1,000 lines of 500 letters behind one another. */
static char *long_log(void)
{
    g_autofree char *line = g_strnfill(500, 'x');
    GString *log = g_string_new(NULL);
    for (int i = 0; i < 1000; i++)
        g_string_append_printf(log, "%d %s\n", i, line);
    g_string_append(log, "##[error]Process completed with exit code 137.\n");
    return g_string_free(log, false);
}

static void test_size(void **state G_GNUC_UNUSED)
{
    g_autofree char *log = long_log();
    g_autofree char *word = g_strnfill(5000, 'y');
    g_autofree char *steps = g_strdup_printf(
        "{\"steps\":[{\"number\":1,\"name\":\"%s\",\"conclusion\":\"failure\"}]}", word);
    GString *list = g_string_new("[");
    for (int i = 0; i < 50; i++)
        g_string_append_printf(list, "%s{\"path\":\"%s\",\"message\":\"%s\"}", i > 0 ? "," : "",
                               word, word);
    g_string_append(list, "]");
    g_autofree char *annotations = g_string_free(list, false);
    const Run run = { steps, annotations, log };
    g_autoptr(GhFixture) fixture = fixture_of(&run);
    g_auto(ToolResult) result = item_fixture_read(fixture, "run://o/r/5/job/62");
    g_autofree char *text = tool_result_text(&result);
    assert_false(result.is_error);
    if (strlen(text) > JOB_TEXT_MAX_BYTES)
        fail_msg("%zu bytes", strlen(text));
    assert_non_null(strstr(text, "\nExit code: 137\n"));
    assert_non_null(strstr(text, "\n- ... 45 more\n"));
    assert_non_null(strstr(text, "##[error]Process completed with exit code 137.\n```"));
}

static void test_no_such_job(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_of(&(Run) { 0 });
    g_auto(ToolResult) result = item_fixture_read(fixture, "run://o/r/5/job/99");
    gh_expect_error("job 99", &result,
                    "run:// resolution failed: run 5 of o/r has no job 99; run://o/r/5 lists its "
                    "jobs");
}

static void test_checks(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *reply, *want;
    } cases[] = {
        { "of every kind",
          "{\"title\":\"T\",\"headRefOid\":\"a1b2c3d4e5f60718\",\"statusCheckRollup\":["
          "{\"name\":\"lint\",\"status\":\"COMPLETED\",\"conclusion\":\"SUCCESS\"},"
          "{\"name\":\"test\",\"workflowName\":\"ci\",\"conclusion\":\"FAILURE\",\"detailsUrl\":"
          "\"https://github.com/o/r/actions/runs/5/job/62\"},"
          "{\"context\":\"deploy\",\"state\":\"PENDING\",\"targetUrl\":\"https://x\"},"
          "{\"name\":\"docs\",\"conclusion\":\"SKIPPED\"},{\"name\":\"odd\\nname\",\"conclusion\":"
          "\"WHAT\"}]}",
          "# Checks of Pull Request #9: T\n\nHead: a1b2c3d4e5f6\nResult: failed (1 failed, 2 "
          "pending, 1 passed, 1 skipped)\n\n## Failed (1)\n\n- test [FAILURE]  (ci)\n  URL: "
          "https://github.com/o/r/actions/runs/5/job/62\n  Explained: run://o/r/5/job/62\n\n## "
          "Pending (2)\n\n- deploy [PENDING]\n  URL: https://x\n- odd name [WHAT]\n\n## Passed "
          "(1)\n\n- lint [SUCCESS]\n\n## Skipped (1)\n\n- docs [SKIPPED]" },
        { "none", "{}",
          "# Checks of Pull Request #9: Untitled\n\nResult: none reported (0 failed, 0 pending, 0 "
          "passed, 0 skipped)" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new("abc");
        gh_fixture_reply_out(fixture, cases[i].reply);
        g_auto(ToolResult) result = item_fixture_read(fixture, "pr://o/r/9/checks");
        gh_expect_text(cases[i].name, &result, cases[i].want);
    }
}

/* What GitHub says stands there, and it is asked once. */
static void test_refusals(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *message, *want;
    } cases[] = {
        { "issue://o/r/1", "HTTP 403: API rate limit exceeded for user ID 1.",
          "issue:// resolution failed: HTTP 403: API rate limit exceeded for user ID 1." },
        { "pr://o/r/1", "GraphQL: Could not resolve to a Repository with the name 'o/r'.",
          "pr:// resolution failed: GraphQL: Could not resolve to a Repository with the name "
          "'o/r'." },
        { "pr://o/r/1/diff", "HTTP 410: Gone", "pr:// diff resolution failed: HTTP 410: Gone" },
        { "pr://o/r/1/checks", "HTTP 401: Bad credentials",
          "pr:// checks resolution failed: HTTP 401: Bad credentials" },
        { "issue://o/r", "the 'o/r' repository has disabled issues",
          "issue:// listing failed: the 'o/r' repository has disabled issues" },
        { "run://o/r/5", "gh: Not Found (HTTP 404)",
          "run:// resolution failed: gh: Not Found (HTTP 404)" },
        { "issue://o/r/1", "To get started with GitHub CLI, please run:  gh auth login",
          "issue:// resolution failed: GitHub does not accept the token in GH_TOKEN. Set a valid "
          "one, or "
          "unset it." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = item_fixture_new("abc");
        gh_fixture_reply(fixture,
                         &(GhReply) { .err = cases[i].message, .status = 1, .is_repeated = true });
        g_auto(ToolResult) result = item_fixture_read(fixture, cases[i].url);
        gh_expect_error(cases[i].url, &result, cases[i].want);
        // of a run its jobs are asked for beside it
        gh_expect_calls(cases[i].url, fixture, str_has_prefix(cases[i].url, "run") ? 2 : 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),      cmocka_unit_test(test_size),
        cmocka_unit_test(test_checks),   cmocka_unit_test(test_no_such_job),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
