/*
 * Plan mode of a conversation (agent_session.h, agent-core §7.12): turning it on and off, the model
 * that stands in meanwhile, its record in the session, and what follows an approved plan. What may
 * be written is decided where calls run (tool/plan_mode.h).
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"
#include "conversation/plan_approval.h"
#include "model/model_roles.h"
#include "session/session_tree.h"
#include "tool/plan_file.h"

static bool is_planning(const AgentSession *self)
{
    return g_str_equal(self->plan.mode, PLAN_MODE);
}

// ---- the model of the role `plan` ----

static void take_plan_model(AgentSession *self)
{
    ModelChoice choice = { 0 };
    g_autofree char *warning = NULL;
    self->plan.is_model_due = false;
    bool is_there = model_role_configured(self->registry, MODEL_ROLE_PLAN, &choice, &warning);
    if (warning)
        event_hub_publish_notice(self->hub, "warning", warning);
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

static void settle_model(AgentSession *self)
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

static void agent_session_enter(AgentSession *self, const char *file)
{
    set_mode(self, PLAN_MODE, file);
    plan_mode_enter(self->parts.plan_mode, file);
    self->plan.is_model_due = true;
    if (!agent_session_is_running(self))
        take_plan_model(self);
    agent_session_update_setup(self, self->tools.wanted);
}

static void agent_session_leave(AgentSession *self, const char *mode, const char *file)
{
    set_mode(self, mode, file);
    plan_mode_leave(self->parts.plan_mode);
    return_model(self);
    agent_session_update_setup(self, self->tools.wanted);
}

static void agent_session_publish(AgentSession *self)
{
    json_t *event = agent_event_new(EVENT_MODE_CHANGED);
    json_add(event, "mode:%s planFilePath:%s", self->plan.mode, self->plan.file);
    event_hub_publish(self->hub, event);
    self->plan.told = self->plan.mode;
}

static void mode_work(SessionJob *job, Engine *engine)
{
    plan_approval_record(engine->session, job->argument, job->text);
    job->is_done = session_flush(engine->session, &job->error);
}

static const JobDef mode_job = {
    // what the session is to be left with
    .command = "set_plan_mode",
    .work = mode_work,
};

static SessionJob *recording_job(const AgentSession *self)
{
    SessionJob *job = session_job_new(&mode_job, NULL, self->scope);
    job->argument = g_strdup(self->plan.mode);
    job->text = g_strdup(self->plan.file);
    return job;
}

static void switch_mode(AgentSession *self, bool is_wanted)
{
    if (is_wanted == is_planning(self))
        return;
    g_autofree char *file = g_strdup(self->plan.file ? self->plan.file : PLAN_FILE_URL);
    if (is_wanted)
        agent_session_enter(self, file);
    else
        agent_session_leave(self, PLAN_MODE_PAUSE, file);
    agent_session_publish(self);
    agent_session_add_job(self, recording_job(self));
}

/* What is said now would count in another session, or not at all. */
static bool is_moving(const AgentSession *self)
{
    bool is_on = self->job && self->job->def->has_own_mode;
    for (const GList *at = self->jobs.head; at && !is_on; at = at->next)
        is_on = ((const SessionJob *)at->data)->def->has_own_mode;
    return is_on;
}

bool agent_session_set_plan_mode(AgentSession *self, bool is_wanted, json_t *message,
                                 const char *id, bool *ret_is_pending, GError **error)
{
    if (is_wanted && !settings_get_bool(self->settings, "plan.enabled"))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "plan mode is turned off by the setting plan.enabled");
    if (message && !is_wanted)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "a prompt goes with plan mode that is turned on, not off");
    if (is_moving(self))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "the conversation is changing its session; try again when it has");
    if (!agent_session_has_room(self, error))
        return false;
    switch_mode(self, is_wanted);
    if (message)
        agent_session_add_prompt(self, message, id);
    *ret_is_pending = message != NULL;
    return true;
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
        agent_session_enter(self, file);
    else if (g_strcmp0(mode, PLAN_MODE_PAUSE) == 0)
        set_mode(self, PLAN_MODE_PAUSE, file);
}

void agent_session_suspend_plan_mode(AgentSession *self)
{
    if (is_planning(self))
        agent_session_leave(self, PLAN_MODE_NONE, NULL);
    set_mode(self, PLAN_MODE_NONE, NULL);
}

void agent_session_follow_plan_mode(AgentSession *self)
{
    agent_session_restore_plan_mode(self);
    if (!g_str_equal(self->plan.told, self->plan.mode))
        agent_session_publish(self);
}

void agent_session_enter_handoff(AgentSession *self)
{
    allowances_clear(self->parts.allowances);
    if (is_planning(self)) // it goes on there, with the plan
        g_queue_push_head(&self->jobs, recording_job(self));
}

// ---- what a person has decided ----

static void plan_clear(void *decision)
{
    plan_decision_clear(decision);
}

static void plan_work(SessionJob *job, Engine *engine)
{
    const PlanDecision *decision = job->own;
    job->is_done =
        plan_approval_run(engine, job->argument, decision, &job->text, &job->message, &job->error);
    if (job->is_done)
        job->data = json_pack("{s:s, s:s, s:b}", "mode", PLAN_MODE_NONE, "planFilePath", job->text,
                              "isNewSession", decision->is_fresh);
}

static bool plan_settle(AgentSession *self, SessionJob *job)
{
    const PlanDecision *decision = job->own;
    if (!job->is_done) {
        g_autofree char *text = g_strdup_printf(
            "The plan is approved, but cannot be carried out: %s", job->error->message);
        event_hub_publish_notice(self->hub, "error", text);
        return true;
    }
    agent_session_leave(self, PLAN_MODE_NONE, NULL);
    agent_session_publish(self);
    event_hub_publish_notice(self->hub, "info",
                             decision->is_fresh
                                 ? "Plan mode is off; a new session carries the plan out."
                                 : "Plan mode is off; the plan is carried out.");
    if (decision->is_fresh)
        allowances_clear(self->parts.allowances);
    g_queue_push_head(&self->jobs, agent_session_prompt_job(self, job->message, NULL));
    return true;
}

static const JobDef plan_job = {
    // an approved plan
    .command = "set_plan_mode", .has_own_mode = true, .own_size = sizeof(PlanDecision),
    .clear = plan_clear,        .work = plan_work,    .settle = plan_settle,
};

static const JobDef plan_fresh_job = {
    // the same, in a new session
    .command = "set_plan_mode", .is_move = true,
    .has_own_mode = true,       .own_size = sizeof(PlanDecision),
    .clear = plan_clear,        .work = plan_work,
    .settle = plan_settle,
};

static void take_decision(AgentSession *self)
{
    g_auto(PlanDecision) decision = { 0 };
    if (!plan_mode_take_decision(self->parts.plan_mode, &decision) || !is_planning(self) ||
        self->outcome.end != AGENT_DONE || self->failure)
        return;
    SessionJob *job =
        session_job_new(decision.is_fresh ? &plan_fresh_job : &plan_job, NULL, self->scope);
    job->argument = g_strdup(self->plan.file);
    *(PlanDecision *)job->own = decision;
    decision = (PlanDecision) { 0 };
    g_queue_push_head(&self->jobs, job);
}

void agent_session_settle_plan(AgentSession *self)
{
    settle_model(self);
    take_decision(self);
}
