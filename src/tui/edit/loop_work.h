/*
 * Work on a worker whose end is a call on the loop, and which can be given up at any time: nothing
 * of it runs or is called after loop_work_free(). One thread, that of the loop, but for the work.
 */
#pragma once

#include "base/loop.h"

typedef void (*LoopWorkFunc)(void *data, Cancel *cancel);
typedef struct LoopWork LoopWork;

/* `work` runs on a worker, then `on_end`, which may free the work, on the loop. `data` is the
   caller's until loop_work_free(). NULL: no thread can be made. `name` as of worker_start(). */
LoopWork *loop_work_start(Loop *loop, const char *name, LoopWorkFunc work, LoopFunc on_end,
                          void *data);
/* The work should end soon; `on_end` comes all the same. */
void loop_work_cancel(LoopWork *self);
/* Waits for the work, without cancelling it; `on_end` does not come any more. */
void loop_work_join(LoopWork *self);
/* Cancels, waits, and frees. */
void loop_work_free(LoopWork *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LoopWork, loop_work_free)
