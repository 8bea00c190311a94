/*
 * Job control (tui §11): stopped by Ctrl+Z as a shell expects it, and in the foreground again
 * before the terminal is touched. SIGCONT is blocked in the calling thread, which is the only one
 * that can be stopped (base/worker.h).
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* The whole group, by SIGTSTP or SIGTTOU; returns when it is continued. That SIGCONT is taken.
   False: it did not stop, since no one could continue it (an orphaned group), or it ignores that.
 */
bool job_stop(int signal_number);
/* Waits, stopped, until ours is the foreground group of `tty`. A terminal without job control for
   us is always at hand. False: it cannot be, or a signal that ends us is waiting: `kill %1`. */
bool job_reach_foreground(int tty);
/* Between these a process in the background may write to the terminal and set it. */
void job_block_stop(sigset_t *ret_before);
void job_unblock_stop(const sigset_t *before);
