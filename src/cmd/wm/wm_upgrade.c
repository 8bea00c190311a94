/*
 * `kedge wm upgrade`: the newer version of kedge as an extension of gh, or the commit at which the
 * reusable workflows are called and the release that they install (task-engine §3.6).
 */
#include "base/log.h"
#include "cmd/cli/direct.h"
#include "cmd/wm/wm_here.h"
#include "cmd/wm/wm_pin.h"
#include "github/gh_env.h"
#include "github/gh_process.h"
#include "wm/compile/caller_values.h"
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

static bool upgrade_extension(void *data, Cancel *cancel, GError **error)
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

static bool open_api(const char *repository, Cancel *cancel, WmApi **ret_api, GError **error)
{
    g_auto(WmRepo) repo = { 0 };
    g_autofree char *cwd = g_get_current_dir();
    return wm_repo_find(repository, ".", cancel, &repo, error) &&
           wm_api_new(&repo, cwd, cancel, ret_api, error);
}

/* The commit that the branch or tag `ref` is now. Caller frees. */
static bool find_commit(const char *repository, const char *ref, Cancel *cancel, char **ret_commit,
                        GError **error)
{
    g_autoptr(WmApi) api = NULL;
    if (!open_api(repository, cancel, &api, error))
        return false;
    g_autofree char *encoded = wm_encode(ref);
    g_autofree char *path = wm_path(api, "/commits/%s", encoded);
    g_autoptr(json_t) body = NULL;
    if (!wm_api_get(api, path, cancel, &body, error))
        return false;
    const char *commit = json_get_text(body, "sha");
    if (!commit || !wm_pin_is_commit(commit))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s names no commit for %s", repository, ref);
    *ret_commit = g_strdup(commit);
    return true;
}

/* The newest release, if there is one. Caller frees; NULL: none, which is said. */
static char *find_release(const char *repository, Cancel *cancel)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(WmApi) api = NULL;
    g_autoptr(json_t) body = NULL;
    if (!open_api(repository, cancel, &api, &problem))
        return NULL; // what was asked before has said it
    g_autofree char *path = wm_path(api, "/releases/%s", "latest");
    bool is_answered = wm_api_get(api, path, cancel, &body, &problem);
    const char *tag = is_answered ? json_get_text(body, "tag_name") : NULL;
    if (!tag)
        wm_say("wm: no release of %s is known, and none is pinned (workflow.kedge_version): %s",
               repository, problem ? problem->message : "the answer names none");
    return g_strdup(tag);
}

/* From a branch or tag to its commit; from a commit to that of the home branch. What is installed
   there goes with it. */
static bool upgrade_pin(void *data G_GNUC_UNUSED, Cancel *cancel, GError **error)
{
    g_autoptr(WmConfig) config = NULL;
    g_autofree char *repository = NULL, *ref = NULL;
    g_auto(WmPin) found = { 0 };
    if (!wm_config_read(".", NULL, &config, error) ||
        !wm_caller_repository(config, NULL, &repository, &ref, error))
        return false;
    const char *from = wm_pin_is_commit(ref) ? WM_HOME_REF : ref;
    if (!find_commit(repository, from, cancel, &found.commit, error))
        return false;
    if (wm_caller_installs_release(config))
        found.version = find_release(repository, cancel);
    if (!wm_pin_write(&found, error))
        return false;
    wm_say("workflow.reusable_ref: %s, which is %s of %s now", found.commit, from, repository);
    if (found.version)
        wm_say("workflow.kedge_version: %s, its newest release", found.version);
    return wm_here_compile(&(WmCompile) { .root = "." }, error);
}

// ---- the command ----

typedef struct UpgradeOptions {
    bool pins;
} UpgradeOptions;

static const FieldDef upgrade_options[] = {
    { "pin", FIELD_BOOLEAN, offsetof(UpgradeOptions, pins),
      .help = "Pin the workflow to the commit and the release that are the newest now" },
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
        return wm_work(command.name, upgrade_pin, NULL);
    wm_say("Upgrading kedge gh extension...");
    const char *name = strcmp(env->program, "gh-wm") == 0 ? "wm" : "kedge";
    int code = wm_work(command.name, upgrade_extension, (char *)name);
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
        "the branch or tag is now (that of main, when it is a commit already), "
        "workflow.kedge_version the newest release, and the caller workflow is compiled. A branch "
        "can be moved by whoever can push to it; a commit cannot.",
    .run = upgrade_run,
};
