/*
 * `kedge wm validate`: everything that is wrong with configuration and tasks (task-engine §3.4).
 */
#include "base/log.h"
#include "cmd/wm/wm.h"
#include "wm/task/project.h"
#include "wm/task/wm_log.h"

typedef struct ValidateOptions {
    const char *repo_root;
} ValidateOptions;

static const FieldDef validate_options[] = {
    { "repoRoot", FIELD_STRING, offsetof(ValidateOptions, repo_root), .value_name = "DIR",
      .help = "Directory with .wm/ (default: .)" },
    { 0 },
};

static int validate_run(const CommandEnv *env, int argc, char *const *argv)
{
    ValidateOptions options = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_decode(&command_wm_validate, argc, argv, &options, &kept, NULL, 0, 0, &error))
        return wm_fail("wm validate", error);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    wm_project_validate(options.repo_root ? options.repo_root : ".", problems, warnings);
    for (guint i = 0; i < warnings->len; i++)
        wm_say_as(WM_WARN, "wm: %s", (char *)warnings->pdata[i]);
    for (guint i = 0; i < problems->len; i++)
        wm_say_as(WM_ERROR, "error: %s", (char *)problems->pdata[i]);
    if (problems->len == 0)
        log_text("wm validate: ok");
    else
        log_text("error: validation failed (%u problem(s))", problems->len);
    return problems->len == 0 ? EXIT_OK : EXIT_FAILED;
}

const Command command_wm_validate = {
    .name = "wm validate",
    .summary = "Check configuration and tasks without writing",
    .usage = "[options]",
    .options = validate_options,
    .help = "Warnings (wm: …) do not fail, problems (error: …) do.",
    .run = validate_run,
};
