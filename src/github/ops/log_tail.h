/*
 * The logs of failed jobs, and their last lines (github-tool §4.4).
 */
#pragma once

#include "github/log_cut.h"
#include "github/ops/run_fetch.h"

/* All logs of one report together, at most; more is cut from the front of each. */
#define JOB_LOGS_MAX_BYTES ((size_t)128 * 1024 * 1024)

typedef struct JobLog { // `run` and `job` are borrowed
    const WatchedRun *run;
    const RunJob *job;
    char *full;    // NULL: not available
    char *failure; // then: what failed and what gh said, on one line
} JobLog;

/* The log of every failed job of `runs`, side by side. A log that cannot be had is no error but has
   its own. The array (of JobLog) must not outlive `runs`. */
bool job_logs_fetch(ToolCall *call, const char *repo, const GPtrArray *runs, GArray **ret_logs,
                    GError **error);

/* At most `lines` lines of a log that is there (github-tool §4.4): around the failing step's last
 * error. */
void log_tail_read(const JobLog *log, int64_t lines, LogTail *ret_tail);
