/* See background_save.h. */
#include "tui/control/background_save.h"
#include "tui/control/tui_own.h"

#include "tui/edit/loop_work.h"

#define SAVE_PATIENCE_MS 1000 // for another program that is saving settings

typedef struct LaterJob {
    Later *later;
    void (*work)(void *data, Cancel *cancel);
    void (*done)(Tui *tui, void *data); // NULL: nothing
    void *data;
    GDestroyNotify free_data;
} LaterJob;

struct Later {
    Tui *tui;
    GQueue jobs;    // of LaterJob; the first one is at work
    LoopWork *work; // NULL: none is
};

static void job_free(LaterJob *self)
{
    self->free_data(self->data);
    g_free(self);
}

/* On a worker. */
static void run(void *job_, Cancel *cancel)
{
    const LaterJob *job = job_;
    job->work(job->data, cancel);
}

static void on_end(void *job_);

/* The first of those that wait; without a thread it is done here. */
static void start(Later *self)
{
    LaterJob *job = g_queue_peek_head(&self->jobs);
    if (self->work || !job)
        return;
    self->work = loop_work_start(self->tui->loop, "later", run, on_end, job);
    if (self->work)
        return;
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    job->work(job->data, cancel);
    on_end(job);
}

static void on_end(void *job_)
{
    LaterJob *job = job_;
    Later *self = job->later;
    g_clear_pointer(&self->work, loop_work_free);
    g_queue_remove(&self->jobs, job);
    if (job->done)
        job->done(self->tui, job->data);
    job_free(job);
    start(self);
}

void later_do(Tui *self, void (*work)(void *data, Cancel *cancel),
              void (*done)(Tui *tui, void *data), void *data, GDestroyNotify free_data)
{
    if (!self->look->later) {
        look_own(self)->later = g_new0(Later, 1);
        self->look->later->tui = self;
        g_queue_init(&look_own(self)->later->jobs);
    }
    LaterJob *job = g_new0(LaterJob, 1);
    *job = (LaterJob) { self->look->later, work, done, data, free_data };
    g_queue_push_tail(&look_own(self)->later->jobs, job);
    start(self->look->later);
}

void later_end(Tui *self)
{
    Later *later = g_steal_pointer(&look_own(self)->later);
    if (!later)
        return;
    g_autoptr(Cancel) fired = cancel_new(NULL);
    cancel_fire(fired);
    bool is_at_work = later->work != NULL;
    g_clear_pointer(&later->work, loop_work_free);
    for (LaterJob *job; (job = g_queue_pop_head(&later->jobs)); is_at_work = false) {
        if (!is_at_work)
            job->work(job->data, fired);
        job_free(job);
    }
    g_free(later);
}

// ---- settings ----

typedef struct Saving {
    char *agent_dir, *what, *told;
    char **parts;
    json_t *value;
    GError *error; // of the worker
} Saving;

static void saving_free(void *self_)
{
    Saving *self = self_;
    g_free(self->agent_dir);
    g_free(self->what);
    g_free(self->told);
    g_strfreev(self->parts);
    json_decref(self->value);
    g_clear_error(&self->error);
    g_free(self);
}

/* Also at the end of the program, so its token is its own. */
static void save(void *self_, Cancel *cancel G_GNUC_UNUSED)
{
    Saving *self = self_;
    const SettingChange change = { (const char *const *)self->parts, self->value };
    g_autoptr(Cancel) patience = cancel_new_timed(NULL, SAVE_PATIENCE_MS);
    settings_save(self->agent_dir, &change, 1, patience, &self->error);
}

static void on_saved(Tui *tui, void *self_)
{
    const Saving *self = self_;
    if (self->error)
        tui_error(tui, "%s: %s", self->what, self->error->message);
    else if (self->told)
        tui_say(tui, "%s", self->told);
}

void later_save(Tui *self, const SettingChange *change, const char *what, const char *told)
{
    Saving *saving = g_new0(Saving, 1);
    saving->agent_dir = g_strdup(self->slash.place.agent_dir);
    saving->what = g_strdup(what);
    saving->told = g_strdup(told);
    saving->parts = g_strdupv((char **)change->parts);
    saving->value = change->value ? json_deep_copy(change->value) : NULL;
    later_do(self, save, on_saved, saving, saving_free);
}
