/* See acp_conversation.h. */
#include "acp/acp_conversation.h"

#include "acp/acp_content.h"
#include "base/jsonrpc.h"
#include "conversation/session_commands.h"
#include "conversation/slash_set.h"
#include "model/message.h"
#include "tool/call_title.h"

#define PROMPT_ID "prompt"

struct AcpConversation {
    LineServer *link;
    AgentSession *session;
    Subscription *subscription;
    char *id;
    json_t *prompt_id; // of the request that is being answered; NULL: none
    const char *done;  // what is said when a command has been done; NULL: nothing, or a message
    bool is_cancelled; // the editor wants no more of it
    json_t *calls;     // tool_execution_start of those that run, by call id
};

static void on_event(json_t *event, void *self_);

AcpConversation *acp_conversation_new(LineServer *link, AgentSession *session, const char *id)
{
    AcpConversation *self = g_new0(AcpConversation, 1);
    self->link = link;
    self->session = session;
    self->id = g_strdup(id ? id : json_get_text(agent_session_header(session), "id"));
    self->calls = json_object();
    const SubscriberSpec subscriber = { DETAIL_DELTAS, true, on_event, self };
    self->subscription = agent_session_subscribe(session, &subscriber);
    return self;
}

void acp_conversation_free(AcpConversation *self)
{
    if (!self)
        return;
    agent_session_free(self->session);
    json_decref(self->prompt_id);
    json_decref(self->calls);
    g_free(self->id);
    g_free(self);
}

const char *acp_conversation_id(const AcpConversation *self)
{
    return self->id;
}

/* Takes the update. */
static void send_update(AcpConversation *self, json_t *update)
{
    json_t *params = json_make("sessionId:%s update:%p", self->id, update);
    line_server_send(self->link, jsonrpc_notification("session/update", params));
    if (line_channel_is_full(self->link->channel))
        acp_conversation_hold(self, true);
}

void acp_conversation_hold(AcpConversation *self, bool is_held)
{
    EventHub *hub = agent_session_events(self->session);
    if (is_held)
        event_hub_hold(hub, self->subscription);
    else
        event_hub_release(hub, self->subscription);
}

bool acp_conversation_is_settled(const AcpConversation *self)
{
    return agent_session_is_idle(self->session) &&
           event_hub_is_drained(agent_session_events(self->session));
}

void acp_conversation_replay(AcpConversation *self)
{
    g_autoptr(json_t) messages = agent_session_messages(self->session);
    json_each (messages, i, message) {
        g_autoptr(json_t) updates = acp_replay(message);
        json_each (updates, j, update)
            send_update(self, json_incref(update));
    }
}

void acp_conversation_say(AcpConversation *self, const char *text)
{
    send_update(self, acp_chunk("agent_message_chunk", text));
}

// ---- commands ----

/* An editor knows the session by the id that it began with, so it is offered none that leads to
   another session, and none that needs a terminal. */
static bool is_offered(const SessionCommand *command)
{
    return command->run && !command->is_move;
}

static json_t *describe_command(const SessionCommand *command)
{
    json_t *described = json_make("name:%s description:%s", command->slash, command->summary);
    if (command->argument) {
        json_set_take(described, "input", json_make("hint:%s", command->argument));
    }
    return described;
}

static void send_commands(void *self_)
{
    AcpConversation *self = self_;
    const SlashSet *set = session_slash_set(self->session);
    json_t *commands = json_array();
    const SessionCommand *command = NULL;
    for (size_t i = 0; slash_set_at(set, i, &command, NULL); i++) {
        if (is_offered(command))
            json_append_take(commands, describe_command(command));
    }
    send_update(self, acp_commands_update(commands));
    for (;;) {
        g_autofree char *clash = slash_set_take_clash(session_slash_set(self->session));
        if (!clash)
            return;
        acp_conversation_say(self, clash);
    }
}

void acp_conversation_offer_commands(AcpConversation *self)
{
    slash_set_watch(session_slash_set(self->session), send_commands, self);
    send_commands(self);
}

/* "/name argument"; NULL: it is a message. */
static const SessionCommand *find_command(const AcpConversation *self, const char *line,
                                          const char **ret_argument)
{
    SlashSet *set = session_slash_set(self->session);
    const SessionCommand *command = line ? slash_set_find_typed(set, line, ret_argument) : NULL;
    return command && is_offered(command) ? command : NULL;
}

/* Takes `id`. */
static void end_command(AcpConversation *self, json_t *id_)
{
    g_autoptr(json_t) id = id_;
    json_t *result = json_object();
    if (self->done)
        acp_conversation_say(self, self->done);
    json_set_text(result, "stopReason", "end_turn");
    line_server_send(self->link, jsonrpc_result(id, result));
}

static bool run_command(AcpConversation *self, const json_t *id, const SessionCommand *command,
                        const char *argument_, GError **error)
{
    g_autofree char *argument = g_strchomp(g_strdup(argument_));
    g_auto(CommandReply) reply = { 0 };
    if (self->prompt_id)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "/%s: a prompt is being answered; cancel it first", command->slash);
    if (!session_command_run_typed(self->session, command, argument, PROMPT_ID, &reply, error))
        return false;
    self->done = command->done;
    if (reply.is_pending)
        self->prompt_id = json_deep_copy(id);
    else
        end_command(self, json_deep_copy(id));
    return true;
}

/* True: it is a slip, or a command of another place, and was answered here. */
static bool is_held(AcpConversation *self, const json_t *id, const char *line)
{
    g_autofree char *held =
        line ? slash_set_hold(session_slash_set(self->session), line, is_offered) : NULL;
    if (!held)
        return false;
    g_autofree char *text = g_strconcat(held, " The same message again goes to the model.", NULL);
    acp_conversation_say(self, text);
    self->done = NULL;
    end_command(self, json_deep_copy(id));
    return true;
}

// ---- prompts ----

bool acp_conversation_prompt(AcpConversation *self, const json_t *id, const json_t *blocks,
                             GError **error)
{
    const char *argument = NULL;
    const SessionCommand *command = find_command(self, acp_command_line(blocks), &argument);
    self->is_cancelled = false;
    if (command)
        return run_command(self, id, command, argument, error);
    if (is_held(self, id, acp_command_line(blocks)))
        return true;
    g_autoptr(json_t) message = acp_prompt_message(blocks, error);
    bool is_pending = false;
    if (!message ||
        !agent_session_prompt(self->session, message, NULL, PROMPT_ID, &is_pending, error))
        return false;
    self->prompt_id = json_deep_copy(id);
    self->done = NULL;
    return true;
}

void acp_conversation_cancel(AcpConversation *self)
{
    bool is_pending = false;
    self->is_cancelled = self->prompt_id != NULL;
    agent_session_abort(self->session, NULL, &is_pending);
}

/* A failure of the model is one of the request: the editor shows its text. */
static void end_prompt(AcpConversation *self, const json_t *event)
{
    g_autoptr(json_t) id = g_steal_pointer(&self->prompt_id);
    const char *end = json_get_text(json_get_object(event, "data"), "end");
    const json_t *answer = agent_session_last_answer(self->session);
    const char *problem = json_get_text(event, "error");
    if (problem && self->is_cancelled) { // a command that was stopped
        problem = NULL;
        end = "aborted";
    }
    bool is_failed = problem || g_strcmp0(end, "error") == 0;
    if (is_failed && !problem && answer)
        problem = message_error(answer);
    if (is_failed) {
        line_server_send(self->link, jsonrpc_error(id, JSONRPC_INTERNAL_ERROR,
                                                   problem ? problem : "the request failed"));
        return;
    }
    json_t *result = json_object();
    if (self->done && !self->is_cancelled)
        acp_conversation_say(self, self->done);
    json_set_text(result, "stopReason", acp_stop_reason(end, answer));
    line_server_send(self->link, jsonrpc_result(id, result));
}

// ---- questions ----

/* The call that a question is about: the newest of that tool with those arguments. */
static const char *call_of_question(const AcpConversation *self, const json_t *question)
{
    const char *tool = json_get_text(question, "tool"), *found = NULL;
    json_each_member (self->calls, id, call) {
        bool is_same =
            json_equal(json_object_get(call, "args"), json_object_get(question, "arguments")) != 0;
        if (g_strcmp0(json_get_text(call, "toolName"), tool) == 0 && (is_same || !found))
            found = id;
    }
    return found ? found : json_get_text(question, "id");
}

static void add_option(json_t *options, const char *id, const char *name, const char *kind)
{
    json_append_take(options, json_make("optionId:%s name:%s kind:%s", id, name, kind));
}

/* The request's id says whose question it is: two conversations may have a q1. Caller frees. */
static char *request_id(const AcpConversation *self, const char *question_id)
{
    return g_strdup_printf("%s/%s", self->id, question_id);
}

static void acp_conversation_ask(AcpConversation *self, const json_t *question)
{
    json_t *call = acp_tool_update(call_of_question(self, question), "pending", NULL);
    json_object_del(call, "sessionUpdate");
    json_add(call, "title:%s rawInput:%p", json_get_text(question, "summary"),
             json_deep_copy(json_object_get(question, "arguments")));
    json_t *content = json_array(), *item = json_object();
    json_add(item, "type:%s content:%p", "content",
             message_text_block(json_get_text(question, "text")));
    json_append_take(content, item);
    json_set_take(call, "content", content);

    json_t *options = json_array();
    add_option(options, "allow", "Allow", "allow_once");
    const char *allowance = json_get_text(question, "allowance");
    g_autofree char *always = g_strconcat("Allow for this session: ", allowance, NULL);
    if (allowance)
        add_option(options, "allow_session", always, "allow_always");
    add_option(options, "reject", "Reject", "reject_once");
    json_t *params = json_make("sessionId:%s toolCall:%p options:%p", self->id, call, options);
    g_autofree char *id_text = request_id(self, json_get_text(question, "id"));
    g_autoptr(json_t) id = json_text(id_text);
    line_server_send(self->link, jsonrpc_request(id, "session/request_permission", params));
}

bool acp_conversation_take_answer(AcpConversation *self, const json_t *response)
{
    const char *id = json_get_text(response, "id");
    const char *end = id ? strrchr(id, '/') : NULL; // an editor's id may have others
    size_t length = strlen(self->id);
    if (!end || (size_t)(end - id) != length || strncmp(id, self->id, length) != 0)
        return false;
    const json_t *outcome = json_get_object(json_get_object(response, "result"), "outcome");
    bool is_selected = g_strcmp0(json_get_text(outcome, "outcome"), "selected") == 0;
    const char *option = is_selected ? json_get_text(outcome, "optionId") : NULL;
    if (g_strcmp0(option, "allow_session") == 0)
        agent_session_allow(self->session, end + 1, NULL);
    else
        agent_session_answer(self->session, end + 1, g_strcmp0(option, "allow") == 0, NULL);
    return true;
}

// ---- events ----

static void tell_delta(AcpConversation *self, const json_t *event)
{
    const json_t *part = json_get_object(event, "assistantMessageEvent");
    const char *type = json_get_text(part, "type"), *delta = json_get_text(part, "delta");
    if (delta && g_strcmp0(type, "text_delta") == 0)
        send_update(self, acp_chunk("agent_message_chunk", delta));
    else if (delta && g_strcmp0(type, "thinking_delta") == 0)
        send_update(self, acp_chunk("agent_thought_chunk", delta));
}

static void tell_call(AcpConversation *self, json_t *event, EventKind kind)
{
    const char *id = json_get_text(event, "toolCallId");
    if (kind == EVENT_TOOL_EXECUTION_START) {
        json_set_take(self->calls, id, json_incref(event));
        json_t *call = acp_tool_call(id, json_get_text(event, "toolName"),
                                     json_get_object(event, "args"), "in_progress");
        g_autofree char *title =
            call_title_with_place(g_strdup(json_get_text(call, "title")), event);
        json_set_text(call, "title", title);
        send_update(self, call);
    } else if (kind == EVENT_TOOL_EXECUTION_UPDATE) {
        send_update(self,
                    acp_tool_update(id, "in_progress", json_get_object(event, "partialResult")));
    } else {
        bool is_error = json_get_bool(event, "isError", false);
        json_object_del(self->calls, id);
        send_update(self, acp_tool_update(id, is_error ? "failed" : "completed",
                                          json_get_object(event, "result")));
    }
}

static void on_event(json_t *event, void *self_)
{
    AcpConversation *self = self_;
    EventKind kind = event_kind(event);
    switch (kind) {
    case EVENT_MESSAGE_UPDATE:
        tell_delta(self, event);
        break;
    case EVENT_TOOL_EXECUTION_START:
    case EVENT_TOOL_EXECUTION_UPDATE:
    case EVENT_TOOL_EXECUTION_END:
        tell_call(self, event, kind);
        break;
    case EVENT_QUESTION:
        acp_conversation_ask(self, event);
        break;
    case EVENT_SESSION_INFO_CHANGED:
        send_update(self, acp_session_info(json_get_text(event, "name")));
        break;
    case EVENT_COMMAND_END:
        if (self->prompt_id && g_strcmp0(json_get_text(event, "id"), PROMPT_ID) == 0)
            end_prompt(self, event);
        break;
    default:
        break;
    }
}
