/* See plan_mode.h. */
#include "tool/plan_mode.h"

#include "base/lock.h"

struct PlanMode {
    PlanMode *parent; // borrowed; NULL: none
    bool can_approve;
    pthread_mutex_t lock; // guards the rest
    char *file;           // NULL: off
    bool has_word, is_settled;
    PlanDecision decision; // its title NULL: none
};

void plan_decision_clear(PlanDecision *self)
{
    g_clear_pointer(&self->title, g_free);
    g_clear_pointer(&self->plan, g_free);
}

PlanMode *plan_mode_new(PlanMode *parent, bool can_approve)
{
    PlanMode *self = g_new0(PlanMode, 1);
    self->parent = parent;
    self->can_approve = can_approve;
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void plan_mode_free(PlanMode *self)
{
    if (!self)
        return;
    plan_decision_clear(&self->decision);
    g_free(self->file);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static void set_file(PlanMode *self, const char *file)
{
    HOLD_LOCK(&self->lock);
    g_free(self->file);
    self->file = g_strdup(file);
    self->is_settled = false;
    plan_decision_clear(&self->decision);
}

void plan_mode_enter(PlanMode *self, const char *file)
{
    set_file(self, file);
}

void plan_mode_leave(PlanMode *self)
{
    set_file(self, NULL);
}

static char *own_file(PlanMode *self)
{
    HOLD_LOCK(&self->lock);
    return g_strdup(self->file);
}

char *plan_mode_file(PlanMode *self)
{
    for (; self; self = self->parent) {
        char *file = own_file(self);
        if (file)
            return file;
    }
    return NULL;
}

bool plan_mode_is_on(PlanMode *self)
{
    g_autofree char *file = plan_mode_file(self);
    return file != NULL;
}

bool plan_mode_may_write(PlanMode *self)
{
    g_autofree char *file = self ? own_file(self) : NULL;
    return file && !plan_mode_is_on(self->parent);
}

bool plan_mode_can_approve(PlanMode *self)
{
    return self && self->can_approve;
}

void plan_mode_begin_prompt(PlanMode *self)
{
    if (!self)
        return;
    HOLD_LOCK(&self->lock);
    self->has_word = false;
    self->is_settled = false;
    plan_decision_clear(&self->decision);
}

void plan_mode_note_word(PlanMode *self)
{
    if (!self)
        return;
    HOLD_LOCK(&self->lock);
    self->has_word = true;
}

bool plan_mode_has_word(PlanMode *self)
{
    HOLD_LOCK(&self->lock);
    return self->has_word;
}

bool plan_mode_settle(PlanMode *self, const PlanDecision *decision)
{
    HOLD_LOCK(&self->lock);
    bool is_on = self->file != NULL;
    self->is_settled = self->is_settled || is_on;
    plan_decision_clear(&self->decision);
    if (is_on && decision)
        self->decision = (PlanDecision) { g_strdup(decision->title), g_strdup(decision->plan),
                                          decision->is_fresh };
    return is_on;
}

bool plan_mode_is_settled(PlanMode *self)
{
    if (!self)
        return false;
    HOLD_LOCK(&self->lock);
    return self->is_settled;
}

bool plan_mode_take_decision(PlanMode *self, PlanDecision *ret_decision)
{
    HOLD_LOCK(&self->lock);
    bool is_there = self->decision.title != NULL;
    if (is_there) {
        *ret_decision = self->decision;
        self->decision = (PlanDecision) { 0 };
    }
    return is_there;
}
