/* See run_controls.h. */
#include "agent/run_controls.h"

#include "base/lock.h"

struct RunControls {
    pthread_mutex_t lock; // guards the rest
    bool retries, interrupts;
    Cancel *waiting; // NULL: no one waits
};

RunControls *run_controls_new(const Settings *settings)
{
    RunControls *self = g_new0(RunControls, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->retries = settings_get_bool(settings, "retry.enabled");
    self->interrupts = g_strcmp0(settings_get_text(settings, "interruptMode"), "wait") != 0;
    return self;
}

void run_controls_free(RunControls *self)
{
    if (!self)
        return;
    g_assert(!self->waiting);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static void set(RunControls *self, bool *which, bool value)
{
    HOLD_LOCK(&self->lock);
    *which = value;
}

static bool get(RunControls *self, const bool *which)
{
    HOLD_LOCK(&self->lock);
    return *which;
}

void run_controls_set_retries(RunControls *self, bool is_wanted)
{
    set(self, &self->retries, is_wanted);
}

bool run_controls_retries(RunControls *self)
{
    return get(self, &self->retries);
}

void run_controls_set_interrupts(RunControls *self, bool is_wanted)
{
    set(self, &self->interrupts, is_wanted);
}

bool run_controls_interrupts(RunControls *self)
{
    return get(self, &self->interrupts);
}

void run_controls_begin_wait(RunControls *self, Cancel *cancel)
{
    HOLD_LOCK(&self->lock);
    g_assert(!self->waiting);
    self->waiting = cancel_new(cancel);
}

bool run_controls_wait(RunControls *self, int64_t duration_ms)
{
    bool is_over = cancel_sleep(self->waiting, duration_ms, NULL); // only we change `waiting`
    HOLD_LOCK(&self->lock);
    g_clear_pointer(&self->waiting, cancel_unref);
    return is_over;
}

void run_controls_stop_waiting(RunControls *self)
{
    HOLD_LOCK(&self->lock);
    if (self->waiting)
        cancel_fire(self->waiting);
}
