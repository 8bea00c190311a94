/*
 * Compaction of a conversation, when it is asked for and when no one has had anything to do here
 * for a while (agent_session.h, agent-core §3.8). What overflows in a run compacts itself.
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"

// ---- the jobs ----

static void compact_work(SessionJob *job, Engine *engine)
{
    job->is_done =
        agent_compact(engine->agent, job->argument, job->cancel, &job->data, &job->error);
}

static bool compact_settle(AgentSession *self G_GNUC_UNUSED, SessionJob *job)
{
    return job->is_done;
}

static const JobDef compact_job = {
    .command = "compact",
    .is_move = true,
    .work = compact_work,
    .settle = compact_settle,
};

static void compact_idle_work(SessionJob *job, Engine *engine)
{
    agent_compact_idle(engine->agent, job->cancel);
}

/* No one asked for it: what was said meanwhile does not depend on its success. */
static bool compact_idle_settle(AgentSession *self G_GNUC_UNUSED, SessionJob *job G_GNUC_UNUSED)
{
    return true;
}

static const JobDef compact_idle_job = {
    .command = "compact",
    .is_move = true,
    .gives_way = true,
    .work = compact_idle_work,
    .settle = compact_idle_settle,
};

// ---- asked for ----

static bool is_compaction(const SessionJob *job)
{
    return job->def == &compact_job || job->def == &compact_idle_job;
}

static bool is_compacting(const AgentSession *self)
{
    bool is_on = self->job && is_compaction(self->job);
    for (const GList *at = self->jobs.head; at && !is_on; at = at->next)
        is_on = is_compaction(at->data);
    return is_on;
}

bool agent_session_compact(AgentSession *self, const char *instructions, const char *id,
                           GError **error)
{
    if (is_compacting(self))
        return fail_with(error, KEDGE_ERROR_USAGE, "Compaction already in progress");
    SessionJob *job = session_job_new(&compact_job, id, self->scope);
    job->argument = g_strdup(instructions);
    return agent_session_add_move(self, job, error);
}

void agent_session_set_auto_compaction(AgentSession *self, bool is_wanted)
{
    atomic_store(&self->is_compaction_disabled, !is_wanted);
}

bool agent_session_auto_compaction(const AgentSession *self)
{
    const char *strategy = settings_get_text(self->settings, "compaction.strategy");
    return settings_get_bool(self->settings, "compaction.enabled") &&
           g_strcmp0(strategy, "off") != 0 && !atomic_load(&self->is_compaction_disabled);
}

// ---- idle ----

static void on_idle(void *self_)
{
    AgentSession *self = self_;
    self->idle_timer = NULL;
    if (agent_session_has_bash(self)) // is not stopped for it; its end tries again
        return;
    agent_session_add_job(self, session_job_new(&compact_idle_job, NULL, self->scope));
}

void agent_session_watch_idleness(AgentSession *self)
{
    int64_t seconds = settings_get_int(self->settings, "compaction.idleTimeoutSeconds");
    if (self->job || agent_session_has_bash(self) || self->idle_timer ||
        !agent_is_to_compact_idle(self->engine.agent))
        return;
    self->idle_timer =
        loop_add_timer(self->loop, CLAMP(seconds, 0, INT32_MAX) * 1000, on_idle, self);
}
