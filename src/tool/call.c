/*
 * tool_call(): the gate and the frame around every call (call.h).
 */
#include "tool/call.h"

#include "base/ansi.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/notice.h"
#include "tool/policy.h"

#define SHOWN_ARGUMENT_BYTES ((size_t)2000) // of one argument in a question (gh-policy §5.4)
#define ERROR_TEXT_BYTES     (128 * KIB)    // an error's text over this is cut like any other

struct ToolPermit {
    const ToolCall *call;
};

struct ToolCall {
    const ToolCallSpec *spec;
    Cancel *cancel; // NULL for a tool that is not abortable
    ToolPermit permit;
    bool is_permitted;
};

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
}

const char *tool_call_id(const ToolCall *call)
{
    return call->spec->call_id ? call->spec->call_id : "";
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

static bool decode_arguments(const ToolCallSpec *spec, void *args, json_t **ret_arguments,
                             GError **error)
{
    const ToolDef *tool = spec->tool;
    FieldMode mode = tool->flags & TOOL_EXACT ? FIELD_EXACT : FIELD_LENIENT;
    g_autofree char *problems = NULL;
    if (field_decode(tool->fields, spec->arguments, mode, args, ret_arguments, &problems))
        return true;
    g_autofree char *received = spec->arguments ? json_to_pretty(spec->arguments) : g_strdup("{}");
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "Validation failed for tool \"%s\":\n%s\nReceived arguments:\n%s", tool->name,
                     problems, received);
}

static bool judge(ToolCall *call, const void *args, Judgement *ret_judgement, GError **error)
{
    const ToolDef *tool = call->spec->tool;
    if (tool->judge && !tool->judge(call, args, ret_judgement, error))
        return false;
    if (!tool->judge)
        ret_judgement->effect = tool->effect;
    if (!ret_judgement->summary)
        ret_judgement->summary = g_strdup_printf("%s", tool->label);
    return true;
}

/* Characters that could make a question look like another one: controls, and what turns the direction of
   writing or cannot be seen. */
static bool is_deceptive(gunichar c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xad || c == 0x61c ||
           c == 0xfeff || (c >= 0xe0000 && c <= 0xe007f);
}

static void append_visibly(GString *out, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (!is_deceptive(c))
            g_string_append_unichar(out, c);
        else if (c < 0x100)
            g_string_append_printf(out, "\\x%02x", c);
        else
            g_string_append_printf(out, "\\u%04x", c);
    }
}

/* "WRITE on github.com/o/r: creates a pull request", then the arguments, one line each. */
static char *question_text(const ToolDef *tool, const Judgement *judgement, const json_t *arguments)
{
    g_autofree char *word = g_ascii_strup(effect_name(judgement->effect), -1);
    GString *text = g_string_new(word);
    if (judgement->host || judgement->repo) {
        g_string_append(text, " on ");
        append_visibly(text, judgement->host ? judgement->host : "");
        g_string_append(text, judgement->host && judgement->repo ? "/" : "");
        append_visibly(text, judgement->repo ? judgement->repo : "");
    }
    g_string_append(text, ": ");
    append_visibly(text, judgement->summary);
    g_string_append_printf(text, "\n  %s", tool->name);

    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach((json_t *)arguments, key, value)
    {
        g_autofree char *shown = json_to_text(value);
        g_autofree char *cut = str_truncate(shown, SHOWN_ARGUMENT_BYTES);
        g_string_append_printf(text, "\n  %s: ", key);
        append_visibly(text, cut);
        if (strlen(cut) < strlen(shown))
            g_string_append_printf(text, "… (+%zu bytes)", strlen(shown) - strlen(cut));
    }
    return g_string_free(text, FALSE);
}

/* `arguments` are the decoded ones: what is shown is what would run. */
static bool ask(ToolCall *call, const Judgement *judgement, const json_t *arguments, const char *reason,
                GError **error)
{
    const ToolCallSpec *spec = call->spec;
    const ToolDoor *door = spec->door;
    if (door->allow_writes && judgement->effect == EFFECT_WRITE)
        return true;
    if (!door->ask) {
        bool has_way_out = door->allow_hint && judgement->effect == EFFECT_WRITE;
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "refused: %s (%s): %s, and nobody can be asked%s%s%s", spec->tool->name,
                         judgement->summary, reason, has_way_out ? "; start with " : "",
                         has_way_out ? door->allow_hint : "", has_way_out ? " to allow it" : "");
    }
    g_autofree char *text = question_text(spec->tool, judgement, arguments);
    const ToolQuestion question = {
        .tool = spec->tool,
        .effect = judgement->effect,
        .summary = judgement->summary,
        .text = text,
        .arguments = arguments,
    };
    bool is_approved = false;
    // a tool that is not abortable has not begun: the wait for an answer always is
    if (!door->ask(&question, spec->cancel, &is_approved, door->user_data, error))
        return false;
    if (!is_approved)
        return fail_with(error, KEDGE_ERROR_DENIED, "declined: %s (%s)", spec->tool->name,
                         judgement->summary);
    return true;
}

/* Effect → policy → ask. True: the call may run, and has its permit. */
static bool pass_gate(ToolCall *call, const void *args, const json_t *arguments, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    g_auto(Judgement) judgement = { 0 };
    if (!judge(call, args, &judgement, error))
        return false;

    if (spec->door->is_read_only && judgement.effect != EFFECT_READ)
        return fail_with(error, KEDGE_ERROR_DENIED, "refused: %s (%s): only reads are allowed here",
                         spec->tool->name, judgement.summary);
    g_autofree char *reason = NULL;
    PolicyAction action = policy_decide(tool_call_settings(call), spec->door->kind, spec->tool,
                                        &judgement, &reason);
    if (action == ACTION_REFUSE)
        return fail_with(error, KEDGE_ERROR_DENIED, "refused: %s (%s): %s", spec->tool->name,
                         judgement.summary, reason);
    if (action == ACTION_ASK && !ask(call, &judgement, arguments, reason, error))
        return false;
    call->permit.call = call;
    call->is_permitted = true;
    return true;
}

static bool run_gated(ToolCall *call, ToolResult *result, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    g_autofree void *args = g_malloc0(MAX(spec->tool->args_size, 1));
    g_autoptr(json_t) arguments = NULL;
    bool is_done = cancel_check(spec->cancel, error) &&
                   decode_arguments(spec, args, &arguments, error) &&
                   pass_gate(call, args, arguments, error) &&
                   spec->tool->run(call, args, result, error);
    call->is_permitted = false;
    return is_done;
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

/* Escape sequences of foreign text must not reach a terminal or a model (agent-core §0, text safety). */
static void strip_controls(ToolResult *result, bool keeps_cr)
{
    size_t i = 0;
    json_t *block = NULL;
    json_array_foreach(result->content, i, block)
    {
        const char *text = json_get_text(block, "text");
        if (!text)
            continue;
        g_autofree char *clean = keeps_cr ? strip_but_keep_cr(text) : ansi_strip(text);
        if (strcmp(clean, text) != 0)
            json_set_text(block, "text", clean);
    }
}

/* The text of an error is the tool's own affair (bash quotes its output, cut already) up to a point. */
static bool may_spill(const ToolCallSpec *spec, const ToolResult *result, bool is_from_error)
{
    if (spec->door->wants_whole_text)
        return false;
    if (!is_from_error)
        return !(spec->tool->flags & TOOL_KEEPS_TEXT);
    g_autofree char *text = tool_result_text(result);
    return strlen(text) > ERROR_TEXT_BYTES;
}

void tool_call(const ToolCallSpec *spec, ToolResult *ret_result)
{
    ToolCall call = {
        .spec = spec,
        .cancel = spec->tool->flags & TOOL_NON_ABORTABLE ? NULL : spec->cancel,
    };
    g_autoptr(GError) error = NULL;
    bool is_done = run_gated(&call, ret_result, &error);
    if (!is_done)
        result_from_error(ret_result, error);
    else if (ret_result->is_error)
        ret_result->failure = KEDGE_ERROR_FAILED;
    if (!ret_result->content)
        ret_result->content = json_array();

    strip_controls(ret_result, spec->tool->flags & TOOL_KEEPS_TEXT);
    if (may_spill(spec, ret_result, !is_done))
        result_spill(ret_result, spec->tool->name, tool_context_settings(spec->context),
                     tool_context_artifacts(spec->context));
    result_add_notice(ret_result);
}
