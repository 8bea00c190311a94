/* See acp_server.h. */
#include "acp/acp_server.h"

#include "acp/acp_conversation.h"
#include "base/file.h"
#include "base/jsonrpc.h"
#include "base/limits.h"

enum { PROTOCOL_VERSION = 1, END_TIMEOUT_MS = 1400, LAST_WORDS_MS = 400 };

typedef struct AcpServer {
    LineServer line; // first: its functions get the server
    const AcpOptions *options;
    GPtrArray *conversations; // of AcpConversation *
    Cancel *cancel;
} AcpServer;

// ---- the end ----

static bool is_idle(void *data)
{
    const AcpServer *self = data;
    bool is_settled = true;
    for (unsigned i = 0; i < self->conversations->len; i++)
        is_settled = is_settled && acp_conversation_is_settled(self->conversations->pdata[i]);
    return is_settled;
}

static void acp_server_stop(bool drops_waiting G_GNUC_UNUSED, void *data)
{
    AcpServer *self = data;
    cancel_fire(self->cancel);
}

static void on_input_end(size_t unfinished_bytes G_GNUC_UNUSED, void *data)
{
    AcpServer *self = data;
    line_server_stop(&self->line);
}

// ---- methods ----

static void acp_server_respond(AcpServer *self, const json_t *id, json_t *result)
{
    line_server_send(&self->line, jsonrpc_result(id, result));
}

static void acp_server_refuse(AcpServer *self, const json_t *id, const char *problem)
{
    line_server_send(&self->line, jsonrpc_error(id, JSONRPC_INVALID_PARAMS, problem));
}

static void acp_server_initialize(AcpServer *self, const json_t *id)
{
    json_t *prompts = json_make("image:%i audio:%i embeddedContext:%i", true, false, true);
    json_t *capabilities = json_make("loadSession:%i promptCapabilities:%p", true, prompts);
    json_t *info = json_make("name:%s title:%s version:%s", "kedge", "kedge", KEDGE_VERSION);
    acp_server_respond(
        self, id,
        json_make("protocolVersion:%d agentCapabilities:%p agentInfo:%p authMethods:%p",
                  PROTOCOL_VERSION, capabilities, info, json_array()));
}

static AcpConversation *acp_server_find(const AcpServer *self, const json_t *params)
{
    const char *id = json_get_text(params, "sessionId");
    for (unsigned i = 0; id && i < self->conversations->len; i++) {
        AcpConversation *conversation = self->conversations->pdata[i];
        if (g_str_equal(acp_conversation_id(conversation), id))
            return conversation;
    }
    return NULL;
}

/* NULL after a refusal. *ret_notice: what a person should know, else NULL. */
static AcpConversation *open_conversation(AcpServer *self, const json_t *id, const json_t *params,
                                          const char *session_id, char **ret_notice)
{
    const char *cwd = json_get_text(params, "cwd");
    if (!cwd || !g_path_is_absolute(cwd) || !file_is_directory(cwd)) {
        acp_server_refuse(self, id, "\"cwd\" must be the absolute path of a directory");
        return NULL;
    }
    if (self->conversations->len >= LIMIT_ACP_SESSIONS) {
        acp_server_refuse(self, id, "too many sessions are open in this process");
        return NULL;
    }
    const AcpOpen open = { self->line.loop, self->cancel, cwd, session_id };
    g_autoptr(GError) error = NULL;
    AgentSession *session =
        self->options->open(&open, self->options->user_data, ret_notice, &error);
    if (!session) {
        acp_server_refuse(self, id, error->message);
        return NULL;
    }
    AcpConversation *conversation = acp_conversation_new(&self->line, session, session_id);
    g_ptr_array_add(self->conversations, conversation);
    return conversation;
}

static void session_new_method(AcpServer *self, const json_t *id, const json_t *params)
{
    g_autofree char *notice = NULL;
    AcpConversation *conversation = open_conversation(self, id, params, NULL, &notice);
    if (!conversation)
        return;
    acp_server_respond(self, id, json_make("sessionId:%s", acp_conversation_id(conversation)));
    acp_conversation_offer_commands(conversation);
}

static void session_load(AcpServer *self, const json_t *id, const json_t *params)
{
    const char *session_id = json_get_text(params, "sessionId");
    if (!session_id || *session_id == '\0') {
        acp_server_refuse(self, id, "\"sessionId\" must be a string");
        return;
    }
    g_autofree char *notice = NULL;
    AcpConversation *conversation = acp_server_find(self, params);
    if (!conversation)
        conversation = open_conversation(self, id, params, session_id, &notice);
    if (!conversation)
        return;
    acp_conversation_replay(conversation);
    if (notice)
        acp_conversation_say(conversation, notice);
    acp_server_respond(self, id, json_object());
    acp_conversation_offer_commands(conversation);
}

static void session_prompt(AcpServer *self, const json_t *id, const json_t *params)
{
    AcpConversation *conversation = acp_server_find(self, params);
    g_autoptr(GError) error = NULL;
    if (!conversation)
        acp_server_refuse(self, id, "there is no such session in this process");
    else if (!acp_conversation_prompt(conversation, id, json_get_array(params, "prompt"), &error))
        acp_server_refuse(self, id, error->message);
}

static void receive_request(AcpServer *self, const json_t *message)
{
    const json_t *id = json_object_get(message, "id");
    const json_t *params = json_get_object(message, "params");
    const char *method = json_get_text(message, "method");
    if (g_str_equal(method, "initialize")) {
        acp_server_initialize(self, id);
    } else if (g_str_equal(method, "session/new")) {
        session_new_method(self, id, params);
    } else if (g_str_equal(method, "session/load")) {
        session_load(self, id, params);
    } else if (g_str_equal(method, "session/prompt")) {
        session_prompt(self, id, params);
    } else {
        g_autofree char *problem = g_strdup_printf("Method not found: %s", method);
        line_server_send(&self->line, jsonrpc_error(id, JSONRPC_METHOD_NOT_FOUND, problem));
    }
}

static void receive_notification(AcpServer *self, const json_t *message)
{
    AcpConversation *conversation = acp_server_find(self, json_get_object(message, "params"));
    if (conversation && g_str_equal(json_get_text(message, "method"), "session/cancel"))
        acp_conversation_cancel(conversation);
}

static void receive_response(AcpServer *self, const json_t *message)
{
    for (unsigned i = 0; i < self->conversations->len; i++) {
        if (acp_conversation_take_answer(self->conversations->pdata[i], message))
            return;
    }
}

// ---- lines ----

static void on_line(const char *line, size_t size, void *data)
{
    AcpServer *self = data;
    if (size == 0 || (size == 1 && *line == '\r'))
        return;
    g_autoptr(json_t) message = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse(line, size, &message, &error)) {
        g_autofree char *problem = g_strdup_printf("Parse error: %s", error->message);
        line_server_send(&self->line, jsonrpc_error(NULL, JSONRPC_PARSE_ERROR, problem));
        return;
    }
    switch (jsonrpc_classify(message)) {
    case JSONRPC_REQUEST:
        receive_request(self, message);
        return;
    case JSONRPC_NOTIFICATION:
        receive_notification(self, message);
        return;
    case JSONRPC_RESPONSE:
        receive_response(self, message);
        return;
    case JSONRPC_INVALID:
        line_server_send(&self->line, jsonrpc_error(NULL, JSONRPC_INVALID_REQUEST,
                                                    "not a JSON-RPC 2.0 message"));
    }
}

static void on_long_line(void *data)
{
    AcpServer *self = data;
    line_server_send(&self->line, jsonrpc_error(NULL, JSONRPC_PARSE_ERROR,
                                                "Parse error: a message is larger than 64 MiB"));
}

static void on_written(void *data)
{
    AcpServer *self = data;
    if (line_channel_is_full(self->line.channel))
        return;
    for (unsigned i = 0; i < self->conversations->len; i++)
        acp_conversation_hold(self->conversations->pdata[i], false);
}

// ---- making and freeing ----

static void free_conversation(gpointer conversation)
{
    acp_conversation_free(conversation);
}

static bool server_open(AcpServer *self, GError **error)
{
    const LineServerSpec line = {
        .name = "acp",
        .channel = { .max_line_bytes = LIMIT_RPC_LINE_BYTES,
                     .on_line = on_line,
                     .on_long_line = on_long_line,
                     .on_written = on_written },
        .kill_ms = END_TIMEOUT_MS,
        .last_words_ms = LAST_WORDS_MS,
        .on_input_end = on_input_end,
        .stop = acp_server_stop,
        .is_idle = is_idle,
    };
    if (!line_server_open(&self->line, &line, error))
        return false;
    self->cancel = cancel_new(NULL);
    self->conversations = g_ptr_array_new_with_free_func(free_conversation);
    return true;
}

static void server_clear(AcpServer *self)
{
    self->line.is_closed = true;
    g_ptr_array_unref(self->conversations); // writes the sessions out
    line_server_clear(&self->line);
    cancel_unref(self->cancel);
}

bool acp_serve(const AcpOptions *options, int *ret_exit_code, GError **error)
{
    AcpServer self = { .options = options };
    if (!server_open(&self, error))
        return false;
    loop_run(self.line.loop);
    server_clear(&self);
    *ret_exit_code = self.line.exit_code;
    return true;
}
