/*
 * Scaffolding for tests of agent-tools operations: a call as the command line makes it, and its
 * envelope.
 */
#pragma once

#include "tool_fixture.h"

#include "agenttools/operation.h"

/* The envelope of one call. Takes `arguments`. New reference. */
static inline json_t *operation_call(const ToolFixture *self, const OperationDef *operation,
                                     json_t *arguments)
{
    static const ToolDoor typed_door = { .kind = DOOR_TYPED,
                                         .via = "cli",
                                         .wants_whole_text = true };
    const ToolCallSpec spec = {
        .tool = &operation->tool,
        .arguments = arguments,
        .context = self->context,
        .door = &typed_door,
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    json_decref(arguments);
    json_t *envelope = json_incref((json_t *)operation_envelope(&result));
    assert_int_equal(json_get_bool(envelope, "success", false), !result.is_error);
    return envelope;
}

/* `data` of a call that must succeed; `arguments` as json_of(). New reference. */
static inline json_t *operation_data(const ToolFixture *self, const OperationDef *operation,
                                     const char *arguments)
{
    g_autoptr(json_t) envelope = operation_call(self, operation, json_of(arguments));
    if (!json_get_bool(envelope, "success", false)) {
        g_autofree char *text = json_to_pretty(envelope);
        fail_msg("%s %s: %s", operation->tool.name, arguments, text);
    }
    return json_incref(json_object_get(envelope, "data"));
}

/* errors[0] of a call that must fail; its code (may be NULL) is checked. Caller frees. */
static inline char *operation_error(const ToolFixture *self, const OperationDef *operation,
                                    const char *arguments, const char *code)
{
    g_autoptr(json_t) envelope = operation_call(self, operation, json_of(arguments));
    if (json_get_bool(envelope, "success", false))
        fail_msg("%s %s: does not fail", operation->tool.name, arguments);
    const json_t *errors = json_get_array(envelope, "errors");
    const json_t *details = json_get_array(envelope, "error_details");
    assert_int_equal(json_array_size(errors), json_array_size(details));
    const char *message = json_string_value(json_array_get(errors, 0));
    const char *got = json_get_text(json_array_get(details, 0), "code");
    if (code && strcmp(got, code) != 0)
        fail_msg("%s %s: code %s, want %s (%s)", operation->tool.name, arguments, got, code,
                 message);
    return g_strdup(message);
}
