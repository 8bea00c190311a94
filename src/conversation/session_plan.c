/*
 * Plan mode of a conversation (agent_session.h, agent-core §7.12): turning it on and off, the model
 * that stands in meanwhile, its record in the session, and what follows an approved plan. What may
 * be written is decided where calls run (tool/plan_mode.h).
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"
#include "model/model_roles.h"
#include "session/session_tree.h"
#include "tool/plan_file.h"

static bool is_planning(const AgentSession *self)
{
    return g_str_equal(self->plan.mode, PLAN_MODE);
}

// ---- the model of the role `plan` ----

static void tell(AgentSession *self, const char *level, const char *text)
{
    json_t *event = agent_event_new(EVENT_NOTICE);
    json_set_text(event, "level", level);
    json_set_text(event, "message", text);
    event_hub_publish(self->hub, event);
}

static void take_plan_model(AgentSession *self)
{
    ModelChoice choice = { 0 };
    g_autofree char *warning = NULL;
    self->plan.is_model_due = false;
    bool is_there = model_role_configured(self->registry, MODEL_ROLE_PLAN, &choice, &warning);
    if (warning)
        tell(self, "warning", warning);
    if (!is_there || choice.model == self->model)
        return;
    self->plan.model = choice.model;
    self->plan.model_before = self->model;
    self->plan.was_model_named = self->is_model_named;
    self->plan.thinking_before = self->thinking;
    self->model = choice.model;
    self->is_model_named = false;
    self->thinking = choice.has_level ? choice.level : self->thinking;
    self->plan.thinking = self->thinking;
}

/* What a person has chosen meanwhile stays. */
static void return_model(AgentSession *self)
{
    if (agent_session_model_before_plan(self)) {
        self->model = self->plan.model_before;
        self->is_model_named = self->plan.was_model_named;
        if (self->thinking == self->plan.thinking)
            self->thinking = self->plan.thinking_before;
    }
    self->plan.model = self->plan.model_before = NULL;
    self->plan.is_model_due = false;
}

void agent_session_settle_plan_model(AgentSession *self)
{
    if (!self->plan.is_model_due)
        return;
    take_plan_model(self);
    agent_session_update_setup(self, NULL);
}

// ---- on and off ----

static void set_mode(AgentSession *self, const char *mode, const char *file)
{
    self->plan.mode = mode;
    char *copy = g_strdup(file);
    g_free(self->plan.file);
    self->plan.file = copy;
}

static void enter(AgentSession *self, const char *file)
{
    set_mode(self, PLAN_MODE, file);
    plan_mode_enter(self->plan_mode, file);
    self->plan.is_model_due = true;
    if (!self->job || self->job->kind != JOB_PROMPT)
        take_plan_model(self);
    agent_session_update_setup(self, self->wanted_tools);
}

static void leave(AgentSession *self, const char *mode, const char *file)
{
    set_mode(self, mode, file);
    plan_mode_leave(self->plan_mode);
    return_model(self);
    agent_session_update_setup(self, self->wanted_tools);
}

static void publish(AgentSession *self)
{
    json_t *event = agent_event_new(EVENT_MODE_CHANGED);
    json_set_text(event, "mode", self->plan.mode);
    json_set_text(event, "planFilePath", self->plan.file);
    event_hub_publish(self->hub, event);
    self->plan.told = self->plan.mode;
}

static SessionJob *recording_job(const AgentSession *self)
{
    SessionJob *job = session_job_new(JOB_MODE, NULL, self->scope, NULL, self->plan.mode);
    job->text = g_strdup(self->plan.file);
    return job;
}

SessionJob *agent_session_switch_plan_mode(AgentSession *self, bool is_wanted)
{
    if (is_wanted == is_planning(self))
        return NULL;
    g_autofree char *file = g_strdup(self->plan.file ? self->plan.file : PLAN_FILE_URL);
    if (is_wanted)
        enter(self, file);
    else
        leave(self, PLAN_MODE_PAUSE, file);
    publish(self);
    return recording_job(self);
}

// ---- as the session has it ----

/* The last entry of the way to the leaf that says so; new reference, or NULL: none. */
static json_t *last_mode(const Session *session)
{
    g_autoptr(GPtrArray) changes = session_path_of_type(session, "mode_change");
    return changes->len > 0 ? json_incref(changes->pdata[changes->len - 1]) : NULL;
}

/* What a session was left with counts whatever plan.enabled says: a repository's settings must not
   lift what a person has asked for. */
void agent_session_restore_plan_mode(AgentSession *self)
{
    g_autoptr(json_t) entry = last_mode(self->engine.session);
    const char *mode = json_get_text(entry, "mode");
    const char *given = json_get_text(json_get_object(entry, "data"), "planFilePath");
    const char *file = plan_file_is_url(given) ? given : PLAN_FILE_URL;
    if (g_strcmp0(mode, PLAN_MODE) == 0)
        enter(self, file);
    else if (g_strcmp0(mode, PLAN_MODE_PAUSE) == 0)
        set_mode(self, PLAN_MODE_PAUSE, file);
}

/* The others stay in the session, or see to it themselves. */
static bool has_other_mode(const SessionJob *job)
{
    return job->kind != JOB_HANDOFF && job->kind != JOB_COMPACT && job->kind != JOB_PLAN;
}

void agent_session_suspend_plan_mode(AgentSession *self, const SessionJob *job)
{
    if (!has_other_mode(job))
        return;
    if (is_planning(self))
        leave(self, PLAN_MODE_NONE, NULL);
    set_mode(self, PLAN_MODE_NONE, NULL);
}

void agent_session_follow_plan_mode(AgentSession *self, const SessionJob *job)
{
    if (job->kind == JOB_HANDOFF && is_planning(self)) // it goes on there, with the plan
        g_queue_push_head(&self->jobs, recording_job(self));
    if (!has_other_mode(job))
        return;
    agent_session_restore_plan_mode(self);
    if (!g_str_equal(self->plan.told, self->plan.mode))
        publish(self);
}

// ---- what a person has decided ----

void agent_session_take_plan_decision(AgentSession *self)
{
    g_auto(PlanDecision) decision = { 0 };
    if (!plan_mode_take_decision(self->plan_mode, &decision) || !is_planning(self) ||
        self->outcome.end != AGENT_DONE || self->failure)
        return;
    SessionJob *job = session_job_new(JOB_PLAN, NULL, self->scope, NULL, self->plan.file);
    job->is_automatic = true;
    job->decision = decision;
    decision = (PlanDecision) { 0 };
    g_queue_push_head(&self->jobs, job);
}

void agent_session_end_plan(AgentSession *self, SessionJob *job)
{
    if (!job->is_done) {
        g_autofree char *text = g_strdup_printf(
            "The plan is approved, but cannot be carried out: %s", job->error->message);
        tell(self, "error", text);
        return;
    }
    leave(self, PLAN_MODE_NONE, NULL);
    publish(self);
    tell(self, "info",
         job->decision.is_fresh ? "Plan mode is off; a new session carries the plan out."
                                : "Plan mode is off; the plan is carried out.");
    g_queue_push_head(&self->jobs,
                      session_job_new(JOB_PROMPT, NULL, self->scope, job->message, NULL));
}
