/*
 * The arguments of a call on their way to the tool (common §5): decoded and checked, what
 * is unknown left out where a model chose them, then shown to the hooks, and checked again where
 * one of these changed them.
 */
#include "tool/call_private.h"

#include "base/json_schema.h"
#include "base/utf8.h"
#include "tool/hook.h"

#define RECEIVED_MAX_CHARS 4000 // of the arguments that a refusal quotes
#define NAME_MAX_CHARS     100  // of an unknown argument's name in a notice
#define MAX_IGNORED        20   // named in the notice; the rest is counted
#define MAX_UNWRAPS        5    // JSON in a string in JSON … (agent-core §3.3)

void call_arguments_clear(CallArguments *self)
{
    g_clear_pointer(&self->given, json_decref);
    g_clear_pointer(&self->whole, json_decref);
    g_clear_pointer(&self->decoded, json_decref);
    g_clear_pointer(&self->fields, g_free);
    g_clear_pointer(&self->ignored, g_ptr_array_unref);
}

const void *call_arguments_of(const ToolCall *call)
{
    const CallArguments *self = &call->arguments;
    return call->spec->tool->schema ? (const void *)self->decoded : self->fields;
}

/* Problems stay single for whoever words the refusal; unknown fields are warnings but for a strict
 * door. */
static bool decode_for_envelope(ToolCall *call, const json_t *given, void *fields,
                                json_t **ret_arguments, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    g_clear_pointer(&call->problems, g_ptr_array_unref);
    g_clear_pointer(&call->unknown, g_ptr_array_unref);
    call->problems = field_problems_new();
    call->unknown = field_problems_new();
    bool is_good = field_check(spec->tool->fields, given, fields, ret_arguments, call->problems,
                               call->unknown);
    return (is_good && !(spec->door->is_strict && call->unknown->len > 0)) ||
           fail_with(error, KEDGE_ERROR_USAGE, "Validation failed");
}

static bool call_arguments_decode(ToolCall *call, const json_t *given, void *fields,
                                  json_t **ret_arguments, GError **error)
{
    const ToolDef *tool = call->spec->tool;
    if (tool->flags & TOOL_ENVELOPE)
        return decode_for_envelope(call, given, fields, ret_arguments, error);
    FieldMode mode = tool->flags & TOOL_EXACT ? FIELD_EXACT : FIELD_LENIENT;
    g_clear_pointer(&call->problems, g_ptr_array_unref);
    GPtrArray *problems = call->problems = field_problems_new();
    if (tool->schema ? json_schema_check(tool->schema, given, mode, ret_arguments, problems)
                     : field_decode(tool->fields, given, mode, fields, ret_arguments, problems))
        return true;
    g_autofree char *text = given ? json_to_pretty(given) : g_strdup("{}");
    g_autofree char *received = utf8_ellipsize(text, RECEIVED_MAX_CHARS);
    g_autofree char *listed = field_problems_text(problems);
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "Validation failed for tool \"%s\":\n%s" CALL_TEXT_RECEIVED "%s", tool->name,
                     listed, received);
}

/* Arguments that came as JSON in a string are read here, so that hooks and the check of unknown
   names see what the decoder sees. New reference. */
static json_t *call_arguments_unwrapped(const ToolDef *tool, const json_t *arguments)
{
    json_t *current = json_incref((json_t *)arguments);
    bool is_lenient = !(tool->flags & (TOOL_EXACT | TOOL_ENVELOPE));
    for (int i = 0; is_lenient && i < MAX_UNWRAPS && json_is_string(current); i++) {
        json_t *inner = NULL;
        if (!json_parse(json_string_value(current), json_string_length(current), &inner, NULL))
            break;
        json_decref(current);
        current = inner;
    }
    if (json_is_object(current) || !is_lenient)
        return current;
    json_decref(current);
    return json_incref((json_t *)arguments);
}

static bool is_unknown(const ToolDef *tool, const char *name)
{
    return tool->schema ? json_schema_refuses(tool->schema, name) : !field_find(tool->fields, name);
}

/* A refusal costs a model's turn, so what it made up is left out and said (call_ignored_note());
   not where a call could do harm that the left out argument was to prevent. */
static json_t *without_unknown(ToolCall *call, const json_t *arguments)
{
    const ToolCallSpec *spec = call->spec;
    json_t *kept = json_incref((json_t *)arguments);
    if (!json_is_object(arguments) || !tool_call_serves_model(call) ||
        (spec->tool->flags & (TOOL_GITHUB | TOOL_ENVELOPE)))
        return kept;
    json_each_member (arguments, name, value) {
        if (json_is_null(value) || !is_unknown(spec->tool, name))
            continue;
        if (call->arguments.ignored->len == 0) {
            json_decref(kept);
            kept = json_copy((json_t *)arguments);
        }
        json_object_del(kept, name);
        g_ptr_array_add(call->arguments.ignored, utf8_ellipsize(name, NAME_MAX_CHARS));
    }
    return kept;
}

/* Takes the reference. */
static bool call_arguments_take(ToolCall *call, json_t *given, GError **error)
{
    CallArguments *self = &call->arguments;
    json_decref(self->given);
    g_clear_pointer(&self->decoded, json_decref);
    g_free(self->fields);
    self->given = given;
    self->fields = g_malloc0(MAX(call->spec->tool->args_size, 1));
    return call_arguments_decode(call, given, self->fields, &self->decoded, error);
}

/* What was given, as it was understood, without the defaults of what was not. New reference. */
static json_t *call_arguments_understood(const CallArguments *self)
{
    json_t *shown = json_object();
    json_each_member (self->decoded, name, value) {
        if (json_object_get(self->given, name))
            json_set_take(shown, name, json_deep_copy(value));
    }
    return shown;
}

static bool run_hook(ToolCall *call, const ToolHook *hook, CallOutcome *outcome, GError **error)
{
    g_autoptr(json_t) shown = call_arguments_understood(&call->arguments);
    g_autoptr(json_t) changed = NULL;
    if (!hook->before(call, shown, &changed, hook->user_data, error)) {
        outcome->end = cancel_has_fired(call->spec->cancel) ? CALL_CANCELLED : CALL_BLOCKED;
        return false;
    }
    if (!changed || call_arguments_take(call, g_steal_pointer(&changed), error))
        return true;
    g_prefix_error(error, "(changed by %s) ", hook->name);
    return false;
}

bool call_take_arguments(ToolCall *call, CallOutcome *outcome, GError **error)
{
    outcome->end = CALL_INVALID;
    CallArguments *self = &call->arguments;
    self->ignored = g_ptr_array_new_with_free_func(g_free);
    self->whole = call_arguments_unwrapped(call->spec->tool, call->spec->arguments);
    json_t *known = without_unknown(call, self->whole);
    // a call that is refused anyhow hears of all that is wrong: an unknown name may be a misspelt
    // one
    bool says_all = self->ignored->len > 0;
    if (!call_arguments_take(call, known, says_all ? NULL : error))
        return says_all && call_refuse_ignored(call, error);
    const GPtrArray *hooks = call->hooks;
    for (unsigned i = 0; i < hooks->len; i++) {
        const ToolHook *hook = hooks->pdata[i];
        if (hook->before && !run_hook(call, hook, outcome, error))
            return false;
    }
    return true;
}

bool call_refuse_ignored(ToolCall *call, GError **error)
{
    if (call->arguments.ignored->len == 0)
        return true;
    g_ptr_array_set_size(call->arguments.ignored, 0); // they are refused, not ignored
    g_autofree void *fields = g_malloc0(MAX(call->spec->tool->args_size, 1));
    g_autoptr(json_t) decoded = NULL;
    return call_arguments_decode(call, call->arguments.whole, fields, &decoded, error);
}

char *call_ignored_note(const ToolCall *call)
{
    const GPtrArray *ignored = call->arguments.ignored;
    if (!ignored || ignored->len == 0)
        return NULL;
    GString *out = g_string_new("Ignored unknown arguments: ");
    for (unsigned i = 0; i < MIN(ignored->len, MAX_IGNORED); i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "", (char *)ignored->pdata[i]);
    if (ignored->len > MAX_IGNORED)
        g_string_append_printf(out, " and %u more", ignored->len - MAX_IGNORED);
    return g_string_free(out, FALSE);
}
