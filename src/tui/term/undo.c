/*
 * What makes a terminal usable again (undo.h). Only functions that a signal handler may call.
 */
#include "tui/term/undo.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define WAIT_MS 50 // a slice of the patience; there is no clock here

/* A process in the background that changes a terminal is stopped, unless it blocks the signal. */
static void block_all(sigset_t *ret_before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, ret_before);
}

/* By the flags that every terminal has; a driver or its other end may change some of the rest. */
static bool is_same(const struct termios *a, const struct termios *b)
{
    const tcflag_t input = ICRNL | IXON, output = OPOST, local = ICANON | ECHO | ISIG | IEXTEN;
    return ((a->c_iflag ^ b->c_iflag) & input) == 0 && ((a->c_oflag ^ b->c_oflag) & output) == 0 &&
           ((a->c_lflag ^ b->c_lflag) & local) == 0;
}

void undo_settings(int fd, const UndoPlan *plan, int when)
{
    sigset_t before;
    struct termios now;
    block_all(&before);
    if (tcgetattr(fd, &now) == 0 && is_same(&now, &plan->raw))
        tcsetattr(fd, when, &plan->cooked);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void write_bytes(int fd, UndoPlan *plan, int patience_ms)
{
    while (plan->size > 0) {
        ssize_t count = write(fd, plan->bytes, plan->size);
        if (count > 0) {
            plan->size -= (unsigned)count;
            memmove(plan->bytes, plan->bytes + count, plan->size);
        } else if (count < 0 && errno == EAGAIN && patience_ms > 0) {
            struct pollfd ready = { .fd = fd, .events = POLLOUT };
            if (poll(&ready, 1, WAIT_MS) <= 0)
                patience_ms -= WAIT_MS;
        } else if (count >= 0 || errno != EINTR) {
            return;
        }
    }
}

bool undo_all(int fd, UndoPlan *plan, int patience_ms)
{
    sigset_t before;
    block_all(&before);
    write_bytes(fd, plan, patience_ms);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    undo_settings(fd, plan, TCSANOW);
    return plan->size == 0;
}
