/*
 * `kedge wm worker`: takes runs from the task queue and does them here, each in clones of its own
 * (task-engine issue, part 9). Any number of workers on any number of machines share a queue: a run
 * is with one of them at a time, one whose worker died goes to another, and one whose writes may
 * have been made is never repeated.
 */
#pragma once

#include "workflow/queue.h"

typedef struct WmWorkerOptions { // all borrowed
    const char *root;            // absolute: a clone of the repository, from which runs are cloned
    const char *db;              // NULL: the usual place
    const char *type;            // of the rows
    const char *name;            // of this worker; NULL: host and process
    int64_t jobs;                // runs at once
    int64_t lease_s;             // a worker that says nothing for so long has died
    int64_t idle_s;              // ends after so long without a run; -1: never
} WmWorkerOptions;

typedef struct WmWorkerCounts {
    int64_t done, failed, given_back;
} WmWorkerCounts;

/* Until `stop` fires (runs under way are ended and given back, unless their writes have begun:
   those are waited for), or it was idle for long enough. */
bool wm_worker_run(const WmWorkerOptions *options, Cancel *stop, WmWorkerCounts *ret_counts,
                   GError **error);

/* The key that is the same for the same run: of task, event and payload. Caller frees. */
char *wm_run_key(const char *task_name, const char *event_name, const json_t *payload);
