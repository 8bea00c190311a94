/*
 * The conversation under test (session_fixture.h).
 */
#include "session_fixture.h"

#include "base/file.h"
#include "model/message.h"

static void quit(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    loop_quit(self->loop);
}

static void on_event(json_t *event, void *user_data)
{
    SessionFixture *self = user_data;
    json_array_append(self->events, event);
    if (!self->trigger || !g_str_equal(json_get_text(event, "type"), self->trigger))
        return;
    self->trigger = NULL;
    self->act(self, event);
}

SessionFixture *session_fixture_new(const char *settings)
{
    SessionFixture *self = g_new0(SessionFixture, 1);
    self->agent = agent_fixture_new(settings);
    self->loop = loop_new();
    self->events = json_array();
    self->options = (AgentSessionOptions) {
        .loop = self->loop,
        .cancel = self->agent->cancel,
        .place = { self->agent->root, self->agent->root, self->agent->dir },
        .all_tools = self->agent->setup.tools,
        .tools = self->agent->setup.tools,
        .can_ask = true,
    };
    return self;
}

void session_fixture_open(SessionFixture *self)
{
    g_autofree char *path = g_build_filename(self->agent->root, "models.yml", NULL);
    g_autofree char *warning = NULL;
    self->options.registry = model_registry_new(path, &warning);
    ModelChoice choice = { .model = self->options.model };
    if (!choice.model &&
        !model_registry_select(self->options.registry, "lab/coder", NULL, &choice, NULL))
        g_error("no model");
    self->options.model = choice.model;
    self->options.settings = (Settings *)tool_context_settings(self->agent->context);
    if (!self->options.session)
        self->options.session = session_new(self->agent->dir, self->agent->root);
    self->session = agent_session_new(&self->options, NULL);
    agent_session_subscribe(self->session,
                            &(SubscriberSpec) { DETAIL_DELTAS, true, on_event, self });
}

void session_fixture_free(SessionFixture *self)
{
    agent_session_free(self->session);
    loop_free(self->loop);
    agent_fixture_free(self->agent);
    json_decref(self->events);
    agent_outcome_clear(&self->outcome);
    g_clear_error(&self->error);
    g_free(self);
}

bool session_fixture_command(SessionFixture *self, const char *name, const char *arguments_text,
                             CommandReply *ret_reply)
{
    g_autoptr(json_t) arguments = NULL;
    if (arguments_text && !json_parse_text(arguments_text, &arguments, NULL))
        g_error("bad arguments: %s", arguments_text);
    g_clear_error(&self->error);
    g_auto(CommandReply) reply = { 0 };
    if (!session_command_run(self->session, name, arguments, name, &reply, &self->error))
        return false;
    if (ret_reply) {
        *ret_reply = reply;
        reply = (CommandReply) { 0 };
    }
    return true;
}

void session_fixture_wait(SessionFixture *self)
{
    agent_outcome_clear(&self->outcome);
    g_clear_error(&self->error);
    agent_session_wait(self->session, &self->outcome, &self->error);
}

bool session_fixture_prompt(SessionFixture *self, const char *text)
{
    bool is_pending = false;
    g_autoptr(json_t) message = message_user(text);
    g_clear_error(&self->error);
    if (!agent_session_prompt(self->session, message, NULL, NULL, &is_pending, &self->error))
        return false;
    session_fixture_wait(self);
    return !self->error;
}

bool session_fixture_shell(ToolContext *context G_GNUC_UNUSED, const char *command,
                           const UserShellWatch *watch G_GNUC_UNUSED, Cancel *cancel,
                           UserShellResult *ret_result, GError **error G_GNUC_UNUSED)
{
    while (!file_exists(command) && !cancel_has_fired(cancel))
        g_usleep(1000);
    *ret_result = (UserShellResult) {
        .output = g_strdup(""),
        .is_cancelled = cancel_has_fired(cancel),
    };
    return true;
}

void session_fixture_run_to(SessionFixture *self, const char *trigger)
{
    self->trigger = trigger;
    self->act = quit;
    loop_run(self->loop);
}

const json_t *session_fixture_event(const SessionFixture *self, const char *type, size_t index)
{
    size_t i;
    json_t *event;
    json_array_foreach (self->events, i, event) {
        if (g_str_equal(json_get_text(event, "type"), type) && index-- == 0)
            return event;
    }
    return NULL;
}
