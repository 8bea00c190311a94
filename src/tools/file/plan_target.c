/* See plan_target.h. */
#include "tools/file/plan_target.h"

#include "tool/context.h"
#include "tools/file/workspace_path.h"

static bool fail_other(const char *file, GError **error)
{
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "Plan mode: only the plan file may be modified (%s).", file);
}

bool plan_target_check_other(ToolContext *context, GError **error)
{
    g_autofree char *file = plan_mode_file(tool_context_plan_mode(context));
    return !file || fail_other(file, error);
}

static bool check_not_planning(ToolContext *context, const char *what, GError **error)
{
    return !plan_mode_is_on(tool_context_plan_mode(context)) ||
           fail_with(error, KEDGE_ERROR_DENIED, "Plan mode: %s files is not allowed.", what);
}

bool plan_target_check_rename(ToolContext *context, GError **error)
{
    return check_not_planning(context, "renaming", error);
}

bool plan_target_check_delete(ToolContext *context, GError **error)
{
    return check_not_planning(context, "deleting", error);
}

static bool has_name_of(const char *asked, const char *file)
{
    g_autofree char *cleaned = workspace_clean(asked);
    g_autofree char *name = g_path_get_basename(cleaned);
    return g_str_equal(name, file + strlen("local://"));
}

bool plan_target(ToolContext *context, const char *asked, char **ret_path, char **ret_shown,
                 GError **error)
{
    PlanMode *mode = tool_context_plan_mode(context);
    g_autofree char *file = plan_mode_file(mode);
    if (!file)
        return workspace_target(context, asked, ret_path, ret_shown, error);
    g_autofree char *plan_path = NULL;
    g_autofree char *plan_shown = NULL;
    if (!plan_mode_may_write(mode))
        return fail_other(file, error);
    if (!workspace_target(context, file, &plan_path, &plan_shown, error))
        return false;
    g_autofree char *path = NULL;
    g_autofree char *shown = NULL;
    bool is_plan =
        has_name_of(asked, file) ||
        (workspace_target(context, asked, &path, &shown, NULL) && g_str_equal(path, plan_path));
    if (!is_plan)
        return fail_other(file, error);
    *ret_path = g_steal_pointer(&plan_path);
    *ret_shown = g_steal_pointer(&plan_shown);
    return true;
}

void plan_target_judge(ToolContext *context, const char *asked, bool is_name, Judgement *judgement)
{
    g_autofree char *path = NULL;
    g_autofree char *shown = NULL;
    judgement_add_action(judgement, "write", asked, NULL, NULL);
    if (plan_target(context, asked, &path, &shown, NULL)) // else the call says why not
        judgement_add_write(judgement, path, is_name);
}
