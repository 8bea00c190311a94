/* See host_tools.h. */
#include "rpc/host_tools.h"

#include "base/limits.h"
#include "base/lock.h"

typedef struct HostCall { // on the stack of the call's worker
    char *id;
    ToolCall *call;
    Cancel *wakeup; // fires with the answer, and with the call
    json_t *answer; // the frame host_tool_result; NULL: none came
} HostCall;

struct HostTools {
    RpcLink *link;
    pthread_mutex_t lock; // guards the rest
    GPtrArray *open;      // of HostCall *
    unsigned count;       // of ids so far
    bool is_disconnected;
};

HostTools *host_tools_new(RpcLink *link)
{
    HostTools *self = g_new0(HostTools, 1);
    self->link = link;
    self->open = g_ptr_array_new();
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void host_tools_free(HostTools *self)
{
    if (!self)
        return;
    g_assert(self->open->len == 0);
    g_ptr_array_unref(self->open);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static json_t *frame_new(const char *type, const char *id)
{
    return json_make("type:%s id:%s", type, id);
}

static void host_tools_publish(HostTools *self, json_t *frame)
{
    event_hub_publish_control(agent_session_events(self->link->session), frame);
}

// ---- on the call's worker ----

static bool fail_disconnected(GError **error)
{
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "RPC client disconnected before host tool execution completed");
}

static bool open_call(HostTools *self, HostCall *call, const json_t *arguments, GError **error)
{
    pthread_mutex_lock(&self->lock);
    bool is_gone = self->is_disconnected;
    if (!is_gone) {
        call->id = g_strdup_printf("h%u", ++self->count);
        g_ptr_array_add(self->open, call);
    }
    pthread_mutex_unlock(&self->lock);
    if (is_gone)
        return fail_disconnected(error);
    json_t *frame = frame_new("host_tool_call", call->id);
    json_add(frame, "toolCallId:%s toolName:%s arguments:%p", tool_call_id(call->call),
             tool_call_tool(call->call)->name, json_deep_copy(arguments));
    host_tools_publish(self, frame);
    return true;
}

/* False: no answer came, and the client is told that none is wanted any more. */
static bool close_call(HostTools *self, HostCall *call, GError **error)
{
    pthread_mutex_lock(&self->lock);
    g_ptr_array_remove(self->open, call);
    bool is_gone = self->is_disconnected;
    g_autofree char *id = g_strdup_printf("h%u", ++self->count);
    pthread_mutex_unlock(&self->lock);
    if (call->answer)
        return true;
    json_t *frame = frame_new("host_tool_cancel", id);
    json_set_text(frame, "targetId", call->id);
    host_tools_publish(self, frame);
    if (is_gone)
        return fail_disconnected(error);
    Cancel *cancel = tool_call_cancel(call->call);
    if (cancel && !cancel_check(cancel, error))
        return false;
    return fail_with(error, KEDGE_ERROR_TIMEOUT, "the host has not answered the call of %s",
                     tool_call_tool(call->call)->name);
}

static void add_content(ToolResult *result, const json_t *content)
{
    json_each (content, i, block) {
        const char *text = json_get_text(block, "text");
        const char *data = json_get_text(block, "data");
        const char *mime_type = json_get_text(block, "mimeType");
        if (text)
            tool_result_add_text(result, text);
        else if (data && mime_type)
            tool_result_add_image(result, data, mime_type);
    }
}

static void take_answer(const json_t *answer, ToolResult *result)
{
    const json_t *given = json_object_get(answer, "result");
    const json_t *content = json_get_array(given, "content");
    bool is_error = json_get_bool(answer, "isError", json_get_bool(given, "isError", false));
    if (json_is_string(given))
        tool_result_add_text(result, json_string_value(given));
    else if (json_array_size(content) > 0)
        add_content(result, content);
    else if (is_error)
        tool_result_add_text(result, "Host tool execution failed");
    else if (!content)
        tool_result_add_text(result, "Tool returned an invalid result: missing content array.");
    result->is_error = is_error || (!content && !json_is_string(given));
    json_t *details = json_get_object(given, "details");
    if (details)
        json_object_update(tool_result_details(result), details);
}

static bool host_tool_run(ToolCall *tool_call, const void *arguments, ToolResult *result,
                          GError **error)
{
    HostTools *self = tool_call_tool(tool_call)->user_data;
    g_autoptr(Cancel) wakeup = cancel_new(tool_call_cancel(tool_call));
    HostCall call = { .call = tool_call, .wakeup = wakeup };
    if (!open_call(self, &call, arguments, error))
        return false;
    cancel_sleep(wakeup, LIMIT_QUESTION_MS, NULL);
    bool is_answered = close_call(self, &call, error);
    if (is_answered)
        take_answer(call.answer, result);
    json_decref(call.answer);
    g_free(call.id);
    return is_answered;
}

// ---- on the loop's thread ----

static DynamicTool *host_tools_define(HostTools *self, const json_t *definition, GError **error)
{
    const char *name = json_get_text(definition, "name");
    json_t *schema = json_get_object(definition, "parameters");
    const ToolDef def = {
        .name = name,
        .label = json_get_text(definition, "label"),
        .description = json_get_text(definition, "description"),
        .effect = EFFECT_WRITE, // whatever it does, the host does it
        .flags = TOOL_OPEN_WORLD,
        .schema = schema,
        .user_data = self,
        .run = host_tool_run,
    };
    DynamicTool *tool = NULL;
    return dynamic_tool_new(&def, NULL, &tool, error) ? tool : NULL;
}

static void unref_tool(gpointer tool)
{
    dynamic_tool_unref(tool);
}

bool host_tools_set(HostTools *self, const json_t *definitions, json_t **ret_names, GError **error)
{
    g_autoptr(GPtrArray) tools = g_ptr_array_new_with_free_func(unref_tool);
    g_autoptr(json_t) names = json_array();
    json_each (definitions, i, definition) {
        DynamicTool *tool = host_tools_define(self, definition, error);
        if (!tool)
            return false;
        g_ptr_array_add(tools, tool);
        json_append_take(names, json_text(dynamic_tool_def(tool)->name));
    }
    if (!agent_session_set_extra_tools(self->link->session, "host",
                                       (DynamicTool *const *)tools->pdata, tools->len, error))
        return false;
    *ret_names = g_steal_pointer(&names);
    return true;
}

/* NULL when it is not open, or answered. */
static HostCall *find_locked(const HostTools *self, const char *id)
{
    for (unsigned i = 0; id && i < self->open->len; i++) {
        HostCall *call = self->open->pdata[i];
        if (g_str_equal(call->id, id) && !call->answer)
            return call;
    }
    return NULL;
}

static char *text_of(const json_t *content)
{
    g_autoptr(GString) text = g_string_new(NULL);
    json_each (content, i, block) {
        const char *piece = json_get_text(block, "text");
        if (piece)
            g_string_append_printf(text, "%s%s", text->len > 0 ? "\n" : "", piece);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

void host_tools_update(HostTools *self, const json_t *frame)
{
    const json_t *partial = json_get_object(frame, "partialResult");
    g_autofree char *text = text_of(json_get_array(partial, "content"));
    HOLD_LOCK(&self->lock);
    HostCall *call = find_locked(self, json_get_text(frame, "id"));
    if (call)
        tool_call_update(call->call, text, json_get_object(partial, "details"));
}

void host_tools_result(HostTools *self, const json_t *frame)
{
    HOLD_LOCK(&self->lock);
    HostCall *call = find_locked(self, json_get_text(frame, "id"));
    if (call) {
        call->answer = json_deep_copy(frame);
        cancel_fire(call->wakeup);
    }
}

void host_tools_disconnect(HostTools *self)
{
    HOLD_LOCK(&self->lock);
    self->is_disconnected = true;
    for (unsigned i = 0; i < self->open->len; i++)
        cancel_fire(((const HostCall *)self->open->pdata[i])->wakeup);
}
