/*
 * What a person does beside messages (agent_session.h): commands and code of their own, what they
 * look up, and the background jobs of the model's calls.
 */
#include "conversation/agent_session.h"

#include "base/timefmt.h"
#include "conversation/agent_session_private.h"

// ---- their end ----

/* What waits for the end of a person's command, or for nothing to be done, goes on. */
static void go_on_after_person(AgentSession *self)
{
    if (!self->job)
        agent_session_start_next_job(self);
    agent_session_hand_off_when_due(self);
    agent_session_watch_idleness(self);
}

static void record_work(SessionJob *job, Engine *engine)
{
    agent_add_message(engine->agent, job->message);
    job->is_done = session_flush(engine->session, &job->error);
    if (!job->is_done)
        g_clear_pointer(&job->data, json_decref);
}

static const JobDef record_job = {
    // the message of a person's command
    .command = "bash",
    .work = record_work,
};

/* The message of a person's command comes after the run that is on, but before whatever waits. Who
   asked gets the answer when it is there, or at once while a run is on. */
static void add_bash_message(AgentSession *self, const SessionBash *bash)
{
    const char *id = session_bash_id(bash);
    SessionJob *job = session_job_new(&record_job, self->job ? NULL : id, self->scope);
    job->message = session_bash_message(bash);
    job->command = session_bash_name(bash);
    job->data = session_bash_data(bash);
    if (self->job)
        event_hub_publish_control(
            self->hub, session_job_end_event(job->command, id, g_steal_pointer(&job->data), NULL));
    g_queue_push_head(&self->jobs, job);
}

static void on_bash_end(void *self_)
{
    AgentSession *self = self_;
    g_autoptr(SessionBash) bash = g_steal_pointer(&self->bash);
    session_bash_join(bash);
    const GError *failure = session_bash_error(bash);
    if (failure)
        event_hub_publish_control(
            self->hub,
            session_job_end_event(session_bash_name(bash), session_bash_id(bash), NULL, failure));
    else
        add_bash_message(self, bash);
    go_on_after_person(self);
}

static void on_aside_end(void *self_)
{
    AgentSession *self = self_;
    g_autoptr(SessionAside) aside = g_steal_pointer(&self->aside);
    session_aside_join(aside);
    event_hub_publish_control(self->hub, session_aside_end_event(aside));
    go_on_after_person(self);
}

// ---- commands, code, and what they look up ----

static bool agent_session_start(AgentSession *self, SessionBashSpec *spec, GError **error)
{
    if (self->bash)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "a command runs already; wait for its end, or abort it");
    if (!agent_session_has_session(self, error))
        return false;
    spec->context = self->engine.context;
    spec->hub = self->hub;
    spec->ended = on_bash_end;
    spec->owner = self;
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
    return agent_session_start(self, &spec, error);
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
    return agent_session_start(self, &spec, error);
}

bool agent_session_aside(AgentSession *self, AsideFunc func, const char *argument, const char *id,
                         GError **error)
{
    if (self->aside)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "another one of these is at work; wait for its end, or stop it");
    if (!agent_session_has_session(self, error))
        return false;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    const char *session_id = json_get_text(self->view.header, "id");
    g_autoptr(ToolSet) tools = tool_set_for_model(self->tools.all, self->settings, NULL);
    const AsideSpec spec = {
        .func = func,
        .context = self->engine.context,
        .tools = tools,
        .summary = summary_context(&self->means, self->settings, setup, session_id),
        .messages = session_view_messages(&self->view),
        .hub = self->hub,
        .ended = on_aside_end,
        .owner = self,
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
    if (!agent_session_has_session(self, error))
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
    if (!agent_session_has_session(self, error))
        return false;
    g_autoptr(Job) job = job_table_find(tool_context_jobs(self->engine.context), id);
    if (job && job_cancel(job))
        return true;
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     job ? "the background job \"%s\" has ended already"
                         : "there is no background job \"%s\"; /jobs lists them",
                     id);
}
