/*
 * Asking a runner which tasks there are (recipe_ask.h). That may run code of the project, so it
 * is done for a call that is allowed only, which runs more of it.
 */
#include "tools/recipe/recipe_ask.h"

#include "base/limits.h"
#include "base/proc.h"
#include "tool/lent_calls.h"
#include "tools/shell/bash_env.h"

#define ASK_MS      (10 * 1000)
#define ERROR_TASKS 100

/* NULL: it cannot be asked, or the answer is no list. New reference. */
static json_t *ask(const char *dir, const RecipeKind *kind, ToolContext *context, Cancel *cancel)
{
    const Settings *settings = tool_context_settings(context);
    const CommandDoor *door = tool_context_command_door(context);
    g_autofree char *shell = NULL;
    if (!bash_find_shell(settings, &shell, NULL))
        return NULL;
    g_auto(GStrv) env = bash_environment(settings, shell);
    env = door ? door->environment(context, env) : env;
    const ProcSpec spec = {
        .argv = kind->argv,
        .cwd = dir,
        .env = (const char *const *)env,
        .profile = PROC_PROFILE_READER,
        .timeout_ms = ASK_MS,
        .max_output_bytes = LIMIT_RECIPE_LIST_BYTES,
        .max_error_bytes = 4 * KIB,
        .keep = PROC_KEEP_HEAD,
        .has_own_stderr = true,
        .stops_when_full = true,
    };
    g_auto(ProcResult) result = { 0 };
    json_t *list = NULL;
    bool is_told = proc_run(&spec, cancel, &result, NULL) && result.exit_status == 0;
    if (is_told)
        json_parse_text(result.output, &list, NULL);
    return list;
}

bool recipe_confirm(const char *dir, const RecipeChoice *choice, ToolContext *context,
                    Cancel *cancel, GError **error)
{
    const RecipeKind *kind = choice->kind;
    if (choice->is_known || !kind->argv)
        return true;
    g_autoptr(json_t) list = ask(dir, kind, context, cancel);
    if (!cancel_check(cancel, error))
        return false;
    g_autoptr(RecipeRunner) runner = recipe_runner_new(kind, LIMIT_RECIPE_TASKS);
    kind->take(list, runner);
    if (runner->tasks->len == 0 || runner->has_more || recipe_find(runner, choice->name))
        return true;
    g_autoptr(GPtrArray) runners = g_ptr_array_new();
    g_ptr_array_add(runners, runner);
    g_autofree char *text = recipe_list(runners, ERROR_TASKS, false);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s has no task \"%s\". Available tasks:\n%s",
                     kind->name, choice->name, text);
}
