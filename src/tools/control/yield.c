/*
 * yield: a subagent hands in its result, and ends with it (agent-tools §3.30).
 */
#include "tools/control/yield.h"

#include "base/json_schema.h"
#include "base/utf8.h"
#include "tool/yielded.h"
#include "tools/control/jtd.h"
#include "tools/tools.h"

#define DESCRIPTION                                                                                \
    "Hand in the result and end: `{\"result\": {\"data\": …}}`, or `{\"result\": {\"error\": "   \
    "\"why not\"}}`."
#define SHOWN_BYTES 500

typedef struct YieldArgs {
    const json_t *result;
} YieldArgs;

static const FieldDef yield_fields[] = {
    { "result", FIELD_JSON, offsetof(YieldArgs, result), .is_required = true,
      .help = "{data: …} or {error: \"…\"}" },
    { 0 },
};

/* "data.n: must be …; …"; NULL: it fits. Caller frees. */
static char *yield_misfit(const json_t *schema, const json_t *data)
{
    if (!schema)
        return NULL;
    g_autoptr(json_t) whole = json_pack("{s:s, s:{s:O}, s:[s]}", "type", "object", "properties",
                                        "data", (json_t *)schema, "required", "data");
    g_autoptr(json_t) value = json_pack("{s:O}", "data", (json_t *)data);
    g_autoptr(json_t) checked = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    if (json_schema_check(whole, value, FIELD_EXACT, &checked, problems))
        return NULL;
    return field_problems_joined(problems);
}

static bool check_result(const json_t *result, GError **error)
{
    if (!json_is_object(result))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "result must be an object containing either data or error");
    const json_t *data = json_object_get(result, "data");
    const json_t *failure = json_object_get(result, "error");
    if (data && failure)
        return fail_with(error, KEDGE_ERROR_USAGE, "result cannot contain both data and error");
    if (!data && !json_is_string(failure))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "result must contain either `data` or `error`. Use `{result: {data: <your "
                         "output>}}` for success or `{result: {error: \"message\"}}` for failure.");
    if (!failure && json_is_null(data))
        return fail_with(error, KEDGE_ERROR_USAGE, "data is required when yield indicates success");
    return true;
}

static void hand_in(ToolCall *call, const json_t *result, const char *text, ToolResult *ret_result)
{
    json_t *details = tool_result_details(ret_result);
    const char *failure = json_get_text(result, "error");
    json_set_text(details, "status", failure ? "aborted" : "success");
    if (failure)
        json_set_text(details, "error", failure);
    else
        json_object_set(details, "data", json_object_get(result, "data"));
    tool_result_add_text(ret_result, text);
    if (!failure)
        yielded_set_done(tool_call_context(call));
}

/* The first result that does not fit is refused; later ones are better than none. */
static bool yield_result(ToolCall *call, const json_t *result, const json_t *schema,
                         ToolResult *ret_result, GError **error)
{
    if (!check_result(result, error))
        return false;
    const char *failure = json_get_text(result, "error");
    g_autofree char *problem =
        failure ? NULL : yield_misfit(schema, json_object_get(result, "data"));
    unsigned before = problem ? yielded_count_misfit(tool_call_context(call)) : 0;
    if (problem && before == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "Output does not match schema: %s", problem);
    g_autofree char *text =
        failure   ? g_strdup_printf("Task aborted: %s", failure)
        : problem ? g_strdup_printf("Result submitted (schema validation overridden after %u "
                                    "failed attempt(s)).",
                                    before)
                  : g_strdup("Result submitted.");
    hand_in(call, result, text, ret_result);
    return true;
}

static bool yield_run(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    return yield_result(call, ((const YieldArgs *)args)->result, NULL, result, error);
}

static bool yield_run_checked(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    const json_t *schema = tool_call_tool(call)->user_data;
    return yield_result(call, json_object_get(args, "result"), schema, result, error);
}

const ToolDef tool_yield = {
    .name = "yield",
    .label = "Yield",
    .summary = "Hand in the result and end",
    .description = DESCRIPTION,
    .effect = EFFECT_READ,
    .flags = TOOL_EXCLUSIVE | TOOL_HIDDEN,
    .fields = yield_fields,
    .args_size = sizeof(YieldArgs),
    .run = yield_run,
};

// ---- with a schema ----

/* What the result is checked against; NULL: it is none. New reference. */
static json_t *yield_understand(const json_t *given)
{
    g_autoptr(json_t) parsed = NULL;
    if (json_is_string(given) && !json_parse_text(json_string_value(given), &parsed, NULL))
        return NULL;
    const json_t *schema = parsed ? parsed : given;
    if (jtd_is(schema) && !json_object_get(schema, "required")) { // `required` is JSON Schema's
        json_t *converted = jtd_to_schema(schema);
        if (converted || !json_object_get(schema, "additionalProperties"))
            return converted;
    }
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *required = json_object_get(schema, "required");
    bool is_schema = json_is_object(schema) && (!properties || json_is_object(properties)) &&
                     (!required || json_is_array(required));
    return is_schema ? json_incref((json_t *)schema) : NULL;
}

static json_t *yield_parameters(const json_t *schema)
{
    g_autoptr(json_t) any = json_object();
    return json_pack("{s:s, s:{s:{s:[{s:s, s:{s:O}, s:[s], s:b}, {s:s, s:{s:{s:s}}, s:[s], s:b}]}},"
                     " s:[s], s:b}",
                     "type", "object", "properties", "result", "anyOf", "type", "object",
                     "properties", "data", schema ? (json_t *)schema : any, "required", "data",
                     "additionalProperties", 0, "type", "object", "properties", "error", "type",
                     "string", "required", "error", "additionalProperties", 0, "required", "result",
                     "additionalProperties", 0);
}

DynamicTool *yield_tool_new(const json_t *schema)
{
    json_t *understood = yield_understand(schema);
    g_autofree char *given = json_to_text(schema);
    g_autofree char *shown = utf8_ellipsize(given, SHOWN_BYTES);
    g_autofree char *description =
        understood ? g_strdup(DESCRIPTION)
                   : g_strdup_printf(DESCRIPTION " The schema of the result cannot be understood, "
                                                 "so any will do: %s",
                                     shown);
    g_autoptr(json_t) fields = yield_parameters(understood);
    ToolDef def = tool_yield;
    def.description = description;
    def.fields = NULL;
    def.args_size = 0;
    def.schema = fields;
    def.run = yield_run_checked;
    def.user_data = understood;
    DynamicTool *tool = NULL;
    bool is_made = dynamic_tool_new(&def, json_free, &tool, NULL);
    g_assert(is_made); // nothing of it is a stranger's but the schema, which was looked at
    return tool;
}
