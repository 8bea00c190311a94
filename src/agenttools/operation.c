/*
 * The frame around every operation: its time, its envelope, and how a refused call is worded
 * (operation.h).
 */
#include "agenttools/operation.h"

#define DEFAULT_TIMEOUT_MS (30 * 1000)

const OperationDef *operation_of(const ToolDef *tool)
{
    return tool->run == operation_run ? (const OperationDef *)tool : NULL;
}

bool operation_mutates(const OperationDef *self)
{
    return self->tool.effect != EFFECT_READ || (self->tool.flags & TOOL_CHANGES_RECORDS) != 0;
}

const json_t *operation_envelope(const ToolResult *result)
{
    return result->details;
}

static void add_warnings(Answer *answer, const ToolCall *call)
{
    const GPtrArray *unknown = tool_call_unknown(call);
    for (unsigned i = 0; unknown && i < unknown->len; i++)
        answer_warn(answer, "%s", ((const FieldProblem *)unknown->pdata[i])->text);
}

/* The envelope is the answer: as JSON for programs, as text for a model. */
static void answer_into_result(const Answer *answer, const ToolCall *call, ToolResult *result)
{
    const OperationDef *self = operation_of(tool_call_tool(call));
    json_t *envelope = answer_envelope(answer, self->module);
    g_autofree char *text = answer_text(envelope, true);
    if (!result->content)
        result->content = json_array();
    tool_result_add_text(result, text);
    json_decref(result->details);
    result->details = envelope;
    result->is_error = answer_has_failed(answer);
}

static int64_t time_allowed(const OperationDef *self, const ToolCall *call, const void *args)
{
    if (tool_call_timeout_ms(call) > 0)
        return tool_call_timeout_ms(call);
    int64_t own = self->timeout_ms > 0 ? self->timeout_ms : DEFAULT_TIMEOUT_MS;
    return own + (self->extra_ms ? self->extra_ms(args) : 0);
}

bool operation_run(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    const OperationDef *self = operation_of(tool_call_tool(call));
    int64_t allowed_ms = time_allowed(self, call, args);
    g_autoptr(Cancel) cancel = cancel_new_timed(tool_call_cancel(call), allowed_ms);
    OperationCall operation = {
        .tool_call = call,
        .cancel = cancel,
        .cwd = tool_call_cwd(call),
        .settings = tool_call_settings(call),
    };
    g_autoptr(Answer) answer = answer_new();
    g_autoptr(GError) failure = NULL;
    add_warnings(answer, call);
    if (!self->run(&operation, args, answer, &failure)) {
        bool is_stopped = error_is(failure, KEDGE_ERROR_CANCELLED);
        if (is_stopped && !cancel_is_late(cancel))
            return pass_error(error, &failure);
        if (is_stopped) {
            answer_fail(answer, ANSWER_TIMEOUT, json_make("retryable:%i", true),
                        "Timed out after %" G_GINT64_FORMAT " ms", allowed_ms);
        } else {
            answer_add_error(answer, failure);
        }
    }
    answer_into_result(answer, call, result);
    return true;
}

static void add_problem(Answer *answer, const FieldProblem *problem)
{
    json_t *details = json_object();
    if (*problem->path)
        json_set_text(details, "field", problem->path);
    answer_fail(answer, ANSWER_VALIDATION, details, "%s%s",
                problem->is_made ? "Validation failed: " : "", problem->text);
}

/* --strict: what would have been a warning. */
static void add_unknown(Answer *answer, const ToolCall *call)
{
    const GPtrArray *unknown = tool_call_unknown(call);
    for (unsigned i = 0; i < unknown->len; i++) {
        const FieldProblem *problem = unknown->pdata[i];
        json_t *details = json_make("field:%s", problem->path);
        g_autofree char *text = g_strdup(problem->text);
        char *ignored = strstr(text, " ignored"); // it is not
        if (ignored)
            memmove(ignored, ignored + strlen(" ignored"),
                    strlen(ignored + strlen(" ignored")) + 1);
        answer_fail(answer, ANSWER_VALIDATION, details, "Validation failed: %s", text);
    }
}

void operation_refused(ToolCall *call, const CallOutcome *outcome, ToolResult *result)
{
    g_autoptr(Answer) answer = answer_new();
    const GPtrArray *problems = tool_call_problems(call);
    if (outcome->end == CALL_INVALID && problems) {
        for (unsigned i = 0; i < problems->len; i++)
            add_problem(answer, problems->pdata[i]);
        if (problems->len == 0)
            add_unknown(answer, call);
        else
            add_warnings(answer, call);
    }
    if (!answer_has_failed(answer)) {
        AnswerCode code = outcome->end == CALL_CANCELLED ? ANSWER_TIMEOUT : ANSWER_PERMISSION;
        answer_fail(answer, code, NULL, "%s", outcome->reason);
    }
    answer_into_result(answer, call, result);
}

json_t *operation_data_schema(const OperationDef *self)
{
    json_t *schema = field_output_schema(self->output);
    if (self->shape == OUTPUT_LIST) {
        return json_make("type:%s items:%p", "array", schema);
    }
    if (self->shape == OUTPUT_OBJECT_OR_NULL) {
        json_t *types = json_array();
        json_append_take(types, json_text("object"));
        json_append_take(types, json_text("null"));
        json_set_take(schema, "type", types);
    }
    return schema;
}

json_t *operation_output_schema(const ToolDef *tool)
{
    static const FieldDef envelope_fields[] = {
        { "success", FIELD_BOOLEAN, 0, .is_required = true, .help = "Did it succeed?" },
        { "tool", FIELD_STRING, 0, .is_required = true, .help = "Name of the module" },
        { "errors", FIELD_STRING_LIST, 0, .help = "Why not, for a person" },
        { "error_details", FIELD_OBJECT_LIST, 0, .help = "The same for programs: code, message …" },
        { "warnings", FIELD_STRING_LIST, 0, .help = "What else to know" },
        { 0 },
    };
    json_t *schema = field_output_schema(envelope_fields);
    json_t *data = json_object(); // a failure may hold a partial one
    json_set_text(data, "description", "The answer; of a failure, what is of use");
    json_t *choices = json_array();
    json_append_take(choices, operation_data_schema(operation_of(tool)));
    json_append_take(choices, json_object());
    json_set_take(data, "anyOf", choices);
    json_set_take(json_get_object(schema, "properties"), "data", data);
    return schema;
}
