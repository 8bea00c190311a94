/*
 * Scaffolding for tests of the eval tool: calls of it with one cell or more, and a thread that
 * cancels one.
 */
#pragma once

#include "tool_fixture.h"

#include "base/proc.h"
#include "tool/tool_set.h"
#include "tools/tools.h"

static const ToolDef *const eval_table[] = { &tool_read, &tool_bash, &tool_eval, &tool_write,
                                             NULL };

/* Arguments as json_of(), or as JSON when they begin so. */
static inline ToolResult call_eval(const ToolFixture *fixture, const char *arguments,
                                   Cancel *cancel)
{
    g_autoptr(json_t) decoded = NULL;
    if (!json_parse_text(arguments, &decoded, NULL))
        decoded = json_of(arguments);
    g_autoptr(ToolSet) tools = tool_set_new(eval_table);
    const ToolCallSpec spec = {
        .tool = &tool_eval,
        .call_id = "c1",
        .arguments = decoded,
        .context = fixture->context,
        .door = &agent_door,
        .tools = tools,
        .cancel = cancel,
    };
    ToolResult result = { 0 };
    tool_call(&spec, &result);
    return result;
}

/* One cell of code. Caller frees. */
static inline char *arguments_of(const char *language, const char *code, double timeout)
{
    g_autoptr(json_t) arguments =
        json_pack("{s:[{s:s}], s:s}", "cells", "code", code, "language", language);
    if (timeout > 0)
        json_object_set_new(arguments, "timeout", json_real(timeout));
    return json_to_text(arguments);
}

static inline char *run_code(const ToolFixture *fixture, const char *language, const char *code,
                             bool is_error)
{
    g_autofree char *arguments = arguments_of(language, code, 0);
    g_auto(ToolResult) result = call_eval(fixture, arguments, NULL);
    char *text = tool_result_text(&result);
    if (result.is_error != is_error)
        fail_msg("%s: %s: '%s'", code, is_error ? "no error" : "error", text);
    return text;
}

static inline bool has_node(void)
{
    g_autofree char *node = proc_find_program("node");
    return node != NULL;
}

typedef struct EvalStop {
    Cancel *cancel;
    char *mark; // a file that the cell writes when it has begun
} EvalStop;

static inline void eval_stop_when_begun(void *data)
{
    const EvalStop *self = data;
    while (!file_exists(self->mark))
        g_usleep(2000);
    cancel_fire(self->cancel);
}
