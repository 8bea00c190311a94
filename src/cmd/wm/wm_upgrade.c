/*
 * `kedge wm upgrade`: the newer version of kedge as an extension of gh, or the commit at which the
 * reusable workflows are called (task-engine §3.6).
 */
#include "base/limits.h"
#include "base/log.h"
#include "base/yaml_edit.h"
#include "cmd/cli/direct.h"
#include "cmd/wm/wm_here.h"
#include "github/gh_env.h"
#include "github/gh_process.h"
#include "wm/compile/caller_values.h"
#include "wm/task/repo_file.h"
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

// ---- the pin ----

#define COMMIT_DIGITS 40

static bool is_commit(const char *ref)
{
    return strlen(ref) == COMMIT_DIGITS && strspn(ref, "0123456789abcdef") == COMMIT_DIGITS;
}

/* The commit that the branch or tag `ref` is now. Caller frees. */
static bool find_commit(const char *repository, const char *ref, Cancel *cancel, char **ret_commit,
                        GError **error)
{
    g_auto(WmRepo) repo = { 0 };
    g_autoptr(WmApi) api = NULL;
    g_autofree char *cwd = g_get_current_dir();
    if (!wm_repo_find(repository, ".", cancel, &repo, error) ||
        !wm_api_new(&repo, cwd, cancel, &api, error))
        return false;
    g_autofree char *encoded = wm_encode(ref);
    g_autofree char *path = wm_path(api, "/commits/%s", encoded);
    g_autoptr(json_t) body = NULL;
    if (!wm_api_get(api, path, cancel, &body, error))
        return false;
    const char *commit = json_get_text(body, "sha");
    if (!commit || !is_commit(commit))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s names no commit for %s", repository, ref);
    *ret_commit = g_strdup(commit);
    return true;
}

static bool write_pin(const char *commit, GError **error)
{
    static const char *const path[] = { "workflow", "reusable_ref", NULL };
    g_autofree char *before = NULL, *after = NULL;
    if (!wm_repo_file_read(".", WM_CONFIG_PATH, LIMIT_CONFIG_FILE_BYTES, &before, error))
        return false;
    const char *text = before ? before : "";
    g_autoptr(json_t) value = json_text(commit);
    return yaml_edit(text, strlen(text), WM_CONFIG_PATH, path, value, &after, error) &&
           wm_repo_file_write(".", WM_CONFIG_PATH, after, NULL, error);
}

/* From a branch or tag to its commit; from a commit to that of the home branch. */
static bool pin(void *data G_GNUC_UNUSED, Cancel *cancel, GError **error)
{
    g_autoptr(WmConfig) config = NULL;
    g_autofree char *repository = NULL, *ref = NULL, *commit = NULL;
    if (!wm_config_read(".", NULL, &config, error) ||
        !wm_caller_repository(config, NULL, &repository, &ref, error))
        return false;
    const char *from = is_commit(ref) ? WM_HOME_REF : ref;
    if (!find_commit(repository, from, cancel, &commit, error) || !write_pin(commit, error))
        return false;
    wm_say("workflow.reusable_ref: %s, which is %s of %s now", commit, from, repository);
    return wm_here_compile(&(WmCompile) { .root = "." }, error);
}

// ---- the command ----

typedef struct UpgradeOptions {
    bool pins;
} UpgradeOptions;

static const FieldDef upgrade_options[] = {
    { "pin", FIELD_BOOLEAN, offsetof(UpgradeOptions, pins),
      .help = "Call the reusable workflows at the commit that their branch is now, and compile" },
    { 0 },
};

static int upgrade_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    const Command command = command_wm_upgrade;
    UpgradeOptions options = { 0 };
    if (!wm_decode(&command, argc, argv, &options, &kept, NULL, 0, 0, &error))
        return wm_fail(command.name, error);
    if (options.pins)
        return wm_work(command.name, pin, NULL);
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
    .usage = "[--pin]",
    .options = upgrade_options,
    .help =
        "Runs `gh extension upgrade kedge` (`wm` when called as gh wm).\n"
        "With --pin it does not: workflow.reusable_ref in .wm/config.yml becomes the commit that "
        "the branch or tag is now (that of main, when it is a commit already), and the caller "
        "workflow is compiled. A branch can be moved by whoever can push to it; a commit cannot.",
    .run = upgrade_run,
};
