/* See calls.h. */
#include "mcp/calls.h"

#include "base/jsonrpc.h"
#include "base/limits.h"
#include "base/worker.h"
#include "tool/schedule.h"

#include <errno.h>

struct McpCalls {
    McpCallsSpec spec;
    GHashTable *all; // id as JSON text → McpCall, those running or waiting
    ToolSchedule schedule;
    bool is_held;
};

typedef struct McpCall {
    McpCalls *calls;
    ToolSet *tools; // those of the call's time, a reference
    ToolContext *context;
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
} McpCall;

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
    tool_set_unref(self->tools);
    g_free(self->key);
    g_free(self);
}

static json_t *result_message(const McpCall *self)
{
    json_t *result = json_object();
    json_add(result, "content:%p isError:%i", json_incref(self->result.content),
             self->result.is_error);
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
    McpCalls *calls = self->calls;
    tool_schedule_end(&calls->schedule, self->tool);
    if (!self->is_cancelled)
        line_server_send(calls->spec.link, result_message(self));
    g_hash_table_remove(calls->all, self->key);
    mcp_calls_start(calls);
}

static void send_progress(void *data)
{
    Progress *progress = data;
    McpCall *call = progress->call;
    json_t *params = json_make("progressToken:%p progress:%jd message:%s",
                               json_incref(call->progress_token), ++call->progress, progress->text);
    json_t *message = jsonrpc_notification("notifications/progress", params);
    LineServer *link = call->calls->spec.link;
    if (call->is_cancelled || line_channel_is_full(link->channel))
        json_decref(message); // a snapshot: the next one tells as much
    else
        line_server_send(link, message);
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
    loop_post(self->calls->spec.link->loop, send_progress, progress);
}

static void call_thread(void *data)
{
    McpCall *self = data;
    const ToolCallSpec spec = {
        .tool = self->tool,
        .call_id = self->key,
        .arguments = self->arguments,
        .context = self->context,
        .door = self->calls->spec.door,
        .tools = self->tools,
        .cancel = self->cancel,
        .on_update = on_update,
        .user_data = self,
    };
    tool_call(&spec, &self->result);
    loop_post(self->calls->spec.link->loop, call_done, self);
}

static void refuse_without_thread(McpCall *self, int saved_errno)
{
    LineServer *link = self->calls->spec.link;
    g_autofree char *text = g_strdup_printf("cannot start a thread for %s: %s; try again later",
                                            self->tool->name, g_strerror(saved_errno));
    line_server_send(link, jsonrpc_error(self->id, JSONRPC_INTERNAL_ERROR, text));
    self->is_cancelled = true; // it is answered
    loop_post(link->loop, call_done, self);
}

void mcp_calls_start(McpCalls *self)
{
    const McpCallsSpec *spec = &self->spec;
    McpCall *call = NULL;
    while (!self->is_held && !spec->link->is_closed && !line_channel_is_full(spec->link->channel) &&
           (call = tool_schedule_next(&self->schedule))) {
        call->context = spec->context(spec->user_data);
        call->worker = worker_start("kedge-mcp-call", call_thread, call);
        if (!call->worker)
            refuse_without_thread(call, errno);
    }
}

void mcp_calls_hold(McpCalls *self, bool is_held)
{
    self->is_held = is_held;
    mcp_calls_start(self);
}

bool mcp_calls_are_running(const McpCalls *self)
{
    return self->schedule.running > 0;
}

bool mcp_calls_are_waiting(const McpCalls *self)
{
    return self->schedule.waiting.length > 0;
}

static void mcp_calls_refuse(McpCalls *self, const json_t *id, int code, const char *message)
{
    line_server_send(self->spec.link, jsonrpc_error(id, code, message));
}

void mcp_calls_receive(McpCalls *self, const json_t *id, const json_t *params)
{
    const char *name = json_get_text(params, "name");
    const ToolDef *tool = name ? tool_set_find(self->spec.tools, name) : NULL;
    tool = tool && tool_door_offers(self->spec.door, tool) ? tool : NULL;
    json_t *arguments = json_object_get(params, "arguments");
    if (!tool) {
        g_autofree char *text = g_strdup_printf("Unknown tool: %s", name ? name : "(none named)");
        mcp_calls_refuse(self, id, JSONRPC_INVALID_PARAMS, text);
        return;
    }
    if (arguments && !json_is_object(arguments) && !json_is_null(arguments)) {
        mcp_calls_refuse(self, id, JSONRPC_INVALID_PARAMS, "arguments must be an object");
        return;
    }
    g_autofree char *key = json_to_text(id);
    if (g_hash_table_contains(self->all, key)) {
        mcp_calls_refuse(self, id, JSONRPC_INVALID_REQUEST,
                         "a request with this id is already running");
        return;
    }
    if (g_hash_table_size(self->all) >= LIMIT_MCP_CALLS) {
        g_autofree char *text = g_strdup_printf("too many calls at once (%d)", LIMIT_MCP_CALLS);
        mcp_calls_refuse(self, id, JSONRPC_INVALID_REQUEST, text);
        return;
    }

    McpCall *call = g_new0(McpCall, 1);
    call->calls = self;
    call->tools = tool_set_ref(self->spec.tools);
    call->key = g_steal_pointer(&key);
    call->id = json_deep_copy(id);
    call->tool = tool;
    call->arguments = json_is_object(arguments) ? json_incref(arguments) : json_object();
    json_t *token = json_get_path(params, "_meta.progressToken");
    call->progress_token =
        json_is_string(token) || json_is_integer(token) ? json_incref(token) : NULL;
    call->cancel = cancel_new(NULL);
    g_hash_table_replace(self->all, call->key, call);
    tool_schedule_add(&self->schedule, tool, call);
    mcp_calls_start(self);
}

static void cancel_call(McpCalls *self, McpCall *call)
{
    call->is_cancelled = true;
    cancel_fire(call->cancel);
    if (tool_schedule_remove(&self->schedule, call))
        g_hash_table_remove(self->all, call->key);
}

void mcp_calls_cancel(McpCalls *self, const json_t *request_id)
{
    g_autofree char *key = request_id ? json_to_text(request_id) : NULL;
    McpCall *call = key ? g_hash_table_lookup(self->all, key) : NULL;
    if (call)
        cancel_call(self, call);
}

void mcp_calls_cancel_all(McpCalls *self)
{
    g_autoptr(GList) calls = g_hash_table_get_values(self->all);
    for (GList *link = calls; link; link = link->next)
        cancel_call(self, link->data);
}

McpCalls *mcp_calls_new(const McpCallsSpec *spec)
{
    McpCalls *self = g_new0(McpCalls, 1);
    self->spec = *spec;
    self->all = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, call_free);
    tool_schedule_init(&self->schedule, SCHEDULE_INDEPENDENT, LIMIT_MCP_RUNNING);
    return self;
}

void mcp_calls_free(McpCalls *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->all);
    tool_schedule_clear(&self->schedule);
    g_free(self);
}
