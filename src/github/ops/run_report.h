/*
 * What run_watch says: progress snapshots (github-tool §4.5), final reports (github-tool §4.6) and
 * `details` (github-tool §1.3). Pure.
 */
#pragma once

#include "github/ops/log_tail.h"

typedef struct RunWatch { // all borrowed by the reports
    const char *repo;
    int64_t run_id;     // run mode; 0: commit mode
    const char *branch; // commit mode
    const char *sha;    // commit mode
    int64_t tail_lines;
    unsigned poll;
    const char *note;      // NULL: none
    bool has_given_up;     // commit mode: no run was ever seen
    int64_t waited_s;      // since the first poll
    const GPtrArray *runs; // of WatchedRun *; run mode: one
} RunWatch;

char *run_report_snapshot(const RunWatch *watch); // caller frees
/* `logs` (of JobLog) is empty when no job failed. `is_full`: whole logs, for the artifact. Caller
 * frees. */
char *run_report_final(const RunWatch *watch, const GArray *logs, bool is_full);

/* `logs` NULL: still watching. New reference. */
json_t *run_report_details(const RunWatch *watch, const GArray *logs, int64_t now_ms);
