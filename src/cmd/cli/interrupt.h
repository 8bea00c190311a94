/*
 * A blocking piece of work on a worker, while the main thread waits for signals: the frame of every
 * command that runs tools or a model.
 */
#pragma once

#include "base/cancel.h"

/* Runs `work(data)` on a worker and returns when it has: 0, or the first
   SIGINT, SIGTERM or SIGHUP that came. It fires `cancel`, which the work obeys; a
   second one within the same run kills the children and ends the process at once with 128 + signal.
 */
int interrupt_run(void (*work)(void *data), void *data, Cancel *cancel);

/* 0, or the exit code for the signal that interrupt_run() returned. */
int interrupt_exit_code(int signal_number);

/* The same of work that reports an error, which goes to *ret_error: 0, or the exit code for the
   signal that came. */
int cmd_run_blocking(bool (*work)(void *data, Cancel *cancel, GError **error), void *data,
                     GError **ret_error);
