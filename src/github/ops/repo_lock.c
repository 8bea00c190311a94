/*
 * The repository lock: a queue of waiters per primary root, then flock.
 *
 * Every waiter has an eventfd of its own. Release hands the lock to the first in the queue by
 * writing to that eventfd, so no one can overtake, and a waiter can poll its descriptor together
 * with its cancel token.
 */
#include "github/ops/repo_lock.h"

#include "base/fd.h"
#include "base/lock.h"
#include "base/timefmt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>

#define REPO_LOCK_POLL_MS 100

typedef struct RepoWaiter {
    int event_fd;
    bool is_granted;
} RepoWaiter;

typedef struct RepoQueue { // exists while somebody holds the lock
    char *primary_root;
    GQueue waiters; // of RepoWaiter *, on their owners' stacks
} RepoQueue;

struct RepoLock {
    RepoQueue *queue;
    int file_fd;
};

/* The repositories are the process's, not a conversation's: two sessions may work in the same one.
 */
static pthread_mutex_t queues_mutex = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *queues; // primary root → RepoQueue

static void queue_leave_locked(RepoQueue *queue)
{
    RepoWaiter *next = g_queue_pop_head(&queue->waiters);
    if (next) {
        next->is_granted = true;
        eventfd_write(next->event_fd, 1);
        return;
    }
    g_hash_table_remove(queues, queue->primary_root);
    g_free(queue->primary_root);
    g_free(queue);
    if (g_hash_table_size(queues) == 0)
        g_clear_pointer(&queues, g_hash_table_unref);
}

static void queue_leave(RepoQueue *queue)
{
    HOLD_LOCK(&queues_mutex);
    queue_leave_locked(queue);
}

/* NULL: the lock was free and is ours now, *ret_queue is set; else the queue was joined at its end.
 */
static bool queue_enter_locked(const char *primary_root, RepoWaiter *waiter, RepoQueue **ret_queue)
{
    if (!queues)
        queues = g_hash_table_new(g_str_hash, g_str_equal);
    RepoQueue *queue = g_hash_table_lookup(queues, primary_root);
    bool is_free = queue == NULL;
    if (is_free) {
        queue = g_new0(RepoQueue, 1);
        queue->primary_root = g_strdup(primary_root);
        g_queue_init(&queue->waiters);
        g_hash_table_insert(queues, queue->primary_root, queue);
    } else {
        g_queue_push_tail(&queue->waiters, waiter);
    }
    *ret_queue = queue;
    return is_free;
}

static bool queue_wait(RepoQueue *queue, RepoWaiter *waiter, Cancel *cancel, GError **error)
{
    struct pollfd granted = { .fd = waiter->event_fd, .events = POLLIN };
    while (granted.revents == 0 && !cancel_has_fired(cancel))
        cancel_poll(cancel, &granted, 1, -1);
    pthread_mutex_lock(&queues_mutex);
    bool is_granted = waiter->is_granted;
    if (!is_granted)
        g_queue_remove(&queue->waiters, waiter);
    pthread_mutex_unlock(&queues_mutex);

    return is_granted || cancel_check(cancel, error);
}

static bool queue_enter(const char *primary_root, Cancel *cancel, RepoQueue **ret_queue,
                        GError **error)
{
    g_auto(Fd) event_fd = eventfd(0, EFD_CLOEXEC);
    if (event_fd < 0)
        return fail_with_errno(error, errno, "cannot wait for the repository");
    RepoWaiter waiter = { .event_fd = event_fd };

    pthread_mutex_lock(&queues_mutex);
    bool is_ours = queue_enter_locked(primary_root, &waiter, ret_queue);
    pthread_mutex_unlock(&queues_mutex);
    return is_ours || queue_wait(*ret_queue, &waiter, cancel, error);
}

static bool file_lock(const char *primary_root, const char *common_dir, int64_t max_wait_ms,
                      Cancel *cancel, int *ret_fd, GError **error)
{
    g_autofree char *path = g_build_filename(common_dir, "omp-worktree.lock", NULL);
    g_auto(Fd) fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot open %s", path);

    int64_t deadline = time_monotonic_ms() + max_wait_ms;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail_with_errno(error, errno, "cannot lock %s", path);
        if (time_monotonic_ms() >= deadline)
            return fail_with(error, KEDGE_ERROR_TIMEOUT,
                             "timed out waiting for another PR checkout in %s", primary_root);
        if (!cancel_sleep(cancel, REPO_LOCK_POLL_MS, error))
            return false;
    }
    *ret_fd = fd_steal(&fd);
    return true;
}

bool repo_lock_acquire(const char *primary_root, const char *common_dir, int64_t max_wait_ms,
                       Cancel *cancel, RepoLock **ret_lock, GError **error)
{
    RepoQueue *queue = NULL;
    if (!cancel_check(cancel, error) || !queue_enter(primary_root, cancel, &queue, error))
        return false;
    int fd = -1;
    // Granted and cancelled at the same moment: the work must not begin.
    if (!cancel_check(cancel, error) ||
        !file_lock(primary_root, common_dir, max_wait_ms, cancel, &fd, error)) {
        queue_leave(queue);
        return false;
    }
    RepoLock *lock = g_new0(RepoLock, 1);
    lock->queue = queue;
    lock->file_fd = fd;
    *ret_lock = lock;
    return true;
}

void repo_lock_release(RepoLock *self)
{
    if (!self)
        return;
    fd_close(self->file_fd); // and with it the flock
    queue_leave(self->queue);
    g_free(self);
}
