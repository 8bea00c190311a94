/*
 * tool_call(): the gate and the frame around every call (call.h).
 */
#include "tool/call_private.h"

#include "base/ansi.h"
#include "base/limits.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "tool/notice.h"

#define ERROR_TEXT_BYTES   (128 * KIB) // an error's text over this is cut like any other
#define RECEIVED_MAX_CHARS 4000        // of the arguments that a refusal quotes

const char *effect_name(Effect effect)
{
    static const char *const names[] = { "read", "write", "destructive", "blocked", "unknown" };
    return names[effect];
}

void judgement_clear(Judgement *self)
{
    g_clear_pointer(&self->summary, g_free);
    g_clear_pointer(&self->host, g_free);
    g_clear_pointer(&self->repo, g_free);
    g_clear_pointer(&self->question, g_free);
}

const char *tool_call_id(const ToolCall *call)
{
    return call->spec->call_id ? call->spec->call_id : "";
}

const ToolDef *tool_call_tool(const ToolCall *call)
{
    return call->spec->tool;
}

Cancel *tool_call_cancel(const ToolCall *call)
{
    return call->cancel;
}

ToolContext *tool_call_context(const ToolCall *call)
{
    return call->spec->context;
}

const char *tool_call_cwd(const ToolCall *call)
{
    return tool_context_cwd(call->spec->context);
}

const Settings *tool_call_settings(const ToolCall *call)
{
    return tool_context_settings(call->spec->context);
}

Artifacts *tool_call_artifacts(const ToolCall *call)
{
    return tool_context_artifacts(call->spec->context);
}

const char *tool_call_via(const ToolCall *call)
{
    return call->spec->door->via ? call->spec->door->via : "agent";
}

const char *tool_call_allow_hint(const ToolCall *call)
{
    return call->spec->door->allow_hint;
}

void tool_call_prepare(ToolCall *call, void *data, GDestroyNotify destroy)
{
    g_assert(call->prepared == NULL);
    call->prepared = data;
    call->prepared_destroy = destroy;
}

void *tool_call_prepared(const ToolCall *call)
{
    return call->prepared;
}

const ToolPermit *tool_call_permit(const ToolCall *call)
{
    return call->is_permitted ? &call->permit : NULL;
}

void tool_call_update(ToolCall *call, const char *text, const json_t *details)
{
    if (!call->spec->on_update)
        return;
    g_autofree char *clean = ansi_strip(text);
    call->spec->on_update(clean, details, call->spec->user_data);
}

int64_t tool_call_now_ms(const ToolCall *call)
{
    const ToolClock *clock = tool_context_clock(call->spec->context);
    return clock->now_ms(clock->user_data);
}

bool tool_call_sleep(ToolCall *call, int64_t duration_ms, GError **error)
{
    const ToolClock *clock = tool_context_clock(call->spec->context);
    return clock->sleep(clock->user_data, duration_ms, call->cancel, error);
}

const CallOutcome *tool_call_outcome(const ToolCall *call)
{
    return call->outcome;
}

const GPtrArray *tool_call_problems(const ToolCall *call)
{
    return call->problems;
}

const GPtrArray *tool_call_unknown(const ToolCall *call)
{
    return call->unknown;
}

int64_t tool_call_timeout_ms(const ToolCall *call)
{
    return call->spec->door->timeout_ms;
}

/* Problems stay single for whoever words the refusal; unknown fields are warnings but for a strict
 * door. */
static bool decode_for_envelope(ToolCall *call, void *args, json_t **ret_arguments, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    call->problems = g_ptr_array_new_with_free_func((GDestroyNotify)field_problem_free);
    call->unknown = g_ptr_array_new_with_free_func((GDestroyNotify)field_problem_free);
    bool is_good = field_check(spec->tool->fields, spec->arguments, args, ret_arguments,
                               call->problems, call->unknown);
    return (is_good && !(spec->door->is_strict && call->unknown->len > 0)) ||
           fail_with(error, KEDGE_ERROR_USAGE, "Validation failed");
}

static bool decode_arguments(ToolCall *call, void *args, json_t **ret_arguments, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    const ToolDef *tool = spec->tool;
    if (tool->flags & TOOL_ENVELOPE)
        return decode_for_envelope(call, args, ret_arguments, error);
    FieldMode mode = tool->flags & TOOL_EXACT ? FIELD_EXACT : FIELD_LENIENT;
    g_autofree char *problems = NULL;
    if (field_decode(tool->fields, spec->arguments, mode, args, ret_arguments, &problems))
        return true;
    g_autofree char *text = spec->arguments ? json_to_pretty(spec->arguments) : g_strdup("{}");
    g_autofree char *received = utf8_ellipsize(text, RECEIVED_MAX_CHARS);
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "Validation failed for tool \"%s\":\n%s\nReceived arguments:\n%s", tool->name,
                     problems, received);
}

static bool run_permitted(ToolCall *call, const void *args, ToolResult *result,
                          CallOutcome *outcome, GError **error)
{
    int64_t start = time_monotonic_ms();
    bool is_done = call->spec->tool->run(call, args, result, error);
    outcome->duration_ms = time_monotonic_ms() - start;
    call->is_permitted = false;
    return is_done;
}

static bool run_gated(ToolCall *call, ToolResult *result, Judgement *judgement,
                      CallOutcome *outcome, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    g_autofree void *args = g_malloc0(MAX(spec->tool->args_size, 1));
    g_autoptr(json_t) arguments = NULL;
    outcome->end = CALL_CANCELLED;
    if (!cancel_check(spec->cancel, error))
        return false;
    outcome->end = CALL_INVALID;
    return decode_arguments(call, args, &arguments, error) &&
           gate_pass(call, args, arguments, judgement, outcome, error) &&
           run_permitted(call, args, result, outcome, error);
}

/* An error replaces whatever the tool had put together: the message is the answer. */
static void result_from_error(ToolResult *result, const GError *error)
{
    tool_result_clear(result);
    result->is_error = true;
    result->failure = error->domain == KEDGE_ERROR ? (KedgeError)error->code : KEDGE_ERROR_FAILED;
    bool is_plain_abort = result->failure == KEDGE_ERROR_CANCELLED &&
                          strcmp(error->message, "operation aborted") == 0;
    tool_result_add_text(result, is_plain_abort ? "Operation aborted" : error->message);
}

/* As ansi_strip(), but CR stays: read shows the lines of a file as they are. */
static char *strip_but_keep_cr(const char *text)
{
    g_auto(GStrv) pieces = g_strsplit(text, "\r", -1);
    for (char **piece = pieces; *piece; piece++) {
        char *clean = ansi_strip(*piece);
        g_free(*piece);
        *piece = clean;
    }
    return g_strjoinv("\r", pieces);
}

/* Escape sequences of foreign text must not reach a terminal or a model (agent-core §0, text
 * safety). */
static void strip_controls(ToolResult *result, bool keeps_cr)
{
    size_t i = 0;
    json_t *block = NULL;
    json_array_foreach (result->content, i, block) {
        const char *text = json_get_text(block, "text");
        if (!text)
            continue;
        g_autofree char *clean = keeps_cr ? strip_but_keep_cr(text) : ansi_strip(text);
        if (strcmp(clean, text) != 0)
            json_set_text(block, "text", clean);
    }
}

/* The text of an error is the tool's own affair (bash quotes its output, cut already) up to a
 * point. */
static bool may_spill(const ToolCallSpec *spec, const ToolResult *result, bool is_from_error)
{
    if (spec->door->wants_whole_text)
        return false;
    if (!is_from_error)
        return !(spec->tool->flags & TOOL_KEEPS_TEXT);
    g_autofree char *text = tool_result_text(result);
    return strlen(text) > ERROR_TEXT_BYTES;
}

/* What the call answers with, before it is bounded. */
static void settle(ToolCall *call, ToolResult *result, CallOutcome *outcome, const GError *error)
{
    const ToolDef *tool = call->spec->tool;
    if (!error && result->is_error)
        result->failure = KEDGE_ERROR_FAILED;
    if (error)
        result_from_error(result, error);
    if (error && outcome->end != CALL_RAN) {
        outcome->reason = error->message;
        if (tool->refused) {
            json_array_clear(result->content);
            tool->refused(call, outcome, result);
        }
    }
    if (!result->content)
        result->content = json_array();
}

void tool_call(const ToolCallSpec *spec, ToolResult *ret_result)
{
    const ToolDef *tool = spec->tool;
    CallOutcome outcome = { 0 };
    ToolCall call = {
        .spec = spec,
        .outcome = &outcome,
        .cancel = tool->flags & TOOL_NON_ABORTABLE ? NULL : spec->cancel,
    };
    g_auto(Judgement) judgement = { 0 };
    g_autoptr(GError) error = NULL;
    run_gated(&call, ret_result, &judgement, &outcome, &error);
    settle(&call, ret_result, &outcome, error);

    if (!(tool->flags & TOOL_ENVELOPE)) // JSON text has no control characters
        strip_controls(ret_result, tool->flags & TOOL_KEEPS_TEXT);
    if (may_spill(spec, ret_result, error != NULL))
        result_spill(ret_result, tool->name, tool_context_settings(spec->context),
                     tool_context_artifacts(spec->context));
    result_add_notice(ret_result);
    if (tool->finished)
        tool->finished(&call, &outcome, ret_result);
    if (call.prepared_destroy)
        call.prepared_destroy(call.prepared);
    g_clear_pointer(&call.problems, g_ptr_array_unref);
    g_clear_pointer(&call.unknown, g_ptr_array_unref);
}
