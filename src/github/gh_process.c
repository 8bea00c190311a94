/*
 * The one start of gh (gh_process.h). tests/house/check-house watches that it stays the only one,
 * and what it may be without a permit.
 */
#include "github/gh_process.h"

#include "base/git.h"
#include "base/limits.h"
#include "github/gh_env.h"
#include "github/gh_place.h"

#define ASK_TIMEOUT_MS (5 * 1000)
#define ASK_BYTES      (4 * KIB)
#define UPGRADE_MS     (10 * 60 * 1000)
#define UPGRADE_BYTES  (64 * KIB)

/* gh runs `git status` and more where it is, in whatever repository: no filter of its configuration
   runs. After a merge with --delete-branch it checks a branch out, which git-lfs has to fill. */
static bool close_git(const GhProcess *process, Cancel *cancel, char ***env, GError **error)
{
    static const char *const writing[] = { "merge", "close", NULL };
    bool writes_tree = g_strcmp0(process->argv[0], "pr") == 0 && process->argv[1] &&
                       g_strv_contains(writing, process->argv[1]);
    return git_close_filters(process->proc.cwd, writes_tree, cancel, env, error);
}

/* Place, environment, argument vector. `is_aside`: not where the person works. */
static bool start(const GhProcess *process, const Settings *settings, bool is_aside, Cancel *cancel,
                  ProcResult *ret_result, GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_ptr_array_add(argv, (char *)process->path);
    for (const char *const *arg = process->argv; *arg; arg++)
        g_ptr_array_add(argv, (char *)*arg);
    g_ptr_array_add(argv, NULL);
    g_auto(GStrv) env = process->inherits_target
                            ? gh_env_new(settings)
                            : gh_env_new_for(process->set_host, process->set_repo);
    if (!is_aside && !close_git(process, cancel, &env, error))
        return false;
    ProcSpec proc = process->proc;
    proc.argv = (const char *const *)argv->pdata;
    proc.env = (const char *const *)env;
    proc.profile = PROC_PROFILE_TOOL;
    proc.has_own_stderr = true;

    g_auto(GhPlace) place = false;
    return gh_place_enter(cancel, &place, error) && proc_run(&proc, cancel, ret_result, error);
}

bool gh_process_run(ToolCall *call, const GhProcess *process, ProcResult *ret_result,
                    GError **error)
{
    g_assert(tool_call_permit(call) != NULL);
    return start(process, tool_call_settings(call), false, tool_call_cancel(call), ret_result,
                 error);
}

static const ProcSpec ask_limits = {
    .cwd = "/",
    .timeout_ms = ASK_TIMEOUT_MS,
    .max_output_bytes = ASK_BYTES,
    .keep = PROC_KEEP_HEAD,
};

bool gh_process_ask_version(const char *path, Cancel *cancel, ProcResult *ret_result,
                            GError **error)
{
    const GhProcess process = {
        .path = path,
        .argv = (const char *const[]) { "--version", NULL },
        .proc = ask_limits,
    };
    return start(&process, NULL, true, cancel, ret_result, error);
}

bool gh_process_ask_token(const char *path, const char *host, Cancel *cancel,
                          ProcResult *ret_result, GError **error)
{
    const GhProcess process = {
        .path = path,
        .argv = (const char *const[]) { "auth", "token", "--hostname", host, NULL },
        .proc = ask_limits,
    };
    return start(&process, NULL, true, cancel, ret_result, error);
}

bool gh_process_upgrade_extension(const char *path, const char *name, Cancel *cancel,
                                  ProcResult *ret_result, GError **error)
{
    const GhProcess process = {
        .path = path,
        .argv = (const char *const[]) { "extension", "upgrade", name, NULL },
        .proc = { .cwd = "/", .timeout_ms = UPGRADE_MS, .max_output_bytes = UPGRADE_BYTES },
    };
    return start(&process, NULL, true, cancel, ret_result, error);
}
