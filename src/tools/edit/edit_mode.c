/*
 * What the modes of edit have in common (edit_mode.h).
 */
#include "tools/edit/edit_mode.h"

#include "tools/file/plan_target.h"

const char *edit_mode_variable(const char *name)
{
    const char *value = g_getenv(name);
    return value && *value && strcmp(value, "auto") != 0 ? value : NULL;
}

void edit_mode_judge_file(const ToolCall *call, Judgement *judgement, const char *path)
{
    char *before = judgement->summary;
    judgement->effect = EFFECT_WRITE;
    judgement->summary =
        before ? g_strconcat(before, ", ", path, NULL) : g_strconcat("edits ", path, NULL);
    g_free(before);
    plan_target_judge(tool_call_context(call), path, false, judgement);
}

bool edit_mode_is_fuzzy(const Settings *settings, bool *ret_is_fuzzy, GError **error)
{
    const char *asked = edit_mode_variable("KEDGE_EDIT_FUZZY");
    bool is_on = asked && (strcmp(asked, "true") == 0 || strcmp(asked, "1") == 0);
    bool is_off = asked && (strcmp(asked, "false") == 0 || strcmp(asked, "0") == 0);
    if (asked && !is_on && !is_off)
        return fail_with(error, KEDGE_ERROR_USAGE, "Invalid KEDGE_EDIT_FUZZY: %s", asked);
    *ret_is_fuzzy = asked ? is_on : settings_get_bool(settings, "edit.fuzzyMatch");
    return true;
}
