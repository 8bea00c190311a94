/*
 * `kedge wm init`: a configuration, three tasks to begin with, and the caller workflow
 * (task-engine §3.2).
 */
#include "base/file.h"
#include "cmd/wm_here.h"
#include "workflow/caller.h"
#include "workflow/repo_file.h"
#include "workflow/starters.h"
#include "workflow/wm_log.h"

typedef struct InitOptions {
    bool is_forced;
} InitOptions;

static const FieldDef init_options[] = {
    { "force", FIELD_BOOLEAN, offsetof(InitOptions, is_forced),
      .help = "Overwrite the configuration and the starter tasks" },
    { 0 },
};

static bool init(const InitOptions *options, GError **error)
{
    for (const WmStarter *starter = wm_starters; starter->path; starter++) {
        if (!options->is_forced && file_exists(starter->path))
            wm_say("kept existing %s", starter->path);
        else if (!wm_repo_file_write(".", starter->path, starter->text, NULL, error))
            return false;
    }
    return wm_here_compile(&(WmCompile) { .root = "." }, error);
}

static int init_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    InitOptions options = { 0 };
    if (!wm_decode(&command_wm_init, argc, argv, &options, &kept, NULL, 0, 0, &error) ||
        !init(&options, &error))
        return wm_fail(command_wm_init.name, error);
    wm_say("Initialized .wm/ and " WM_CALLER_PATH);
    return EXIT_OK;
}

const Command command_wm_init = {
    .name = "wm init",
    .summary = "Begin with tasks: .wm/, starter tasks, the caller workflow",
    .usage = "[--force]",
    .options = init_options,
    .help = "Works on the current directory. Files that are there are kept.",
    .run = init_run,
};
