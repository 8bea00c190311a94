/*
 * op: pr_push (github-tool §3.7): pushes a branch that pr_checkout made back to its pull request's
 * head. Needs git only; where to push is in the branch's configuration.
 */
#include "base/str.h"
#include "base/utf8.h"
#include "github/git.h"
#include "github/ops/github_args.h"
#include "github/redact.h"
#include "github/text.h"

#define PUSH_TIMEOUT_MS (30 * 60 * 1000)

typedef struct PushTarget {
    char *head_ref; // branch name on the remote
    char *remote;
    char *remote_url; // as configured; NULL: unknown
    char *pr_url;     // NULL: unknown
} PushTarget;

static void push_target_clear(PushTarget *self)
{
    g_clear_pointer(&self->head_ref, g_free);
    g_clear_pointer(&self->remote, g_free);
    g_clear_pointer(&self->remote_url, g_free);
    g_clear_pointer(&self->pr_url, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PushTarget, push_target_clear)

static bool branch_config(const char *root, const char *branch, const char *name, Cancel *cancel,
                          char **ret_value, GError **error)
{
    g_autofree char *key = g_strdup_printf("branch.%s.%s", branch, name);
    return git_config_get(root, key, cancel, ret_value, error);
}

static bool read_target(const char *root, const char *branch, Cancel *cancel,
                        PushTarget *ret_target, GError **error)
{
    g_auto(PushTarget) target = { 0 };
    if (!branch_config(root, branch, "ompPrHeadRef", cancel, &target.head_ref, error))
        return false;
    if (target.head_ref == NULL)
        return fail_with(
            error, KEDGE_ERROR_FAILED,
            "branch %s has no PR push metadata; check it out via op: pr_checkout first", branch);
    if (!branch_config(root, branch, "pushRemote", cancel, &target.remote, error))
        return false;
    if (target.remote == NULL &&
        !branch_config(root, branch, "remote", cancel, &target.remote, error))
        return false;
    if (target.remote == NULL)
        return fail_with(error, KEDGE_ERROR_FAILED, "branch %s has no configured push remote",
                         branch);

    g_autofree char *effective = NULL;
    if (!branch_config(root, branch, "ompPrUrl", cancel, &target.pr_url, error) ||
        !git_remote_urls(root, target.remote, cancel, &target.remote_url, &effective, error))
        return false;
    *ret_target = target;
    target = (PushTarget) { 0 };
    return true;
}

/* HEAD when `branch` is what this worktree has checked out, else its ref. */
static bool push_source(const char *root, const char *branch, Cancel *cancel, char **ret_source,
                        GError **error)
{
    g_autoptr(GError) cause = NULL;
    g_autofree char *current = NULL;
    if (!git_current_branch(root, cancel, &current, &cause) &&
        !error_is(cause, KEDGE_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&cause));
        return false;
    }
    *ret_source = g_strcmp0(current, branch) == 0 ? g_strdup("HEAD")
                                                  : g_strconcat("refs/heads/", branch, NULL);
    return true;
}

static bool push(const char *root, const char *branch, const PushTarget *target, bool has_lease,
                 Cancel *cancel, GError **error)
{
    g_autofree char *source = NULL;
    if (!push_source(root, branch, cancel, &source, error))
        return false;
    g_autofree char *refspec = g_strdup_printf("%s:refs/heads/%s", source, target->head_ref);
    const char *const plain[] = { "push", "--end-of-options", target->remote, refspec, NULL };
    const char *const leased[] = {
        "push", "--force-with-lease", "--end-of-options", target->remote, refspec, NULL
    };
    return git_must(root, has_lease ? leased : plain, PUSH_TIMEOUT_MS, cancel, NULL, error);
}

static char *push_text(const char *branch, const PushTarget *target, bool has_lease)
{
    g_autoptr(GString) out = g_string_new("# Pushed Pull Request Branch\n\n");
    g_autofree char *url = target->remote_url != NULL ? redact_text(target->remote_url) : NULL;
    g_autofree char *remote = redact_text(target->remote); // may be a URL itself
    text_line(out, "", "Local branch", branch);
    text_line(out, "", "Remote", remote);
    text_line(out, "", "Remote branch", target->head_ref);
    text_line(out, "", "Remote URL", url);
    text_line(out, "", "PR", target->pr_url);
    text_line(out, "", "Force with lease", has_lease ? "true" : "false");
    g_string_append_printf(out, "\nPushed %s to %s:%s.", branch, remote, target->head_ref);
    return utf8_trim(out->str);
}

bool github_pr_push(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error)
{
    Cancel *cancel = tool_call_cancel(call);
    g_autofree char *root = NULL;
    g_autofree char *branch = github_opt(args->branch);
    if (!git_repo_root(tool_call_cwd(call), cancel, &root, error))
        return false;
    if (branch == NULL && !git_current_branch(root, cancel, &branch, error))
        return false;

    g_autofree char *ref = g_strconcat("refs/heads/", branch, NULL);
    bool exists = false;
    if (!git_ref_exists(root, ref, cancel, &exists, error))
        return false;
    if (!exists)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "local branch %s does not exist", branch);

    g_auto(PushTarget) target = { 0 };
    if (!read_target(root, branch, cancel, &target, error) ||
        !push(root, branch, &target, args->force_with_lease, cancel, error))
        return false;

    g_autofree char *text = push_text(branch, &target, args->force_with_lease);
    g_autofree char *remote = redact_text(target.remote);
    tool_result_add_text(result, text);
    if (target.pr_url != NULL)
        tool_result_set_source_url(result, target.pr_url);
    json_t *details = tool_result_details(result);
    json_set_text(details, "branch", branch);
    json_set_text(details, "remote", remote);
    json_set_text(details, "remoteBranch", target.head_ref);
    return true;
}
