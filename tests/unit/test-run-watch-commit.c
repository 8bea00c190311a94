/*
 * op: run_watch on every run of a commit (github-tool §9.7, T114–T121, T182, T183), and the exact
 * texts of it.
 */
#include "base/str.h"
#include "unit.h"

#include "git_fixture.h"
#include "watch_fixture.h"

#define WATCH_BRANCH "{\"op\":\"run_watch\",\"repo\":\"harbor/tidepool\",\"branch\":\"fix/dst\"}"

/* Commit mode: a run with the id `id`, its jobs, and one poll of several. */
static char *commit_run(int id, const char *status, const char *conclusion)
{
    return g_strdup_printf("{\"id\":%d,\"name\":\"ci\",\"status\":\"%s\",\"conclusion\":%s,"
                           "\"updated_at\":\"%s\"}",
                           id, status, conclusion, status);
}

static void reply_commit(GhFixture *fixture, const char *sha, const char *runs)
{
    g_autofree char *match = g_strdup_printf(
        "api --method GET " REPO "/actions/runs -F head_sha=%s -F per_page=100", sha);
    g_autofree char *out = g_strdup_printf("{\"total_count\":1,\"workflow_runs\":[%s]}", runs);
    watch_reply(fixture, match, out);
}

static void reply_any_jobs(GhFixture *fixture)
{
    gh_fixture_reply(
        fixture,
        &(GhReply) { .match = "*/jobs -F *", .out = JOBS("1", JOB_BUILD), .is_repeated = true });
}

static void reply_branch(GhFixture *fixture)
{
    gh_fixture_reply(fixture, &(GhReply) { .match = "*/branches/*",
                                           .out = "{\"commit\":{\"sha\":\"" SHA "\"}}",
                                           .is_repeated = true });
}

static void test_commit_of_checkout(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_do(fixture->work, "remote", "set-url", "origin", WEB_ORIGIN, NULL);
    g_autofree char *run = commit_run(1, "completed", "\"success\"");
    reply_commit(fixture->gh, fixture->main_sha, run);
    reply_commit(fixture->gh, fixture->main_sha, run);
    reply_any_jobs(fixture->gh);
    g_auto(ToolResult) result = gh_fixture_call(fixture->gh, "{\"op\":\"run_watch\"}");
    g_autofree char *text = tool_result_text(&result);
    if (result.is_error)
        fail_msg("github-T114: %s", text);
    g_autofree char *want = g_strdup_printf(
        "api|--method|GET|" REPO "/actions/runs|-F|head_sha=%s|-F|per_page=100", fixture->main_sha);
    gh_expect_argv("github-T114", fixture->gh, 0, want);
    watch_expect_calls_of("github-T114", fixture->gh, "repo view", 0); // git knows it
    g_autofree char *head =
        g_strdup_printf("# GitHub Actions for %.12s\n\n"
                        "Repository: harbor/tidepool\nBranch: main\nCommit: %s\n",
                        fixture->main_sha, fixture->main_sha);
    assert_true(str_has_prefix(text, head));
    assert_null(watch_source_url(&result));
}

static void test_branch(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_set_origin(fixture, GH_FIXTURE_ORIGIN);
    watch_reply(fixture, "api *", "{\"commit\":{}}");
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"run_watch\",\"branch\":\"feat/\xc3\xbc\"}");
    gh_expect_error("github-T115", &result, "head SHA for branch feat/\xc3\xbc must not be empty");
    gh_expect_argv("github-T115", fixture, 0, "api|--method|GET|" REPO "/branches/feat%2F%C3%BC");
}

static void test_commit_success(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    reply_branch(fixture);
    for (int i = 0; i < 2; i++)
        reply_commit(fixture, SHA, RUN("completed", "\"success\"", "2026-04-30T18:01:10Z"));
    reply_any_jobs(fixture);
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH_BRANCH);
    static const char block[] =
        "### Run #" ID " - ci\n\nTitle: Fix DST drift\nBranch: fix/dst\nCommit: a1b2c3d4e5f6\n"
        "Status: completed\nConclusion: success\nCreated: 2026-04-30T18:00:00Z\n"
        "Updated: 2026-04-30T18:01:10Z\nURL: " RUN_URL "\n\n## Jobs (1)\n\n" BUILD_LINES;
    g_autofree char *want =
        g_strconcat("# GitHub Actions for a1b2c3d4e5f6\n\nRepository: harbor/tidepool\n"
                    "Branch: fix/dst\nCommit: " SHA "\nRuns: 1\n\n",
                    block, "\n\nAll workflow runs for this commit passed.", NULL);
    gh_expect_text("github-T116", &result, want);
    watch_expect_waits("github-T116", fixture, "3");
    watch_expect_updates("github-T116", fixture, "1 1n 2");
    g_autofree char *noted = g_strconcat(
        "# Watching GitHub Actions for a1b2c3d4e5f6\n\n"
        "Repository: harbor/tidepool\nBranch: fix/dst\n"
        "Commit: " SHA "\nPoll: 1\nRuns: 1\nCompleted runs: 1/1\n\n" NOTE_SUCCESS "\n\n",
        block, NULL);
    watch_expect_same("note", watch_update_text(fixture, 1), noted);
    // nothing changed: the jobs were asked for once
    watch_expect_calls_of("github-T116", fixture, JOBS_CALL, 1);
    assert_string_equal(json_get_text(result.details, "status"), "completed");
    assert_string_equal(json_get_text(result.details, "conclusion"), "success");
    assert_null(json_object_get(result.details, "runId"));
}

/* Runs of each poll, by letter: S success, Q queued, P in progress. The ids count from 1. */
static void test_commit_signatures(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *polls, *waits, *updates;
    } cases[] = {
        { "github-T117", "S SS SS", "3 3", "1 1n 2 2n 3" },
        { "github-T118", "S SQ SS SS", "3 3 3", "1 1n 2 3 3n 4" },
        { "a run vanishes", "SS S S", "3 3", "1 1n 2 2n 3" },
        { "pending between", "S P S S", "3 3 3", "1 1n 2 3 3n 4" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        reply_branch(fixture);
        reply_any_jobs(fixture);
        g_auto(GStrv) polls = g_strsplit(cases[i].polls, " ", -1);
        for (char **poll = polls; *poll; poll++) {
            g_autoptr(GString) runs = g_string_new(NULL);
            for (int k = 0; (*poll)[k] != '\0'; k++) {
                char letter = (*poll)[k];
                g_autofree char *run =
                    letter == 'S'
                        ? commit_run(k + 1, "completed", "\"success\"")
                        : commit_run(k + 1, letter == 'Q' ? "queued" : "in_progress", "null");
                g_string_append_printf(runs, "%s%s", k > 0 ? "," : "", run);
            }
            reply_commit(fixture, SHA, runs->str);
        }
        g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH_BRANCH);
        g_autofree char *text = tool_result_text(&result);
        if (result.is_error ||
            !g_str_has_suffix(text, "\n\nAll workflow runs for this commit passed."))
            fail_msg("%s: %s", cases[i].name, text);
        watch_expect_waits(cases[i].name, fixture, cases[i].waits);
        watch_expect_updates(cases[i].name, fixture, cases[i].updates);
    }
}

/* A run that was started again is read again. */
static void test_commit_jobs_again(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    reply_branch(fixture);
    reply_any_jobs(fixture);
    reply_commit(fixture, SHA, RUN("completed", "\"success\"", "2026-04-30T18:01:10Z"));
    reply_commit(fixture, SHA, RUN("completed", "\"success\"", "2026-04-30T18:02:10Z"));
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH_BRANCH);
    assert_false(result.is_error);
    watch_expect_calls_of("again", fixture, JOBS_CALL, 2);
}

static void reply_no_runs(GhFixture *fixture)
{
    gh_fixture_reply(fixture, &(GhReply) { .match = "*/actions/runs -F *",
                                           .out = "{\"total_count\":0,\"workflow_runs\":[]}",
                                           .is_repeated = true });
}

static void test_never_a_run(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    reply_branch(fixture);
    reply_no_runs(fixture);
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH_BRANCH);
    gh_expect_text("github-T182", &result,
                   "# GitHub Actions for a1b2c3d4e5f6\n\nRepository: harbor/tidepool\n"
                   "Branch: fix/dst\nCommit: " SHA "\nRuns: 0\n\n"
                   "No workflow runs found for harbor/tidepool@a1b2c3d4e5f6 after 90s (23 polls). "
                   "Either no workflow of this repository runs for this commit, or GitHub has not "
                   "started one yet; watch again, or pass run.");
    watch_expect_waits("github-T182", fixture, "3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 15 15");
    assert_string_equal(json_get_text(result.details, "conclusion"), "none");
    assert_int_equal(fixture->updates->len, 23);
}

static void cancel_at_30(GhFixture *fixture, int64_t duration_ms G_GNUC_UNUSED)
{
    if (fixture->sleeps->len == 30)
        cancel_fire(fixture->cancel);
}

static void test_runs_in_time(void **state G_GNUC_UNUSED)
{
    {
        g_autoptr(GhFixture) fixture =
            gh_fixture_new_with("{\"github\":{\"watch\":{\"noRunsAfter\":20}}}");
        reply_branch(fixture);
        reply_no_runs(fixture);
        g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH_BRANCH);
        assert_false(result.is_error);
        watch_expect_waits("github-T183", fixture, "3 3 3 3 3 3 2");
    }
    { // a run that was seen, and is gone: no giving up any more
        g_autoptr(GhFixture) fixture =
            gh_fixture_new_with("{\"github\":{\"watch\":{\"noRunsAfter\":20}}}");
        static const char none[] = "{\"total_count\":0,\"workflow_runs\":[]}";
        reply_branch(fixture);
        reply_any_jobs(fixture);
        watch_reply(fixture, "*/actions/runs -F *", none);
        watch_reply(fixture, "*/actions/runs -F *", none);
        g_autofree char *run = commit_run(1, "queued", "null");
        reply_commit(fixture, SHA, run);
        reply_no_runs(fixture);
        fixture->on_sleep = cancel_at_30;
        g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH_BRANCH);
        gh_expect_error("github-T183", &result, "Operation aborted");
    }
}

static void cancel_at_40(GhFixture *fixture, int64_t duration_ms G_GNUC_UNUSED)
{
    if (fixture->sleeps->len == 40)
        cancel_fire(fixture->cancel);
}

static void test_no_runs(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture =
        gh_fixture_new_with("{\"github\":{\"watch\":{\"noRunsAfter\":0}}}");
    reply_branch(fixture);
    reply_no_runs(fixture);
    fixture->on_sleep = cancel_at_40;
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH_BRANCH);
    gh_expect_error("github-T119", &result, "Operation aborted");
    watch_expect_waits("github-T119", fixture,
                       "3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 "
                       "15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15");
    assert_int_equal(fixture->updates->len, 40);
    watch_expect_same("github-T119", watch_update_text(fixture, 0),
                      "# Watching GitHub Actions for a1b2c3d4e5f6\n\nRepository: harbor/tidepool\n"
                      "Branch: fix/dst\nCommit: " SHA "\nPoll: 1\nRuns: 0\nCompleted runs: 0/0\n\n"
                      "Waiting for workflow runs for this commit.");
    assert_non_null(strstr(watch_update_text(fixture, 39), "\nPoll: 40\n"));
    const GhUpdate *update = g_ptr_array_index(fixture->updates, 0);
    assert_string_equal(json_get_text(update->details, "status"), "in_progress");
    assert_string_equal(json_get_text(update->details, "conclusion"), "pending");
}

static void test_commit_failure(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->artifacts_dir = g_build_filename(fixture->dir, "session", NULL);
    reply_branch(fixture);
    g_autofree char *failed = commit_run(7, "in_progress", "null");
    g_autofree char *nameless =
        g_strdup("{\"id\":8,\"status\":\"completed\",\"conclusion\":\"stale\"},{\"id\":null}");
    g_autofree char *both = g_strconcat(failed, ",", nameless, NULL);
    reply_commit(fixture, SHA, both);
    reply_commit(fixture, SHA, both);
    gh_fixture_reply(
        fixture,
        &(GhReply) { .match = "*/runs/7/jobs *", .out = JOBS("1", JOB_TEST), .is_repeated = true });
    gh_fixture_reply(
        fixture,
        &(GhReply) { .match = "*/runs/8/jobs *", .out = JOBS("1", JOB_LINT), .is_repeated = true });
    watch_reply_logs(fixture);
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH_BRANCH);
    g_autofree char *text = tool_result_text(&result);
    assert_false(result.is_error);
    assert_true(g_str_has_suffix(
        text,
        "Log tail unavailable: gh: Not Found (HTTP 404)\n\nWorkflow runs for this commit failed."
        "\n\nFull failed-job logs: artifact://0"));
    assert_non_null(strstr(text, "\nRuns: 2\n\n### Run #7 - ci\n\nStatus: in_progress\n"));
    assert_non_null(strstr(text, "\n\n### Run #8\n\nStatus: completed\nConclusion: stale\n"));
    assert_non_null(strstr(text, "### lint [cancelled]\nRun: #8\nCompleted: "));
    watch_expect_waits("commit failure", fixture, "5");
    watch_expect_updates("commit failure", fixture, "1 1n");
    assert_non_null(strstr(watch_update_text(fixture, 1),
                           "\nCompleted runs: 1/2\nFailed jobs: 2\n\n" NOTE_FAILURE
                           "\n\n### Run #7 - ci\n"));
    g_autofree char *names = json_to_text(json_get_array(result.details, "failedJobs"));
    assert_string_equal(names, "[\"ci: test\",\"run 8: lint\"]");
}

static void test_commit_startup_failure(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->artifacts_dir = g_build_filename(fixture->dir, "session", NULL);
    reply_branch(fixture);
    for (int i = 0; i < 2; i++) {
        reply_commit(fixture, SHA, RUN("completed", "\"startup_failure\"", "2026-04-30T18:01:10Z"));
        watch_reply(fixture, JOBS_CALL, JOBS("0", ""));
    }
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH_BRANCH);
    g_autofree char *text = tool_result_text(&result);
    assert_true(g_str_has_suffix(text,
                                 "## Jobs\n\nNo jobs reported yet.\n\n"
                                 "Workflow runs for this commit did not complete successfully.\n\n"
                                 "Full failed-job logs: artifact://0"));
}

static void test_other_repository(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_do(fixture->work, "remote", "set-url", "origin", WEB_ORIGIN, NULL);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture->gh, "{\"op\":\"run_watch\",\"repo\":\"other/one\"}");
    gh_expect_error("github-T120", &result,
                    "Cannot infer the watched commit for other/one: current checkout is "
                    "harbor/tidepool. Pass `branch` or `run` to scope the watch.");

    git_do(fixture->work, "remote", "remove", "origin", NULL);
    g_auto(ToolResult) nowhere =
        gh_fixture_call(fixture->gh, "{\"op\":\"run_watch\",\"repo\":\"other/one\"}");
    gh_expect_error(
        "E33, no repository", &nowhere,
        "Cannot infer the watched commit for other/one: current checkout is not a GitHub "
        "repository. Pass `branch` or `run` to scope the watch.");
}

static void test_no_commit(void **state G_GNUC_UNUSED)
{
    g_autoptr(GitFixture) fixture = git_fixture_new();
    git_do(fixture->work, "remote", "set-url", "origin", WEB_ORIGIN, NULL);
    git_do(fixture->work, "checkout", "--quiet", "--detach", NULL);
    g_auto(ToolResult) result = gh_fixture_call(fixture->gh, "{\"op\":\"run_watch\"}");
    gh_expect_error("github-T121", &result,
                    "Current git branch is unavailable. Pass `branch` or `run` explicitly.");

    g_autofree char *empty = g_build_filename(fixture->gh->dir, "empty", NULL);
    git_do("/", "init", "--quiet", empty, NULL);
    git_do(empty, "remote", "add", "origin", WEB_ORIGIN, NULL);
    g_auto(ToolResult) unborn = gh_fixture_call_in(fixture->gh, empty, "{\"op\":\"run_watch\"}");
    gh_expect_error("E34", &unborn, "Current git HEAD is unavailable. Pass `run` explicitly.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commit_of_checkout), cmocka_unit_test(test_branch),
        cmocka_unit_test(test_commit_success),     cmocka_unit_test(test_commit_signatures),
        cmocka_unit_test(test_commit_jobs_again),  cmocka_unit_test(test_no_runs),
        cmocka_unit_test(test_never_a_run),        cmocka_unit_test(test_runs_in_time),
        cmocka_unit_test(test_commit_failure),     cmocka_unit_test(test_commit_startup_failure),
        cmocka_unit_test(test_other_repository),   cmocka_unit_test(test_no_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
