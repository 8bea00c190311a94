/*
 * `kedge wm upgrade`: the newer version of kedge as an extension of gh (task-engine §3.6).
 */
#include "base/log.h"
#include "cmd/cli/direct.h"
#include "cmd/wm/wm_here.h"
#include "github/gh_env.h"
#include "github/gh_process.h"
#include "wm/task/wm_log.h"

#define FAILED "gh extension upgrade failed: "

/* What gh had to say, a line each: no line of it may read as a runner's command. */
static void say_lines(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    for (char **line = lines; *line; line++) {
        if (*g_strstrip(*line))
            wm_say("%s", *line);
    }
}

static bool upgrade(void *data, Cancel *cancel, GError **error)
{
    const char *name = data;
    g_autofree char *cwd = g_get_current_dir();
    g_autoptr(Settings) settings = cmd_load_settings(cwd);
    g_autofree char *path = gh_env_find_executable(settings, cwd, NULL);
    g_auto(ProcResult) result = { 0 };
    if (!path)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, FAILED "gh not found on PATH");
    if (!gh_process_upgrade_extension(path, name, cancel, &result, error)) {
        g_prefix_error(error, FAILED);
        return false;
    }
    if (result.exit_status == 0)
        return true;
    say_lines(result.output);
    say_lines(result.error_output);
    return fail_with(error, KEDGE_ERROR_FAILED, FAILED "exit status %d", result.exit_status);
}

static int upgrade_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    static const FieldDef none[] = { { 0 } };
    const Command command = { .name = command_wm_upgrade.name, .options = none };
    if (!wm_decode(&command, argc, argv, NULL, &kept, NULL, 0, 0, &error))
        return wm_fail(command.name, error);
    wm_say("Upgrading kedge gh extension...");
    const char *name = strcmp(env->program, "gh-wm") == 0 ? "wm" : "kedge";
    int code = wm_work(command.name, upgrade, (char *)name);
    if (code == EXIT_OK)
        wm_say("gh extension upgrade completed.");
    return code;
}

const Command command_wm_upgrade = {
    .name = "wm upgrade",
    .summary = "Upgrade kedge where it is an extension of gh",
    .usage = "",
    .help = "Runs `gh extension upgrade kedge` (`wm` when called as gh wm).",
    .run = upgrade_run,
};
