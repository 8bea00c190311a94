/* See feature_branch.h. */
#include "wm/workspace/feature_branch.h"

#include "base/str.h"
#include "base/timefmt.h"
#include "wm/workspace/run_dir.h"

#include <string.h>

static bool exists(const WmGit *git, const char *name, Cancel *cancel)
{
    g_autofree char *ref = g_strconcat("refs/heads/", name, NULL);
    const char *const args[] = { "show-ref", "--verify", "--quiet", "--", ref, NULL };
    int status = 0;
    return wm_git_ask(git, args, 0, cancel, &status, NULL, NULL, NULL) && status == 0;
}

char *wm_branch_name(const char *task_name, gint64 at_ms)
{
    g_autofree char *slug = wm_slug(task_name);
    struct tm at = { .tm_mday = 1 };
    time_to_utc((time_t)(at_ms / 1000), &at);
    return g_strdup_printf(WM_BRANCH_PREFIX "%s-%04d%02d%02d-%02d%02d%02d", slug, at.tm_year + 1900,
                           at.tm_mon + 1, at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec);
}

bool wm_branch_make(const WmGit *git, const char *task_name, gint64 at_ms, const char *commit,
                    Cancel *cancel, char **ret_name, GError **error)
{
    g_autofree char *first = wm_branch_name(task_name, at_ms);
    for (int i = 1; i <= WM_BRANCH_MAX_SUFFIX; i++) {
        g_autofree char *name = i == 1 ? g_strdup(first) : g_strdup_printf("%s-%d", first, i);
        if (exists(git, name, cancel))
            continue;
        const char *const args[] = { "branch", "-q",   "--no-track", "--end-of-options",
                                     name,     commit, NULL };
        g_autoptr(GError) failed = NULL;
        g_autofree char *tried = g_strconcat("branch ", name, NULL);
        if (wm_git_named(git, args, tried, cancel, &failed)) {
            *ret_name = g_steal_pointer(&name);
            return true;
        }
        if (error_is(failed, KEDGE_ERROR_FAILED) && exists(git, name, cancel))
            continue; // another run was faster
        return pass_error(error, &failed);
    }
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "git branch %s: this branch and those up to %s-%d are there already", first,
                     first, WM_BRANCH_MAX_SUFFIX);
}

bool wm_branch_is_for_pull(const char *branch, const char *ref)
{
    return g_strcmp0(branch, ref) == 0 || str_has_prefix(branch, WM_BRANCH_PREFIX);
}

bool wm_branch_check_base(const WmGit *git, const char *base, Cancel *cancel, GError **error)
{
    return !base || wm_git_branch_name_is_valid(git, base, cancel) ||
           fail_with(error, KEDGE_ERROR_FAILED,
                     "safe-outputs.create-pull-request.base-branch: \"%s\" is no name of a branch",
                     base);
}

bool wm_branch_prepare(const WmGit *git, const WmBranchWish *wish, Cancel *cancel, char **ret_name,
                       char **ret_previous, GError **error)
{
    g_autofree char *previous = NULL, *name = NULL;
    if (!wm_git_branch(git, cancel, &previous, error))
        return false;
    g_autofree char *usual = wm_git_default_branch(git, wish->of_payload, cancel);
    if (!cancel_check(cancel, error) || !wm_branch_check_base(git, wish->base, cancel, error))
        return false;
    const char *base = wish->base ? wish->base : usual;
    if (strcmp(previous, usual) != 0 && strcmp(previous, base) != 0 &&
        strcmp(previous, "HEAD") != 0) {
        *ret_name = g_strdup(previous);
        *ret_previous = g_steal_pointer(&previous);
        return true;
    }
    if (!wm_branch_make(git, wish->task_name, wish->at_ms, "HEAD", cancel, &name, error))
        return false;
    const char *const args[] = { "checkout", "-q", name, "--", NULL };
    if (!wm_git(git, args, 0, cancel, NULL, error))
        return false;
    *ret_name = g_steal_pointer(&name);
    *ret_previous = g_steal_pointer(&previous);
    return true;
}
