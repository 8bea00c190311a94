/*
 * report_finding: one finding of a review, for whoever asked for the review (agent-tools §3.30).
 */
#include "tools/tools.h"

#include <math.h>
#include <stdint.h>

typedef struct FindingArgs {
    const char *title, *body, *priority, *file_path;
    double confidence;
    int64_t line_start, line_end;
} FindingArgs;

static const char *const priorities[] = { "P0", "P1", "P2", "P3", NULL };

static const FieldDef finding_fields[] = {
    { "title", FIELD_STRING, offsetof(FindingArgs, title), .is_required = true },
    { "body", FIELD_STRING, offsetof(FindingArgs, body), .is_required = true },
    { "priority", FIELD_ENUM, offsetof(FindingArgs, priority), .is_required = true,
      .values = priorities },
    { "confidence", FIELD_NUMBER, offsetof(FindingArgs, confidence), .is_required = true,
      .help = "0 to 1" },
    { "file_path", FIELD_STRING, offsetof(FindingArgs, file_path), .is_required = true },
    { "line_start", FIELD_INTEGER, offsetof(FindingArgs, line_start), .is_required = true, .min = 1,
      .max = INT32_MAX },
    { "line_end", FIELD_INTEGER, offsetof(FindingArgs, line_end), .is_required = true, .min = 1,
      .max = INT32_MAX },
    { 0 },
};

static bool finding_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const FindingArgs *args = args_;
    if (!isfinite(args->confidence) || args->confidence < 0 || args->confidence > 1)
        return fail_with(error, KEDGE_ERROR_USAGE, "confidence must be between 0 and 1, not %g",
                         args->confidence);
    if (args->line_end < args->line_start)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "line_end (%" G_GINT64_FORMAT ") is before line_start (%" G_GINT64_FORMAT
                         ")",
                         args->line_end, args->line_start);
    g_autofree char *end = args->line_end > args->line_start
                               ? g_strdup_printf("-%" G_GINT64_FORMAT, args->line_end)
                               : g_strdup("");
    g_autofree char *text = g_strdup_printf(
        "Finding recorded: %s %s\nLocation: %s:%" G_GINT64_FORMAT "%s\nConfidence: %.0f%%",
        args->priority, args->title, args->file_path, args->line_start, end,
        args->confidence * 100);
    tool_result_add_text(result, text);
    json_object_update(tool_result_details(result), (json_t *)tool_call_arguments(call));
    return true;
}

const ToolDef tool_report_finding = {
    .name = "report_finding",
    .label = "Report finding",
    .summary = "Record one finding of a review",
    .effect = EFFECT_READ,
    .flags = TOOL_HIDDEN,
    .fields = finding_fields,
    .args_size = sizeof(FindingArgs),
    .run = finding_run,
};
