/*
 * The gate of tool_call(): what would this very call do, may it, and who says so (common
 * §4).
 */
#include "base/str.h"
#include "base/visible.h"
#include "tool/call_private.h"
#include "tool/hook.h"
#include "tool/policy.h"
#include "tool/repo_flow.h"

#define SHOWN_ARGUMENT_BYTES ((size_t)2000) // of one argument in a question (gh-policy §5.4)

static bool gate_judge(ToolCall *call, Judgement *ret_judgement, GError **error)
{
    const ToolDef *tool = call->spec->tool;
    if (tool->judge && !tool->judge(call, call_arguments_of(call), ret_judgement, error))
        return false;
    if (!tool->judge)
        ret_judgement->effect = tool->effect;
    if (!ret_judgement->summary)
        ret_judgement->summary = g_strdup_printf("%s", tool->label);
    const GPtrArray *hooks = call->hooks;
    for (unsigned i = 0; i < hooks->len; i++) {
        const ToolHook *hook = hooks->pdata[i];
        if (hook->judged)
            hook->judged(call, call->arguments.decoded, ret_judgement, hook->user_data);
    }
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

/* Why a person is to be asked. */
typedef struct Grounds {
    char *reason;  // of the policy
    char *earlier; // what was refused and may be the same; NULL: nothing
    char *repos;   // read before, and not known to be public; NULL: none that matters
} Grounds;

static void grounds_clear(Grounds *self)
{
    g_free(self->reason);
    g_free(self->earlier);
    g_free(self->repos);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Grounds, grounds_clear)

/* `arguments` are the decoded ones: what is shown is what would run. */
static char *question_of(const ToolCall *call, const Judgement *judgement, const json_t *arguments,
                         const Grounds *grounds)
{
    g_autofree char *question = judgement->question
                                    ? g_strdup(judgement->question)
                                    : question_text(call->spec->tool, judgement, arguments);
    GString *text = g_string_new(question);
    if (grounds->earlier) {
        g_autofree char *cut = str_truncate(grounds->earlier, SHOWN_ARGUMENT_BYTES);
        g_string_append(text, "\n  may be what was refused before: ");
        visible_append(text, cut);
    }
    if (grounds->repos) {
        g_autofree char *cut = str_truncate(grounds->reason, SHOWN_ARGUMENT_BYTES);
        g_string_append(text, "\n  private text may leave: ");
        visible_append(text, cut);
    }
    return g_string_free(text, FALSE);
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
    bool has_way_out = hint && judgement->effect == EFFECT_WRITE && !call->outcome->needs_person;
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "refused: %s (%s): %s, and nobody can be asked%s%s%s", call->spec->tool->name,
                     judgement->summary, reason, has_way_out ? "; start with " : "",
                     has_way_out ? hint : "", has_way_out ? " to allow it" : "");
}

/* What a yes to this call could allow from now on; NULL: nothing. What may be the same as something
   that was refused is asked about again. Caller frees. */
static char *possible_allowance(const ToolCall *call, const Judgement *judgement,
                                const Grounds *grounds)
{
    bool can_allow = tool_context_allowances(call->spec->context) && !grounds->earlier;
    g_autofree char *allowance = can_allow ? allowance_of(judgement) : NULL;
    return allowance && grounds->repos
               ? g_strconcat(allowance, " after reading ", grounds->repos, NULL)
               : g_steal_pointer(&allowance);
}

static bool is_allowed_before(const ToolCall *call, const char *allowance)
{
    return allowance && allowances_have(tool_context_allowances(call->spec->context), allowance);
}

static bool gate_ask(ToolCall *call, const Judgement *judgement, const Grounds *grounds,
                     CallOutcome *outcome, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    const json_t *arguments = call->arguments.decoded;
    const ToolDoor *door = spec->door;
    g_autofree char *allowance = possible_allowance(call, judgement, grounds);
    outcome->is_confirmed =
        (!outcome->needs_person && is_allowed_by_flag(door, judgement->effect)) ||
        is_allowed_before(call, allowance);
    if (outcome->is_confirmed)
        return true;
    if (!door->ask) {
        outcome->end = CALL_UNANSWERABLE;
        return fail_unanswerable(call, judgement, grounds->reason, error);
    }
    g_autofree char *text = question_of(call, judgement, arguments, grounds);
    const ToolQuestion question = {
        .tool = spec->tool,
        .effect = judgement->effect,
        .summary = judgement->summary,
        .text = text,
        .allowance = allowance,
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
    bool has_person = self->choose || !(tool->flags & TOOL_NEEDS_CHOICES);
    return has_person && (!self->is_read_only || is_read(tool, tool->effect));
}

/* While the conversation plans only reads run, and what looks itself that it writes the plan. */
static bool is_kept_out_by_plan(const ToolCall *call, Effect effect, char **ret_reason)
{
    const ToolDef *tool = call->spec->tool;
    g_autofree char *file = plan_mode_file(tool_context_plan_mode(call->spec->context));
    if (!file || is_read(tool, effect) ||
        (effect == EFFECT_WRITE && (tool->flags & TOOL_WRITES_PLAN)))
        return false;
    *ret_reason = g_strdup_printf("Plan mode: only the plan file may be modified (%s).", file);
    return true;
}

static Likeness was_refused(const ToolCallSpec *spec, const Judgement *judgement,
                            char **ret_earlier)
{
    return spec->was_refused && judgement->actions
               ? spec->was_refused(judgement->actions, ret_earlier, spec->user_data)
               : LIKENESS_NONE;
}

/* A flag does not answer for a person here: who started the program could not know of it. */
static void gate_look_at_flow(ToolCall *call, const Judgement *judgement, CallOutcome *outcome,
                              Grounds *grounds)
{
    char *reason = NULL;
    if (!repo_flow_needs_person(call, judgement, &reason, &grounds->repos))
        return;
    g_free(grounds->reason);
    grounds->reason = reason;
    outcome->action = ACTION_ASK;
    outcome->needs_person = true;
}

bool gate_pass(ToolCall *call, Judgement *ret_judgement, CallOutcome *outcome, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    if (!gate_judge(call, ret_judgement, error)) {
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

    g_autofree char *plan_reason = NULL;
    if (is_kept_out_by_plan(call, ret_judgement->effect, &plan_reason))
        return fail_blocked(call, ret_judgement, plan_reason, outcome, error);

    g_auto(Grounds) grounds = { 0 };
    if (was_refused(spec, ret_judgement, &grounds.earlier) == LIKENESS_SAME)
        return fail_blocked(call, ret_judgement, "it was refused before, and that is final",
                            outcome, error);

    outcome->action = policy_decide(tool_context_settings(spec->context), spec->door->kind,
                                    spec->tool, ret_judgement, &grounds.reason);
    if (outcome->action == ACTION_REFUSE)
        return fail_blocked(call, ret_judgement, grounds.reason, outcome, error);
    if (grounds.earlier && spec->door->ask)
        outcome->action = ACTION_ASK;
    gate_look_at_flow(call, ret_judgement, outcome, &grounds);
    if (outcome->action == ACTION_ASK && !gate_ask(call, ret_judgement, &grounds, outcome, error))
        return false;
    call->permit.call = call;
    call->is_permitted = true;
    return true;
}
