/*
 * op: run_watch on one run (github-tool §9.7, T106–T113, T122, T123, T184–T188), its arguments, and
 * the exact texts of github-tool §4.5 and §4.6.
 */
#include "base/str.h"
#include "unit.h"

#include "watch_fixture.h"

#include "base/file.h"
#include "github/ops/log_tail.h"
#include "github/text.h"

static void test_passed_at_once(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    watch_reply_run(fixture, RUN("completed", "\"success\"", "2026-04-30T18:01:10Z"),
                    JOBS("1", JOB_BUILD));
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
    gh_expect_text("github-T106", &result,
                   "# GitHub Actions Run #" ID "\n\n" HEAD_LINES
                   "Status: completed\nConclusion: success\nCreated: 2026-04-30T18:00:00Z\n"
                   "Updated: 2026-04-30T18:01:10Z\nURL: " RUN_URL "\n\n"
                   "## Jobs (1)\n\n" BUILD_LINES "\n\nAll jobs passed.");
    watch_expect_waits("github-T106", fixture, "");
    watch_expect_updates("github-T106", fixture, "1");
    gh_expect_calls("github-T106", fixture, 2);
    watch_expect_same("github-T106", watch_source_url(&result), RUN_URL);

    json_t *details = result.details;
    json_object_del(details, "meta");
    g_autofree char *text = json_to_text(details);
    watch_expect_same(
        "details", text,
        "{\"repo\":\"harbor/tidepool\",\"branch\":\"fix/dst\",\"headSha\":\"" SHA "\","
        "\"runIds\":[" ID "],\"runId\":" ID ",\"status\":\"completed\","
        "\"conclusion\":\"success\",\"failedJobs\":[],"
        "\"watch\":{\"mode\":\"run\",\"state\":\"completed\",\"repo\":\"harbor/tidepool\","
        "\"branch\":\"fix/dst\",\"headSha\":\"" SHA "\","
        "\"run\":{\"id\":" ID ",\"workflowName\":\"ci\",\"displayTitle\":\"Fix DST drift\","
        "\"status\":\"completed\",\"conclusion\":\"success\",\"branch\":\"fix/dst\","
        "\"headSha\":\"" SHA "\",\"url\":\"" RUN_URL "\","
        "\"jobs\":[{\"id\":45280771201,\"name\":\"build (gcc)\",\"status\":\"completed\","
        "\"conclusion\":\"success\",\"durationSeconds\":43,"
        "\"url\":\"" RUN_URL "/job/45280771201\"}]}}}");
}

static void test_interval(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    for (int i = 0; i < 2; i++)
        watch_reply_run(fixture, RUN("in_progress", "null", "2026-04-30T18:01:10Z"), JOBS("0", ""));
    watch_reply_run(fixture, RUN("completed", "\"neutral\"", "2026-04-30T18:01:10Z"),
                    JOBS("1", JOB_BUILD));
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
    g_autofree char *text = tool_result_text(&result);
    assert_true(g_str_has_suffix(text, "\n\nAll jobs passed."));
    watch_expect_waits("github-T107", fixture, "3 3");
    watch_expect_updates("github-T107", fixture, "1 2 3");
    assert_true(
        g_str_has_suffix(watch_update_text(fixture, 0), "\n\n## Jobs\n\nNo jobs reported yet."));

    const GhUpdate *update = g_ptr_array_index(fixture->updates, 1);
    const json_t *watch = json_get_object(update->details, "watch");
    watch_expect_same("watch", json_get_text(watch, "state"), "watching");
    assert_int_equal(json_get_int(watch, "pollCount", 0), 2);
    assert_null(json_get_text(watch, "note"));
}

static void reply_failing_run(GhFixture *fixture)
{
    watch_reply_run(fixture, RUN("in_progress", "null", "2026-04-30T18:01:10Z"),
                    JOBS("3", JOB_BUILD "," JOB_TEST "," JOB_LINT_QUEUED));
    watch_reply_run(fixture, RUN("completed", "\"failure\"", "2026-04-30T18:01:20Z"),
                    JOBS("3", JOB_BUILD "," JOB_TEST "," JOB_LINT));
    watch_reply_logs(fixture);
}

static void test_failure(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->artifacts_dir = g_build_filename(fixture->dir, "session", NULL);
    reply_failing_run(fixture);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"run_watch\",\"repo\":\"harbor/tidepool\",\"run\":\"" ID
                                 "\",\"tail\":2.9}");
    gh_expect_text(
        "github-T108", &result,
        FAILED_REPORT(
            TAIL_2,
            "Log tail unavailable: gh: Not Found (HTTP 404)") "\n\n"
                                                              "Full failed-job logs: artifact://0");
    watch_expect_waits("github-T108", fixture, "5");
    watch_expect_updates("github-T108", fixture, "1 1n");
    watch_expect_same("snapshot", watch_update_text(fixture, 0), SNAPSHOT(""));
    watch_expect_same("snapshot with note", watch_update_text(fixture, 1),
                      SNAPSHOT(NOTE_FAILURE "\n\n"));
    watch_expect_calls_of("github-T108", fixture, "api " REPO "/actions/jobs/", 2);

    g_autofree char *path = g_build_filename(fixture->artifacts_dir, "0.github.log", NULL);
    g_autofree char *full = NULL;
    assert_true(file_read(path, 1024 * 1024, &full, NULL, NULL));
    watch_expect_same("github-T110", full,
                      FAILED_REPORT(FULL_LOG, "Full log unavailable: gh: Not Found (HTTP 404)"));

    assert_string_equal(json_get_text(result.details, "artifactId"), "0");
    g_autofree char *names = json_to_text(json_get_array(result.details, "failedJobs"));
    assert_string_equal(names, "[\"test\",\"lint\"]");
    g_autofree char *logs = json_to_text(json_get_path(result.details, "watch.failedLogs"));
    watch_expect_same("failedLogs", logs,
                      "[{\"runId\":" ID ",\"workflowName\":\"ci\",\"jobName\":\"test\","
                      "\"conclusion\":\"failure\","
                      "\"tail\":\"not ok 2    expected 3\\n"
                      "##[error]exit 1\",\"available\":true},"
                      "{\"runId\":" ID ",\"workflowName\":\"ci\",\"jobName\":\"lint\","
                      "\"conclusion\":\"cancelled\",\"available\":false}]");
}

static void test_failure_without_session(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    reply_failing_run(fixture);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"run_watch\",\"repo\":\"harbor/tidepool\",\"run\":\"" ID
                                 "\",\"tail\":2}");
    gh_expect_text("no artifact", &result,
                   FAILED_REPORT(TAIL_2, "Log tail unavailable: gh: Not Found (HTTP 404)"));
    assert_null(json_get_text(result.details, "artifactId"));
}

static void test_failed_and_completed(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    watch_reply_run(fixture, RUN("completed", "\"failure\"", "2026-04-30T18:01:20Z"),
                    JOBS("3", JOB_BUILD "," JOB_TEST "," JOB_LINT));
    watch_reply_logs(fixture);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"run_watch\",\"repo\":\"harbor/tidepool\",\"run\":\"" ID
                                 "\",\"tail\":2}");
    gh_expect_text("github-T109", &result,
                   FAILED_REPORT(TAIL_2, "Log tail unavailable: gh: Not Found (HTTP 404)"));
    watch_expect_waits("github-T109", fixture, "");
    watch_expect_updates("github-T109", fixture, "1");
}

static void test_retried_failure(void **state G_GNUC_UNUSED)
{
    static const char *const refetches[] = { JOBS("1", JOB_BUILD), NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(refetches); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        watch_reply_run(fixture, RUN("in_progress", "null", "2026-04-30T18:01:10Z"),
                        JOBS("1", JOB_TEST));
        watch_reply(fixture, RUN_CALL, RUN("in_progress", "null", "2026-04-30T18:01:15Z"));
        if (refetches[i])
            watch_reply(fixture, JOBS_CALL, refetches[i]);
        else
            watch_reply_error(fixture, JOBS_CALL, "gh: oops (HTTP 502)");
        watch_reply_logs(fixture);
        g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
        g_autofree char *text = tool_result_text(&result);
        assert_false(result.is_error);
        assert_non_null(strstr(text, "Updated: 2026-04-30T18:01:10Z"));
        assert_non_null(strstr(text, "### test [failure]"));
        assert_non_null(strstr(text, "Last 15 log lines:\n```text\nrun tests"));
        assert_true(g_str_has_suffix(text, "```\n\nRun failed."));
        watch_expect_waits("github-T111", fixture, "5");
    }
}

/* Somebody stopped it: that is not a failure, unless a job had failed before. */
static void test_cancelled_run(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *jobs, *heading, *ending;
    } cases[] = {
        { JOBS("1", JOB_LINT), "\n## Cancelled Jobs\n\n### lint [cancelled]\n",
          "\n\nThe run was cancelled." },
        { JOBS("2", JOB_LINT "," JOB_TEST), "\n## Failed Jobs\n\n", "\n\nRun failed." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        watch_reply_run(fixture, RUN("completed", "\"cancelled\"", "2026-04-30T18:01:10Z"),
                        cases[i].jobs);
        watch_reply_logs(fixture);
        g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
        g_autofree char *text = tool_result_text(&result);
        if (!strstr(text, cases[i].heading) || !g_str_has_suffix(text, cases[i].ending))
            fail_msg("%s: %s", cases[i].ending, text);
    }
}

static void test_startup_failure(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->artifacts_dir = g_build_filename(fixture->dir, "session", NULL);
    watch_reply_run(fixture, RUN("completed", "\"startup_failure\"", "2026-04-30T18:01:10Z"),
                    JOBS("0", ""));
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
    g_autofree char *text = tool_result_text(&result);
    assert_true(g_str_has_suffix(text, "## Jobs\n\nNo jobs reported yet.\n\nRun completed without "
                                       "successful jobs, but no failed job logs were available."));
    assert_false(file_exists(fixture->artifacts_dir));
}

static void test_many_jobs(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    GString *pages[2] = { g_string_new(NULL), g_string_new(NULL) };
    for (int i = 0; i < 130; i++) {
        GString *page = pages[i / 100];
        g_string_append_printf(page, "%s{\"id\":%d,\"conclusion\":\"skipped\"}",
                               page->len > 0 ? "," : "", i + 1);
    }
    watch_reply(fixture, RUN_CALL, RUN("completed", "\"success\"", "2026-04-30T18:01:10Z"));
    for (int i = 0; i < 2; i++) {
        g_autofree char *match = g_strdup_printf(
            "api --method GET " REPO "/actions/runs/" ID "/jobs -F per_page=100 -F page=%d", i + 1);
        g_autofree char *out =
            g_strdup_printf("{\"total_count\":130,\"jobs\":[%s]}", pages[i]->str);
        watch_reply(fixture, match, out);
        g_string_free(pages[i], true);
    }
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
    g_autofree char *text = tool_result_text(&result);
    assert_non_null(strstr(text, "## Jobs (130)\n\n- [skipped] job-1\n"));
    assert_non_null(strstr(text, "- [skipped] job-130\n\nAll jobs passed."));
    gh_expect_calls("github-T113", fixture, 3);
}

static void test_exactly_one_page(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    g_autoptr(GString) page = g_string_new("{\"total_count\":100,\"jobs\":[{\"id\":\"x\"}");
    for (int i = 1; i < 100; i++)
        g_string_append_printf(page, ",{\"id\":%d,\"name\":\"n\"}", i);
    g_string_append(page, "]}");
    watch_reply_run(fixture, RUN("completed", "\"success\"", "2026-04-30T18:01:10Z"), page->str);
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
    g_autofree char *text = tool_result_text(&result);
    assert_non_null(strstr(text, "## Jobs (99)\n\n- [unknown] n\n")); // one has no numeric id
    gh_expect_calls("100 of 100", fixture, 2);
}

static void test_other_host(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    watch_reply_error(fixture, "api *", "gh: Not Found (HTTP 404)");
    g_auto(ToolResult) result = gh_fixture_call(
        fixture, "{\"op\":\"run_watch\",\"repo\":\"ghe.example.com/o/r\",\"branch\":\"b\"}");
    gh_expect_error("host", &result, "gh: Not Found (HTTP 404)");
    gh_expect_argv("host", fixture, 0,
                   "api|--hostname|ghe.example.com|--method|GET|/repos/o/r/branches/b");
}

static void test_rate_limit(void **state G_GNUC_UNUSED)
{
    static const char *const limits[] = { "gh: API rate limit exceeded (HTTP 403)", "gh: HTTP 429",
                                          "You have triggered an Abuse Detection mechanism" };
    for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        watch_reply_run(fixture, RUN("in_progress", "null", "2026-04-30T18:01:10Z"), JOBS("0", ""));
        watch_reply_error(fixture, RUN_CALL, limits[i]);
        watch_reply(fixture, JOBS_CALL, JOBS("0", ""));
        watch_reply_run(fixture, RUN("completed", "\"success\"", "2026-04-30T18:01:10Z"),
                        JOBS("1", JOB_BUILD));
        g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
        g_autofree char *text = tool_result_text(&result);
        if (!g_str_has_suffix(text, "\n\nAll jobs passed."))
            fail_msg("github-T122: %s", text);
        watch_expect_waits("github-T122", fixture, "3 15");
        watch_expect_updates("github-T122", fixture, "1 2");
    }
}

static void reply_error_times(GhFixture *fixture, const char *text, int times)
{
    for (int i = 0; i < times; i++)
        watch_reply_error(fixture, RUN_CALL, text);
}

static void test_transient_errors(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_reply(fixture,
                     &(GhReply) { .match = JOBS_CALL, .out = JOBS("0", ""), .is_repeated = true });
    watch_reply(fixture, RUN_CALL, RUN("in_progress", "null", "2026-04-30T18:01:10Z"));
    reply_error_times(fixture, "gh: HTTP 502", 1);
    reply_error_times(fixture, "read tcp 10.0.0.1: Connection Reset by peer", 1);
    watch_reply(fixture, RUN_CALL, RUN("in_progress", "null", "2026-04-30T18:01:10Z"));
    reply_error_times(fixture, "gh: HTTP 503", 6);
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
    gh_expect_error("github-T185", &result, "gh: HTTP 503");
    watch_expect_waits("github-T185", fixture, "3 2 4 3 2 4 8 16 30");
    watch_expect_updates("github-T185", fixture, "1 2");
}

static void test_slower_after_a_minute(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    for (int i = 0; i < 25; i++)
        watch_reply_run(fixture, RUN("in_progress", "null", "2026-04-30T18:01:10Z"), JOBS("0", ""));
    watch_reply_run(fixture, RUN("completed", "\"success\"", "2026-04-30T18:01:10Z"),
                    JOBS("1", JOB_BUILD));
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
    assert_false(result.is_error);
    watch_expect_waits("github-T184", fixture,
                       "3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 15 15 15 15 15");
}

static void test_rate_limit_gives_up(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    gh_fixture_reply(fixture, &(GhReply) { .err = "gh: API rate limit exceeded (HTTP 403)",
                                           .status = 1,
                                           .is_repeated = true });
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
    gh_expect_error("six in a row", &result, "gh: API rate limit exceeded (HTTP 403)");
    watch_expect_waits("six in a row", fixture, "15 15 15 15 15");
}

static void test_poll_error(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    watch_reply_run(fixture, RUN("in_progress", "null", "2026-04-30T18:01:10Z"), JOBS("0", ""));
    watch_reply_error(fixture, RUN_CALL, "gh: Not Found (HTTP 404)");
    watch_reply(fixture, JOBS_CALL, JOBS("0", ""));
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
    gh_expect_error("github-T123", &result, "gh: Not Found (HTTP 404)");
    watch_expect_waits("github-T123", fixture, "3");
}

static void test_no_run_id(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    watch_reply_run(fixture, "{\"id\":\"5\"}", JOBS("0", ""));
    g_auto(ToolResult) result = gh_fixture_call(fixture, WATCH);
    gh_expect_error("E35", &result, "GitHub Actions run response did not include a run ID.");
}

static void test_arguments(void **state G_GNUC_UNUSED)
{
    static const char bad_run[] =
        "run must be a numeric workflow run ID or a full GitHub Actions run URL";
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "github-T09", "\"run\":\"5\",\"repo\":\"a/b\",\"tail\":0",
          "tail must be a positive number" },
        { "github-T17", "\"run\":\"abc\"", bad_run },
        { "hash", "\"run\":\"#55\"", bad_run },
        { "slash", "\"run\":\"55/\"", bad_run },
        { "zero", "\"run\":\"0\"", bad_run },
        { "http", "\"run\":\"http://github.com/a/b/actions/runs/5\"", bad_run },
        { "github-T18", "\"run\":\"https://github.com/a/b/actions/runs/5\",\"repo\":\"c/d\"",
          "run URL repository does not match the provided repo" },
        { "other host", "\"run\":\"https://ghe/a/b/actions/runs/5\",\"repo\":\"a/b\"",
          "run URL repository does not match the provided repo" },
        { "E39", "\"run\":\"https://evil.example/a/b/actions/runs/5\"",
          "host \"evil.example\" is not a known host; add it to gh.knownHosts" },
    };
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *arguments =
            g_strdup_printf("{\"op\":\"run_watch\",%s}", cases[i].arguments);
        g_auto(ToolResult) result = gh_fixture_call(fixture, arguments);
        gh_expect_error(cases[i].name, &result, cases[i].want);
        gh_expect_calls(cases[i].name, fixture, 0);
    }
}

static void test_run_urls(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "github-T19", "\"run\":\"https://github.com/a/b/actions/runs/5\",\"repo\":\"A/B\"",
          "api --method GET /repos/A/B/actions/runs/5" },
        { "leading zeros", "\"run\":\" 007 \",\"repo\":\"a/b\"",
          "api --method GET /repos/a/b/actions/runs/7" },
        { "tail of the URL", "\"run\":\"https://github.com/a/b/actions/runs/5/job/6?pr=1#x\"",
          "api --method GET /repos/a/b/actions/runs/5" },
        { "other host", "\"run\":\"https://ghe/a/b/actions/runs/5\"",
          "api --hostname ghe --method GET /repos/a/b/actions/runs/5" },
        { "the directory's repository", "\"run\":\"5\",\"branch\":\"ignored\"",
          "api --method GET " REPO "/actions/runs/5" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        gh_fixture_set_origin(fixture, GH_FIXTURE_ORIGIN);
        gh_fixture_reply(fixture, &(GhReply) { .err = "stop", .status = 1, .is_repeated = true });
        g_autofree char *arguments =
            g_strdup_printf("{\"op\":\"run_watch\",%s}", cases[i].arguments);
        g_auto(ToolResult) result = gh_fixture_call(fixture, arguments);
        gh_expect_error(cases[i].name, &result, "stop");
        g_autofree char *jobs = g_strconcat(cases[i].want, "/jobs -F", NULL);
        watch_expect_calls_of(cases[i].name, fixture, cases[i].want, 2);
        watch_expect_calls_of(cases[i].name, fixture, jobs, 1);
    }
}

static void test_log_tail(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *full, *want;
        int64_t lines;
    } cases[] = {
        { "a\nb\nc", "b\nc", 2 },
        { "a\nb\nc", "a\nb\nc", 3 },
        { "a\nb\nc", "a\nb\nc", 9 },
        { "a\n\nc\n \n", "\nc", 2 },
        { "a", "a", 1 },
        { "", "", 5 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const RunJob job = { 0 };
        const JobLog log = { .job = &job, .full = (char *)cases[i].full };
        g_auto(LogTail) got = { 0 };
        log_tail_read(&log, cases[i].lines, &got);
        if (strcmp(got.text, cases[i].want) != 0 || got.is_around_an_error)
            fail_msg("case %zu: got '%s'", i, got.text);
    }
}

/* The log of T187: line N comes N seconds after 12:00:00. Caller frees. */
static char *long_log(void)
{
    GString *text = g_string_new(NULL);
    for (int i = 1; i <= 60; i++)
        g_string_append_printf(text, "2026-04-30T12:00:%02d.5Z \x1b[36m%sline %d\x1b[0m%s", i % 60,
                               i == 22 || i == 38 || i == 55 ? "##[error]" : "", i,
                               i < 60 ? "\n" : "");
    return g_string_free(text, FALSE);
}

static void test_tail_around_an_error(void **state G_GNUC_UNUSED)
{
    g_autofree char *full = long_log();
    const struct {
        const char *name, *from, *to;
        int64_t lines;
        size_t first, last;
    } cases[] = {
        { "github-T187", "2026-04-30T12:00:10Z", "2026-04-30T12:00:40Z", 15, 26, 40 },
        { "github-T187 without steps", NULL, NULL, 15, 43, 57 },
        { "no room behind the error", "2026-04-30T12:00:10Z", "2026-04-30T12:00:40Z", 4, 35, 38 },
        { "a step without an error", "2026-04-30T12:00:01Z", "2026-04-30T12:00:05Z", 5, 53, 57 },
        { "one second later", "2026-04-30T12:00:10Z", "2026-04-30T12:00:37Z", 5, 20, 24 },
        { "up to the beginning", "2026-04-30T12:00:10Z", "2026-04-30T12:00:30Z", 200, 1, 24 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const RunJob job = { .step_started_at = (char *)cases[i].from,
                             .step_completed_at = (char *)cases[i].to };
        const JobLog log = { .job = &job, .full = full };
        g_auto(LogTail) got = { 0 };
        log_tail_read(&log, cases[i].lines, &got);
        if (got.first != cases[i].first || got.last != cases[i].last || got.total != 60 ||
            !got.is_around_an_error)
            fail_msg("%s: %zu-%zu of %zu", cases[i].name, got.first, got.last, got.total);
        g_autofree char *start = g_strdup_printf("line %zu\n", got.first);
        if (!str_has_prefix(got.text, start) || strstr(got.text, "2026") ||
            strchr(got.text, '\x1b'))
            fail_msg("%s: %s", cases[i].name, got.text);
    }
}

static void test_fence(void **state G_GNUC_UNUSED)
{
    static const char *const cases[][2] = {
        { "", "```" },
        { "a `b` c", "```" },
        { "```", "````" },
        { "x ```` y ```", "`````" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = text_fence(cases[i][0]);
        assert_string_equal(got, cases[i][1]);
    }
}

/* github-T187, T188 through the tool: heading, fence, and the artifact as the log came. */
static void test_report_around_an_error(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->artifacts_dir = g_build_filename(fixture->dir, "session", NULL);
    watch_reply_run(fixture, RUN("completed", "\"failure\"", "2026-04-30T18:01:20Z"),
                    JOBS("1", "{\"id\":7,\"name\":\"test\",\"status\":\"completed\","
                              "\"conclusion\":\"failure\",\"steps\":["
                              "{\"name\":\"run\",\"conclusion\":\"failure\","
                              "\"started_at\":\"2026-04-30T12:00:10Z\","
                              "\"completed_at\":\"2026-04-30T12:00:40Z\"},"
                              "{\"name\":\"post\",\"conclusion\":\"success\"}]}"));
    g_autofree char *plain = long_log();
    g_auto(GStrv) parts = g_strsplit(plain, "line 39", 2);
    g_autofree char *full = g_strjoinv("line ````39", parts);
    watch_reply(fixture, "api " REPO "/actions/jobs/7/logs", full);
    g_auto(ToolResult) result =
        gh_fixture_call(fixture, "{\"op\":\"run_watch\",\"repo\":\"harbor/tidepool\",\"run\":\"" ID
                                 "\",\"tail\":15}");
    g_autofree char *text = tool_result_text(&result);
    if (!strstr(text, "Log lines 26-40 of 60, around the last error:\n`````text\nline 26\n") ||
        !strstr(text, "\n##[error]line 38\nline ````39\nline 40\n`````\n\nRun failed."))
        fail_msg("github-T187: %s", text);
    g_autofree char *path = g_build_filename(fixture->artifacts_dir, "0.github.log", NULL);
    g_autofree char *artifact = NULL;
    assert_true(file_read(path, 1024 * 1024, &artifact, NULL, NULL));
    assert_non_null(strstr(artifact, "Full log:\n`````text\n2026-04-30T12:00:01.5Z "));
}

static void test_outcomes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *status, *conclusion;
        RunOutcome want;
    } cases[] = {
        { "completed", "success", RUN_SUCCESS },
        { "completed", "neutral", RUN_SUCCESS },
        { "completed", "skipped", RUN_SUCCESS },
        { "completed", "failure", RUN_FAILURE },
        { "completed", "timed_out", RUN_FAILURE },
        { "completed", "cancelled", RUN_FAILURE },
        { "completed", "stale", RUN_FAILURE },
        { "completed", "startup_failure", RUN_FAILURE },
        { "completed", "action_required", RUN_FAILURE },
        { "completed", "novel", RUN_PENDING },
        { "completed", NULL, RUN_PENDING },
        { "in_progress", "failure", RUN_PENDING },
        { NULL, NULL, RUN_PENDING },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const WatchedRun run = { .status = (char *)cases[i].status,
                                 .conclusion = (char *)cases[i].conclusion };
        if (run_outcome(&run) != cases[i].want)
            fail_msg("%s/%s", cases[i].status, cases[i].conclusion);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passed_at_once),
        cmocka_unit_test(test_interval),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_failure_without_session),
        cmocka_unit_test(test_failed_and_completed),
        cmocka_unit_test(test_retried_failure),
        cmocka_unit_test(test_cancelled_run),
        cmocka_unit_test(test_startup_failure),
        cmocka_unit_test(test_many_jobs),
        cmocka_unit_test(test_exactly_one_page),
        cmocka_unit_test(test_other_host),
        cmocka_unit_test(test_rate_limit),
        cmocka_unit_test(test_rate_limit_gives_up),
        cmocka_unit_test(test_poll_error),
        cmocka_unit_test(test_no_run_id),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_run_urls),
        cmocka_unit_test(test_log_tail),
        cmocka_unit_test(test_tail_around_an_error),
        cmocka_unit_test(test_fence),
        cmocka_unit_test(test_report_around_an_error),
        cmocka_unit_test(test_transient_errors),
        cmocka_unit_test(test_slower_after_a_minute),
        cmocka_unit_test(test_outcomes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
