/* See gh_last_error.h. */
#include "github/audit/gh_last_error.h"

#include "base/visible.h"
#include "github/audit/gh_record.h"
#include "github/audit/gh_record_session.h"

typedef struct LastErrorArgs {
    int64_t number;
} LastErrorArgs;

static const FieldDef last_error_fields[] = {
    { "number", FIELD_INTEGER, offsetof(LastErrorArgs, number), .default_text = "1",
      .help = "From 1, the newest" },
    { 0 },
};

static bool run_last_error(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const LastErrorArgs *args = args_;
    int64_t number = MAX(args->number, 1);
    const Artifacts *artifacts = tool_call_artifacts(call);
    g_autofree char *session =
        artifacts ? g_strconcat(artifacts_dir(artifacts), ".jsonl", NULL) : NULL;
    g_autoptr(json_t) records = NULL;
    if (!gh_record_load_all(session, &records, error))
        return false;
    int64_t count = (int64_t)json_array_size(records);
    if (number > count && count > 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "there is no gh call %" G_GINT64_FORMAT ": %" G_GINT64_FORMAT
                         " are remembered",
                         number, count);
    g_autofree char *text = count > 0
                                ? gh_record_to_text(json_array_get(records, (size_t)number - 1))
                                : g_strdup("No gh call in this session.");
    g_autofree char *shown = visible_lines(text);
    tool_result_add_text(result, shown);
    return true;
}

const ToolDef tool_gh_last_error = {
    .name = "gh_last_error",
    .label = "GitHub: last call",
    .summary = "Show the last gh call in full: context, argv, class, result, how to repeat it",
    .effect = EFFECT_READ,
    .flags = TOOL_HIDDEN | TOOL_EXACT | TOOL_KEEPS_TEXT | TOOL_ONLY_READS,
    .fields = last_error_fields,
    .args_size = sizeof(LastErrorArgs),
    .run = run_last_error,
};
