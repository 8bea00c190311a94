/*
 * The commands of a conversation that go on in another session file or elsewhere in this one, and
 * those that say something of it (agent_session.h).
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"
#include "session/session_tree.h"

/* The run that is on ends first. */
static bool go_elsewhere(AgentSession *self, SessionJob *job, GError **error)
{
    if (!agent_session_has_room(self, error)) {
        session_job_free(job);
        return false;
    }
    if (self->job && self->job->kind == JOB_PROMPT)
        cancel_fire(self->job->cancel);
    agent_session_add_job(self, job);
    return true;
}

bool agent_session_start_new(AgentSession *self, const char *parent, const char *id, GError **error)
{
    return go_elsewhere(self, session_job_new(JOB_NEW, id, self->scope, NULL, parent), error);
}

bool agent_session_switch(AgentSession *self, const char *path, const char *id, GError **error)
{
    return go_elsewhere(self, session_job_new(JOB_SWITCH, id, self->scope, NULL, path), error);
}

bool agent_session_fork(AgentSession *self, const char *id, GError **error)
{
    return go_elsewhere(self, session_job_new(JOB_FORK, id, self->scope, NULL, NULL), error);
}

bool agent_session_branch(AgentSession *self, const char *entry_id, const char *id, GError **error)
{
    return go_elsewhere(self, session_job_new(JOB_BRANCH, id, self->scope, NULL, entry_id), error);
}

bool agent_session_navigate(AgentSession *self, const char *entry_id, bool wants_summary,
                            const char *instructions, const char *id, GError **error)
{
    SessionJob *job = session_job_new(JOB_NAVIGATE, id, self->scope, NULL, entry_id);
    job->text = g_strdup(instructions);
    job->wants_summary = wants_summary;
    return go_elsewhere(self, job, error);
}

static bool is_compacting(const AgentSession *self)
{
    bool is_on = self->job && self->job->kind == JOB_COMPACT;
    for (const GList *at = self->jobs.head; at && !is_on; at = at->next)
        is_on = ((const SessionJob *)at->data)->kind == JOB_COMPACT;
    return is_on;
}

bool agent_session_compact(AgentSession *self, const char *instructions, const char *id,
                           GError **error)
{
    if (is_compacting(self))
        return fail_with(error, KEDGE_ERROR_USAGE, "Compaction already in progress");
    return go_elsewhere(self, session_job_new(JOB_COMPACT, id, self->scope, NULL, instructions),
                        error);
}

bool agent_session_handoff(AgentSession *self, const char *instructions, const char *id,
                           GError **error)
{
    return go_elsewhere(self, session_job_new(JOB_HANDOFF, id, self->scope, NULL, instructions),
                        error);
}

bool agent_session_wants_summaries(const AgentSession *self)
{
    return settings_get_bool(self->settings, "branchSummary.enabled");
}

bool agent_session_set_label(AgentSession *self, const char *entry_id, const char *label,
                             const char *id, GError **error)
{
    if (!agent_session_has_room(self, error))
        return false;
    SessionJob *job = session_job_new(JOB_LABEL, id, self->scope, NULL, entry_id);
    job->text = g_strdup(label);
    agent_session_add_job(self, job);
    return true;
}

// ---- plan mode ----

/* A job that takes the session away, or ends plan mode in it: what is said now would count in
   another one, or not at all. */
static bool goes_elsewhere(const SessionJob *job)
{
    return job->kind == JOB_PLAN || (job->kind != JOB_COMPACT && session_job_is_move(job));
}

static bool is_moving(const AgentSession *self)
{
    bool is_on = self->job && goes_elsewhere(self->job);
    for (const GList *at = self->jobs.head; at && !is_on; at = at->next)
        is_on = goes_elsewhere(at->data);
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
    SessionJob *job = agent_session_switch_plan_mode(self, is_wanted);
    if (job)
        agent_session_add_job(self, job);
    if (message)
        agent_session_add_prompt(self, message, id);
    *ret_is_pending = message != NULL;
    return true;
}

// ---- names ----

bool agent_session_set_name(AgentSession *self, const char *name, const char *id,
                            bool *ret_is_pending, GError **error)
{
    g_autofree char *title = session_clean_title(name);
    if (!title)
        return fail_with(error, KEDGE_ERROR_USAGE, "Session name cannot be empty");
    // a run writes it at the end of its turn
    bool is_running = self->job && self->job->kind == JOB_PROMPT && g_queue_is_empty(&self->jobs);
    *ret_is_pending = !is_running;
    if (is_running) {
        session_set_title(self->engine.session, title, false);
        agent_session_publish_name(self, title, false);
        return true;
    }
    if (!agent_session_has_room(self, error))
        return false;
    agent_session_add_job(self, session_job_new(JOB_NAME, id, self->scope, NULL, title));
    return true;
}

json_t *agent_session_set_todos(AgentSession *self, const json_t *phases, GError **error)
{
    json_t *saved = NULL;
    if (!todo_check(phases, error) || !todo_list_set(self->todos, phases, &saved, error))
        return NULL;
    return saved;
}

// ---- what is in the file ----

/* A run appends to the session meanwhile; a job that goes to another one takes it away. */
static bool has_session(const AgentSession *self, GError **error)
{
    if (!self->job || !session_job_is_move(self->job))
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "the conversation is changing its session; try again when it has");
}

json_t *agent_session_branch_points(const AgentSession *self, GError **error)
{
    return has_session(self, error) ? session_branch_points(self->engine.session) : NULL;
}

json_t *agent_session_tree(const AgentSession *self, GError **error)
{
    return has_session(self, error) ? session_tree(self->engine.session) : NULL;
}
