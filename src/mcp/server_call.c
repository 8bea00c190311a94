/*
 * tools/call: each call on a worker of its own, its progress and its answer posted to the main
 * thread.
 */
#include "base/jsonrpc.h"
#include "base/worker.h"
#include "mcp/server_private.h"

enum { MAX_CALLS = 64, MAX_RUNNING = 16 };

struct McpCall {
    McpServer *server;
    char *key; // id as JSON text
    json_t *id;
    const ToolDef *tool;
    json_t *arguments;
    json_t *progress_token; // NULL: no progress wanted
    int64_t progress;       // steps so far; main thread
    Cancel *cancel;
    bool is_cancelled; // by the client, which then wants no answer; main thread
    Worker *worker;    // NULL while waiting
    ToolResult result;
};

typedef struct Progress { // from a worker to the main thread
    McpCall *call;
    char *text;
} Progress;

static void call_free(void *data)
{
    McpCall *self = data;
    worker_join(self->worker);
    json_decref(self->id);
    json_decref(self->arguments);
    json_decref(self->progress_token);
    cancel_unref(self->cancel);
    tool_result_clear(&self->result);
    g_free(self->key);
    g_free(self);
}

static json_t *result_message(const McpCall *self)
{
    json_t *result = json_object();
    json_set_take(result, "content", json_incref(self->result.content));
    json_set_bool(result, "isError", self->result.is_error);
    if (self->tool->flags & TOOL_ENVELOPE) {
        json_set_take(result, "structuredContent", json_incref(self->result.details));
    } else if (self->result.details) {
        json_t *meta = json_object();
        json_set_take(meta, "kedge/details", json_incref(self->result.details));
        json_set_take(result, "_meta", meta);
    }
    return jsonrpc_result(self->id, result);
}

static void call_done(void *data)
{
    McpCall *self = data;
    McpServer *server = self->server;
    server->running--;
    if (self->tool->flags & TOOL_EXCLUSIVE)
        server->is_exclusive_running = false;
    if (!self->is_cancelled)
        mcp_server_send(server, result_message(self));
    g_hash_table_remove(server->calls, self->key);
    mcp_call_start_waiting(server);
    mcp_server_check_end(server);
}

static void send_progress(void *data)
{
    Progress *progress = data;
    McpCall *call = progress->call;
    json_t *params = json_object();
    json_set_take(params, "progressToken", json_incref(call->progress_token));
    json_set_int(params, "progress", ++call->progress);
    json_set_text(params, "message", progress->text);
    json_t *message = jsonrpc_notification("notifications/progress", params);
    if (call->is_cancelled || mcp_server_is_full(call->server))
        json_decref(message); // a snapshot: the next one tells as much
    else
        mcp_server_send(call->server, message);
    g_free(progress->text);
    g_free(progress);
}

/* On the worker. The call outlives its posted progress: call_done() is posted after it. */
static void on_update(const char *text, const json_t *details, void *user_data)
{
    McpCall *self = user_data;
    if (!self->progress_token)
        return;
    Progress *progress = g_new0(Progress, 1);
    progress->call = self;
    progress->text = g_strdup(text);
    loop_post(self->server->loop, send_progress, progress);
}

static void call_thread(void *data)
{
    McpCall *self = data;
    const ToolCallSpec spec = {
        .tool = self->tool,
        .call_id = self->key,
        .arguments = self->arguments,
        .context = self->server->context,
        .door = &self->server->door,
        .cancel = self->cancel,
        .on_update = on_update,
        .user_data = self,
    };
    tool_call(&spec, &self->result);
    loop_post(self->server->loop, call_done, self);
}

/* The directory is known only now: --cwd, else the client's root, else ours. */
static void make_context(McpServer *server)
{
    const McpServerOptions *options = server->options;
    g_autofree char *here = g_get_current_dir();
    const char *cwd = options->cwd          ? options->cwd
                      : server->client_root ? server->client_root
                                            : here;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    server->settings = settings_load(options->agent_dir, cwd, warnings);
    for (unsigned i = 0; i < warnings->len; i++)
        fprintf(stderr, "Warning: %s\n", (char *)warnings->pdata[i]);
    server->context = tool_context_new(cwd, server->settings, NULL);
    tool_context_add_hooks(server->context, options->hooks);
    server->door = (ToolDoor) {
        .kind = DOOR_DIRECT,
        .via = "mcp",
        .serves_model = true,
        .is_read_only = options->is_read_only,
        .allow_writes = options->allow_writes,
        .allow_hint = "--allow-writes",
        .ask = server->can_elicit ? mcp_ask : NULL,
        .user_data = server,
    };
}

static void call_start(McpCall *self)
{
    McpServer *server = self->server;
    if (!server->context)
        make_context(server);
    server->running++;
    if (self->tool->flags & TOOL_EXCLUSIVE)
        server->is_exclusive_running = true;
    self->worker = worker_start("kedge-mcp-call", call_thread, self);
}

void mcp_call_start_waiting(McpServer *self)
{
    if (self->is_waiting_for_roots || self->is_closing || mcp_server_is_full(self))
        return;
    for (GList *link = self->waiting->head, *next = NULL; link; link = next) {
        next = link->next;
        McpCall *call = link->data;
        bool is_exclusive = call->tool->flags & TOOL_EXCLUSIVE;
        if (self->running >= MAX_RUNNING)
            return;
        if (is_exclusive && self->is_exclusive_running)
            continue;
        g_queue_delete_link(self->waiting, link);
        call_start(call);
    }
}

static void refuse(McpServer *self, const json_t *id, int code, const char *message)
{
    mcp_server_send(self, jsonrpc_error(id, code, message));
}

void mcp_call_receive(McpServer *self, const json_t *id, const json_t *params)
{
    const char *name = json_get_text(params, "name");
    const ToolDef *tool = name ? mcp_tools_find(self, name) : NULL;
    json_t *arguments = json_object_get(params, "arguments");
    if (!tool) {
        g_autofree char *text = g_strdup_printf("Unknown tool: %s", name ? name : "(none named)");
        refuse(self, id, JSONRPC_INVALID_PARAMS, text);
        return;
    }
    if (arguments && !json_is_object(arguments) && !json_is_null(arguments)) {
        refuse(self, id, JSONRPC_INVALID_PARAMS, "arguments must be an object");
        return;
    }
    g_autofree char *key = json_to_text(id);
    if (g_hash_table_contains(self->calls, key)) {
        refuse(self, id, JSONRPC_INVALID_REQUEST, "a request with this id is already running");
        return;
    }
    if (g_hash_table_size(self->calls) >= MAX_CALLS) {
        refuse(self, id, JSONRPC_INVALID_REQUEST, "too many calls at once (64)");
        return;
    }

    McpCall *call = g_new0(McpCall, 1);
    call->server = self;
    call->key = g_steal_pointer(&key);
    call->id = json_deep_copy(id);
    call->tool = tool;
    call->arguments = json_is_object(arguments) ? json_incref(arguments) : json_object();
    json_t *token = json_get_path(params, "_meta.progressToken");
    call->progress_token =
        json_is_string(token) || json_is_integer(token) ? json_incref(token) : NULL;
    call->cancel = cancel_new(NULL);
    g_hash_table_replace(self->calls, call->key, call);
    g_queue_push_tail(self->waiting, call);
    mcp_call_start_waiting(self);
}

static void cancel_call(McpServer *self, McpCall *call)
{
    call->is_cancelled = true;
    cancel_fire(call->cancel);
    if (!call->worker) {
        g_queue_remove(self->waiting, call);
        g_hash_table_remove(self->calls, call->key);
    }
}

void mcp_call_cancel(McpServer *self, const json_t *request_id)
{
    g_autofree char *key = request_id ? json_to_text(request_id) : NULL;
    McpCall *call = key ? g_hash_table_lookup(self->calls, key) : NULL;
    if (call)
        cancel_call(self, call);
}

void mcp_call_cancel_all(McpServer *self)
{
    g_autoptr(GList) calls = g_hash_table_get_values(self->calls);
    for (GList *link = calls; link; link = link->next)
        cancel_call(self, link->data);
}

GHashTable *mcp_calls_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, NULL, call_free);
}
