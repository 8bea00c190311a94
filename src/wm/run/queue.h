/*
 * Runs that wait for a machine: rows of the task queue (agent-tools-cli §3), through the same
 * operations as `kedge agent-tools task`. Blocks; thread safe.
 *
 * A row is of type `wm:OWNER/REPO`; its payload is {"task","event_name","event","issue"?}. Before a
 * worker applies what an agent asks for, it leaves a mark in the store that belongs to this run
 * alone: whoever takes the run later, because the worker died, sees that writes may have been made,
 * and makes none.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"

typedef struct WmQueue WmQueue;

/* `db` as of --db, NULL: the usual place. `root` is where settings are looked for; `type` is that
   of the rows. */
WmQueue *wm_queue_new(const char *root, const char *db, const char *type);
void wm_queue_free(WmQueue *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmQueue, wm_queue_free)

typedef struct WmRow { // of the queue, while a worker has it
    int64_t id;        // 0: none
    int64_t attempt;   // from 1
    char *token;
    json_t *payload;
} WmRow;
void wm_row_clear(WmRow *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmRow, wm_row_clear)

/* Adds a run; `key` says which is the same: adding it again gives the row of before. */
bool wm_queue_add(WmQueue *self, const char *description, const char *key, const json_t *payload,
                  Cancel *cancel, int64_t *ret_id, bool *ret_is_new, GError **error);
/* The next run, waiting up to `wait_s`; ret_row->id 0: there was none. */
bool wm_queue_take(WmQueue *self, const char *worker, int64_t lease_s, int64_t wait_s,
                   Cancel *cancel, WmRow *ret_row, GError **error);
/* Extends the lease. *ret_go_on false: it was cancelled or lost, stop working on it. */
bool wm_queue_beat(WmQueue *self, const WmRow *row, int64_t lease_s, Cancel *cancel,
                   bool *ret_go_on, GError **error);
/* The mark: *ret_is_first false when an earlier worker left it. */
bool wm_queue_mark(WmQueue *self, const WmRow *row, Cancel *cancel, bool *ret_is_first,
                   GError **error);
bool wm_queue_complete(WmQueue *self, const WmRow *row, const json_t *result, Cancel *cancel,
                       GError **error);
/* `may_retry`: another worker may take it, while there are attempts left. */
bool wm_queue_fail(WmQueue *self, const WmRow *row, const char *reason, bool may_retry,
                   Cancel *cancel, GError **error);
/* Given back as if it had not been taken. */
bool wm_queue_release(WmQueue *self, const WmRow *row, Cancel *cancel, GError **error);
