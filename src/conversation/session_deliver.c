/*
 * Background jobs of the conversation's tools (tool/jobs.h): what they came to becomes a message
 * that no one has to ask for, between two runs. The table of jobs belongs to the engine's context,
 * which is the owner's while no job of the conversation is on.
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"
#include "conversation/session_background.h"

static JobTable *table_of(const AgentSession *self)
{
    return tool_context_jobs(self->engine.context);
}

static json_t *take_results(AgentSession *self)
{
    g_autoptr(GPtrArray) ended = job_table_take_untold(table_of(self));
    if (ended->len == 0)
        return NULL;
    return session_background_message(ended, tool_context_artifacts(self->engine.context));
}

/* The last prompt came to its end: no one has stopped it, and nothing went wrong. */
static bool is_settled(const AgentSession *self)
{
    return !self->failure && self->outcome.end == AGENT_DONE;
}

json_t *agent_session_take_results(AgentSession *self)
{
    return is_settled(self) ? take_results(self) : NULL;
}

bool agent_session_has_background(const AgentSession *self)
{
    return job_table_count_running(table_of(self)) > 0;
}

static void on_scope_end(void *self_)
{
    AgentSession *self = self_;
    self->scope_source = NULL;
    loop_quit(self->loop);
}

void agent_session_begin_waiting(AgentSession *self)
{
    self->is_waiting = true;
    self->has_told_waiting = false;
    self->scope_source = loop_add_cancel(self->loop, self->scope, on_scope_end, self);
}

void agent_session_end_waiting(AgentSession *self)
{
    loop_remove(self->loop, g_steal_pointer(&self->scope_source));
    self->is_waiting = false;
}

bool agent_session_awaits_background(AgentSession *self)
{
    if (self->job || !is_settled(self) || cancel_has_fired(self->scope) ||
        !agent_session_has_background(self))
        return false;
    if (self->has_told_waiting)
        return true;
    g_autofree char *running = session_background_running(table_of(self));
    g_autofree char *text = g_strdup_printf("waiting for %s", running ? running : "results");
    agent_events_emit_notice(&self->engine.base.events, "info", text);
    self->has_told_waiting = true;
    return true;
}

// ---- moves ----

/* They belong to the context of the session that was open; elsewhere in the same session it is the
   same one. */
void agent_session_say_background(AgentSession *self, const SessionJob *job)
{
    const char *before = json_get_text(self->view.header, "id");
    bool is_same = g_strcmp0(before, self->engine.session_id) == 0;
    if (!job->background || !job->is_done || (is_same && !agent_session_has_background(self)))
        return;
    g_autofree char *text =
        g_strdup_printf(is_same ? "still running in the background: %s. What comes of it is "
                                  "delivered here, where the conversation goes on now"
                                : "background jobs end with their session; ended: %s",
                        job->background);
    agent_events_emit_notice(&self->engine.base.events, is_same ? "info" : "warning", text);
}

// ---- their end ----

static void on_job_end(void *self_)
{
    AgentSession *self = self_;
    if (!self->job) // its end tries again
        agent_session_go_on_with(self, agent_session_take_results(self));
}

void agent_session_note_job(void *self_)
{
    AgentSession *self = self_;
    event_hub_post(self->hub, on_job_end, self);
}
