/*
 * The server (server.h): framing, events, and the end.
 */
#include "rpc/server.h"

#include "base/limits.h"
#include "base/log.h"
#include "rpc/dialogs.h"
#include "rpc/dispatch.h"
#include "rpc/logins.h"

enum {                     // together less than the 2 s of agent-core §6.6
    END_TIMEOUT_MS = 1200, // until what still runs is killed
    LAST_WORDS_MS = 650,   // for what it still says
};

typedef struct RpcServer {
    RpcLink link; // first, with the line first: its functions get the server
    const RpcOptions *options;
    RpcDispatch *dispatch;
    HostTools *tools;
    Cancel *cancel;
    json_t *held; // array of events that wait for what comes next
} RpcServer;

// ---- the end ----

static bool is_idle(void *data)
{
    const RpcServer *self = data;
    AgentSession *session = self->link.session;
    return agent_session_is_idle(session) && rpc_dispatch_is_idle(self->dispatch) &&
           event_hub_is_drained(agent_session_events(session));
}

static void give_up(void *data)
{
    RpcServer *self = data;
    rpc_dispatch_give_up(self->dispatch);
}

static void rpc_server_disconnect(RpcServer *self)
{
    host_tools_disconnect(self->tools);
    rpc_logins_cancel(self->link.logins);
}

/* What runs is stopped; what it still says is told. */
static void server_do_stop(bool drops_waiting, void *data)
{
    RpcServer *self = data;
    if (drops_waiting)
        rpc_dispatch_drop_waiting(self->dispatch);
    rpc_server_disconnect(self);
    cancel_fire(self->cancel);
}

static void on_input_end(size_t unfinished_bytes, void *data)
{
    RpcServer *self = data;
    if (unfinished_bytes > 0) {
        g_autofree char *problem = g_strdup_printf(
            "the input ended in the middle of a line, after %zu bytes", unfinished_bytes);
        rpc_dispatch_bad_line(self->dispatch, problem);
    }
    if (!self->options->waits_on_eof) {
        line_server_stop(&self->link.line);
        return;
    }
    rpc_server_disconnect(self);
    agent_session_close_questions(self->link.session);
    line_server_finish(&self->link.line);
}

// ---- lines and events ----

static void on_line(const char *line, size_t size, void *data)
{
    RpcServer *self = data;
    rpc_dispatch_line(self->dispatch, line, size);
}

static void on_long_line(void *data)
{
    RpcServer *self = data;
    rpc_dispatch_bad_line(self->dispatch, "a line is larger than 64 MiB");
}

static void on_written(void *data)
{
    RpcServer *self = data;
    rpc_link_written(&self->link);
}

/* A client may send its next prompt when it has read one of these: then the conversation must take
   it. So they go out together with what follows, the end of the job or another attempt. */
static bool is_last_of_run(EventKind kind)
{
    return kind == EVENT_AGENT_END || kind == EVENT_AUTO_RETRY_END;
}

static void send_held(RpcServer *self)
{
    json_each (self->held, i, event)
        rpc_link_send(&self->link, json_incref(event));
    json_array_clear(self->held);
}

static void send_event(RpcServer *self, json_t *event, EventKind kind)
{
    rpc_link_send(&self->link, json_incref(event));
    if (self->options->emits_titles && kind == EVENT_SESSION_INFO_CHANGED)
        rpc_dialogs_set_title(&self->link, json_get_text(event, "name"));
}

static void on_event(json_t *event, void *data)
{
    RpcServer *self = data;
    EventKind kind = event_kind(event);
    if (!is_last_of_run(kind))
        send_held(self);
    if (is_last_of_run(kind))
        json_array_append(self->held, event);
    else if (kind == EVENT_COMMAND_END)
        rpc_dispatch_end(self->dispatch, event);
    else if (!rpc_dialogs_event(&self->link, event))
        send_event(self, event, kind);
}

static void send_ready(RpcServer *self)
{
    json_t *versions = json_array();
    json_append_take(versions, json_integer(1));
    json_t *ready = json_object();
    json_set_text(ready, "type", "ready");
    json_add(ready, "protocolVersion:%d supportedProtocolVersions:%p version:%s", 1, versions,
             KEDGE_VERSION);
    rpc_link_send(&self->link, ready);
}

// ---- making and freeing ----

static void open_conversation(RpcServer *self)
{
    AgentSessionOptions options = *self->options->conversation;
    options.loop = self->link.line.loop;
    options.cancel = self->cancel;
    options.can_ask = true;
    options.can_choose = true;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    self->link.session = agent_session_new(&options, warnings);
    for (unsigned i = 0; i < warnings->len; i++)
        log_warning("%s", (const char *)warnings->pdata[i]);
    const SubscriberSpec subscriber = { DETAIL_DELTAS, true, on_event, self };
    self->link.subscription = agent_session_subscribe(self->link.session, &subscriber);
}

static bool server_open(RpcServer *self, GError **error)
{
    const LineServerSpec line = {
        .name = "rpc",
        .is_guest = self->options->is_guest,
        .channel = { .input = self->options->input,
                     .output = self->options->output,
                     .max_line_bytes = LIMIT_RPC_LINE_BYTES,
                     .on_line = on_line,
                     .on_long_line = on_long_line,
                     .on_written = on_written },
        .kill_ms = END_TIMEOUT_MS,
        .last_words_ms = LAST_WORDS_MS,
        .on_input_end = on_input_end,
        .stop = server_do_stop,
        .is_idle = is_idle,
        .give_up = give_up,
    };
    if (!line_server_open(&self->link.line, &line, error))
        return false;
    self->cancel = cancel_new(NULL);
    self->tools = host_tools_new(&self->link);
    self->link.logins = rpc_logins_new(&self->link);
    self->dispatch = rpc_dispatch_new(&self->link, self->tools);
    send_ready(self); // before anything that takes time
    open_conversation(self);
    return true;
}

static void server_clear(RpcServer *self)
{
    g_autoptr(GError) error = NULL;
    if (agent_session_is_idle(self->link.session) &&
        !agent_session_flush(self->link.session, &error))
        log_error("the session could not be saved: %s", error->message);
    self->link.subscription = NULL;
    agent_session_free(self->link.session);
    rpc_dispatch_free(self->dispatch);
    host_tools_free(self->tools);
    rpc_logins_free(self->link.logins);
    json_decref(self->held);
    line_server_clear(&self->link.line);
    cancel_unref(self->cancel);
}

bool rpc_serve(const RpcOptions *options, int *ret_exit_code, GError **error)
{
    RpcServer self = { .options = options, .held = json_array() };
    if (!server_open(&self, error))
        return false;
    loop_run(self.link.line.loop);
    server_clear(&self);
    *ret_exit_code = self.link.line.exit_code;
    return true;
}
