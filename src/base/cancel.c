/*
 * Cancellation tokens: a flag, an eventfd that poll() can wait on, and a list of children.
 *
 * References point up: a child holds its parent, and a parent only lists its children without
 * owning them. A child takes itself off the list before it dies, under the parent's lock, and
 * cancel_fire() walks the list under that lock, so it never meets a freed child. Locks are always
 * taken from parent to child.
 */
#include "base/cancel.h"

#include "base/fd.h"
#include "base/timefmt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

struct Cancel {
    atomic_int refs;
    atomic_bool has_fired;
    int fd; // never read, so it stays readable once the token has fired; a timerfd when timed
    gint64 deadline_ms; // monotonic; 0: none
    pthread_mutex_t lock;
    GPtrArray *children; // borrowed; guarded by lock
    Cancel *parent;      // owned
};

static void fire_child(gpointer child, gpointer data G_GNUC_UNUSED)
{
    cancel_fire(child);
}

// Readable in `ms`, 0: at once.
static void arm_timer(int fd, gint64 ms)
{
    const struct itimerspec when = {
        .it_value = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 + 1 },
    };
    timerfd_settime(fd, 0, &when, NULL);
}

static void fire_locked(Cancel *self)
{
    if (atomic_exchange(&self->has_fired, true))
        return;
    if (self->deadline_ms != 0)
        arm_timer(self->fd, 0);
    else
        eventfd_write(self->fd, 1);
    g_ptr_array_foreach(self->children, fire_child, NULL);
}

// Takes the descriptor.
static Cancel *token_new(Cancel *parent, int fd, gint64 deadline_ms)
{
    Cancel *self = g_new0(Cancel, 1);
    atomic_init(&self->refs, 1);
    self->fd = fd;
    self->deadline_ms = deadline_ms;
    if (self->fd < 0)
        g_error("cannot make a cancel token: %s", g_strerror(errno));
    pthread_mutex_init(&self->lock, NULL);
    self->children = g_ptr_array_new();
    if (parent == NULL)
        return self;

    self->parent = cancel_ref(parent);
    pthread_mutex_lock(&parent->lock);
    g_ptr_array_add(parent->children, self);
    if (atomic_load(&parent->has_fired))
        cancel_fire(self);
    pthread_mutex_unlock(&parent->lock);
    return self;
}

Cancel *cancel_new(Cancel *parent)
{
    return token_new(parent, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), 0);
}

Cancel *cancel_new_timed(Cancel *parent, gint64 timeout_ms)
{
    gint64 timeout = MAX(timeout_ms, 0);
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd >= 0)
        arm_timer(fd, timeout);
    return token_new(parent, fd, time_monotonic_ms() + timeout);
}

bool cancel_is_late(Cancel *self)
{
    return self != NULL && self->deadline_ms != 0 && time_monotonic_ms() >= self->deadline_ms;
}

Cancel *cancel_ref(Cancel *self)
{
    if (self != NULL)
        atomic_fetch_add(&self->refs, 1);
    return self;
}

void cancel_unref(Cancel *self)
{
    if (self == NULL || atomic_fetch_sub(&self->refs, 1) != 1)
        return;

    Cancel *parent = self->parent;
    if (parent != NULL) {
        pthread_mutex_lock(&parent->lock);
        g_ptr_array_remove_fast(parent->children, self);
        pthread_mutex_unlock(&parent->lock);
    }
    fd_close(self->fd);
    g_ptr_array_unref(self->children);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
    cancel_unref(parent);
}

void cancel_fire(Cancel *self)
{
    if (self == NULL)
        return;
    pthread_mutex_lock(&self->lock);
    fire_locked(self);
    pthread_mutex_unlock(&self->lock);
}

bool cancel_has_fired(Cancel *self)
{
    return self != NULL && (atomic_load(&self->has_fired) || cancel_is_late(self));
}

int cancel_fd(Cancel *self)
{
    return self != NULL ? self->fd : -1;
}

bool cancel_check(Cancel *self, GError **error)
{
    if (cancel_has_fired(self))
        return fail_with(error, KEDGE_ERROR_CANCELLED, "operation aborted");
    return true;
}

bool cancel_sleep(Cancel *self, gint64 duration_ms, GError **error)
{
    gint64 until = time_monotonic_ms() + MAX(duration_ms, 0);
    for (;;) {
        if (!cancel_check(self, error))
            return false;
        gint64 left = until - time_monotonic_ms();
        if (left <= 0)
            return true;
        struct pollfd fired = { .fd = cancel_fd(self), .events = POLLIN };
        poll(&fired, 1, (int)MIN(left, G_MAXINT));
    }
}
