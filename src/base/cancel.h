/*
 * Cancellation: one token per piece of work that a user can stop.
 *
 * Every function that can block takes a Cancel * and returns KEDGE_ERROR_CANCELLED soon after
 * the token fires. Tokens form a tree: firing a parent fires its children, and a child's time ends
 * no later than its parent's. A NULL token never fires. Thread safe. A fired token stays fired;
 * make a new one for the next piece of work.
 *
 * A token is memory only. What wakes a wait is one eventfd per waiting thread, made by its first
 * wait and closed when the thread ends. Where none can be had (no descriptors left), a wait looks
 * at its token every CANCEL_SLICE_MS instead.
 */
#pragma once

#include "base/error.h"

#include <poll.h>

#define CANCEL_SLICE_MS    40 // how late a wait without a descriptor of its own may notice
#define CANCEL_MAX_POLL_FD 8  // of cancel_poll()

typedef struct Cancel Cancel;

/* `parent` may be NULL; the child keeps a reference to it. */
Cancel *cancel_new(Cancel *parent);
/* Counts as fired when the time is over; so do the children that are made of it. */
Cancel *cancel_new_timed(Cancel *parent, gint64 timeout_ms);
/* Its time, or that of a parent, is over. */
bool cancel_is_late(Cancel *self);
Cancel *cancel_ref(Cancel *self);
void cancel_unref(Cancel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Cancel, cancel_unref)

void cancel_fire(Cancel *self);
bool cancel_has_fired(Cancel *self);

/* False with KEDGE_ERROR_CANCELLED ("operation aborted") when the token has fired. */
bool cancel_check(Cancel *self, GError **error);

/* Sleeps; false with KEDGE_ERROR_CANCELLED as soon as the token fires. */
bool cancel_sleep(Cancel *self, gint64 duration_ms, GError **error);

/*
 * poll() that ends when the token fires, too. A timeout below 0 never ends. Returns what poll()
 * returns, and 0 as well when the token fired or a signal came: ask cancel_check(), then the clock.
 * All `revents` are set.
 */
int cancel_poll(Cancel *self, struct pollfd *fds, size_t count, gint64 timeout_ms);

/*
 * For a wait that somebody else does (libcurl): between begin and end, which the same thread calls,
 * `fd` becomes readable when the token fires. It may be -1. The wait must not be longer than
 * `timeout_ms`. Begin and end surround nothing but the wait: a thread is in one at a time.
 */
typedef struct CancelWaiter {
    int fd;
    int timeout_ms;
    bool is_watch;  // private from here: the descriptor is not this thread's own
    Cancel *cancel; // private from here: where it is listed, NULL: nowhere
    struct CancelWaiter *previous, *next;
} CancelWaiter;

void cancel_wait_begin(Cancel *self, gint64 timeout_ms, CancelWaiter *ret_waiter);
void cancel_wait_end(CancelWaiter *waiter);

/* For a loop, which waits for much else: `wake_fd`, an eventfd, is written to when the token fires,
   until cancel_wait_end(). Not when its time is over: cancel_left_ms(). */
void cancel_watch(Cancel *self, int wake_fd, CancelWaiter *ret_waiter);
/* How long it has; -1 without a deadline, 0 once it has fired. */
gint64 cancel_left_ms(Cancel *self);
