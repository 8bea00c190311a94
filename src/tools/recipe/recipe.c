/*
 * recipe: run a task of the project (agent-tools §3.28). It is bash with another face: what runs is
 * the command of the task, judged, guarded, limited and answered as bash's.
 *
 * What tasks there are is read from files; no program runs before a call is allowed.
 */
#include "base/path.h"
#include "tool/tool_set.h"
#include "tools/recipe/recipe_ask.h"
#include "tools/recipe/recipe_tasks.h"
#include "tools/shell/bash.h"
#include "tools/shell/bash_command.h"
#include "tools/tools.h"

#define SHOWN_TASKS 20 // of one runner, in the description

typedef struct RecipeArgs {
    const char *op;
} RecipeArgs;

static const FieldDef recipe_fields[] = {
    { "op", FIELD_STRING, offsetof(RecipeArgs, op), .is_required = true },
    { 0 },
};

/* Of the directory whose settings hold. */
static GPtrArray *runners_here(const Settings *settings, unsigned max_tasks)
{
    const char *dir = settings ? settings_cwd(settings) : NULL;
    return dir ? recipe_read(dir, max_tasks) : g_ptr_array_new();
}

/* A project may turn it off, and not on again. */
static bool is_enabled(const Settings *settings)
{
    return !json_is_false(settings_user_json(settings, "recipe.enabled")) &&
           !json_is_false(settings_project_json(settings, "recipe.enabled"));
}

static bool recipe_is_available(const Settings *settings)
{
    if (!is_enabled(settings))
        return false;
    g_autoptr(GPtrArray) runners = runners_here(settings, 1);
    return runners->len > 0;
}

static char *describe(const ToolSet *offered)
{
    g_autoptr(GPtrArray) runners = runners_here(tool_set_settings(offered), SHOWN_TASKS + 1);
    g_autofree char *list = recipe_list(runners, SHOWN_TASKS, true);
    return g_strconcat("Runs a project task in bash: `[runner:]task [args]`.",
                       runners->len > 0 ? "\n" : "", list, NULL);
}

/* Only who may run any command has its arguments read by a shell. */
static bool choose(const ToolCall *call, const char *op, RecipeChoice **ret_choice, GError **error)
{
    const ToolSet *tools = tool_call_tools(call);
    bool has_shell = tools && tool_set_find(tools, tool_bash.name);
    return recipe_choose(tool_call_cwd(call), op, has_shell ? RECIPE_SHELL : RECIPE_WORDS,
                         ret_choice, error);
}

static void free_choice(void *choice)
{
    recipe_choice_free(choice);
}

/* The task that is judged is the one that runs, whatever becomes of the files meanwhile. */
static bool recipe_judge(ToolCall *call, const void *args_, Judgement *ret_judgement,
                         GError **error)
{
    const RecipeArgs *args = args_;
    RecipeChoice *choice = NULL;
    if (!choose(call, args->op, &choice, error))
        return false;
    bash_judge_command(choice->command, choice->dir, ret_judgement);
    tool_call_prepare(call, choice, free_choice);
    return true;
}

static bool recipe_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                       GError **error)
{
    const RecipeChoice *choice = tool_call_prepared(call);
    const char *root = tool_call_cwd(call);
    if (!recipe_confirm(root, choice, tool_call_context(call), tool_call_cancel(call), error))
        return false;
    g_autofree char *dir = choice->dir ? path_absolute(choice->dir, root) : NULL;
    const BashCommand command = { .command = choice->command, .cwd = dir };
    if (!bash_run_command(call, &command, result, error))
        return false;
    json_t *details = tool_result_details(result);
    json_add(details, "command:%s cwd:%s", choice->command, choice->dir);
    return true;
}

const ToolDef tool_recipe = {
    .name = "recipe",
    .label = "Recipe",
    .summary = "Run a task of the project (just, package.json, cargo, make, task)",
    .describe = describe,
    .effect = EFFECT_WRITE,
    .judge = recipe_judge,
    .flags = TOOL_EXCLUSIVE | TOOL_CAN_DESTROY | TOOL_OPEN_WORLD | TOOL_DISCOVERABLE,
    .fields = recipe_fields,
    .args_size = sizeof(RecipeArgs),
    .is_available = recipe_is_available,
    .run = recipe_run,
};

/* As bash's interceptor. What is no task is said by the judge. */
static bool intercept(ToolCall *call, const json_t *arguments, json_t **ret_changed G_GNUC_UNUSED,
                      void *user_data G_GNUC_UNUSED, GError **error)
{
    const char *op = json_get_text(arguments, "op");
    g_autoptr(RecipeChoice) choice = NULL;
    if (tool_call_tool(call)->run != recipe_run || !op || !choose(call, op, &choice, NULL))
        return true;
    return bash_check_intercept(tool_call_settings(call), choice->command, choice->command, error);
}

const ToolHook recipe_interceptor = { .name = "the interceptor of tasks", .before = intercept };
