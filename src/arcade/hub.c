/* See hub.h. */
#include "arcade/hub.h"

#include "arcade/watch.h"
#include "base/cancel.h"
#include "base/fd.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/timefmt.h"
#include "base/worker.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

struct Hub {
    Store *store; // borrowed
    Cancel *cancel;
    Worker *worker;
    Fd wake_fd; // somebody joined, or looks at a document
    pthread_mutex_t lock;
    GArray *listeners;     // of int; guarded by lock
    GHashTable *looked_at; // a set of doc ids, not yet taken over by the thread; guarded by lock
};

int hub_join(Hub *self, unsigned max)
{
    pthread_mutex_lock(&self->lock);
    int fd = -1;
    if (self->listeners->len < max)
        fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd >= 0)
        g_array_append_val(self->listeners, fd);
    pthread_mutex_unlock(&self->lock);
    eventfd_write(self->wake_fd, 1);
    return fd;
}

void hub_leave(Hub *self, int fd)
{
    pthread_mutex_lock(&self->lock);
    for (unsigned i = 0; i < self->listeners->len; i++)
        if (g_array_index(self->listeners, int, i) == fd) {
            g_array_remove_index_fast(self->listeners, i);
            break;
        }
    pthread_mutex_unlock(&self->lock);
    fd_close(fd);
}

void hub_look_at(Hub *self, const char *doc_id)
{
    HOLD_LOCK(&self->lock);
    g_hash_table_add(self->looked_at, g_strdup(doc_id));
}

static bool has_listeners(Hub *self)
{
    HOLD_LOCK(&self->lock);
    return self->listeners->len > 0;
}

static void wake_listeners(Hub *self)
{
    HOLD_LOCK(&self->lock);
    for (unsigned i = 0; i < self->listeners->len; i++)
        eventfd_write(g_array_index(self->listeners, int, i), 1);
}

static void take_looked_at(Hub *self, Watch *watch)
{
    pthread_mutex_lock(&self->lock);
    g_autoptr(GHashTable) taken = self->looked_at;
    self->looked_at = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    pthread_mutex_unlock(&self->lock);
    GHashTableIter iter;
    void *doc_id;
    g_hash_table_iter_init(&iter, taken);
    while (g_hash_table_iter_next(&iter, &doc_id, NULL))
        watch_add(watch, doc_id);
}

typedef struct Round { // what the thread keeps from one to the next
    Db *db;
    Watch *watch;
    int64_t version;  // of the database, as last seen
    gint64 looked_at; // monotonic
} Round;

/* Sleeps; *ret_has_news: a file may have changed, or somebody joined. False at the end. */
static bool wait_for_round(Hub *self, const Round *round, bool *ret_has_news)
{
    bool is_heard = has_listeners(self);
    struct pollfd fds[] = {
        { .fd = self->wake_fd, .events = POLLIN },
        { .fd = is_heard ? watch_fd(round->watch) : -1, .events = POLLIN },
    };
    cancel_poll(self->cancel, fds, G_N_ELEMENTS(fds), is_heard ? HUB_POLL_MS : -1);
    eventfd_t count;
    if (fds[0].revents)
        eventfd_read(self->wake_fd, &count);
    *ret_has_news = fds[0].revents || fds[1].revents;
    return !cancel_has_fired(self->cancel);
}

static bool run_round(Hub *self, Round *round, bool has_news, GError **error)
{
    int64_t version = 0;
    if (!db_data_version(round->db, &version, error))
        return false;
    bool has_changed = version != round->version;
    round->version = version;
    if (has_changed)
        wake_listeners(self); // first: looking at files may take a while
    take_looked_at(self, round->watch);
    gint64 now = time_monotonic_ms();
    if (!has_news && !has_changed && now - round->looked_at < WATCH_POLL_MS)
        return true;
    round->looked_at = now;
    bool has_said = false;
    if (!watch_look(round->watch, round->db, &has_said, error))
        return false;
    if (has_said)
        wake_listeners(self);
    return true;
}

static void hub_thread(void *self_)
{
    Hub *self = self_;
    g_autoptr(Watch) watch = watch_new();
    Round round = { .watch = watch };
    bool has_news = false;
    while (wait_for_round(self, &round, &has_news)) {
        g_autoptr(GError) error = NULL;
        bool is_good = round.db || store_take(self->store, self->cancel, &round.db, &error);
        if (is_good && has_listeners(self) && !run_round(self, &round, has_news, &error))
            is_good = false;
        if (!is_good) { // a locked or full disk: the next round tries again
            log_debug("arcade: %s", error->message);
            cancel_sleep(self->cancel, WATCH_POLL_MS, NULL);
        }
    }
    store_give(self->store, round.db);
}

bool hub_start(Store *store, Hub **ret_hub, GError **error)
{
    g_auto(Fd) wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_fd < 0)
        return fail_with_errno(error, errno, "no event descriptor");
    Hub *self = g_new0(Hub, 1);
    self->store = store;
    self->cancel = cancel_new(NULL);
    self->wake_fd = fd_steal(&wake_fd);
    self->listeners = g_array_new(FALSE, FALSE, sizeof(int));
    self->looked_at = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    pthread_mutex_init(&self->lock, NULL);
    self->worker = worker_start("arcade-hub", hub_thread, self);
    if (!self->worker) {
        int saved_errno = errno;
        hub_free(self);
        return fail_with_errno(error, saved_errno, "cannot start a thread for the live stream");
    }
    *ret_hub = self;
    return true;
}

void hub_stop(Hub *self)
{
    cancel_fire(self->cancel);
    worker_join(self->worker);
    self->worker = NULL;
}

void hub_free(Hub *self)
{
    if (!self)
        return;
    if (self->worker)
        hub_stop(self);
    cancel_unref(self->cancel);
    fd_close(self->wake_fd);
    g_array_unref(self->listeners);
    g_hash_table_unref(self->looked_at);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}
