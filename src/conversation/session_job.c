/* See session_job.h. */
#include "conversation/session_job.h"

SessionJob *session_job_new(const JobDef *def, const char *id, Cancel *scope)
{
    SessionJob *self = g_new0(SessionJob, 1);
    self->def = def;
    self->command = def->command;
    self->id = g_strdup(id);
    self->own = g_malloc0(def->own_size);
    self->cancel = cancel_new(scope);
    return self;
}

void session_job_free(SessionJob *self)
{
    if (!self)
        return;
    if (self->def->clear)
        self->def->clear(self->own);
    g_free(self->own);
    g_free(self->id);
    json_decref(self->message);
    json_decref(self->data);
    g_free(self->argument);
    g_free(self->text);
    g_free(self->background);
    cancel_unref(self->cancel);
    g_clear_error(&self->error);
    g_free(self);
}

json_t *session_job_end_event(const char *command, const char *id, json_t *data,
                              const GError *error)
{
    json_t *event = agent_event_new(EVENT_COMMAND_END);
    json_add(event, "command:%s id:%s success:%i data:%p", command, id, error == NULL, data);
    if (error)
        json_set_text(event, "error", error->message);
    return event;
}
