/*
 * The commands of a conversation that go on in another session file or elsewhere in this one, and
 * those that say something of it (agent_session.h).
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"
#include "session/session_tree.h"

// ---- another session ----

/* The model and the level that the session was left with, where they can be had. */
static void restore_setup(AgentSession *self)
{
    g_auto(SessionContext) saved = { 0 };
    session_build_setup(self->engine.session, &saved);
    const char *name = json_get_text(saved.models, "default");
    g_auto(GStrv) parts = g_strsplit(name ? name : "", "/", 2);
    const Model *model =
        parts[0] && parts[1] ? model_registry_find(self->registry, parts[0], parts[1]) : NULL;
    if (model && model_registry_is_available(self->registry, model, false)) {
        self->model = model;
        self->is_model_named = false;
    }
    if (saved.has_messages)
        thinking_level_parse(saved.thinking_level, &self->thinking);
    agent_session_update_setup(self, NULL);
}

/* What a move says of itself: `text` (may be NULL) is for the editor of who asked. */
static void end_move(SessionJob *job, bool is_done, const char *key, const char *text)
{
    job->is_done = is_done;
    if (!is_done)
        return;
    job->data = json_object();
    json_set_text(job->data, key, text);
    json_set_bool(job->data, "cancelled", false);
}

static void new_work(SessionJob *job, Engine *engine)
{
    end_move(job, engine_start_new(engine, job->argument, &job->error), "text", NULL);
}

static bool new_settle(AgentSession *self, SessionJob *job)
{
    if (!job->is_done)
        return false;
    agent_session_clear_queues(self);
    agent_session_suspend_plan_mode(self);
    allowances_clear(self->parts.allowances); // they were for the session of before
    agent_session_follow_plan_mode(self);
    return false;
}

static void switch_work(SessionJob *job, Engine *engine)
{
    g_autofree char *notice = NULL;
    end_move(job, engine_switch(engine, job->argument, &notice, &job->error), "text", NULL);
    if (notice)
        agent_events_emit_notice(&engine->base.events, "warning", notice);
}

static bool switch_settle(AgentSession *self, SessionJob *job)
{
    if (!job->is_done)
        return false;
    agent_session_clear_queues(self);
    agent_session_suspend_plan_mode(self);
    allowances_clear(self->parts.allowances);
    restore_setup(self);
    agent_session_follow_plan_mode(self);
    return false;
}

static void fork_work(SessionJob *job, Engine *engine)
{
    end_move(job, engine_fork(engine, &job->error), "text", NULL);
}

static void branch_work(SessionJob *job, Engine *engine)
{
    g_autofree char *text = NULL;
    bool is_done = engine_branch(engine, job->argument, &text, &job->error);
    end_move(job, is_done, "text", text);
}

static bool copy_settle(AgentSession *self, SessionJob *job)
{
    if (!job->is_done)
        return false;
    agent_session_suspend_plan_mode(self);
    allowances_clear(self->parts.allowances);
    agent_session_follow_plan_mode(self);
    return false;
}

static const JobDef new_session_job = {
    .command = "new_session",
    .is_move = true,
    .has_own_mode = true,
    .work = new_work,
    .settle = new_settle,
};

static const JobDef switch_job = {
    .command = "switch_session",
    .is_move = true,
    .has_own_mode = true,
    .work = switch_work,
    .settle = switch_settle,
};

static const JobDef fork_job = {
    .command = "fork",
    .is_move = true,
    .has_own_mode = true,
    .work = fork_work,
    .settle = copy_settle,
};

static const JobDef branch_job = {
    .command = "branch",
    .is_move = true,
    .has_own_mode = true,
    .work = branch_work,
    .settle = copy_settle,
};

static bool move_to(AgentSession *self, const JobDef *def, const char *argument, const char *id,
                    GError **error)
{
    SessionJob *job = session_job_new(def, id, self->scope);
    job->argument = g_strdup(argument);
    return agent_session_add_move(self, job, error);
}

bool agent_session_start_new(AgentSession *self, const char *parent, const char *id, GError **error)
{
    return move_to(self, &new_session_job, parent, id, error);
}

bool agent_session_switch(AgentSession *self, const char *path, const char *id, GError **error)
{
    return move_to(self, &switch_job, path, id, error);
}

bool agent_session_fork(AgentSession *self, const char *id, GError **error)
{
    return move_to(self, &fork_job, NULL, id, error);
}

bool agent_session_branch(AgentSession *self, const char *entry_id, const char *id, GError **error)
{
    return move_to(self, &branch_job, entry_id, id, error);
}

// ---- another place in this one ----

/* A person who stops the summary stays where they are; that is no failure. */
static void navigate_work(SessionJob *job, Engine *engine)
{
    const bool *wants_summary = job->own;
    const NavigateSpec spec = { job->argument, *wants_summary, job->text };
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;
    bool is_done = engine_navigate(engine, &spec, job->cancel, &text, &problem);
    bool is_stopped = !is_done && error_is(problem, KEDGE_ERROR_CANCELLED);
    end_move(job, is_done || is_stopped, "editorText", text);
    if (is_stopped)
        json_set_bool(job->data, "cancelled", true);
    else
        job->error = g_steal_pointer(&problem);
}

static bool navigate_settle(AgentSession *self, SessionJob *job)
{
    if (!job->is_done)
        return false;
    agent_session_suspend_plan_mode(self);
    agent_session_follow_plan_mode(self);
    return false;
}

static const JobDef navigate_job = {
    .command = "navigate_tree",
    .is_move = true,
    .has_own_mode = true,
    .own_size = sizeof(bool), // a summary of what is left is wanted
    .work = navigate_work,
    .settle = navigate_settle,
};

bool agent_session_navigate(AgentSession *self, const char *entry_id, bool wants_summary,
                            const char *instructions, const char *id, GError **error)
{
    SessionJob *job = session_job_new(&navigate_job, id, self->scope);
    job->argument = g_strdup(entry_id);
    job->text = g_strdup(instructions);
    *(bool *)job->own = wants_summary;
    return agent_session_add_move(self, job, error);
}

bool agent_session_wants_summaries(const AgentSession *self)
{
    return settings_get_bool(self->settings, "branchSummary.enabled");
}

// ---- labels and todos ----

static void label_work(SessionJob *job, Engine *engine)
{
    job->is_done = session_set_label(engine->session, job->argument, job->text, &job->error) &&
                   session_flush(engine->session, &job->error);
}

static const JobDef label_job = {
    .command = "set_label",
    .work = label_work,
};

bool agent_session_set_label(AgentSession *self, const char *entry_id, const char *label,
                             const char *id, GError **error)
{
    if (!agent_session_has_room(self, error))
        return false;
    SessionJob *job = session_job_new(&label_job, id, self->scope);
    job->argument = g_strdup(entry_id);
    job->text = g_strdup(label);
    agent_session_add_job(self, job);
    return true;
}

json_t *agent_session_set_todos(AgentSession *self, const json_t *phases, GError **error)
{
    json_t *saved = NULL;
    if (!todo_check(phases, error) || !todo_list_set(self->parts.todos, phases, &saved, error))
        return NULL;
    return saved;
}

// ---- what is in the file ----

json_t *agent_session_branch_points(const AgentSession *self, GError **error)
{
    return agent_session_has_session(self, error) ? session_branch_points(self->engine.session)
                                                  : NULL;
}

json_t *agent_session_tree(const AgentSession *self, GError **error)
{
    return agent_session_has_session(self, error) ? session_tree(self->engine.session) : NULL;
}
