/* See worker.h. */
#include "base/worker.h"

#include "base/lock.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>

struct Worker {
    WorkerFunc func;
    void *data;
    pthread_t thread; // without a pool
    WorkerPool *pool; // NULL: it has a thread of its own
    // under the pool's lock
    bool is_done;
    unsigned waits;
};

struct WorkerPool {
    const char *name;
    unsigned limit;
    pthread_mutex_t lock;    // of the rest
    pthread_cond_t has_work; // for idle threads
    pthread_cond_t has_done; // for those who join
    GArray *threads;         // of pthread_t
    GQueue queue;            // of Worker *, that wait for their turn
    unsigned busy, idle;     // workers that run and do not wait; threads without work
    bool is_closing;
};

// ---- threads ----

static int start_thread(const char *name, void *(*main)(void *), void *data, pthread_t *ret_thread)
{
    // faults belong to the thread that made them; sanitizers want to report them
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    // the mask is inherited: blocked before the thread exists, so no signal can slip in
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(ret_thread, NULL, main, data);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0)
        pthread_setname_np(*ret_thread, name);
    return failed;
}

static void *worker_main(void *self_)
{
    Worker *self = self_;
    self->func(self->data);
    return NULL;
}

Worker *worker_start(const char *name, WorkerFunc func, void *data)
{
    Worker *self = g_new0(Worker, 1);
    self->func = func;
    self->data = data;
    int failed = start_thread(name, worker_main, self, &self->thread);
    if (failed != 0) {
        g_free(self);
        errno = failed;
        return NULL;
    }
    return self;
}

// ---- pools ----

static int wake_locked(WorkerPool *self);

static void run_locked(WorkerPool *self, Worker *worker)
{
    self->busy++;
    wake_locked(self); // a thread that was woken counts as idle until it runs: for what waits it
                       // wakes the next
    pthread_mutex_unlock(&self->lock);
    worker->func(worker->data);
    pthread_mutex_lock(&self->lock);
    g_assert(worker->waits == 0);
    self->busy--;
    worker->is_done = true;
    pthread_cond_broadcast(&self->has_done);
}

static void *pool_main(void *self_)
{
    WorkerPool *self = self_;
    HOLD_LOCK(&self->lock);
    while (!self->is_closing) {
        Worker *next = self->busy < self->limit ? g_queue_pop_head(&self->queue) : NULL;
        if (next) {
            run_locked(self, next);
            continue;
        }
        self->idle++;
        pthread_cond_wait(&self->has_work, &self->lock);
        self->idle--;
    }
    return NULL;
}

/* There may be work and room for it: one of the threads looks. 0, or errno: no thread can be made.
 */
static int wake_locked(WorkerPool *self)
{
    if (self->busy >= self->limit || g_queue_is_empty(&self->queue))
        return 0;
    if (self->idle > 0) {
        pthread_cond_signal(&self->has_work);
        return 0;
    }
    pthread_t thread;
    int failed = start_thread(self->name, pool_main, self, &thread);
    if (failed == 0)
        g_array_append_val(self->threads, thread);
    return failed;
}

WorkerPool *worker_pool_new(const char *name, unsigned limit)
{
    WorkerPool *self = g_new0(WorkerPool, 1);
    self->name = name;
    self->limit = limit;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->has_work, NULL);
    pthread_cond_init(&self->has_done, NULL);
    self->threads = g_array_new(FALSE, FALSE, sizeof(pthread_t));
    g_queue_init(&self->queue);
    return self;
}

void worker_pool_free(WorkerPool *self)
{
    if (!self)
        return;
    pthread_mutex_lock(&self->lock);
    g_assert(g_queue_is_empty(&self->queue) && self->busy == 0);
    self->is_closing = true;
    pthread_cond_broadcast(&self->has_work);
    pthread_mutex_unlock(&self->lock);
    for (unsigned i = 0; i < self->threads->len; i++)
        pthread_join(g_array_index(self->threads, pthread_t, i), NULL);
    g_array_unref(self->threads);
    pthread_cond_destroy(&self->has_work);
    pthread_cond_destroy(&self->has_done);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

bool worker_pool_start(WorkerPool *self, WorkerFunc func, void *data, Worker **ret_worker)
{
    Worker *worker = g_new0(Worker, 1);
    worker->func = func;
    worker->data = data;
    worker->pool = self;
    pthread_mutex_lock(&self->lock);
    g_queue_push_tail(&self->queue, worker);
    int failed = wake_locked(self);
    // one that works or sleeps comes to it; those that wait for their children need not
    bool has_thread = failed == 0 || self->busy > 0 || self->idle > 0;
    if (has_thread)
        *ret_worker = worker;
    else
        g_queue_remove(&self->queue, worker);
    pthread_mutex_unlock(&self->lock);
    if (has_thread)
        return true;
    g_free(worker);
    errno = failed;
    return false;
}

static void join_in_pool(Worker *self)
{
    WorkerPool *pool = self->pool;
    HOLD_LOCK(&pool->lock);
    if (g_queue_remove(&pool->queue, self))
        run_locked(pool, self);
    while (!self->is_done)
        pthread_cond_wait(&pool->has_done, &pool->lock);
    wake_locked(pool);
}

void worker_join(Worker *self)
{
    if (!self)
        return;
    if (self->pool)
        join_in_pool(self);
    else
        pthread_join(self->thread, NULL);
    g_free(self);
}

void worker_begin_waiting(Worker *self)
{
    if (!self || !self->pool)
        return;
    HOLD_LOCK(&self->pool->lock);
    if (self->waits++ == 0) {
        self->pool->busy--;
        wake_locked(self->pool);
    }
}

void worker_end_waiting(Worker *self)
{
    if (!self || !self->pool)
        return;
    HOLD_LOCK(&self->pool->lock);
    g_assert(self->waits > 0);
    if (--self->waits == 0)
        self->pool->busy++;
}
