/*
 * What a person does beside messages (agent_session.h): commands and code of their own, and having
 * the model go on.
 */
#include "agent/agent_session.h"

#include "agent/agent_session_private.h"

/* Takes what is of the conversation from it. */
static bool start(AgentSession *self, SessionBashSpec *spec, GError **error)
{
    if (self->bash)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "a command runs already; wait for its end, or abort it");
    if (self->job && session_job_is_move(self->job))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "the conversation is changing its session; try again when it has");
    spec->context = self->engine.context;
    spec->hub = self->hub;
    spec->scope = self->scope;
    return session_bash_start(spec, &self->bash, error);
}

bool agent_session_bash(AgentSession *self, const char *command, bool is_excluded, const char *id,
                        GError **error)
{
    if (!self->run_shell)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "this conversation has no shell");
    SessionBashSpec spec = {
        .run = self->run_shell,
        .command = command,
        .id = id,
        .is_excluded = is_excluded,
    };
    return start(self, &spec, error);
}

bool agent_session_python(AgentSession *self, const char *code, bool is_excluded, const char *id,
                          GError **error)
{
    if (!self->run_python)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "this conversation has no Python");
    SessionBashSpec spec = {
        .run = self->run_python,
        .command = code,
        .id = id,
        .is_excluded = is_excluded,
        .is_python = true,
    };
    return start(self, &spec, error);
}

void agent_session_abort_bash(AgentSession *self)
{
    if (self->bash)
        session_bash_cancel(self->bash);
}

bool agent_session_has_bash(const AgentSession *self)
{
    return self->bash != NULL;
}

bool agent_session_continue(AgentSession *self, const char *id, GError **error)
{
    if (self->job || !g_queue_is_empty(&self->jobs))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Agent is already processing. Wait for completion.");
    g_autoptr(json_t) queued = NULL;
    if (!agent_can_go_on(self->engine.agent)) {
        queued = agent_session_take_queued(self);
        if (!queued && !self->view.last_answer)
            return fail_with(error, KEDGE_ERROR_USAGE, "there is nothing to go on with yet");
        if (!queued)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "Cannot continue from message role: assistant");
    }
    SessionJob *job = session_job_new(JOB_PROMPT, id, self->scope, queued, NULL);
    job->command = "continue";
    agent_session_add_job(self, job);
    return true;
}
