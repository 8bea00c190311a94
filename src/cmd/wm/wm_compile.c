/*
 * `kedge wm compile`: the caller workflow, made again (task-engine §3.3).
 */
#include "cmd/wm/wm_here.h"

typedef struct CompileOptions {
    bool only_checks, refreshes_stop_after;
} CompileOptions;

static const FieldDef compile_options[] = {
    { "check", FIELD_BOOLEAN, offsetof(CompileOptions, only_checks),
      .help = "Write nothing; fail when a file is not up to date" },
    { "refreshStopAfter", FIELD_BOOLEAN, offsetof(CompileOptions, refreshes_stop_after),
      .help = "Count relative deadlines (on.stop-after) from now" },
    { 0 },
};

static int compile_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    CompileOptions options = { 0 };
    if (!wm_decode(&command_wm_compile, argc, argv, &options, &kept, NULL, 0, 0, &error))
        return wm_fail(command_wm_compile.name, error);
    if (options.only_checks && options.refreshes_stop_after) {
        fail_with(&error, KEDGE_ERROR_USAGE,
                  "--check and --refresh-stop-after exclude one another");
        return wm_fail(command_wm_compile.name, error);
    }
    const WmCompile work = { .root = ".",
                             .only_checks = options.only_checks,
                             .refreshes_stop_after = options.refreshes_stop_after };
    return wm_here_compile(&work, &error) ? EXIT_OK : wm_fail(command_wm_compile.name, error);
}

const Command command_wm_compile = {
    .name = "wm compile",
    .summary = "Make .github/workflows/wm-agent.yml of the tasks",
    .usage = "[--check] [--refresh-stop-after]",
    .options = compile_options,
    .help = "Works on the current directory. Nothing is written unless all tasks can be read.",
    .run = compile_run,
};
