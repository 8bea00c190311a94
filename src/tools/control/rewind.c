/*
 * checkpoint and rewind: a model marks a place in the conversation, looks into something, and comes
 * back to the place with a report in place of all that it saw (agent-tools §3.24). Files are not
 * touched.
 */
#include "base/timefmt.h"
#include "base/utf8.h"
#include "tool/rewind_state.h"
#include "tools/tools.h"

typedef struct CheckpointArgs {
    const char *goal;
} CheckpointArgs;

typedef struct RewindArgs {
    const char *report;
} RewindArgs;

static const FieldDef checkpoint_fields[] = {
    { "goal", FIELD_STRING, offsetof(CheckpointArgs, goal), .is_required = true },
    { 0 },
};

static const FieldDef rewind_fields[] = {
    { "report", FIELD_STRING, offsetof(RewindArgs, report), .is_required = true,
      .help = "What was found, briefly" },
    { 0 },
};

static bool checkpoint_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const CheckpointArgs *args = args_;
    ToolContext *context = tool_call_context(call);
    if (rewind_state_is_forbidden(context))
        return fail_with(error, KEDGE_ERROR_USAGE, "Checkpoint not available in subagents.");
    if (!rewind_state_open(context))
        return fail_with(error, KEDGE_ERROR_USAGE, "Checkpoint already active.");
    g_autofree char *text =
        g_strdup_printf("Checkpoint created.\nGoal: %s\nRun your investigation, then call rewind "
                        "with a concise report.",
                        args->goal);
    g_autofree char *now = time_format_iso(tool_call_now_ms(call));
    tool_result_add_text(result, text);
    json_set_text(tool_result_details(result), "goal", args->goal);
    json_set_text(tool_result_details(result), "startedAt", now);
    return true;
}

static bool rewind_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const RewindArgs *args = args_;
    ToolContext *context = tool_call_context(call);
    g_autofree char *report = utf8_trim(args->report);
    if (!rewind_state_is_open(context))
        return fail_with(error, KEDGE_ERROR_USAGE, "No active checkpoint.");
    if (*report == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "Report cannot be empty.");
    if (!rewind_state_report(context, report))
        return fail_with(error, KEDGE_ERROR_USAGE, "No active checkpoint.");
    tool_result_add_text(result, "Rewind requested.\nReport captured for context replacement.");
    json_set_text(tool_result_details(result), "report", report);
    return true;
}

const ToolDef tool_checkpoint = {
    .name = "checkpoint",
    .label = "Checkpoint",
    .summary = "Mark this place in the conversation before an investigation",
    .description = "Mark this place in the conversation before an investigation that will show "
                   "much; `rewind` comes back to it. Files are not touched.",
    .effect = EFFECT_READ,
    .flags = TOOL_EXCLUSIVE | TOOL_OF_CONVERSATION | TOOL_DISCOVERABLE,
    .fields = checkpoint_fields,
    .args_size = sizeof(CheckpointArgs),
    .setting = "checkpoint.enabled",
    .run = checkpoint_run,
};

const ToolDef tool_rewind = {
    .name = "rewind",
    .label = "Rewind",
    .summary = "Go back to the checkpoint with a report in place of what followed it",
    .effect = EFFECT_READ,
    .flags = TOOL_EXCLUSIVE | TOOL_OF_CONVERSATION | TOOL_DISCOVERABLE,
    .fields = rewind_fields,
    .args_size = sizeof(RewindArgs),
    .setting = "checkpoint.enabled",
    .run = rewind_run,
};
