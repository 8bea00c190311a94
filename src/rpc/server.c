/*
 * The server (server.h): framing, events, and the end.
 */
#include "rpc/server.h"

#include "base/children.h"
#include "base/limits.h"
#include "base/log.h"
#include "rpc/dialogs.h"
#include "rpc/dispatch.h"
#include "rpc/logins.h"

#include <signal.h>

enum {                     // together less than the 2 s of agent-core §6.6
    END_TIMEOUT_MS = 1200, // until what still runs is killed
    LAST_WORDS_MS = 650,   // for what it still says
};

typedef struct RpcServer {
    const RpcOptions *options;
    RpcLink link;
    RpcDispatch *dispatch;
    HostTools *tools;
    Cancel *cancel;
    json_t *held; // NULL, or an event that waits for what comes next
    bool is_ending;
    int exit_code;
} RpcServer;

// ---- the end ----

static void check_end(void *data)
{
    RpcServer *self = data;
    AgentSession *session = self->link.session;
    bool is_idle = agent_session_is_idle(session) && rpc_dispatch_is_idle(self->dispatch);
    bool is_told = self->link.is_closed || line_channel_is_flushed(self->link.channel);
    if (!self->is_ending || !is_idle || !is_told)
        return;
    if (event_hub_is_drained(agent_session_events(session)))
        loop_quit(self->link.loop);
    else // maybe of what the conversation tells itself, which comes to no end here
        loop_post(self->link.loop, check_end, self);
}

static void give_up(void *data)
{
    RpcServer *self = data;
    rpc_dispatch_give_up(self->dispatch);
    loop_quit(self->link.loop);
}

/* What was started is killed; then only the telling is left. */
static void out_of_time(void *data)
{
    RpcServer *self = data;
    if (!self->options->is_guest)
        children_kill_all();
    loop_add_timer(self->link.loop, LAST_WORDS_MS, give_up, self);
}

/* What runs is stopped; what it still says is told. */
static void stop_all(RpcServer *self)
{
    self->is_ending = true;
    host_tools_disconnect(self->tools);
    rpc_logins_cancel(self->link.logins);
    cancel_fire(self->cancel);
    loop_add_timer(self->link.loop, END_TIMEOUT_MS, out_of_time, self);
    loop_post(self->link.loop, check_end, self);
}

static void on_input_end(RpcServer *self)
{
    if (!self->options->waits_on_eof) {
        stop_all(self);
        return;
    }
    self->is_ending = true;
    host_tools_disconnect(self->tools);
    rpc_logins_cancel(self->link.logins);
    agent_session_close_questions(self->link.session);
    loop_post(self->link.loop, check_end, self);
}

/* Nobody is there to be told anything. */
static void close_down(void *data)
{
    RpcServer *self = data;
    self->link.is_closed = true;
    line_channel_close(self->link.channel);
    rpc_dispatch_drop_waiting(self->dispatch);
    stop_all(self);
}

static void on_signal(int signal_number, void *data)
{
    RpcServer *self = data;
    if (self->exit_code != 0) { // the second one
        children_kill_all();
        loop_quit(self->link.loop);
        return;
    }
    self->exit_code = 128 + signal_number;
    rpc_dispatch_drop_waiting(self->dispatch);
    stop_all(self);
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
    check_end(self);
}

static void on_end(LineEnd end, size_t unfinished_bytes, void *data)
{
    RpcServer *self = data;
    if (end == LINE_END_OUTPUT) {
        close_down(self);
        return;
    }
    if (unfinished_bytes > 0) {
        g_autofree char *problem = g_strdup_printf(
            "the input ended in the middle of a line, after %zu bytes", unfinished_bytes);
        rpc_dispatch_bad_line(self->dispatch, problem);
    }
    on_input_end(self);
}

/* A client may send its next prompt when it has read one of these: then the conversation must take
   it. So they go out together with what follows, the end of the job or another attempt. */
static bool is_last_of_run(EventKind kind)
{
    return kind == EVENT_AGENT_END || kind == EVENT_AUTO_RETRY_END;
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
    if (self->held)
        rpc_link_send(&self->link, g_steal_pointer(&self->held));
    if (is_last_of_run(kind))
        self->held = json_incref(event);
    else if (kind == EVENT_COMMAND_END)
        rpc_dispatch_end(self->dispatch, event);
    else if (!rpc_dialogs_event(&self->link, event))
        send_event(self, event, kind);
    if (self->is_ending)
        loop_post(self->link.loop, check_end, self);
}

static void send_ready(RpcServer *self)
{
    json_t *versions = json_array();
    json_append_take(versions, json_integer(1));
    json_t *ready = json_object();
    json_set_text(ready, "type", "ready");
    json_set_int(ready, "protocolVersion", 1);
    json_set_take(ready, "supportedProtocolVersions", versions);
    json_set_text(ready, "version", KEDGE_VERSION);
    rpc_link_send(&self->link, ready);
}

// ---- making and freeing ----

static void open_channel(RpcServer *self, Fd input, Fd output)
{
    const LineChannelSpec spec = {
        .input = input,
        .output = output,
        .max_line_bytes = LIMIT_RPC_LINE_BYTES,
        .on_line = on_line,
        .on_long_line = on_long_line,
        .on_written = on_written,
        .on_end = on_end,
        .user_data = self,
    };
    self->link.channel = line_channel_new(self->link.loop, &spec);
}

static void open_conversation(RpcServer *self)
{
    AgentSessionOptions options = *self->options->conversation;
    options.loop = self->link.loop;
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

static void server_init(RpcServer *self, Fd input, Fd output)
{
    Loop *loop = loop_new();
    self->cancel = cancel_new(NULL);
    self->link = (RpcLink) { .loop = loop, .on_broken = close_down, .server = self };
    self->tools = host_tools_new(&self->link);
    self->link.logins = rpc_logins_new(&self->link);
    self->dispatch = rpc_dispatch_new(&self->link, self->tools);
    if (!self->options->is_guest)
        loop_add_end_signals(loop, on_signal, self);
    open_channel(self, input, output);
    send_ready(self); // before anything that takes time
    open_conversation(self);
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
    line_channel_free(self->link.channel);
    loop_free(self->link.loop);
    cancel_unref(self->cancel);
}

bool rpc_serve(const RpcOptions *options, int *ret_exit_code, GError **error)
{
    Fd input = options->input, output = options->output;
    if (!options->is_guest && !line_channel_take_stdio(&input, &output, error))
        return false;
    RpcServer self = { .options = options };
    server_init(&self, input, output);
    loop_run(self.link.loop);
    server_clear(&self);
    *ret_exit_code = self.exit_code;
    return true;
}
