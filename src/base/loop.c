/*
 * The main loop: posted functions wake an eventfd, signals come through signalfds, and timers set
 * poll()'s timeout, so that with nothing to do there is no wakeup.
 *
 * A source that is removed is only marked, and freed between two rounds: the round that is under
 * way may still hold it. loop_quit() takes effect between rounds too.
 */
#include "base/loop.h"

#include "base/fd.h"
#include "base/lock.h"
#include "base/timefmt.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

typedef enum { SOURCE_FD, SOURCE_TIMER, SOURCE_SIGNAL, SOURCE_CANCEL } SourceKind;

struct LoopSource {
    SourceKind kind;
    bool is_removed;
    int fd; // SOURCE_FD: the caller's; SOURCE_SIGNAL: our signalfd
    short events;
    gint64 due_at; // SOURCE_TIMER, time_monotonic_ms()
    int signal_number;
    bool was_blocked;    // SOURCE_SIGNAL: the signal, before the source was added
    Cancel *cancel;      // SOURCE_CANCEL: borrowed
    CancelWaiter waiter; // SOURCE_CANCEL: writes to wake_fd
    LoopFdFunc fd_func;
    LoopFunc func;
    LoopSignalFunc signal_func;
    void *data;
};

typedef struct Posted {
    LoopFunc func;
    void *data;
} Posted;

struct Loop {
    GPtrArray *sources; // fd and signal sources, owned
    GPtrArray *timers;  // owned; sorted by due_at, equal ones in order of arrival
    GArray *poll_fds;   // of the round: the wakeup, then one per entry of polled
    GPtrArray *polled;  // borrowed
    bool has_removed;
    bool is_running;

    pthread_mutex_t lock; // guards the rest
    int wake_fd;          // -1: no descriptor was left, so each sleep is short
    GArray *posted;
    bool is_quit;
};

static void source_free(gpointer self_)
{
    LoopSource *self = self_;
    if (self->kind == SOURCE_SIGNAL)
        fd_close(self->fd);
    g_free(self);
}

Loop *loop_new(void)
{
    Loop *self = g_new0(Loop, 1);
    self->sources = g_ptr_array_new_with_free_func(source_free);
    self->timers = g_ptr_array_new_with_free_func(source_free);
    self->poll_fds = g_array_new(FALSE, FALSE, sizeof(struct pollfd));
    self->polled = g_ptr_array_new();
    self->posted = g_array_new(FALSE, FALSE, sizeof(Posted));
    pthread_mutex_init(&self->lock, NULL);
    self->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return self;
}

void loop_free(Loop *self)
{
    if (!self)
        return;
    g_assert(!self->is_running);
    for (guint i = self->sources->len; i > 0; i--)
        loop_remove(self, g_ptr_array_index(self->sources, i - 1));
    g_ptr_array_unref(self->sources);
    g_ptr_array_unref(self->timers);
    g_array_unref(self->poll_fds);
    g_ptr_array_unref(self->polled);
    g_array_unref(self->posted);
    pthread_mutex_destroy(&self->lock);
    fd_close(self->wake_fd);
    g_free(self);
}

void loop_post(Loop *self, LoopFunc func, void *data)
{
    const Posted posted = { .func = func, .data = data };
    HOLD_LOCK(&self->lock);
    g_array_append_val(self->posted, posted);
    eventfd_write(self->wake_fd, 1); // under the lock: once it is free the loop may be freed too
}

void loop_quit(Loop *self)
{
    HOLD_LOCK(&self->lock);
    self->is_quit = true;
    eventfd_write(self->wake_fd, 1);
}

LoopSource *loop_add_fd(Loop *self, int fd, short events, LoopFdFunc func, void *data)
{
    LoopSource *source = g_new0(LoopSource, 1);
    source->kind = SOURCE_FD;
    source->fd = fd;
    source->events = events;
    source->fd_func = func;
    source->data = data;
    g_ptr_array_add(self->sources, source);
    return source;
}

LoopSource *loop_add_timer(Loop *self, gint64 delay_ms, LoopFunc func, void *data)
{
    LoopSource *source = g_new0(LoopSource, 1);
    source->kind = SOURCE_TIMER;
    source->fd = -1;
    source->due_at = time_monotonic_ms() + CLAMP(delay_ms, 0, G_MAXINT64 / 2);
    source->func = func;
    source->data = data;

    guint place = self->timers->len;
    while (place > 0) {
        const LoopSource *earlier = g_ptr_array_index(self->timers, place - 1);
        if (earlier->due_at <= source->due_at)
            break;
        place--;
    }
    g_ptr_array_insert(self->timers, (gint)place, source);
    return source;
}

LoopSource *loop_add_signal(Loop *self, int signal_number, LoopSignalFunc func, void *data)
{
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        pthread_sigmask(SIG_SETMASK, &before, NULL);

    LoopSource *source = loop_add_fd(self, fd, POLLIN, NULL, data);
    source->kind = SOURCE_SIGNAL;
    source->signal_number = signal_number;
    source->was_blocked = sigismember(&before, signal_number) == 1;
    source->signal_func = func;
    return source;
}

void loop_add_end_signals(Loop *self, LoopSignalFunc func, void *data)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        loop_add_signal(self, numbers[i], func, data);
}

LoopSource *loop_add_cancel(Loop *self, Cancel *cancel, LoopFunc func, void *data)
{
    LoopSource *source = loop_add_fd(self, -1, 0, NULL, data); // what it waits for is wake_fd
    source->kind = SOURCE_CANCEL;
    source->cancel = cancel;
    source->func = func;
    cancel_watch(cancel, self->wake_fd, &source->waiter);
    return source;
}

void loop_remove(Loop *self, LoopSource *source)
{
    if (!source || source->is_removed)
        return;
    source->is_removed = true;
    self->has_removed = true;
    if (source->kind == SOURCE_CANCEL)
        cancel_wait_end(&source->waiter);
    if (source->kind == SOURCE_SIGNAL && !source->was_blocked) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, source->signal_number);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    }
}

static void loop_sweep(GPtrArray *sources)
{
    for (guint i = sources->len; i > 0; i--) {
        const LoopSource *source = g_ptr_array_index(sources, i - 1);
        if (source->is_removed)
            g_ptr_array_remove_index(sources, i - 1);
    }
}

/* Frees removed sources, and fills poll_fds and polled for the next round. */
static void prepare_round(Loop *self)
{
    if (self->has_removed) {
        loop_sweep(self->sources);
        loop_sweep(self->timers);
        self->has_removed = false;
    }
    g_array_set_size(self->poll_fds, 0);
    g_ptr_array_set_size(self->polled, 0);
    const struct pollfd wakeup = { .fd = self->wake_fd, .events = POLLIN };
    g_array_append_val(self->poll_fds, wakeup);
    for (guint i = 0; i < self->sources->len; i++) {
        LoopSource *source = g_ptr_array_index(self->sources, i);
        const struct pollfd entry = { .fd = source->fd, .events = source->events };
        g_array_append_val(self->poll_fds, entry);
        g_ptr_array_add(self->polled, source);
    }
}

/* What was posted so far; what it posts itself waits for the next round. */
static void run_posted(Loop *self)
{
    eventfd_t count;
    eventfd_read(self->wake_fd, &count);
    g_autoptr(GArray) batch = g_array_new(FALSE, FALSE, sizeof(Posted));
    pthread_mutex_lock(&self->lock);
    GArray *posted_so_far = self->posted;
    self->posted = batch;
    batch = posted_so_far;
    pthread_mutex_unlock(&self->lock);

    for (guint i = 0; i < batch->len; i++) {
        const Posted *posted = &g_array_index(batch, Posted, i);
        posted->func(posted->data);
    }
}

static void dispatch_source(LoopSource *source, short revents)
{
    if (source->kind == SOURCE_FD) {
        source->fd_func(source->fd, revents, source->data);
        return;
    }
    struct signalfd_siginfo info;
    if (read(source->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        source->signal_func(source->signal_number, source->data);
}

static void dispatch_fds(Loop *self)
{
    for (guint i = 0; i < self->polled->len; i++) {
        LoopSource *source = g_ptr_array_index(self->polled, i);
        short revents = g_array_index(self->poll_fds, struct pollfd, i + 1).revents;
        if (revents != 0 && !source->is_removed)
            dispatch_source(source, revents);
    }
}

static void dispatch_cancels(Loop *self)
{
    for (guint i = 0; i < self->polled->len; i++) {
        LoopSource *source = g_ptr_array_index(self->polled, i);
        if (source->kind != SOURCE_CANCEL || source->is_removed ||
            !cancel_has_fired(source->cancel))
            continue;
        loop_remove(self, source);
        source->func(source->data);
    }
}

/* A timer that a timer adds runs in the next round at the earliest. */
static void dispatch_timers(Loop *self)
{
    gint64 now = time_monotonic_ms();
    g_autoptr(GPtrArray) due = g_ptr_array_new();
    for (guint i = 0; i < self->timers->len; i++) {
        LoopSource *timer = g_ptr_array_index(self->timers, i);
        if (timer->due_at > now)
            break;
        g_ptr_array_add(due, timer);
    }
    for (guint i = 0; i < due->len; i++) {
        LoopSource *timer = g_ptr_array_index(due, i);
        if (timer->is_removed)
            continue;
        loop_remove(self, timer);
        timer->func(timer->data);
    }
}

/* -1: never. */
static int next_timeout(const Loop *self)
{
    gint64 left = self->wake_fd >= 0 ? G_MAXINT64 : CANCEL_SLICE_MS;
    if (self->timers->len > 0) {
        const LoopSource *first = g_ptr_array_index(self->timers, 0);
        left = MAX(first->due_at - time_monotonic_ms(), 0);
    }
    for (guint i = 0; i < self->polled->len; i++) {
        const LoopSource *source = g_ptr_array_index(self->polled, i);
        gint64 of_token = source->kind == SOURCE_CANCEL ? cancel_left_ms(source->cancel) : -1;
        if (of_token >= 0)
            left = MIN(left, of_token);
    }
    return left == G_MAXINT64 ? -1 : (int)MIN(left, G_MAXINT);
}

/* True once for each loop_quit(). */
static bool take_quit(Loop *self)
{
    HOLD_LOCK(&self->lock);
    bool is_quit = self->is_quit;
    self->is_quit = false;
    return is_quit;
}

void loop_run(Loop *self)
{
    g_assert(!self->is_running);
    self->is_running = true;
    while (!take_quit(self)) {
        prepare_round(self);
        int count = poll((struct pollfd *)(void *)self->poll_fds->data, self->poll_fds->len,
                         next_timeout(self));
        if (count < 0)
            continue; // EINTR: revents are not set
        if (self->wake_fd < 0 || g_array_index(self->poll_fds, struct pollfd, 0).revents != 0)
            run_posted(self);
        dispatch_fds(self);
        dispatch_cancels(self);
        dispatch_timers(self);
    }
    self->is_running = false;
}
