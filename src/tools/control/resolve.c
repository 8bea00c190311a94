/*
 * resolve: carries out what a tool has shown as a preview, or drops it (agent-tools §3.12). In plan
 * mode, with no preview waiting, it hands the plan in.
 */
#include "base/path.h"
#include "tool/context.h"
#include "tool/pending_action.h"
#include "tools/control/plan_submit.h"
#include "tools/tools.h"

#define MAX_SUMMARY_FILES 10 // named to a person who judges

typedef struct ResolveArgs {
    const char *action;
    const char *reason;
    const json_t *extra;
} ResolveArgs;

static const char *const actions[] = { "apply", "discard", NULL };

static const FieldDef resolve_fields[] = {
    { "action", FIELD_ENUM, offsetof(ResolveArgs, action), .is_required = true, .values = actions },
    { "reason", FIELD_STRING, offsetof(ResolveArgs, reason), .is_required = true },
    { "extra", FIELD_OBJECT, offsetof(ResolveArgs, extra), .help = "{title}: of a plan" },
    { 0 },
};

static bool is_to_apply(const ResolveArgs *args)
{
    return strcmp(args->action, "apply") == 0;
}

/* "applies AST Edit: 2 replacements in 2 files: a.c, b.c" */
static char *summary_of(const char *label, const GPtrArray *paths)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "applies %s", label);
    for (guint i = 0; i < MIN(paths->len, MAX_SUMMARY_FILES); i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : ": ", (const char *)paths->pdata[i]);
    if (paths->len > MAX_SUMMARY_FILES)
        g_string_append_printf(text, " and %u more", paths->len - MAX_SUMMARY_FILES);
    return g_string_free(text, FALSE);
}

static void resolve_judge_path(const ToolCall *call, const char *shown, Judgement *judgement)
{
    g_autofree char *path = path_absolute(shown, tool_call_cwd(call));
    judgement_add_action(judgement, "write", shown, NULL, NULL);
    judgement_add_write(judgement, path, false);
}

/* Applying writes, and the gate is told what; dropping changes nothing. */
static bool resolve_judge(ToolCall *call, const void *args, Judgement *ret_judgement,
                          GError **error G_GNUC_UNUSED)
{
    g_autofree char *label = pending_action_label(tool_call_context(call));
    if (!label || !is_to_apply(args)) {
        ret_judgement->effect = EFFECT_READ;
        return true;
    }
    ret_judgement->effect = EFFECT_WRITE;
    g_autoptr(GPtrArray) paths = pending_action_paths(tool_call_context(call));
    for (guint i = 0; i < paths->len; i++)
        resolve_judge_path(call, paths->pdata[i], ret_judgement);
    ret_judgement->summary = summary_of(label, paths);
    return true;
}

/* What was judged to change nothing does not apply what was prepared since. */
static bool may_resolve(const ToolCall *call, const ResolveArgs *args)
{
    const Judgement *judgement = tool_call_outcome(call)->judgement;
    return !is_to_apply(args) || (judgement && judgement->effect == EFFECT_WRITE);
}

/* Nothing waits: in plan mode it is the plan that is meant. */
static bool submits_plan(const ToolCall *call, const ResolveArgs *args)
{
    ToolContext *context = tool_call_context(call);
    g_autofree char *label = pending_action_label(context);
    return !label && is_to_apply(args) && plan_mode_is_on(tool_context_plan_mode(context));
}

static bool resolve_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const ResolveArgs *args = args_;
    if (submits_plan(call, args))
        return plan_submit(call, json_get_text(args->extra, "title"), result, error);
    g_autoptr(PendingAction) action =
        may_resolve(call, args) ? pending_action_take(tool_call_context(call)) : NULL;
    if (!action)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "No pending action to resolve. Nothing to apply or discard.");
    json_t *made = NULL; // details of what was carried out
    if (is_to_apply(args)) {
        if (!action->apply(call, action->data, result, error))
            return false;
        made = g_steal_pointer(&result->details);
    } else {
        g_autofree char *text =
            g_strdup_printf("Discarded: %s. Reason: %s", action->label, args->reason);
        tool_result_add_text(result, text);
    }
    json_t *details = tool_result_details(result);
    json_add(details, "action:%s reason:%s sourceToolName:%s label:%s", args->action, args->reason,
             action->source, action->label);
    if (made)
        json_set_take(details, "sourceResultDetails", made);
    return true;
}

const ToolDef tool_resolve = {
    .name = "resolve",
    .label = "Resolve",
    .summary = "Apply or discard what a tool has shown as a preview",
    .effect = EFFECT_READ,
    .judge = resolve_judge,
    .flags = TOOL_EXCLUSIVE | TOOL_HIDDEN | TOOL_CAN_DESTROY | TOOL_DISCOVERABLE,
    .fields = resolve_fields,
    .args_size = sizeof(ResolveArgs),
    .run = resolve_run,
};
