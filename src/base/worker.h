/*
 * Worker threads: one per blocking piece of work (style §7). A worker is a plain function; it
 * answers through loop_post() or is joined. All signals are blocked in workers, so that the main
 * thread handles them.
 */
#pragma once

typedef struct Worker Worker;
typedef void (*WorkerFunc)(void *data);

/* `name` is at most 15 characters (shown by debuggers). NULL, with errno set, when no thread can be
   made: the caller does the work itself, or says so. */
Worker *worker_start(const char *name, WorkerFunc func, void *data);

/* Waits for the function to return and frees the worker. NULL is allowed. */
void worker_join(Worker *self);
