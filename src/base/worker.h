/*
 * Worker threads: one per blocking piece of work (style §7). A worker is a plain function; it
 * answers through loop_post() or is joined. All signals are blocked in workers, so that the main
 * thread handles them.
 *
 * Where there may be many at once, a WorkerPool runs so many and lets the others wait for their
 * turn. Work that waits for other work of its pool says so, and then does not count: however few
 * may run, those that are waited for come to their turn. When the wait is over it goes on at once,
 * so that a moment long more may run than the limit says.
 */
#pragma once

#include <stdbool.h>

typedef struct Worker Worker;
typedef struct WorkerPool WorkerPool;
typedef void (*WorkerFunc)(void *data);

/* `name` is at most 15 characters (shown by debuggers). NULL, with errno set, when no thread can be
   made: the caller does the work itself, or says so. */
Worker *worker_start(const char *name, WorkerFunc func, void *data);

/* Waits for the function to return and frees the worker. One of a pool that has not had its turn
   yet gets it on this thread. NULL is allowed. */
void worker_join(Worker *self);

/* `name` as above, constant; at most `limit` functions run at once. Threads are made when they are
   needed, and kept. */
WorkerPool *worker_pool_new(const char *name, unsigned limit);
void worker_pool_free(WorkerPool *self); // all its workers were joined; NULL is allowed
/* In the order in which they are started. *ret_worker is set before the function begins. False,
   with errno set, when there is no thread and none can be made. Thread safe. */
bool worker_pool_start(WorkerPool *self, WorkerFunc func, void *data, Worker **ret_worker);

/* While the function of this worker waits for others of its pool; may be nested, and called on any
   thread that works for it. Of one without a pool, or NULL: does nothing. */
void worker_begin_waiting(Worker *self);
void worker_end_waiting(Worker *self);
