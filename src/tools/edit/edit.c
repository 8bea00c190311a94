/*
 * The edit tool: which of its modes is offered (edit_mode.h).
 */
#include "tools/edit/edit_mode.h"

#include "tools/tools.h"

static const struct {
    const char *name; // as in edit.mode
    const ToolDef *tool;
} modes[] = {
    { "hashline", &tool_edit_hashline },
    { "replace", &tool_edit_replace },
    { "patch", &tool_edit_patch },
    { "apply_patch", &tool_edit_apply_patch },
};

static const ToolDef *find_mode(const char *name)
{
    for (size_t i = 0; name && i < G_N_ELEMENTS(modes); i++)
        if (strcmp(modes[i].name, name) == 0)
            return modes[i].tool;
    return NULL;
}

/* Of several texts that the id holds the longest says most about the model. */
static const ToolDef *mode_of_model(const Settings *settings, const char *model_id)
{
    const ToolDef *best = NULL;
    size_t longest = 0;
    const json_t *variants = settings_get_json(settings, "edit.modelVariants");
    json_each_member (variants, part, mode) {
        const ToolDef *tool = find_mode(json_string_value(mode));
        if (tool && strlen(part) > longest && strstr(model_id, part)) {
            best = tool;
            longest = strlen(part);
        }
    }
    return best;
}

typedef struct AnyArgs {
    const char *path, *input;
    const json_t *edits;
} AnyArgs;

static const FieldDef any_fields[] = {
    { "path", FIELD_STRING, offsetof(AnyArgs, path) },
    { "input", FIELD_STRING, offsetof(AnyArgs, input) },
    { "edits", FIELD_JSON, offsetof(AnyArgs, edits) },
    { 0 },
};

/* What was asked for is no mode: said at the first call, whatever its arguments. */
static bool refuse(ToolCall *call G_GNUC_UNUSED, const void *args G_GNUC_UNUSED,
                   Judgement *ret_judgement G_GNUC_UNUSED, GError **error)
{
    const char *asked = edit_mode_variable("KEDGE_EDIT_VARIANT");
    return fail_with(error, KEDGE_ERROR_USAGE, "Invalid KEDGE_EDIT_VARIANT: %s",
                     asked ? asked : "");
}

static bool never_run(ToolCall *call, const void *args, ToolResult *result G_GNUC_UNUSED,
                      GError **error)
{
    return refuse(call, args, NULL, error);
}

static const ToolDef *edit_choose(const Settings *settings, const char *model_id)
{
    const char *variable = edit_mode_variable("KEDGE_EDIT_VARIANT");
    const ToolDef *tool = find_mode(variable);
    if (variable)
        return tool ? tool : &tool_edit;
    tool = model_id ? mode_of_model(settings, model_id) : NULL;
    return tool ? tool : find_mode(settings_get_text(settings, "edit.mode"));
}

/* As it stands in the table: no mode, so it only says what is wrong. */
const ToolDef tool_edit = {
    EDIT_TOOL,
    .flags = EDIT_FLAGS,
    .description = "Changes text in files.",
    .judge = refuse,
    .variant = edit_choose,
    .fields = any_fields,
    .args_size = sizeof(AnyArgs),
    .run = never_run,
};
