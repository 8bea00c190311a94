/*
 * `kedge wm worker`: takes runs from the task queue and does them here, each in clones of its own
 * (docs/worker.md). Any number of workers on any number of machines share a queue: a run
 * is with one of them at a time, one whose worker died goes to another, and one whose writes may
 * have been made is never repeated.
 */
#pragma once

#include "wm/run/queue.h"
#include "wm/task/event.h"

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
    bool has_no_answer; // the queue gave none when it was asked last
} WmWorkerCounts;

/* Until `stop` fires (runs under way are ended and given back, unless their writes have begun:
   those are waited for), or it was idle for long enough. */
bool wm_worker_run(const WmWorkerOptions *options, Cancel *stop, WmWorkerCounts *ret_counts,
                   GError **error);

/* What tells a run from others. */
typedef struct WmRunKey { // all borrowed
    const char *task_name;
    const WmEvent *event;
    int64_t issue;        // that was given; 0: none
    const char *delivery; // of the event, as who delivers it counts them; NULL: not known
    int64_t at_ms;        // now
} WmRunKey;
/* The same text for the same run. Without a delivery the payload tells; the payload of a schedule,
   of a dispatch or of no event does not, and the minute counts as well. Caller frees. */
char *wm_run_key(const WmRunKey *run);
