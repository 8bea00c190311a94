/* See session_job.h. */
#include "conversation/session_job.h"

#include "conversation/handoff.h"
#include "conversation/plan_approval.h"
#include "session/session_tree.h"

SessionJob *session_job_new(JobKind kind, const char *id, Cancel *scope, json_t *message,
                            const char *argument)
{
    static const char *const commands[] = {
        [JOB_PROMPT] = "prompt",
        [JOB_NEW] = "new_session",
        [JOB_SWITCH] = "switch_session",
        [JOB_FORK] = "fork",
        [JOB_BRANCH] = "branch",
        [JOB_NAVIGATE] = "navigate_tree",
        [JOB_LABEL] = "set_label",
        [JOB_NAME] = "set_session_name",
        [JOB_BASH] = "bash",
        [JOB_COMPACT] = "compact",
        [JOB_HANDOFF] = "handoff",
        [JOB_MODE] = "set_plan_mode",
        [JOB_PLAN] = "set_plan_mode",
    };
    SessionJob *self = g_new0(SessionJob, 1);
    self->kind = kind;
    self->command = commands[kind];
    self->id = g_strdup(id);
    self->message = message ? json_incref(message) : NULL;
    self->argument = g_strdup(argument);
    self->cancel = cancel_new(scope);
    return self;
}

void session_job_free(SessionJob *self)
{
    if (!self)
        return;
    g_free(self->id);
    json_decref(self->message);
    json_decref(self->data);
    g_free(self->argument);
    g_free(self->text);
    plan_decision_clear(&self->decision);
    cancel_unref(self->cancel);
    agent_outcome_clear(&self->outcome);
    g_clear_error(&self->error);
    g_free(self);
}

bool session_job_is_move(const SessionJob *self)
{
    switch (self->kind) {
    case JOB_PROMPT:
    case JOB_LABEL:
    case JOB_NAME:
    case JOB_BASH:
    case JOB_MODE:
        return false;
    case JOB_PLAN:
        return self->decision.is_fresh;
    default:
        return true;
    }
}

json_t *session_job_end_event(const char *command, const char *id, json_t *data,
                              const GError *error)
{
    json_t *event = agent_event_new(EVENT_COMMAND_END);
    json_set_text(event, "command", command);
    json_set_text(event, "id", id);
    json_set_bool(event, "success", error == NULL);
    json_set_take(event, "data", data);
    if (error)
        json_set_text(event, "error", error->message);
    return event;
}

static json_t *outcome_data(const AgentOutcome *outcome)
{
    static const char *const ends[] = { "done", "error", "aborted", "budget", "loop" };
    json_t *data = json_object();
    json_set_text(data, "end", ends[outcome->end]);
    json_set_text(data, "budget", outcome->budget_text);
    return data;
}

static void publish_notice(EventHub *hub, const char *text)
{
    json_t *event = agent_event_new(EVENT_NOTICE);
    json_set_text(event, "level", "warning");
    json_set_text(event, "message", text);
    event_hub_publish(hub, event);
}

/* A person who stops the summary stays where they are; that is no failure. */
static bool navigate(SessionJob *self, Engine *engine, char **ret_text, bool *ret_is_cancelled)
{
    const NavigateSpec spec = { self->argument, self->wants_summary, self->text };
    g_autoptr(GError) problem = NULL;
    if (engine_navigate(engine, &spec, self->cancel, ret_text, &problem))
        return true;
    *ret_is_cancelled = error_is(problem, KEDGE_ERROR_CANCELLED);
    if (!*ret_is_cancelled)
        self->error = g_steal_pointer(&problem);
    return *ret_is_cancelled;
}

static bool go_elsewhere(SessionJob *self, Engine *engine, EventHub *hub, json_t *data)
{
    g_autofree char *notice = NULL, *text = NULL;
    bool is_done = false, is_cancelled = false;
    if (self->kind == JOB_NEW)
        is_done = engine_start_new(engine, self->argument, &self->error);
    else if (self->kind == JOB_SWITCH)
        is_done = engine_switch(engine, self->argument, &notice, &self->error);
    else if (self->kind == JOB_FORK)
        is_done = engine_fork(engine, &self->error);
    else if (self->kind == JOB_BRANCH)
        is_done = engine_branch(engine, self->argument, &text, &self->error);
    else
        is_done = navigate(self, engine, &text, &is_cancelled);
    if (notice)
        publish_notice(hub, notice);
    json_set_text(data, self->kind == JOB_NAVIGATE ? "editorText" : "text", text);
    json_set_bool(data, "cancelled", is_cancelled);
    return is_done;
}

static json_t *run_prompt(SessionJob *self, Engine *engine)
{
    self->is_done =
        agent_prompt(engine->agent, self->message, self->cancel, &self->outcome, &self->error);
    return self->is_done ? outcome_data(&self->outcome) : NULL;
}

static json_t *run_move(SessionJob *self, Engine *engine, EventHub *hub)
{
    g_autoptr(json_t) data = json_object();
    self->is_done = go_elsewhere(self, engine, hub, data);
    return self->is_done ? g_steal_pointer(&data) : NULL;
}

static void write_note(SessionJob *self, Engine *engine)
{
    if (self->kind == JOB_NAME)
        session_set_title(engine->session, self->argument, false);
    self->is_done = (self->kind == JOB_NAME || session_set_label(engine->session, self->argument,
                                                                 self->text, &self->error)) &&
                    session_flush(engine->session, &self->error);
}

static json_t *record_bash(SessionJob *self, Engine *engine)
{
    agent_add_message(engine->agent, self->message);
    self->is_done = session_flush(engine->session, &self->error);
    return self->is_done ? g_steal_pointer(&self->data) : NULL;
}

/* Stopped, it is no failure: there is no data then. */
static json_t *run_handoff(SessionJob *self, Engine *engine)
{
    json_t *data = NULL;
    if (self->is_automatic)
        self->is_done = handoff_run_automatically(engine, self->cancel);
    else
        self->is_done = handoff_run(engine, self->argument, self->cancel, &data, &self->error);
    return self->is_done && !data ? json_null() : data;
}

static void record_mode(SessionJob *self, Engine *engine)
{
    plan_approval_record(engine->session, self->argument, self->text);
    self->is_done = session_flush(engine->session, &self->error);
}

static json_t *carry_out_plan(SessionJob *self, Engine *engine)
{
    self->is_done = plan_approval_run(engine, self->argument, &self->decision, &self->text,
                                      &self->message, &self->error);
    return self->is_done ? json_pack("{s:s, s:s, s:b}", "mode", PLAN_MODE_NONE, "planFilePath",
                                     self->text, "isNewSession", self->decision.is_fresh)
                         : NULL;
}

void session_job_work(SessionJob *self, Engine *engine, EventHub *hub)
{
    json_t *data = NULL;
    if (self->kind == JOB_PROMPT)
        data = run_prompt(self, engine);
    else if (self->kind == JOB_COMPACT && self->is_automatic)
        agent_compact_idle(engine->agent, self->cancel);
    else if (self->kind == JOB_COMPACT)
        self->is_done =
            agent_compact(engine->agent, self->argument, self->cancel, &data, &self->error);
    else if (self->kind == JOB_HANDOFF)
        data = run_handoff(self, engine);
    else if (self->kind == JOB_LABEL || self->kind == JOB_NAME)
        write_note(self, engine);
    else if (self->kind == JOB_BASH)
        data = record_bash(self, engine);
    else if (self->kind == JOB_MODE)
        record_mode(self, engine);
    else if (self->kind == JOB_PLAN)
        data = carry_out_plan(self, engine);
    else
        data = run_move(self, engine, hub);
    event_hub_publish_control(hub,
                              session_job_end_event(self->command, self->id, data, self->error));
}
