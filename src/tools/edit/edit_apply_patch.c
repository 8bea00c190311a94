/*
 * edit in mode `apply_patch`: one text that changes several files (agent-tools §3.3.11).
 */
#include "tools/edit/edit_mode.h"
#include "tools/edit/patch_call.h"

typedef struct ApplyArgs {
    const char *input;
} ApplyArgs;

static const FieldDef apply_fields[] = {
    { "input", FIELD_STRING, offsetof(ApplyArgs, input), .is_required = true },
    { 0 },
};

static bool apply_judge(ToolCall *call, const void *args_, Judgement *ret_judgement, GError **error)
{
    const ApplyArgs *args = args_;
    GPtrArray *entries = NULL;
    if (!patch_envelope_parse(args->input, &entries, error))
        return false;
    patch_call_judge(call, entries, ret_judgement);
    return true;
}

static bool apply_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                      GError **error)
{
    return patch_call_run(call, true, result, error);
}

static const char description[] =
    "Changes, creates, deletes or moves files. `input` is\n"
    "*** Begin Patch\n"
    "*** Add File: PATH (then its lines, each with `+` in front)\n"
    "*** Delete File: PATH\n"
    "*** Update File: PATH\n"
    "*** Move to: PATH (if it gets another name)\n"
    "@@ TEXT OF A LINE ABOVE (more `@@` lines go further in) or only @@, then lines with ` ` "
    "(kept), `-` (removed) or `+` (added) in front; *** End of File ends a hunk at the end\n"
    "*** End Patch\n"
    "Lines that are kept or removed are what the file holds, with their indentation, and enough of "
    "them to be found once.";

const ToolDef tool_edit_apply_patch = {
    EDIT_TOOL,
    .flags = EDIT_FLAGS,
    .description = description,
    .judge = apply_judge,
    .fields = apply_fields,
    .args_size = sizeof(ApplyArgs),
    .run = apply_run,
};
