/*
 * The commands of a conversation that start and stop runs (agent_session.h): prompts, what is
 * queued while a run is on, and abort.
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"
#include "model/message.h"

// ---- the job ----

static json_t *outcome_data(const AgentOutcome *outcome)
{
    static const char *const ends[] = { "done", "error", "aborted", "budget", "loop" };
    return json_make("end:%s budget:%s", ends[outcome->end], outcome->budget_text);
}

/* A person's alone: what background jobs came to is no prompt of theirs. New reference; NULL: there
   is no message. */
static bool message_to_send(const SessionJob *job, const HookList *hooks, json_t **ret_message,
                            GError **error)
{
    if (job->message && g_str_equal(message_role(job->message), "user"))
        return hook_list_prompt(hooks, job->message, job->cancel, ret_message, error);
    *ret_message = job->message ? json_incref(job->message) : NULL;
    return true;
}

static void prompt_work(SessionJob *job, Engine *engine)
{
    AgentOutcome *outcome = job->own;
    HookList *hooks = engine->base.parts.hooks;
    g_autoptr(json_t) message = NULL;
    job->is_done = message_to_send(job, hooks, &message, &job->error) &&
                   agent_prompt(engine->agent, message, job->cancel, outcome, &job->error);
    job->data = job->is_done ? outcome_data(outcome) : NULL;
    if (job->is_done)
        hook_list_stop(hooks, json_get_text(job->data, "end"));
}

static bool prompt_settle(AgentSession *self, SessionJob *job)
{
    AgentOutcome *outcome = job->own;
    agent_outcome_clear(&self->outcome);
    g_clear_error(&self->failure);
    self->outcome = *outcome;
    *outcome = (AgentOutcome) { 0 };
    self->failure = g_steal_pointer(&job->error);
    if (self->failure && job->was_accepted)
        agent_session_return(self, job->message);
    return job->is_done && self->outcome.end == AGENT_DONE;
}

static void prompt_clear(void *outcome)
{
    agent_outcome_clear(outcome);
}

static const JobDef prompt_job = {
    .command = "prompt",
    .is_run = true,
    .own_size = sizeof(AgentOutcome),
    .clear = prompt_clear,
    .work = prompt_work,
    .settle = prompt_settle,
};

SessionJob *agent_session_prompt_job(const AgentSession *self, json_t *message, const char *id)
{
    SessionJob *job = session_job_new(&prompt_job, id, self->scope);
    job->message = message ? json_incref(message) : NULL;
    return job;
}

void agent_session_add_prompt(AgentSession *self, json_t *message, const char *id)
{
    agent_session_add_job(self, agent_session_prompt_job(self, message, id));
}

void agent_session_go_on_with(AgentSession *self, json_t *message)
{
    if (!message)
        return;
    SessionJob *job = agent_session_prompt_job(self, message, NULL);
    job->was_accepted = true;
    agent_session_add_job(self, job);
    json_decref(message);
}

// ---- commands ----

static bool is_prompting(const AgentSession *self)
{
    const SessionJob *last = g_queue_peek_tail((GQueue *)&self->jobs);
    if (!last)
        last = self->job;
    return last && last->def->is_run;
}

bool agent_session_steer(AgentSession *self, json_t *message, GError **error)
{
    return agent_session_queue(self, self->steering, message, error);
}

bool agent_session_follow_up(AgentSession *self, json_t *message, GError **error)
{
    if (self->job || !self->view.last_answer)
        return agent_session_queue(self, self->follow_ups, message, error);
    agent_session_go_on_with(self, json_incref(message));
    return true;
}

bool agent_session_prompt(AgentSession *self, json_t *message, const char *behavior, const char *id,
                          bool *ret_is_pending, GError **error)
{
    bool is_busy = is_prompting(self);
    if (is_busy && !behavior)
        return fail_with(
            error, KEDGE_ERROR_USAGE,
            "Agent is already processing. Use steer() or followUp() to queue messages, "
            "or wait for completion.");
    if (is_busy &&
        !(g_str_equal(behavior, "steer") ? agent_session_steer(self, message, error)
                                         : agent_session_follow_up(self, message, error)))
        return false;
    if (!is_busy && !agent_session_has_room(self, error))
        return false;
    if (!is_busy)
        agent_session_add_prompt(self, message, id);
    *ret_is_pending = !is_busy;
    return true;
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
    SessionJob *job = agent_session_prompt_job(self, queued, id);
    job->command = "continue";
    job->was_accepted = queued != NULL;
    agent_session_add_job(self, job);
    return true;
}

bool agent_session_abort_and_prompt(AgentSession *self, json_t *message, const char *id,
                                    bool *ret_is_aborting, GError **error)
{
    if (!agent_session_has_room(self, error))
        return false;
    agent_session_abort(self, id, ret_is_aborting);
    agent_session_add_prompt(self, message, id);
    return true;
}

void agent_session_abort(AgentSession *self, const char *id, bool *ret_is_pending)
{
    *ret_is_pending = self->job != NULL;
    if (!self->job)
        return;
    cancel_fire(self->job->cancel);
    g_ptr_array_add(self->aborts, g_strdup(id));
}
