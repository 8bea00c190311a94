/*
 * The name of a conversation's session: when a model is asked for one, and whoever is told
 * (agent_session.h).
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"
#include "model/message.h"
#include "session/session_tree.h"

static void publish_name(AgentSession *self, const char *title, bool is_automatic)
{
    json_set_text(self->view.header, "title", title);
    json_set_text(self->view.header, "titleSource", is_automatic ? "auto" : "user");
    json_t *event = agent_event_new(EVENT_SESSION_INFO_CHANGED);
    json_set_text(event, "name", title);
    event_hub_publish(self->hub, event);
}

/* No request is made for a name that no one is waiting for, or that there is no money for. */
static bool may_ask(AgentSession *self)
{
    g_autofree char *stop_text = budget_stop_text(self->means.budget);
    const json_t *answer = self->view.last_answer;
    const char *stop_reason = message_stop_reason(answer);
    return self->wants_title && settings_get_bool(self->settings, "titles.enabled") &&
           !self->title && !stop_text && !json_get_text(self->view.header, "title") &&
           !g_str_equal(stop_reason, "error") && !g_str_equal(stop_reason, "aborted") &&
           g_strcmp0(self->title_of, json_get_text(self->view.header, "id")) != 0;
}

static void on_title_end(void *self_)
{
    AgentSession *self = self_;
    session_title_join(self->title);
    agent_session_take_title(self);
}

void agent_session_ask_for_title(AgentSession *self)
{
    if (!may_ask(self))
        return;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    const char *session_id = json_get_text(self->view.header, "id");
    const SummaryContext context = summary_context(&self->means, self->settings, setup, session_id);
    g_free(self->title_of);
    self->title_of = g_strdup(session_id);
    self->title = session_title_start(&context, session_view_messages(&self->view), self->hub,
                                      on_title_end, self, self->scope);
}

/* The job's worker may have put another session in its place. */
static bool is_session_changing(const AgentSession *self)
{
    return self->job && !self->job->def->is_run;
}

/* A run writes it at the end of its turn; without one it is written now. */
static void give_title(AgentSession *self, const char *title)
{
    session_set_title(self->engine.session, title, true);
    if (!self->job)
        session_flush(self->engine.session,
                      NULL); // what goes wrong is told when the next turn ends
    publish_name(self, title, true);
}

void agent_session_take_title(AgentSession *self)
{
    if (!self->title || !session_title_has_ended(self->title) || is_session_changing(self))
        return;
    g_autoptr(SessionTitle) title = g_steal_pointer(&self->title);
    const char *text = session_title_text(title);
    bool is_wanted = !json_get_text(self->view.header, "title") &&
                     g_strcmp0(self->title_of, json_get_text(self->view.header, "id")) == 0;
    if (!self->job) // else when it ends
        usage_notes_append(self->means.usages, self->engine.session);
    if (text && is_wanted)
        give_title(self, text);
}

// ---- a person's ----

static void name_work(SessionJob *job, Engine *engine)
{
    session_set_title(engine->session, job->argument, false);
    job->is_done = session_flush(engine->session, &job->error);
}

static bool name_settle(AgentSession *self, SessionJob *job)
{
    if (job->is_done)
        publish_name(self, job->argument, false);
    return false;
}

static const JobDef name_job = {
    .command = "set_session_name",
    .work = name_work,
    .settle = name_settle,
};

bool agent_session_set_name(AgentSession *self, const char *name, const char *id,
                            bool *ret_is_pending, GError **error)
{
    g_autofree char *title = session_clean_title(name);
    if (!title)
        return fail_with(error, KEDGE_ERROR_USAGE, "Session name cannot be empty");
    // a run writes it at the end of its turn
    bool is_running = agent_session_is_running(self) && g_queue_is_empty(&self->jobs);
    *ret_is_pending = !is_running;
    if (is_running) {
        session_set_title(self->engine.session, title, false);
        publish_name(self, title, false);
        return true;
    }
    if (!agent_session_has_room(self, error))
        return false;
    SessionJob *job = session_job_new(&name_job, id, self->scope);
    job->argument = g_steal_pointer(&title);
    agent_session_add_job(self, job);
    return true;
}
