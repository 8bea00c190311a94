/*
 * The main loop: one thread, one poll(). With nothing to do it sleeps without a timeout.
 *
 * Everything but loop_post() and loop_quit() is called on the loop's own thread. Posted functions
 * run there in order. Sources may be added and removed from inside callbacks.
 */
#pragma once

#include "base/cancel.h"

typedef struct Loop Loop;
typedef struct LoopSource LoopSource;
typedef void (*LoopFunc)(void *data);
typedef void (*LoopSignalFunc)(int signal_number, void *data);
typedef void (*LoopFdFunc)(int fd, short revents, void *data);

Loop *loop_new(void);
void loop_free(Loop *self); // drops posted functions that did not run
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Loop, loop_free)

/* Thread safe. `data` is not freed by the loop. */
void loop_post(Loop *self, LoopFunc func, void *data);

/* Runs until loop_quit(). */
void loop_run(Loop *self);
void loop_quit(Loop *self); // thread safe; also before loop_run(), which then returns at once

/* `fd` stays the caller's. The source is owned by the loop until loop_remove(). */
LoopSource *loop_add_fd(Loop *self, int fd, short events, LoopFdFunc func, void *data);
/* Fires once after `delay_ms`, then is gone; loop_remove() before that cancels it. */
LoopSource *loop_add_timer(Loop *self, gint64 delay_ms, LoopFunc func, void *data);
/* Blocks `signal_number` in this thread (call before any worker starts) and calls `func` instead.
   Without a descriptor for it the signal keeps its disposition. */
LoopSource *loop_add_signal(Loop *self, int signal_number, LoopSignalFunc func, void *data);
/* The three that ask the program to end: SIGINT, SIGTERM and SIGHUP. Until loop_free(). */
void loop_add_end_signals(Loop *self, LoopSignalFunc func, void *data);
/* Fires once when the token fires or its time is over, then is gone. `cancel` is borrowed until
 * then.
 */
LoopSource *loop_add_cancel(Loop *self, Cancel *cancel, LoopFunc func, void *data);
void loop_remove(Loop *self, LoopSource *source); // NULL is allowed
