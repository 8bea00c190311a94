/*
 * The gate of tool_call(): what would this very call do, may it, and who says so (common
 * §4).
 */
#include "tool/call_private.h"
#include "tool/hook.h"
#include "tool/policy.h"
#include "tool/question.h"
#include "tool/repo_flow.h"
#include "tool/write_guard.h"

// ---- what it would do ----

static void free_guard(gpointer guard)
{
    write_guard_free(guard);
}

/* What a person typed is theirs to write wherever they like. */
static void gate_look_at_writes(ToolCall *call, const Judgement *judgement)
{
    const GPtrArray *writes = judgement->writes;
    if (!writes || call->spec->door->kind == DOOR_TYPED)
        return;
    call->guards = g_ptr_array_new_with_free_func(free_guard);
    g_autoptr(WriteSurvey) survey = write_survey_new(call->spec->context);
    for (guint i = 0; i < writes->len; i++) {
        const JudgedWrite *write = writes->pdata[i];
        g_ptr_array_add(call->guards, write_guard_look(survey, write->path, write->is_name));
    }
}

/* The strictest of its files, and how many are not like any other; NULL: there is none. */
static const WriteGuard *gate_guard(const ToolCall *call, guint *ret_count)
{
    const WriteGuard *strictest = NULL;
    guint count = 0;
    for (guint i = 0; call->guards && i < call->guards->len; i++) {
        const WriteGuard *guard = call->guards->pdata[i];
        count += guard->level != GUARD_NONE;
        if (guard->level > (strictest ? strictest->level : GUARD_NONE))
            strictest = guard;
    }
    if (ret_count)
        *ret_count = count;
    return strictest;
}

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
    gate_look_at_writes(call, ret_judgement);
    return true;
}

// ---- asking ----

/* A flag that lets a program write does not let a model loosen what binds it. */
static bool is_for_person(const ToolCall *call)
{
    const ToolDoor *door = call->spec->door;
    const WriteGuard *guard = gate_guard(call, NULL);
    bool is_of_model = door->kind == DOOR_AGENT || door->serves_model;
    return is_of_model && guard && guard->level == GUARD_PERSON;
}

/* A flag of the person who started the program answers for a person. */
static bool is_allowed_by_flag(const ToolDoor *door, Effect effect)
{
    return (door->allow_writes && effect == EFFECT_WRITE) ||
           (door->allow_unknown && effect == EFFECT_UNKNOWN);
}

/* What lets such a call through where no one can be asked; "": nothing. Caller frees. */
static char *way_out_of(const ToolCall *call, const Judgement *judgement)
{
    const char *hint = call->spec->door->allow_hint;
    if (is_for_person(call))
        return g_strdup("; leave this file to the person, who can also name it in the setting "
                        "tools.unaskedWrites");
    if (!hint || judgement->effect != EFFECT_WRITE || call->outcome->needs_person)
        return g_strdup("");
    return g_strdup_printf("; start with %s to allow it", hint);
}

static bool fail_unanswerable(const ToolCall *call, const Judgement *judgement, const char *reason,
                              const char *way_out, GError **error)
{
    return fail_with(error, KEDGE_ERROR_DENIED, "refused: %s (%s): %s, and nobody can be asked%s",
                     call->spec->tool->name, judgement->summary, reason, way_out);
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

/* What a yes to this call could allow from now on; NULL: nothing. What may be the same as something
   that was refused is asked about again. Caller frees. */
static char *possible_allowance(const ToolCall *call, const Judgement *judgement,
                                const Grounds *grounds)
{
    guint count = 0;
    const WriteGuard *guard = gate_guard(call, &count);
    if (!tool_context_allowances(call->spec->context) || grounds->earlier)
        return NULL;
    g_autofree char *allowance = guard ? NULL : allowance_of(judgement);
    if (allowance && grounds->repos)
        return g_strconcat(allowance, " after reading ", grounds->repos, NULL);
    if (!guard)
        return g_steal_pointer(&allowance);
    // this file, and no other one
    bool is_one = count == 1 && guard->level == GUARD_PROJECT && judgement->effect == EFFECT_WRITE;
    return is_one ? g_strconcat("writes to ", guard->real, NULL) : NULL;
}

static bool is_allowed_before(const ToolCall *call, const char *allowance)
{
    return allowance && allowances_have(tool_context_allowances(call->spec->context), allowance);
}

static bool gate_put_question(ToolCall *call, const Judgement *judgement, const Grounds *grounds,
                              const char *allowance, CallOutcome *outcome, GError **error)
{
    const ToolCallSpec *spec = call->spec;
    g_auto(Question) asked = { 0 };
    g_autofree char *way_out = way_out_of(call, judgement);
    g_autofree char *digest = question_digest(call);
    const char *leaving = grounds->repos ? grounds->reason : NULL;
    if (!question_make(call, judgement, grounds->earlier, leaving, &asked, error)) {
        outcome->end = CALL_UNANSWERABLE;
        return false;
    }
    const ToolQuestion question = {
        .tool = spec->tool,
        .effect = judgement->effect,
        .summary = judgement->summary,
        .text = asked.text,
        .allowance = allowance,
        .way_out = way_out,
        .digest = digest,
        .arguments = call->arguments.decoded,
        .ret_edited = &call->edited,
    };
    // a tool that is not abortable has not begun: the wait for an answer always is
    if (!spec->door->ask(&question, spec->cancel, &outcome->is_confirmed, spec->door->user_data,
                         error)) {
        outcome->end = cancel_has_fired(spec->cancel) ? CALL_CANCELLED : CALL_DECLINED;
        return false;
    }
    call->asked = g_steal_pointer(&digest);
    outcome->end = outcome->is_confirmed ? CALL_RAN : CALL_DECLINED;
    return outcome->is_confirmed || fail_with(error, KEDGE_ERROR_DENIED, "declined: %s (%s)",
                                              spec->tool->name, judgement->summary);
}

static bool gate_ask(ToolCall *call, const Judgement *judgement, const Grounds *grounds,
                     CallOutcome *outcome, GError **error)
{
    g_autofree char *allowance = possible_allowance(call, judgement, grounds);
    outcome->is_confirmed =
        (!outcome->needs_person && is_allowed_by_flag(call->spec->door, judgement->effect)) ||
        is_allowed_before(call, allowance);
    if (outcome->is_confirmed)
        return true;
    if (call->spec->door->ask)
        return gate_put_question(call, judgement, grounds, allowance, outcome, error);
    g_autofree char *way_out = way_out_of(call, judgement);
    outcome->end = CALL_UNANSWERABLE;
    return fail_unanswerable(call, judgement, grounds->reason, way_out, error);
}

// ---- passing ----

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

/* The same for a file that could loosen what binds the model; any other that is more than text is
   asked about. */
static void gate_look_at_guards(ToolCall *call, CallOutcome *outcome, Grounds *grounds)
{
    const WriteGuard *guard = gate_guard(call, NULL);
    if (!guard)
        return;
    g_free(grounds->reason);
    grounds->reason = write_guard_text(guard, tool_context_cwd(call->spec->context));
    outcome->action = ACTION_ASK;
    outcome->needs_person = outcome->needs_person || is_for_person(call);
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
    gate_look_at_guards(call, outcome, &grounds);
    if (outcome->action == ACTION_ASK && !gate_ask(call, ret_judgement, &grounds, outcome, error))
        return false;
    call->permit.call = call;
    call->is_permitted = true;
    return true;
}
