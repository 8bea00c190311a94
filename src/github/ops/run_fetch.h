/*
 * Actions runs and their jobs, as run_watch sees them, and the calls that read them (github-tool
 * §4.2, §4.3). A run is not changed once it has been read. Fetching blocks; several calls of gh run
 * side by side.
 */
#pragma once

#include "tool/tool.h"

typedef struct RunJob { // texts are NULL when missing
    int64_t id;
    char *name; // never NULL
    char *status, *conclusion, *started_at, *completed_at, *url;
    char *step_started_at, *step_completed_at; // of the last step that failed
} RunJob;

typedef struct WatchedRun { // texts are NULL when missing
    int64_t id;
    char *workflow, *title, *status, *conclusion, *branch, *head_sha, *created_at, *updated_at,
        *url;
    GPtrArray *jobs; // of RunJob *
} WatchedRun;

typedef enum {
    RUN_PENDING,
    RUN_SUCCESS,
    RUN_FAILURE,
} RunOutcome;

/* `runs` is an array of WatchedRun * that owns them. */
bool run_is_completed(const WatchedRun *run);
bool run_job_has_failed(const RunJob *job);
RunOutcome run_outcome(const WatchedRun *run); // by its status and conclusion alone
RunOutcome runs_outcome(const GPtrArray *runs);
unsigned runs_failed_jobs(const GPtrArray *runs);
unsigned runs_completed(const GPtrArray *runs);

/* The argument vector of `gh api` for `path` below /repos/OWNER/REPO; each text after it becomes a
   -F parameter, until NULL. `repo` is a valid [HOST/]OWNER/REPO. Caller frees with g_strfreev(). */
char **run_api_argv(const char *repo, bool has_method, const char *path,
                    ...) G_GNUC_NULL_TERMINATED;

/* The commit at a branch's head. */
bool run_fetch_branch_sha(ToolCall *call, const char *repo, const char *branch, char **ret_sha,
                          GError **error);
/* One run with its jobs: an array of one. */
bool run_fetch_one(ToolCall *call, const char *repo, int64_t id, GPtrArray **ret_runs,
                   GError **error);
/* Every run of a commit with its jobs. The jobs of a run that was complete in `previous` (may be
   NULL) and has not changed since are taken from there. */
bool run_fetch_commit(ToolCall *call, const char *repo, const char *sha, const GPtrArray *previous,
                      GPtrArray **ret_runs, GError **error);
