/*
 * Replies, expected lines and checks for tests of run_watch: the run of github-tool §4.6. Time is
 * the fixture's clock: waits are recorded, not slept.
 */
#pragma once

#include "gh_fixture.h"

#define ID      "16045200311"
#define SHA     "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334"
#define RUN_URL "https://github.com/harbor/tidepool/actions/runs/" ID
#define REPO    "/repos/harbor/tidepool"

#define RUN_CALL  "api --method GET " REPO "/actions/runs/" ID
#define JOBS_CALL "api --method GET " REPO "/actions/runs/" ID "/jobs -F per_page=100 -F page=1"
#define WATCH     "{\"op\":\"run_watch\",\"repo\":\"harbor/tidepool\",\"run\":\"" ID "\"}"

/* The replies of github-tool §4.6. `conclusion` is JSON text. */
#define RUN(status, conclusion, updated)                                                           \
    "{\"id\":" ID ",\"name\":\"ci\",\"display_title\":\"Fix DST drift\",\"status\":\"" status      \
    "\",\"conclusion\":" conclusion ",\"head_branch\":\"fix/dst\",\"head_sha\":\"" SHA             \
    "\",\"created_at\":\"2026-04-30T18:00:00Z\",\"updated_at\":\"" updated                         \
    "\",\"html_url\":\"" RUN_URL "\"}"
#define JOB_BUILD                                                                                  \
    "{\"id\":45280771201,\"name\":\"build (gcc)\",\"status\":\"completed\","                       \
    "\"conclusion\":\"success\",\"started_at\":\"2026-04-30T18:00:08Z\","                          \
    "\"completed_at\":\"2026-04-30T18:00:51Z\",\"html_url\":\"" RUN_URL "/job/45280771201\"}"
#define JOB_TEST                                                                                   \
    "{\"id\":45280771202,\"name\":\"test\",\"status\":\"completed\","                              \
    "\"conclusion\":\"failure\",\"started_at\":\"2026-04-30T18:00:09Z\","                          \
    "\"completed_at\":\"2026-04-30T18:01:05Z\",\"html_url\":\"" RUN_URL "/job/45280771202\"}"
#define JOB_LINT_QUEUED                                                                            \
    "{\"id\":45280771203,\"name\":\"lint\",\"status\":\"queued\",\"conclusion\":null}"
#define JOB_LINT                                                                                   \
    "{\"id\":45280771203,\"name\":\"lint\",\"status\":\"completed\","                              \
    "\"conclusion\":\"cancelled\",\"started_at\":null,"                                            \
    "\"completed_at\":\"2026-04-30T18:01:19Z\",\"html_url\":\"" RUN_URL "/job/45280771203\"}"
#define JOBS(count, list) "{\"total_count\":" count ",\"jobs\":[" list "]}"
#define LOG                                                                                        \
    "\xef\xbb\xbf"                                                                                 \
    "2026-04-30T18:01:01.0Z run tests\r\n2026-04-30T18:01:02.0Z ok 1\r\n"                          \
    "2026-04-30T18:01:03.0Z not ok 2\texpected 3\r\n2026-04-30T18:01:04.0Z ##[error]exit 1\r\n"

#define HEAD_LINES                                                                                 \
    "Repository: harbor/tidepool\nWorkflow: ci\nTitle: Fix DST drift\nBranch: fix/dst\n"
#define BUILD_LINES                                                                                \
    "- [success] build (gcc)\n  Started: 2026-04-30T18:00:08Z\n  Completed: "                      \
    "2026-04-30T18:00:51Z\n"                                                                       \
    "  URL: " RUN_URL "/job/45280771201"
#define TEST_LINES                                                                                 \
    "- [failure] test\n  Started: 2026-04-30T18:00:09Z\n  Completed: 2026-04-30T18:01:05Z\n"       \
    "  URL: " RUN_URL "/job/45280771202"
#define LINT_LINES                                                                                 \
    "- [cancelled] lint\n  Completed: 2026-04-30T18:01:19Z\n  URL: " RUN_URL "/job/45280771203"
#define NOTE_FAILURE                                                                               \
    "Note: Failure detected. Waiting 5s to capture concurrent failures before fetching logs."
#define NOTE_SUCCESS                                                                               \
    "Note: All known workflow runs completed successfully. Waiting 3s to ensure no additional "    \
    "runs appear for this commit."
#define SNAPSHOT(note)                                                                             \
    "# Watching GitHub Actions Run #" ID "\n\n" HEAD_LINES "Status: in_progress\n"                 \
    "Created: 2026-04-30T18:00:00Z\nUpdated: 2026-04-30T18:01:10Z\nURL: " RUN_URL "\nPoll: 1\n"    \
    "Failed jobs: 1\n\n" note "## Jobs (3)\n\n" BUILD_LINES "\n" TEST_LINES "\n- [queued] lint"
/* `log` replaces the part that differs between the report and the artifact. */
#define FAILED_REPORT(log, no_log)                                                                 \
    "# GitHub Actions Run #" ID "\n\n" HEAD_LINES "Status: completed\nConclusion: failure\n"       \
    "Created: 2026-04-30T18:00:00Z\nUpdated: 2026-04-30T18:01:20Z\nURL: " RUN_URL "\n\n"           \
    "## Jobs (3)\n\n" BUILD_LINES "\n" TEST_LINES "\n" LINT_LINES "\n\n"                           \
    "## Failed Jobs\n\n"                                                                           \
    "### test [failure]\nRun: #" ID "\nWorkflow: ci\nStarted: 2026-04-30T18:00:09Z\n"              \
    "Completed: 2026-04-30T18:01:05Z\nURL: " RUN_URL "/job/45280771202\n\n" log "\n\n"             \
    "### lint [cancelled]\nRun: #" ID "\nWorkflow: ci\nCompleted: 2026-04-30T18:01:19Z\n"          \
    "URL: " RUN_URL "/job/45280771203\n\n" no_log "\n\nRun failed."
#define TAIL_2 "Last 2 log lines:\n```text\nnot ok 2    expected 3\n##[error]exit 1\n```"
#define FULL_LOG                                                                                   \
    "Full log:\n```text\n2026-04-30T18:01:01.0Z run tests\n2026-04-30T18:01:02.0Z ok 1\n"          \
    "2026-04-30T18:01:03.0Z not ok 2    expected 3\n2026-04-30T18:01:04.0Z ##[error]exit 1\n```"

void watch_reply(GhFixture *fixture, const char *match, const char *out);
void watch_reply_error(GhFixture *fixture, const char *match, const char *err);
/* One poll in run mode. */
void watch_reply_run(GhFixture *fixture, const char *run, const char *jobs);
void watch_reply_logs(GhFixture *fixture);
const char *watch_update_text(const GhFixture *fixture, unsigned number);
/* The waits in seconds, joined with blanks. */
void watch_expect_waits(const char *name, const GhFixture *fixture, const char *want);
/* The heads of the updates: "1" for a snapshot of poll 1, "1n" with a note. */
void watch_expect_updates(const char *name, const GhFixture *fixture, const char *want);
void watch_expect_same(const char *name, const char *got, const char *want);
/* `count` calls whose arguments begin with `prefix`. */
void watch_expect_calls_of(const char *name, const GhFixture *fixture, const char *prefix,
                           unsigned want);
const char *watch_source_url(const ToolResult *result);
