/*
 * Jobs (session_job.h).
 */
#include "agent/session_job.h"

SessionJob *session_job_new(JobKind kind, const char *id, Cancel *scope, json_t *message,
                            const char *argument)
{
    static const char *const commands[] = { "prompt", "new_session", "switch_session", "fork",
                                            "branch" };
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
    g_free(self->argument);
    cancel_unref(self->cancel);
    agent_outcome_clear(&self->outcome);
    g_clear_error(&self->error);
    g_free(self);
}

json_t *session_job_end_event(const char *command, const char *id, json_t *data,
                              const GError *error)
{
    json_t *event = json_object();
    json_set_text(event, "type", "command_end");
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
    static const char *const ends[] = { "done", "error", "aborted", "budget" };
    json_t *data = json_object();
    json_set_text(data, "end", ends[outcome->end]);
    json_set_text(data, "budget", outcome->budget_text);
    return data;
}

static void publish_notice(EventHub *hub, const char *text)
{
    json_t *event = agent_event_new("notice");
    json_set_text(event, "level", "warning");
    json_set_text(event, "message", text);
    event_hub_publish(hub, event);
}

static bool go_elsewhere(SessionJob *self, Engine *engine, EventHub *hub, json_t *data)
{
    g_autofree char *notice = NULL, *text = NULL;
    bool is_done = false;
    if (self->kind == JOB_NEW)
        is_done = engine_start_new(engine, &self->error);
    else if (self->kind == JOB_SWITCH)
        is_done = engine_switch(engine, self->argument, &notice, &self->error);
    else if (self->kind == JOB_FORK)
        is_done = engine_fork(engine, &self->error);
    else
        is_done = engine_branch(engine, self->argument, &text, &self->error);
    if (notice)
        publish_notice(hub, notice);
    json_set_text(data, "text", text);
    json_set_bool(data, "cancelled", false);
    return is_done;
}

void session_job_work(SessionJob *self, Engine *engine, EventHub *hub)
{
    json_t *data = NULL;
    if (self->kind == JOB_PROMPT) {
        self->is_done =
            agent_prompt(engine->agent, self->message, self->cancel, &self->outcome, &self->error);
        data = self->is_done ? outcome_data(&self->outcome) : NULL;
    } else {
        data = json_object();
        self->is_done = go_elsewhere(self, engine, hub, data);
        if (!self->is_done)
            g_clear_pointer(&data, json_decref);
    }
    event_hub_publish_control(hub,
                              session_job_end_event(self->command, self->id, data, self->error));
}
