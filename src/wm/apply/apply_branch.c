/*
 * push_to_pull_request_branch (task-engine §6.11): commits for a pull request that is there.
 */
#include "wm/apply/apply_private.h"

#include "base/str.h"
#include "wm/workspace/feature_branch.h"

bool wm_pull_check(const json_t *pull, const char *own_repo, const char *default_branch,
                   GError **error)
{
    int64_t number = json_get_int(pull, "number", 0);
    const char *repo = json_string_value(json_get_path(pull, "head.repo.full_name"));
    const char *head = json_string_value(json_get_path(pull, "head.ref"));
    const char *state = json_get_text(pull, "state");
    if (!str_equal_nocase(repo, own_repo))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "pull request #%" G_GINT64_FORMAT " comes from a fork", number);
    if (g_strcmp0(state, "open") != 0)
        return fail_with(error, KEDGE_ERROR_DENIED, "pull request #%" G_GINT64_FORMAT " is %s",
                         number, state ? state : "not open");
    if (g_strcmp0(head, default_branch) == 0)
        return fail_with(
            error, KEDGE_ERROR_DENIED,
            "the pull request is of the default branch \"%s\"; nothing is pushed to it", head);
    return true;
}

/* Does HEAD go on from the commits of the pull request? A branch of kedge's own must: its name says
   nothing of that. */
static bool goes_on(Applier *self, const json_t *pull)
{
    const char *head = json_string_value(json_get_path(pull, "head.sha"));
    const char *const args[] = { "merge-base", "--is-ancestor", "--end-of-options",
                                 head,         "HEAD",          NULL };
    int status = 1;
    return head && wm_git_ask(&self->git, args, 0, self->cancel, &status, NULL, NULL, NULL) &&
           status == 0;
}

/* What the policy and good sense want of a pull request whose branch gets commits. */
static bool check_pull(Applier *self, const json_t *pull, const char *branch, GError **error)
{
    const char *head = json_string_value(json_get_path(pull, "head.ref"));
    const char *title = json_get_text(pull, "title");
    const char *prefix = wm_handler_text(self->handler, "required-title-prefix");
    g_autofree char *start = prefix ? g_strchomp(g_strdup(prefix)) : g_strdup("");
    g_autoptr(json_t) labels = wm_handler_list(self->handler, "required-labels");
    g_autofree char *usual = NULL;
    if (!apply_default_branch(self, &usual, error) ||
        !wm_pull_check(pull, self->spec->repo, usual, error))
        return false;
    if (!title || !str_has_prefix(title, start))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "PR title \"%s\" does not start with required prefix \"%s\"",
                         title ? title : "", prefix);
    for (size_t i = 0; i < json_array_size(labels); i++) {
        const char *label = json_string_value(json_array_get(labels, i));
        if (!apply_has_label(pull, label))
            return fail_with(error, KEDGE_ERROR_DENIED, "PR missing required label \"%s\"", label);
    }
    if (!wm_branch_is_for_pull(branch, head) ||
        (g_strcmp0(branch, head) != 0 && !goes_on(self, pull)))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "current branch \"%s\" must match PR head \"%s\"", branch,
                         head ? head : "");
    return true;
}

static bool guard_files(Applier *self, const char *branch, ApplyProtected *ret_action,
                        char **ret_files, GError **error)
{
    *ret_action = PROTECTED_NONE;
    bool is_guarded = apply_guards_files(self);
    if (self->is_staged && !is_guarded)
        return apply_check_run_files(self, NULL, error);
    g_autoptr(GError) failed = NULL;
    bool is_there = apply_fetch(self, branch, &failed); // it may have been deleted
    if (!is_there && is_guarded)
        return pass_error(error, &failed);
    return apply_check_run_files(self, is_there ? branch : NULL, error) &&
           (!is_guarded || apply_check_files(self, branch, ret_action, ret_files, error));
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
        (pull && !check_pull(self, pull, branch, error)))
        return false;
    const char *head = json_string_value(json_get_path(pull, "head.ref"));
    if (head) { // where it goes; the local name may be one of ours
        g_free(branch);
        branch = g_strdup(head);
    }
    if (!wm_git_branch_name_is_valid(&self->git, branch, self->cancel))
        return fail_with(error, KEDGE_ERROR_DENIED, "\"%s\" is no name of a branch", branch);
    apply_take(self, pull);
    const char *title = json_get_text(pull, "title");
    return push_commits(self, branch, title ? title : branch, error);
}
