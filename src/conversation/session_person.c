/*
 * What a person does beside messages (agent_session.h): commands and code of their own, and having
 * the model go on.
 */
#include "conversation/agent_session.h"

#include "base/timefmt.h"
#include "conversation/agent_session_private.h"

/* A job that goes to another session takes away what all of this works in. */
static bool has_context(const AgentSession *self, GError **error)
{
    if (!self->job || !session_job_is_move(self->job))
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "the conversation is changing its session; try again when it has");
}

static bool start(AgentSession *self, SessionBashSpec *spec, GError **error)
{
    if (self->bash)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "a command runs already; wait for its end, or abort it");
    if (!has_context(self, error))
        return false;
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

bool agent_session_has_shell(const AgentSession *self)
{
    return self->bash;
}

char *agent_session_bash_output(const AgentSession *self)
{
    return self->bash ? session_bash_output(self->bash) : NULL;
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

bool agent_session_aside(AgentSession *self, AsideFunc func, const char *argument, const char *id,
                         GError **error)
{
    if (self->aside)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "another one of these is at work; wait for its end, or stop it");
    if (!has_context(self, error))
        return false;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    const char *session_id = json_get_text(self->view.header, "id");
    const SummaryMeans means = { self->http, self->registry, self->budget, self->usages };
    g_autoptr(ToolSet) tools = tool_set_for_model(self->all_tools, self->settings, NULL);
    const AsideSpec spec = {
        .func = func,
        .context = self->engine.context,
        .tools = tools,
        .summary = summary_context(&means, self->settings, setup, session_id),
        .messages = self->view.messages,
        .hub = self->hub,
        .scope = self->scope,
        .argument = argument,
        .id = id,
    };
    return session_aside_start(&spec, &self->aside, error);
}

// ---- background jobs ----

static json_t *job_row(const Job *job)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:I}", "id", job_id(job), "type", job_type(job), "label",
                     job_label(job), "status", job_status_name(job_status(job)), "startedAt",
                     (json_int_t)job_started_at(job));
}

json_t *agent_session_background_jobs(AgentSession *self, GError **error)
{
    if (!has_context(self, error))
        return NULL;
    JobTable *table = tool_context_jobs(self->engine.context);
    g_autoptr(GPtrArray) jobs = job_table_list(table, time_now_ms());
    json_t *rows = json_array();
    for (unsigned i = 0; i < jobs->len; i++)
        json_append_take(rows, job_row(jobs->pdata[i]));
    return rows;
}

bool agent_session_cancel_background(AgentSession *self, const char *id, GError **error)
{
    if (!has_context(self, error))
        return false;
    g_autoptr(Job) job = job_table_find(tool_context_jobs(self->engine.context), id);
    if (job && job_cancel(job))
        return true;
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     job ? "the background job \"%s\" has ended already"
                         : "there is no background job \"%s\"; /jobs lists them",
                     id);
}

// ---- the model once more ----

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
