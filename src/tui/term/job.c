/* See job.h. */
#include "tui/term/job.h"

#include <time.h>
#include <unistd.h>

/* So that the loop does not see it. */
static bool take_continue(void)
{
    sigset_t set;
    const struct timespec now = { 0 };
    sigemptyset(&set);
    sigaddset(&set, SIGCONT);
    return sigtimedwait(&set, NULL, &now) == SIGCONT;
}

bool job_stop(int signal_number)
{
    take_continue();
    kill(0, signal_number);
    return take_continue();
}

static bool is_ending(void)
{
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGHUP) == 1 ||
           sigismember(&pending, SIGINT) == 1;
}

/* A program that is continued in the background and wants the terminal is stopped again, like any
   other; not by the kernel, in a call that no signal would end. */
bool job_reach_foreground(int tty)
{
    for (;;) {
        pid_t group = tcgetpgrp(tty);
        if (group < 0 || group == getpgrp())
            return true;
        if (is_ending() || !job_stop(SIGTTOU))
            return false;
    }
}

void job_block_stop(sigset_t *ret_before)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stop, ret_before);
}

void job_unblock_stop(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
