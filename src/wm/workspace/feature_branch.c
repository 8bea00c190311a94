/* See feature_branch.h. */
#include "wm/workspace/feature_branch.h"

#include "base/timefmt.h"
#include "wm/workspace/run_dir.h"

#include <string.h>

void wm_branch_clear(WmBranch *self)
{
    g_clear_pointer(&self->name, g_free);
    g_clear_pointer(&self->previous, g_free);
}

static bool exists(const WmGit *git, const char *name, Cancel *cancel)
{
    g_autofree char *ref = g_strconcat("refs/heads/", name, NULL);
    const char *const args[] = { "show-ref", "--verify", "--quiet", "--", ref, NULL };
    int status = 0;
    return wm_git_ask(git, args, 0, cancel, &status, NULL, NULL, NULL) && status == 0;
}

/* wm/fix-20260420-100607, and -2 to -9 while there is one of that name. */
static bool make_branch(const WmGit *git, const WmBranchWish *wish, Cancel *cancel, char **ret_name,
                        GError **error)
{
    g_autofree char *slug = wm_slug(wish->task_name);
    struct tm at = { .tm_mday = 1 };
    time_to_utc((time_t)(wish->at_ms / 1000), &at);
    g_autofree char *first =
        g_strdup_printf("wm/%s-%04d%02d%02d-%02d%02d%02d", slug, at.tm_year + 1900, at.tm_mon + 1,
                        at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec);
    for (int i = 1; i <= WM_BRANCH_MAX_SUFFIX; i++) {
        g_autofree char *name = i == 1 ? g_strdup(first) : g_strdup_printf("%s-%d", first, i);
        if (exists(git, name, cancel))
            continue;
        const char *const args[] = { "checkout", "-q", "-b", name, NULL };
        g_autoptr(GError) failed = NULL;
        g_autofree char *tried = g_strconcat("checkout -b ", name, NULL);
        if (wm_git_named(git, args, tried, cancel, &failed)) {
            *ret_name = g_steal_pointer(&name);
            return true;
        }
        if (error_is(failed, KEDGE_ERROR_FAILED) && exists(git, name, cancel))
            continue; // another run was faster
        return pass_error(error, &failed);
    }
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "git checkout -b %s: this branch and those up to %s-%d are there already",
                     first, first, WM_BRANCH_MAX_SUFFIX);
}

bool wm_branch_prepare(const WmGit *git, const WmBranchWish *wish, Cancel *cancel,
                       WmBranch *ret_branch, GError **error)
{
    g_auto(WmBranch) branch = { 0 };
    if (!wm_git_branch(git, cancel, &branch.previous, error))
        return false;
    g_autofree char *default_branch = wm_git_default_branch(git, wish->of_payload, cancel);
    if (!cancel_check(cancel, error))
        return false;
    const char *base = wish->base ? wish->base : default_branch;
    if (wish->base && !wm_git_branch_name_is_valid(git, base, cancel))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "safe-outputs.create-pull-request.base-branch: \"%s\" is no name of a "
                         "branch",
                         base);
    branch.is_new = strcmp(branch.previous, default_branch) == 0 ||
                    strcmp(branch.previous, base) == 0 || strcmp(branch.previous, "HEAD") == 0;
    if (!branch.is_new)
        branch.name = g_strdup(branch.previous);
    else if (!make_branch(git, wish, cancel, &branch.name, error))
        return false;
    *ret_branch = branch;
    branch = (WmBranch) { 0 };
    return true;
}

bool wm_branch_go_back(const WmGit *git, const char *previous, Cancel *cancel, GError **error)
{
    const char *const args[] = { "checkout", "-q", previous, "--", NULL };
    return wm_git_named(git, args, "checkout previous branch", cancel, error);
}
