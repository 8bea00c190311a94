/*
 * Going on in a new session that begins with what a model wrote of this one (agent_session.h,
 * handoff.h): when it is asked for, and when the last prompt has filled the context.
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"
#include "conversation/handoff.h"

/* Stopped, it is no failure: there is no data then. */
static void handoff_work(SessionJob *job, Engine *engine)
{
    job->is_done = handoff_run(engine, job->argument, job->cancel, &job->data, &job->error);
    if (job->is_done && !job->data)
        job->data = json_null();
}

static bool handoff_settle(AgentSession *self, SessionJob *job)
{
    if (job->is_done)
        agent_session_enter_handoff(self);
    return job->is_done;
}

static const JobDef handoff_job = {
    .command = "handoff",
    .is_move = true,
    .has_own_mode = true,
    .work = handoff_work,
    .settle = handoff_settle,
};

static void handoff_due_work(SessionJob *job, Engine *engine)
{
    job->is_done = handoff_run_automatically(engine, job->cancel);
    job->data = job->is_done ? json_null() : NULL;
}

/* No one asked for it: what was said meanwhile does not depend on its success. */
static bool handoff_due_settle(AgentSession *self, SessionJob *job)
{
    handoff_settle(self, job);
    return true;
}

static const JobDef handoff_due_job = {
    .command = "handoff",
    .is_move = true,
    .has_own_mode = true,
    .work = handoff_due_work,
    .settle = handoff_due_settle,
};

bool agent_session_handoff(AgentSession *self, const char *instructions, const char *id,
                           GError **error)
{
    SessionJob *job = session_job_new(&handoff_job, id, self->scope);
    job->argument = g_strdup(instructions);
    return agent_session_add_move(self, job, error);
}

void agent_session_hand_off_when_due(AgentSession *self)
{
    if (self->is_handoff_due && !self->job && !agent_session_has_bash(self) &&
        !agent_session_has_background(self))
        agent_session_add_job(self, session_job_new(&handoff_due_job, NULL, self->scope));
}
