/*
 * The gate of tool_call(): what would this very call do, may it, and who says so (spec/common.md
 * §4).
 */
#include "base/str.h"
#include "base/visible.h"
#include "tool/call_private.h"
#include "tool/policy.h"

#define SHOWN_ARGUMENT_BYTES ((size_t)2000) // of one argument in a question (gh-policy §5.4)

static bool judge(ToolCall *call, Judgement *ret_judgement, GError **error)
{
    const ToolDef *tool = call->spec->tool;
    if (tool->judge && !tool->judge(call, call_arguments_of(call), ret_judgement, error))
        return false;
    if (!tool->judge)
        ret_judgement->effect = tool->effect;
    if (!ret_judgement->summary)
        ret_judgement->summary = g_strdup_printf("%s", tool->label);
    return true;
}

/* "WRITE on github.com/o/r: creates a pull request", then the arguments, one line each. */
static char *question_text(const ToolDef *tool, const Judgement *judgement, const json_t *arguments)
{
    g_autofree char *word = g_ascii_strup(effect_name(judgement->effect), -1);
    GString *text = g_string_new(word);
    if (judgement->host || judgement->repo) {
        g_string_append(text, " on ");
        visible_append(text, judgement->host ? judgement->host : "");
        g_string_append(text, judgement->host && judgement->repo ? "/" : "");
        visible_append(text, judgement->repo ? judgement->repo : "");
    }
    g_string_append(text, ": ");
    visible_append(text, judgement->summary);
    g_string_append_printf(text, "\n  %s", tool->name);

    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach ((json_t *)arguments, key, value) {
        g_autofree char *shown = json_to_text(value);
        g_autofree char *cut = str_truncate(shown, SHOWN_ARGUMENT_BYTES);
        g_string_append_printf(text, "\n  %s: ", key);
        visible_append(text, cut);
        if (strlen(cut) < strlen(shown))
            g_string_append_printf(text, "… (+%zu bytes)", strlen(shown) - strlen(cut));
    }
    return g_string_free(text, FALSE);
}

/* `arguments` are the decoded ones: what is shown is what would run. */
static char *question_of(const ToolCall *call, const Judgement *judgement, const json_t *arguments)
{
    return judgement->question ? g_strdup(judgement->question)
                               : question_text(call->spec->tool, judgement, arguments);
}

/* A flag of the person who started the program answers for a person. */
static bool is_allowed_by_flag(const ToolDoor *door, Effect effect)
{
    return (door->allow_writes && effect == EFFECT_WRITE) ||
           (door->allow_unknown && effect == EFFECT_UNKNOWN);
}

static bool fail_unanswerable(const ToolCall *call, const Judgement *judgement, const char *reason,
                              GError **error)
{
    const char *hint = call->spec->door->allow_hint;
    bool has_way_out = hint && judgement->effect == EFFECT_WRITE;
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "refused: %s (%s): %s, and nobody can be asked%s%s%s", call->spec->tool->name,
                     judgement->summary, reason, has_way_out ? "; start with " : "",
                     has_way_out ? hint : "", has_way_out ? " to allow it" : "");
}

static bool ask(ToolCall *call, const Judgement *judgement, const json_t *arguments,
                const char *reason, CallOutcome *outcome, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    const ToolDoor *door = spec->door;
    outcome->is_confirmed = is_allowed_by_flag(door, judgement->effect);
    if (outcome->is_confirmed)
        return true;
    if (!door->ask) {
        outcome->end = CALL_UNANSWERABLE;
        return fail_unanswerable(call, judgement, reason, error);
    }
    g_autofree char *text = question_of(call, judgement, arguments);
    const ToolQuestion question = {
        .tool = spec->tool,
        .effect = judgement->effect,
        .summary = judgement->summary,
        .text = text,
        .arguments = arguments,
    };
    // a tool that is not abortable has not begun: the wait for an answer always is
    if (!door->ask(&question, spec->cancel, &outcome->is_confirmed, door->user_data, error)) {
        outcome->end = cancel_has_fired(spec->cancel) ? CALL_CANCELLED : CALL_DECLINED;
        return false;
    }
    outcome->end = outcome->is_confirmed ? CALL_RAN : CALL_DECLINED;
    return outcome->is_confirmed || fail_with(error, KEDGE_ERROR_DENIED, "declined: %s (%s)",
                                              spec->tool->name, judgement->summary);
}

static bool fail_blocked(const ToolCall *call, const Judgement *judgement, const char *reason,
                         CallOutcome *outcome, GError **error)
{
    outcome->end = CALL_BLOCKED;
    outcome->action = ACTION_REFUSE;
    return fail_with(error, KEDGE_ERROR_DENIED, "refused: %s (%s): %s", call->spec->tool->name,
                     judgement->summary, reason);
}

/* The one place that says what "only reads" means. */
static bool is_read(const ToolDef *tool, Effect effect)
{
    return effect == EFFECT_READ && !(tool->flags & TOOL_CHANGES_RECORDS);
}

bool tool_door_offers(const ToolDoor *self, const ToolDef *tool)
{
    return !self->is_read_only || is_read(tool, tool->effect);
}

bool gate_pass(ToolCall *call, Judgement *ret_judgement, CallOutcome *outcome, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    if (!judge(call, ret_judgement, error)) {
        outcome->end = cancel_has_fired(spec->cancel) ? CALL_CANCELLED : CALL_INVALID;
        return false;
    }
    outcome->end = CALL_INVALID;
    if (ret_judgement->effect == EFFECT_DESTRUCTIVE && !call_refuse_ignored(call, error))
        return false;
    outcome->judgement = ret_judgement;
    outcome->end = CALL_RAN;
    if (spec->door->is_read_only && !is_read(spec->tool, ret_judgement->effect))
        return fail_blocked(call, ret_judgement, "only reads are allowed here", outcome, error);

    g_autofree char *reason = NULL;
    outcome->action = policy_decide(tool_context_settings(spec->context), spec->door->kind,
                                    spec->tool, ret_judgement, &reason);
    if (outcome->action == ACTION_REFUSE)
        return fail_blocked(call, ret_judgement, reason, outcome, error);
    if (outcome->action == ACTION_ASK &&
        !ask(call, ret_judgement, call->arguments.decoded, reason, outcome, error))
        return false;
    call->permit.call = call;
    call->is_permitted = true;
    return true;
}
