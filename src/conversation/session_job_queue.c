/*
 * The jobs of a conversation one after another (agent_session_private.h). What a job is, and what
 * its end leads to, is the affair of others: the JobDef, and agent_session.c.
 */
#include "base/limits.h"
#include "conversation/agent_session.h"
#include "conversation/agent_session_private.h"
#include "conversation/session_background.h"

bool agent_session_is_running(const AgentSession *self)
{
    return self->job && self->job->def->is_run;
}

bool agent_session_has_session(const AgentSession *self, GError **error)
{
    if (!self->job || !self->job->def->is_move)
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "the conversation is changing its session; try again when it has");
}

void agent_session_abort_bash(AgentSession *self)
{
    if (self->bash)
        session_bash_cancel(self->bash);
    if (self->aside)
        session_aside_cancel(self->aside);
}

bool agent_session_has_bash(const AgentSession *self)
{
    return self->bash || self->aside;
}

/* The last word of a job; from then on it is the owner's. */
static void job_end(AgentSession *self, const SessionJob *job)
{
    json_t *data = job->data ? json_incref(job->data) : NULL;
    json_t *event = session_job_end_event(job->command, job->id, data, job->error);
    event_hub_post(self->hub, self->end_job, self); // before others hear of it
    event_hub_publish_control(self->hub, event);
}

static void job_work(void *self_)
{
    AgentSession *self = self_;
    SessionJob *job = self->job;
    job->def->work(job, &self->engine);
    job_end(self, job);
}

static bool job_start(AgentSession *self)
{
    session_view_messages(&self->view); // while the engine is ours
    if (self->parent)
        return worker_pool_start(self->pool, job_work, self, &self->worker);
    self->worker = worker_start("kedge-run", job_work, self);
    return self->worker != NULL;
}

void agent_session_start_next_job(AgentSession *self)
{
    const SessionJob *next = g_queue_peek_head(&self->jobs);
    if (next && next->def->is_move && agent_session_has_bash(self)) {
        agent_session_abort_bash(self); // the move takes away what that works in
        return;                         // its end starts what waits
    }
    if (next && agent_session_take_settings(self))
        agent_session_update_setup(self, NULL);
    self->job = g_queue_pop_head(&self->jobs);
    if (!self->job)
        return;
    if (self->job->def->is_move)
        self->job->background = session_background_running(tool_context_jobs(self->engine.context));
    if (job_start(self))
        return;
    fail_with(&self->job->error, KEDGE_ERROR_LIMIT, "no thread can be made for the command%s",
              self->job->was_accepted ? "; the message waits" : "");
    job_end(self, self->job);
}

void agent_session_add_job(AgentSession *self, SessionJob *job)
{
    loop_remove(self->loop, g_steal_pointer(&self->idle_timer));
    if (self->job && self->job->def->gives_way)
        cancel_fire(self->job->cancel);
    g_queue_push_tail(&self->jobs, job);
    if (!self->job)
        agent_session_start_next_job(self);
}

bool agent_session_has_room(const AgentSession *self, GError **error)
{
    if (self->jobs.length < LIMIT_WAITING_COMMANDS)
        return true;
    return fail_with(error, KEDGE_ERROR_LIMIT, "%d commands wait already; wait for their end",
                     LIMIT_WAITING_COMMANDS);
}

bool agent_session_add_move(AgentSession *self, SessionJob *job, GError **error)
{
    if (!agent_session_has_room(self, error)) {
        session_job_free(job);
        return false;
    }
    if (agent_session_is_running(self))
        cancel_fire(self->job->cancel);
    agent_session_add_job(self, job);
    return true;
}
