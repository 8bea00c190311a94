/*
 * The guardian (tui §11): a process that does nothing but wait for the end of this one, and makes
 * the terminal usable again when that end was not an orderly one (SIGKILL, out of memory). It is
 * told what to undo whenever that changes. It leads a group of its own, so that what ends the group
 * of kedge does not end it, and is no child of kedge: no one waits for it.
 */
#pragma once

#include "base/error.h"
#include "tui/term/undo.h"

#include <stdbool.h>

/* Before the first thread: the process is copied, without its secrets and its heap. `ret_fd` is the
   pipe to it; there is nothing to undo until guard_tell(). Errors: IO. */
bool guard_start(int tty, int *ret_fd, GError **error);
/* Async-signal-safe, never waits. -1: there is no guardian. */
void guard_tell(int fd, const UndoPlan *plan);
/* With nothing to undo: it ends. Else it undoes that. */
void guard_end(int fd);
