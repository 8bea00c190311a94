/*
 * Background jobs (jobs.h). One lock for the table and all that its jobs hold; a job's thread takes
 * it for the last time when it says how it ended, so whoever has the lock may join it then.
 */
#include "tool/jobs.h"

#include "base/fd.h"
#include "base/lock.h"
#include "base/timefmt.h"
#include "base/worker.h"

#include <sys/eventfd.h>

#define KEPT_MS (5 * 60 * 1000) // a finished job

struct JobTable {
    pthread_mutex_t lock;
    GPtrArray *jobs;    // references, in the order of their start
    GPtrArray *waiters; // Waiter *, borrowed: on their threads' stacks
    int64_t last_number;
    void (*listener)(void *);
    void *listener_data;
};

struct Job {
    int ref_count; // atomic
    JobTable *table;
    char *type, *label;
    void *data;
    void (*destroy)(void *);
    bool (*run)(Job *, void *, JobOutcome *, GError **);
    Cancel *cancel;
    Worker *worker; // the table's; NULL once it was joined
    int64_t started_at;
    // guarded by the table's lock
    char *id;
    JobStatus status;
    int64_t ended_at;
    JobOutcome outcome;
    GError *error;
    char *progress; // not taken yet
    unsigned watchers;
    bool is_told;
    bool tells_cancelled;
};

typedef struct Waiter {
    const Job *news_of; // wakes for its progress, too; NULL: for ends only
    int fd;
} Waiter;

const char *job_status_name(JobStatus status)
{
    static const char *const names[] = {
        [JOB_RUNNING] = "running",
        [JOB_COMPLETED] = "completed",
        [JOB_FAILED] = "failed",
        [JOB_CANCELLED] = "cancelled",
    };
    return names[status];
}

static void release_job(void *job)
{
    job_unref(job);
}

JobTable *job_table_new(void)
{
    JobTable *self = g_new0(JobTable, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->jobs = g_ptr_array_new_with_free_func(release_job);
    self->waiters = g_ptr_array_new();
    return self;
}

void job_table_free(JobTable *self)
{
    if (!self)
        return;
    job_table_end_all(self);
    g_ptr_array_unref(self->jobs);
    g_ptr_array_unref(self->waiters);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

void job_table_listen(JobTable *self, void (*func)(void *user_data), void *user_data)
{
    HOLD_LOCK(&self->lock);
    self->listener = func;
    self->listener_data = user_data;
}

bool job_table_is_heard(JobTable *self)
{
    HOLD_LOCK(&self->lock);
    return self->listener != NULL;
}

void job_table_end_all(JobTable *self)
{
    job_table_listen(self, NULL, NULL);
    pthread_mutex_lock(&self->lock);
    g_autoptr(GPtrArray) workers = g_ptr_array_new();
    for (unsigned i = 0; i < self->jobs->len; i++) {
        Job *job = self->jobs->pdata[i];
        cancel_fire(job->cancel);
        g_ptr_array_add(workers, g_steal_pointer(&job->worker));
    }
    pthread_mutex_unlock(&self->lock);
    for (unsigned i = 0; i < workers->len; i++)
        worker_join(workers->pdata[i]);
}

// ---- one job ----

Job *job_ref(Job *self)
{
    g_atomic_int_inc(&self->ref_count);
    return self;
}

void job_unref(Job *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->ref_count))
        return;
    if (self->destroy)
        self->destroy(self->data);
    g_free(self->type);
    g_free(self->label);
    g_free(self->id);
    g_free(self->outcome.text);
    g_free(self->outcome.artifact_id);
    g_clear_error(&self->error);
    g_free(self->progress);
    cancel_unref(self->cancel);
    g_free(self);
}

static void wake_waiters_locked(JobTable *self, const Job *news_of)
{
    for (unsigned i = 0; i < self->waiters->len; i++) {
        const Waiter *waiter = self->waiters->pdata[i];
        if (!news_of || waiter->news_of == news_of)
            (void)eventfd_write(waiter->fd, 1);
    }
}

static bool is_untold_locked(const Job *self)
{
    return self->id && self->status != JOB_RUNNING && self->watchers == 0 && !self->is_told;
}

static void tell_listener_locked(const Job *self)
{
    JobTable *table = self->table;
    if (is_untold_locked(self) && table->listener)
        table->listener(table->listener_data);
}

static void jobs_work(void *self_)
{
    Job *self = self_;
    JobTable *table = self->table;
    JobOutcome outcome = { 0 };
    GError *error = NULL;
    self->run(self, self->data, &outcome, &error);

    pthread_mutex_lock(&table->lock);
    self->outcome = outcome;
    self->error = error;
    self->status = cancel_has_fired(self->cancel) ? JOB_CANCELLED
                   : (error || outcome.is_failed) ? JOB_FAILED
                                                  : JOB_COMPLETED;
    self->ended_at = time_now_ms();
    wake_waiters_locked(table, NULL);
    tell_listener_locked(self);
    pthread_mutex_unlock(&table->lock);
    job_unref(self);
}

static unsigned count_running_locked(const JobTable *self)
{
    unsigned count = 0;
    for (unsigned i = 0; i < self->jobs->len; i++) {
        const Job *job = self->jobs->pdata[i];
        count += job->id && job->status == JOB_RUNNING ? 1 : 0;
    }
    return count;
}

unsigned job_table_count_running(JobTable *self)
{
    HOLD_LOCK(&self->lock);
    return count_running_locked(self);
}

static bool has_room_locked(const JobTable *self, int64_t max_jobs)
{
    return count_running_locked(self) < CLAMP(max_jobs, 1, JOBS_MAX);
}

static void name_locked(JobTable *self, Job *job)
{
    job->id = g_strdup_printf("bg_%" G_GINT64_FORMAT, ++self->last_number);
}

/* What a tool does when its data goes may look into the table: without the lock, therefore. */
static void drop_job(void *job)
{
    worker_join(g_steal_pointer(&((Job *)job)->worker));
    job_unref(job);
}

/* Those that ended in front of somebody, and those that are old and told, go to `pruned`. */
static void prune_locked(JobTable *self, int64_t now_ms, GPtrArray *pruned)
{
    for (unsigned i = self->jobs->len; i > 0; i--) {
        Job *job = self->jobs->pdata[i - 1];
        bool is_old = now_ms - job->ended_at > KEPT_MS && job->watchers == 0 &&
                      (job->is_told || !self->listener);
        if (job->status == JOB_RUNNING || (job->id && !is_old))
            continue;
        g_ptr_array_add(pruned, g_ptr_array_steal_index(self->jobs, i - 1));
    }
}

static Job *job_new(JobTable *table, const JobSpec *spec)
{
    Job *self = g_new0(Job, 1);
    self->ref_count = 1;
    self->table = table;
    self->type = g_strdup(spec->type);
    self->label = g_strdup(spec->label);
    self->run = spec->run;
    self->data = spec->data;
    self->destroy = spec->destroy;
    self->tells_cancelled = spec->tells_cancelled;
    self->cancel = cancel_new(NULL);
    self->started_at = time_now_ms();
    return self;
}

bool job_table_start(JobTable *self, const JobSpec *spec, Job **ret_job, GError **error)
{
    g_autoptr(Job) job = job_new(self, spec);
    g_autoptr(GPtrArray) pruned = g_ptr_array_new_with_free_func(drop_job);
    pthread_mutex_lock(&self->lock);
    prune_locked(self, job->started_at, pruned);
    bool has_room = spec->is_in_front || has_room_locked(self, spec->max_jobs);
    if (has_room) {
        job->worker = worker_start("kedge-job", jobs_work, job_ref(job));
        if (!job->worker)
            job_unref(job);
    }
    if (job->worker) {
        g_ptr_array_add(self->jobs, job_ref(job));
        if (!spec->is_in_front)
            name_locked(self, job);
    }
    pthread_mutex_unlock(&self->lock);
    if (!has_room)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "Background job limit reached (%d). Wait for running jobs to finish or "
                         "cancel one.",
                         (int)CLAMP(spec->max_jobs, 1, JOBS_MAX));
    if (!job->worker)
        return fail_with(error, KEDGE_ERROR_LIMIT, "no thread can be made for the job");
    *ret_job = g_steal_pointer(&job);
    return true;
}

// ---- finding ----

GPtrArray *job_table_list(JobTable *self, int64_t now_ms)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(release_job);
    g_autoptr(GPtrArray) pruned = g_ptr_array_new_with_free_func(drop_job); // after the lock
    HOLD_LOCK(&self->lock);
    prune_locked(self, now_ms, pruned);
    unsigned count = self->jobs->len;
    for (unsigned i = 0; i < count; i++) {
        Job *job = self->jobs->pdata[i];
        if (job->id && job->status == JOB_RUNNING)
            g_ptr_array_add(list, job_ref(job));
    }
    for (unsigned i = count; i > 0; i--) {
        Job *job = self->jobs->pdata[i - 1];
        if (job->id && job->status != JOB_RUNNING)
            g_ptr_array_add(list, job_ref(job));
    }
    return list;
}

Job *job_table_find(JobTable *self, const char *id)
{
    Job *found = NULL;
    HOLD_LOCK(&self->lock);
    for (unsigned i = 0; i < self->jobs->len && !found; i++) {
        Job *job = self->jobs->pdata[i];
        if (g_strcmp0(job->id, id) == 0)
            found = job_ref(job);
    }
    return found;
}

GPtrArray *job_table_take_untold(JobTable *self)
{
    GPtrArray *taken = g_ptr_array_new_with_free_func(release_job);
    HOLD_LOCK(&self->lock);
    for (unsigned i = 0; i < self->jobs->len; i++) {
        Job *job = self->jobs->pdata[i];
        if (!is_untold_locked(job))
            continue;
        job->is_told = true;
        g_ptr_array_add(taken, job_ref(job));
    }
    return taken;
}

const char *job_type(const Job *self)
{
    return self->type;
}

const char *job_label(const Job *self)
{
    return self->label;
}

void *job_data(const Job *self)
{
    return self->data;
}

Cancel *job_cancel_token(const Job *self)
{
    return self->cancel;
}

int64_t job_started_at(const Job *self)
{
    return self->started_at;
}

const char *job_id(const Job *self)
{
    HOLD_LOCK(&self->table->lock);
    return self->id;
}

JobStatus job_status(const Job *self)
{
    HOLD_LOCK(&self->table->lock);
    return self->status;
}

int64_t job_ended_at(const Job *self)
{
    return job_status(self) == JOB_RUNNING ? 0 : self->ended_at;
}

const JobOutcome *job_outcome(const Job *self)
{
    return job_status(self) == JOB_RUNNING ? NULL : &self->outcome;
}

const GError *job_error(const Job *self)
{
    return job_status(self) == JOB_RUNNING ? NULL : self->error;
}

// ---- what happens to it ----

void job_set_progress(Job *self, const char *text)
{
    HOLD_LOCK(&self->table->lock);
    g_free(self->progress);
    self->progress = g_strdup(text);
    wake_waiters_locked(self->table, self);
}

char *job_take_progress(Job *self)
{
    HOLD_LOCK(&self->table->lock);
    return g_steal_pointer(&self->progress);
}

bool job_cancel(Job *self)
{
    pthread_mutex_lock(&self->table->lock);
    bool is_running = self->status == JOB_RUNNING;
    self->is_told = self->is_told || (is_running && !self->tells_cancelled);
    pthread_mutex_unlock(&self->table->lock);
    if (is_running)
        cancel_fire(self->cancel);
    return is_running;
}

bool job_send_to_background(Job *self, int64_t max_jobs)
{
    JobTable *table = self->table;
    HOLD_LOCK(&table->lock);
    bool can = self->status == JOB_RUNNING && has_room_locked(table, max_jobs);
    if (can)
        name_locked(table, self);
    return can;
}

static bool has_ended_one(const GPtrArray *jobs)
{
    for (unsigned i = 0; i < jobs->len; i++) {
        if (job_status(jobs->pdata[i]) != JOB_RUNNING)
            return true;
    }
    return false;
}

/* Waits for one wake; `jobs` are of one table. */
static bool wait_once(const GPtrArray *jobs, const Job *news_of, int64_t timeout_ms, Cancel *cancel)
{
    const Job *any = jobs->pdata[0];
    JobTable *table = any->table;
    g_auto(Fd) fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    Waiter waiter = { .news_of = news_of, .fd = fd };
    pthread_mutex_lock(&table->lock);
    g_ptr_array_add(table->waiters, &waiter);
    bool has_news = news_of && news_of->progress;
    pthread_mutex_unlock(&table->lock);
    if (!has_news && !has_ended_one(jobs)) {
        struct pollfd woken = { .fd = fd, .events = POLLIN };
        // without a descriptor left it only looks now and then
        cancel_poll(cancel, &woken, 1, fd >= 0 ? timeout_ms : MIN(timeout_ms, CANCEL_SLICE_MS));
    }
    pthread_mutex_lock(&table->lock);
    g_ptr_array_remove(table->waiters, &waiter);
    pthread_mutex_unlock(&table->lock);
    return has_ended_one(jobs);
}

bool job_wait(Job *self, int64_t timeout_ms, Cancel *cancel)
{
    g_autoptr(GPtrArray) jobs = g_ptr_array_new();
    g_ptr_array_add(jobs, self);
    return wait_once(jobs, self, timeout_ms, cancel);
}

bool job_wait_any(const GPtrArray *jobs, int64_t timeout_ms, Cancel *cancel)
{
    int64_t until = time_monotonic_ms() + timeout_ms;
    while (jobs->len > 0 && !cancel_has_fired(cancel)) {
        int64_t left = until - time_monotonic_ms();
        if (wait_once(jobs, NULL, MAX(left, 0), cancel))
            return true;
        if (left <= 0)
            break;
    }
    return jobs->len > 0 && has_ended_one(jobs);
}

void job_watch(Job *self)
{
    HOLD_LOCK(&self->table->lock);
    self->watchers++;
}

void job_unwatch(Job *self, bool is_told)
{
    HOLD_LOCK(&self->table->lock);
    self->watchers--;
    if (is_told && self->status != JOB_RUNNING)
        self->is_told = true;
    tell_listener_locked(self);
}
