/*
 * The open checkpoint of a conversation (rewind_state.h).
 */
#include "tool/rewind_state.h"

#include "tool/context.h"

#include <pthread.h>

typedef struct State {
    pthread_mutex_t lock;
    bool is_forbidden, is_open;
    char *report; // NULL: none
} State;

static void *state_new(void)
{
    State *self = g_new0(State, 1);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void state_free(void *data)
{
    State *self = data;
    pthread_mutex_destroy(&self->lock);
    g_free(self->report);
    g_free(self);
}

static State *lock_state(ToolContext *context)
{
    State *self = tool_context_state(context, "rewind", state_new, state_free);
    pthread_mutex_lock(&self->lock);
    return self;
}

void rewind_state_forbid(ToolContext *context)
{
    State *self = lock_state(context);
    self->is_forbidden = true;
    pthread_mutex_unlock(&self->lock);
}

bool rewind_state_is_forbidden(ToolContext *context)
{
    State *self = lock_state(context);
    bool is_forbidden = self->is_forbidden;
    pthread_mutex_unlock(&self->lock);
    return is_forbidden;
}

void rewind_state_set_open(ToolContext *context, bool is_open)
{
    State *self = lock_state(context);
    self->is_open = is_open;
    g_clear_pointer(&self->report, g_free);
    pthread_mutex_unlock(&self->lock);
}

bool rewind_state_open(ToolContext *context)
{
    State *self = lock_state(context);
    bool is_new = !self->is_open && !self->report;
    self->is_open = self->is_open || is_new;
    pthread_mutex_unlock(&self->lock);
    return is_new;
}

bool rewind_state_is_open(ToolContext *context)
{
    State *self = lock_state(context);
    bool is_open = self->is_open;
    pthread_mutex_unlock(&self->lock);
    return is_open;
}

bool rewind_state_report(ToolContext *context, const char *report)
{
    State *self = lock_state(context);
    bool is_open = self->is_open;
    if (is_open) {
        self->is_open = false;
        g_free(self->report);
        self->report = g_strdup(report);
    }
    pthread_mutex_unlock(&self->lock);
    return is_open;
}

char *rewind_state_take_report(ToolContext *context)
{
    State *self = lock_state(context);
    char *report = g_steal_pointer(&self->report);
    pthread_mutex_unlock(&self->lock);
    return report;
}
