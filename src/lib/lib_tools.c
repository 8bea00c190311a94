/*
 * Tools of the program (kedge.h): the model calls them, functions of the program carry them out, on
 * the worker of the call.
 */
#include "base/limits.h"
#include "base/utf8.h"
#include "lib/lib_error.h"
#include "lib/lib_opening.h"
#include "lib/lib_session.h"

struct kedge_call { // on the stack of the call's worker
    ToolCall *call;
    ToolResult *result;
};

typedef struct LibTool { // of a DynamicTool
    kedge_session *session;
    kedge_tool_func func;
    void *user_data;
} LibTool;

typedef struct SetArgs {
    const kedge_tool *tools; // copies, of the size that the struct has in this version
    size_t count;
} SetArgs;

// ---- on the call's worker ----

static bool run_tool(ToolCall *tool_call, const void *arguments, ToolResult *result, GError **error)
{
    const LibTool *self = tool_call_tool(tool_call)->user_data;
    kedge_call call = { tool_call, result };
    g_autofree char *text = json_to_text(arguments);
    lib_session_enter(self->session);
    int failed = self->func(&call, text, self->user_data);
    lib_session_leave(self->session);
    if (!cancel_check(tool_call_cancel(tool_call), error))
        return false;
    result->is_error = failed != 0;
    if (failed != 0 && json_array_size(result->content) == 0)
        tool_result_add_text(result, "Host tool execution failed");
    return true;
}

const char *kedge_call_id(const kedge_call *call)
{
    return tool_call_id(call->call);
}

const char *kedge_call_tool(const kedge_call *call)
{
    return tool_call_tool(call->call)->name;
}

int kedge_call_is_cancelled(const kedge_call *call)
{
    return cancel_has_fired(tool_call_cancel(call->call)) ? 1 : 0;
}

int kedge_call_sleep(kedge_call *call, long long duration_ms)
{
    return cancel_sleep(tool_call_cancel(call->call), MAX(duration_ms, 0), NULL) ? 1 : 0;
}

void kedge_call_add_text(kedge_call *call, const char *text)
{
    g_autofree char *valid = text ? utf8_from_bytes(text, strlen(text)) : NULL;
    if (valid)
        tool_result_add_text(call->result, valid);
}

void kedge_call_add_image(kedge_call *call, const char *base64, const char *mime_type)
{
    bool is_text = base64 && mime_type && g_utf8_validate(base64, -1, NULL) &&
                   g_utf8_validate(mime_type, -1, NULL);
    if (is_text)
        tool_result_add_image(call->result, base64, mime_type);
}

void kedge_call_update(kedge_call *call, const char *text)
{
    g_autofree char *valid = text ? utf8_from_bytes(text, strlen(text)) : NULL;
    if (valid)
        tool_call_update(call->call, valid, NULL);
}

// ---- on the conversation's thread ----

static DynamicTool *lib_tools_define(kedge_session *session, const kedge_tool *tool, GError **error)
{
    g_autoptr(json_t) schema = NULL;
    if (!tool->func || !tool->name || !tool->parameters || !g_utf8_validate(tool->name, -1, NULL) ||
        (tool->description && !g_utf8_validate(tool->description, -1, NULL))) {
        fail_with(error, KEDGE_ERROR_USAGE,
                  "kedge_tool: name, parameters and func are needed, and texts in UTF-8");
        return NULL;
    }
    if (!json_parse_text(tool->parameters, &schema, error)) {
        g_prefix_error(error, "parameters of tool %s: ", tool->name);
        return NULL;
    }
    LibTool *own = g_new0(LibTool, 1);
    *own = (LibTool) { session, tool->func, tool->user_data };
    const ToolDef def = {
        .name = tool->name,
        .description = tool->description,
        .effect = tool->flags & KEDGE_TOOL_READS ? EFFECT_READ : EFFECT_WRITE,
        .flags = TOOL_OPEN_WORLD | (tool->flags & KEDGE_TOOL_EXCLUSIVE ? TOOL_EXCLUSIVE : 0),
        .schema = schema,
        .user_data = own,
        .run = run_tool,
    };
    DynamicTool *made = NULL;
    if (!dynamic_tool_new(&def, g_free, &made, error))
        g_free(own);
    return made;
}

static void unref_tool(gpointer tool)
{
    dynamic_tool_unref(tool);
}

static bool run_set(kedge_session *self, LibCall *call, GError **error)
{
    const SetArgs *args = call->args;
    g_autoptr(GPtrArray) tools = g_ptr_array_new_with_free_func(unref_tool);
    for (size_t i = 0; i < args->count; i++) {
        DynamicTool *tool = lib_tools_define(self, &args->tools[i], error);
        if (!tool)
            return false;
        g_ptr_array_add(tools, tool);
    }
    return agent_session_set_extra_tools(lib_session_agent(self), "host",
                                         (DynamicTool *const *)tools->pdata, tools->len, error);
}

kedge_code kedge_session_set_tools(kedge_session *session, const kedge_tool *tools, size_t count,
                                   kedge_error **ret_error)
{
    GError *error = NULL;
    g_autofree kedge_tool *ours = NULL;
    if (count > 0 && !tools)
        fail_with(&error, KEDGE_ERROR_USAGE, "there are no tools: NULL was given");
    else if (count > LIMIT_HOST_TOOLS)
        fail_with(&error, KEDGE_ERROR_LIMIT, "%zu tools: at most %d", count, LIMIT_HOST_TOOLS);
    else
        ours = g_new0(kedge_tool, count + 1);
    const char *given = (const char *)tools;
    size_t step = count > 0 && !error ? tools[0].size : 0; // of the caller's array
    for (size_t i = 0; i < count && !error; i++)
        lib_struct_read(given + i * step, &ours[i], sizeof ours[i], "kedge_tool", &error);
    if (error)
        return lib_fail(error, ret_error);
    const SetArgs args = { ours, count };
    LibCall call = { .run = run_set, .args = &args };
    return lib_call(session, &call, ret_error);
}
