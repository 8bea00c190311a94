/*
 * Commits that go to GitHub (task-engine §6.10, §6.11): what is compared and pushed, and
 * push_to_pull_request_branch.
 */
#include "workflow/apply_private.h"

#include "base/str.h"

#define FETCH_MS ((int64_t)10 * 60 * 1000)

bool apply_fetch(Applier *self, const char *branch, GError **error)
{
    g_autofree char *refspec =
        g_strdup_printf("+refs/heads/%s:refs/remotes/origin/%s", branch, branch);
    const char *const args[] = {
        "fetch", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--", "origin",
        refspec, NULL
    };
    return wm_git(&self->git, args, FETCH_MS, self->cancel, NULL, error);
}

static bool has_uncommitted(Applier *self)
{
    const char *const args[] = { "status", "--porcelain", NULL };
    g_autofree char *changes = NULL;
    return wm_git(&self->git, args, 0, self->cancel, &changes, NULL) && *changes != '\0';
}

bool apply_no_changes(Applier *self, const char *base, const char *text, GError **error)
{
    const char *policy = wm_handler_text(self->handler, "if-no-changes");
    const char *rest = has_uncommitted(self) ? " (uncommitted changes are not included)" : "";
    if (g_strcmp0(policy, "error") == 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "no commits ahead of origin/%s%s", base, rest);
    if (g_strcmp0(policy, "ignore") != 0)
        apply_warn(self, "no commits ahead of origin/%s; %s%s", base, text, rest);
    apply_skip(self, "no commits ahead of origin/%s%s", base, rest);
    return true;
}

/* The hook that uploads LFS objects does not run in a quarantined .git. */
static void warn_about_lfs(Applier *self, const char *branch)
{
    const char *const args[] = {
        "grep", "--quiet", "-e", "filter=lfs", "HEAD", "--", ":(glob)**/.gitattributes", NULL
    };
    int status = 1;
    if (self->git.is_quarantined &&
        wm_git_ask(&self->git, args, 0, self->cancel, &status, NULL, NULL, NULL) && status == 0)
        apply_warn(self,
                   "this repository uses Git LFS (filter=lfs in .gitattributes), and hooks do not "
                   "run here: LFS objects of the commits are not uploaded. If GitHub refuses them, "
                   "run git lfs push origin %s where they are",
                   branch);
}

bool apply_push(Applier *self, const char *branch, bool sets_upstream, bool *ret_has_changed,
                GError **error)
{
    g_autofree char *refspec = g_strdup_printf("HEAD:refs/heads/%s", branch);
    *ret_has_changed = true;
    if (self->is_staged) {
        g_autofree char *place = g_strconcat("origin ", refspec, NULL);
        return apply_call(self, "git push", place, NULL, NULL, error);
    }
    warn_about_lfs(self, branch);
    g_autofree char *output = NULL;
    if (!wm_git_push(&self->git, refspec, sets_upstream, self->cancel, &output, error))
        return false;
    *ret_has_changed = !strstr(output, "Everything up-to-date");
    return true;
}

/* What the policy and good sense want of a pull request whose branch gets commits. */
static bool check_pull(Applier *self, const json_t *pull, const char *branch, GError **error)
{
    int64_t number = self->item.number;
    const char *repo = json_string_value(json_get_path(pull, "head.repo.full_name"));
    const char *head = json_string_value(json_get_path(pull, "head.ref"));
    const char *title = json_get_text(pull, "title"), *state = json_get_text(pull, "state");
    const char *prefix = wm_handler_text(self->handler, "required-title-prefix");
    g_autofree char *start = prefix ? g_strchomp(g_strdup(prefix)) : g_strdup("");
    g_autoptr(json_t) labels = wm_handler_list(self->handler, "required-labels");
    if (!str_equal_nocase(repo, self->spec->repo))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "pull request #%" G_GINT64_FORMAT " comes from a fork", number);
    if (g_strcmp0(state, "open") != 0)
        return fail_with(error, KEDGE_ERROR_DENIED, "pull request #%" G_GINT64_FORMAT " is %s",
                         number, state ? state : "not open");
    if (!title || !g_str_has_prefix(title, start))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "PR title \"%s\" does not start with required prefix \"%s\"",
                         title ? title : "", prefix);
    for (size_t i = 0; i < json_array_size(labels); i++) {
        const char *label = json_string_value(json_array_get(labels, i));
        if (!apply_has_label(pull, label))
            return fail_with(error, KEDGE_ERROR_DENIED, "PR missing required label \"%s\"", label);
    }
    if (g_strcmp0(branch, head) != 0)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "current branch \"%s\" must match PR head \"%s\"", branch,
                         head ? head : "");
    return true;
}

/* Commits that nobody has seen do not go to the branch that everybody works on. */
static bool check_branch(Applier *self, const char *branch, GError **error)
{
    const char *of_payload = wm_event_default_branch(self->spec->event);
    g_autofree char *usual = wm_git_default_branch(&self->git, of_payload, self->cancel);
    if (!wm_git_branch_name_is_valid(&self->git, branch, self->cancel))
        return fail_with(error, KEDGE_ERROR_DENIED, "\"%s\" is no name of a branch", branch);
    if (strcmp(branch, usual) == 0)
        return fail_with(
            error, KEDGE_ERROR_DENIED,
            "the pull request is of the default branch \"%s\"; nothing is pushed to it", branch);
    return true;
}

/* True with *ret_done: instead of a push there is an issue. */
static bool guard_files(Applier *self, const char *branch, ApplyProtected *ret_action,
                        char **ret_files, GError **error)
{
    *ret_action = PROTECTED_NONE;
    if (!apply_guards_files(self))
        return true;
    return apply_fetch(self, branch, error) &&
           apply_check_files(self, branch, ret_action, ret_files, error);
}

static bool push_commits(Applier *self, const char *branch, const char *title, GError **error)
{
    ApplyProtected action = PROTECTED_NONE;
    g_autofree char *files = NULL;
    if (!guard_files(self, branch, &action, &files, error))
        return false;
    if (action == PROTECTED_ISSUE)
        return apply_files_issue(self, title, files, error);
    bool has_changed = false;
    if (!apply_push(self, branch, false, &has_changed, error))
        return false;
    // what an earlier attempt pushed counts as pushed
    if (!has_changed && !self->is_open)
        return apply_no_changes(self, branch, "nothing was pushed", error);
    if (action == PROTECTED_REVIEW)
        apply_files_review(self, self->item.number, files);
    return true;
}

bool apply_push_to_branch(Applier *self, GError **error)
{
    g_autofree char *path = apply_path(self, "/pulls/%s", self->target);
    g_autofree char *branch = NULL;
    g_autoptr(json_t) pull = NULL;
    if (!apply_get(self, path, &pull, error) ||
        !wm_git_branch(&self->git, self->cancel, &branch, error) ||
        (pull && !check_pull(self, pull, branch, error)) || !check_branch(self, branch, error))
        return false;
    apply_take(self, pull);
    const char *title = json_get_text(pull, "title");
    return push_commits(self, branch, title ? title : branch, error);
}
