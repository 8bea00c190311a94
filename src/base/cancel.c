/*
 * Cancellation tokens: a flag, a deadline, a list of children and a list of who waits.
 *
 * References point up: a child holds its parent, and a parent only lists its children without
 * owning them. A child takes itself off the list before it dies, under the parent's lock, and
 * cancel_fire() walks the list under that lock, so it never meets a freed child. Locks are always
 * taken from parent to child.
 *
 * A waiter is on its thread's stack and is listed only while the thread polls. Who fires writes
 * to the waiters' descriptors under the lock that takes a waiter off the list, so nothing is
 * written to a thread that has gone on.
 */
#include "base/cancel.h"

#include "base/fd.h"
#include "base/lock.h"
#include "base/timefmt.h"

#include <stdatomic.h>
#include <sys/eventfd.h>

struct Cancel {
    atomic_int refs;
    atomic_bool has_fired;
    gint64 deadline_ms; // monotonic; G_MAXINT64: none
    pthread_mutex_t lock;
    Cancel *first_child;     // borrowed; guarded by lock
    CancelWaiter *waiters;   // borrowed; guarded by lock
    Cancel *parent;          // owned
    Cancel *previous, *next; // among the parent's children; guarded by the parent's lock
};

// Written once, under wake_once: the calling thread's eventfd + 1.
static pthread_key_t wake_key;
static bool has_wake_key;
static pthread_once_t wake_once = PTHREAD_ONCE_INIT;

static void close_wake(void *value)
{
    fd_close(GPOINTER_TO_INT(value) - 1);
}

static void make_wake_key(void)
{
    has_wake_key = pthread_key_create(&wake_key, close_wake) == 0;
}

/* The descriptor that wakes this thread; -1: none can be had now. */
static int thread_wake_fd(void)
{
    pthread_once(&wake_once, make_wake_key);
    if (!has_wake_key)
        return -1;
    void *value = pthread_getspecific(wake_key);
    if (value)
        return GPOINTER_TO_INT(value) - 1;
    g_auto(Fd) fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0 || pthread_setspecific(wake_key, GINT_TO_POINTER(fd + 1)) != 0)
        return -1;
    return fd_steal(&fd);
}

static void fire_locked(Cancel *self)
{
    if (atomic_exchange(&self->has_fired, true))
        return;
    for (const CancelWaiter *waiter = self->waiters; waiter; waiter = waiter->next) {
        if (waiter->fd >= 0)
            eventfd_write(waiter->fd, 1);
    }
    for (Cancel *child = self->first_child; child; child = child->next)
        cancel_fire(child);
}

static Cancel *token_new(Cancel *parent, gint64 deadline_ms)
{
    Cancel *self = g_new0(Cancel, 1);
    atomic_init(&self->refs, 1);
    atomic_init(&self->has_fired, false);
    self->deadline_ms = deadline_ms;
    pthread_mutex_init(&self->lock, NULL);
    if (!parent)
        return self;

    self->deadline_ms = MIN(deadline_ms, parent->deadline_ms);
    self->parent = cancel_ref(parent);
    HOLD_LOCK(&parent->lock);
    atomic_store(&self->has_fired, atomic_load(&parent->has_fired));
    self->next = parent->first_child;
    if (self->next)
        self->next->previous = self;
    parent->first_child = self;
    return self;
}

Cancel *cancel_new(Cancel *parent)
{
    return token_new(parent, G_MAXINT64);
}

Cancel *cancel_new_timed(Cancel *parent, gint64 timeout_ms)
{
    return token_new(parent, time_monotonic_ms() + CLAMP(timeout_ms, 0, G_MAXINT64 / 2));
}

bool cancel_is_late(Cancel *self)
{
    return self != NULL && self->deadline_ms != G_MAXINT64 &&
           time_monotonic_ms() >= self->deadline_ms;
}

Cancel *cancel_ref(Cancel *self)
{
    if (self)
        atomic_fetch_add(&self->refs, 1);
    return self;
}

static void leave_parent(Cancel *self)
{
    Cancel *parent = self->parent;
    HOLD_LOCK(&parent->lock);
    if (self->next)
        self->next->previous = self->previous;
    if (self->previous)
        self->previous->next = self->next;
    else
        parent->first_child = self->next;
}

void cancel_unref(Cancel *self)
{
    if (!self || atomic_fetch_sub(&self->refs, 1) != 1)
        return;
    g_assert(self->waiters == NULL);
    Cancel *parent = self->parent;
    if (parent)
        leave_parent(self);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
    cancel_unref(parent);
}

void cancel_fire(Cancel *self)
{
    if (!self)
        return;
    HOLD_LOCK(&self->lock);
    fire_locked(self);
}

bool cancel_has_fired(Cancel *self)
{
    return self != NULL && (atomic_load(&self->has_fired) || cancel_is_late(self));
}

bool cancel_check(Cancel *self, GError **error)
{
    if (cancel_has_fired(self))
        return fail_with(error, KEDGE_ERROR_CANCELLED, "operation aborted");
    return true;
}

/* False: it has fired, there is nothing to wait for. */
static bool list_waiter(Cancel *self, CancelWaiter *waiter)
{
    HOLD_LOCK(&self->lock);
    bool is_listed = !atomic_load(&self->has_fired);
    if (is_listed) {
        waiter->cancel = self;
        waiter->next = self->waiters;
        if (waiter->next)
            waiter->next->previous = waiter;
        self->waiters = waiter;
    }
    return is_listed;
}

void cancel_wait_begin(Cancel *self, gint64 timeout_ms, CancelWaiter *ret_waiter)
{
    gint64 wait = timeout_ms < 0 ? G_MAXINT64 : timeout_ms;
    *ret_waiter = (CancelWaiter) { .fd = -1 };
    if (self) {
        if (self->deadline_ms != G_MAXINT64)
            wait = MIN(wait, MAX(self->deadline_ms - time_monotonic_ms(), 0));
        ret_waiter->fd = thread_wake_fd();
        if (!list_waiter(self, ret_waiter))
            wait = 0;
        else if (ret_waiter->fd < 0)
            wait = MIN(wait, CANCEL_SLICE_MS);
    }
    ret_waiter->timeout_ms = wait == G_MAXINT64 ? -1 : (int)MIN(wait, G_MAXINT);
}

void cancel_watch(Cancel *self, int wake_fd, CancelWaiter *ret_waiter)
{
    *ret_waiter = (CancelWaiter) { .fd = wake_fd, .is_watch = true };
    if (self && !list_waiter(self, ret_waiter))
        eventfd_write(wake_fd, 1); // of -1: nothing, whoever waits looks now and then
}

gint64 cancel_left_ms(Cancel *self)
{
    if (cancel_has_fired(self))
        return 0;
    if (!self || self->deadline_ms == G_MAXINT64)
        return -1;
    return MAX(self->deadline_ms - time_monotonic_ms(), 0);
}

void cancel_wait_end(CancelWaiter *waiter)
{
    Cancel *cancel = waiter->cancel;
    if (!cancel)
        return;
    pthread_mutex_lock(&cancel->lock);
    if (waiter->next)
        waiter->next->previous = waiter->previous;
    if (waiter->previous)
        waiter->previous->next = waiter->next;
    else
        cancel->waiters = waiter->next;
    bool is_woken = atomic_load(&cancel->has_fired); // else no one wrote to it, nor will
    pthread_mutex_unlock(&cancel->lock);
    waiter->cancel = NULL;
    eventfd_t count; // the next wait of this thread starts asleep
    if (is_woken && waiter->fd >= 0 && !waiter->is_watch)
        eventfd_read(waiter->fd, &count);
}

int cancel_poll(Cancel *self, struct pollfd *fds, size_t count, gint64 timeout_ms)
{
    g_assert(count <= CANCEL_MAX_POLL_FD);
    struct pollfd all[CANCEL_MAX_POLL_FD + 1];
    CancelWaiter waiter;
    cancel_wait_begin(self, timeout_ms, &waiter);
    for (size_t i = 0; i < count; i++)
        all[i] = fds[i];
    all[count] = (struct pollfd) { .fd = waiter.fd, .events = POLLIN };
    int ready = poll(all, count + 1, waiter.timeout_ms);
    cancel_wait_end(&waiter);
    for (size_t i = 0; i < count; i++)
        fds[i].revents = ready > 0 ? all[i].revents : 0;
    return ready > 0 && all[count].revents != 0 ? ready - 1 : MAX(ready, 0);
}

bool cancel_sleep(Cancel *self, gint64 duration_ms, GError **error)
{
    gint64 until = time_monotonic_ms() + CLAMP(duration_ms, 0, G_MAXINT64 / 2);
    for (;;) {
        if (!cancel_check(self, error))
            return false;
        gint64 left = until - time_monotonic_ms();
        if (left <= 0)
            return true;
        cancel_poll(self, NULL, 0, left);
    }
}
