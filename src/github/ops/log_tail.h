/*
 * The logs of failed jobs, and their last lines (github-tool §4.4).
 */
#pragma once

#include "github/ops/run_fetch.h"

/* All logs of one report together, at most; more is cut from the front of each. */
#define JOB_LOGS_MAX_BYTES ((size_t)128 * 1024 * 1024)

typedef struct JobLog { // `run` and `job` are borrowed
    const WatchedRun *run;
    const RunJob *job;
    char *full; // NULL: not available
} JobLog;

/* The log of every failed job of `runs`, side by side; a log that cannot be had is no error. The
   array (of JobLog) must not outlive `runs`. */
bool job_logs_fetch(ToolCall *call, const char *repo, const GPtrArray *runs, GArray **ret_logs,
                    GError **error);

/* The last `lines` lines without the blanks at their end. Caller frees. */
char *log_tail(const char *full, int64_t lines);
