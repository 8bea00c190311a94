/*
 * op: pr_push (github-tool §3.7): pushes a branch that pr_checkout made back to its pull request's
 * head. Needs git only; where to push is in the branch's configuration.
 */
#include "base/redact.h"
#include "base/str.h"
#include "base/utf8.h"
#include "github/git.h"
#include "github/ops/git_worktree.h"
#include "github/ops/github_args.h"
#include "github/ops/push_hook.h"
#include "github/ops/worktree_state.h"
#include "github/remote_url.h"
#include "github/repo_ref.h"
#include "github/safe/gh_remote.h"
#include "github/text.h"
#include "github/view_cache.h"

#define PUSH_TIMEOUT_MS (30 * 60 * 1000)
#define ASK_TIMEOUT_MS  (60 * 1000)

#define FORK_WARNING                                                                               \
    "Warning: this PR comes from a fork that does not allow edits by maintainers; a push will "    \
    "work only for somebody who may write to the fork."

typedef struct PushTarget {
    char *head_ref; // branch name on the remote
    char *remote;
    char *remote_url;    // as configured; NULL: unknown
    char *push_url;      // where git pushes to, when that is another place; NULL: it is not
    GhRemote *place;     // the repository that it pushes to
    char *pr_url;        // NULL: unknown
    char *lease;         // the commit that the remote must be at; NULL: without a lease
    bool is_closed_fork; // its owner lets no maintainer push
} PushTarget;

typedef struct Push { // one that succeeded
    char *commit;
    bool is_up_to_date;
    char *left_off; // what did not run, in words; NULL: nothing
} Push;

static void push_target_clear(PushTarget *self)
{
    g_clear_pointer(&self->head_ref, g_free);
    g_clear_pointer(&self->remote, g_free);
    g_clear_pointer(&self->remote_url, g_free);
    g_clear_pointer(&self->push_url, g_free);
    g_clear_pointer(&self->place, gh_remote_free);
    g_clear_pointer(&self->pr_url, g_free);
    g_clear_pointer(&self->lease, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PushTarget, push_target_clear)

static void push_clear(Push *self)
{
    g_clear_pointer(&self->commit, g_free);
    g_clear_pointer(&self->left_off, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Push, push_clear)

static bool branch_config(const char *root, const char *branch, const char *name, Cancel *cancel,
                          char **ret_value, GError **error)
{
    g_autofree char *key = g_strdup_printf("branch.%s.%s", branch, name);
    return git_config_get(root, key, cancel, ret_value, error);
}

static bool is_true(const char *value)
{
    return str_equal_nocase(value, "1") || str_equal_nocase(value, "true") ||
           str_equal_nocase(value, "yes") || str_equal_nocase(value, "on");
}

/* Does the configuration say that the fork's owner lets no maintainer push? */
static bool read_fork(const char *root, const char *branch, Cancel *cancel, bool *ret_is_closed,
                      GError **error)
{
    g_autofree char *is_cross = NULL, *can_modify = NULL;
    if (!branch_config(root, branch, "ompPrIsCrossRepository", cancel, &is_cross, error) ||
        !branch_config(root, branch, "ompPrMaintainerCanModify", cancel, &can_modify, error))
        return false;
    *ret_is_closed = is_true(is_cross) && can_modify != NULL && !is_true(can_modify);
    return true;
}

static bool check_push_target(const char *root, const char *branch, Cancel *cancel, GError **error)
{
    g_autofree char *target = NULL;
    if (!branch_config(root, branch, "kedgePushTarget", cancel, &target, error))
        return false;
    if (g_strcmp0(target, "none") == 0)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "branch %s has no push target: the head branch of its pull request is "
                         "gone. Push it under a name of your own with git, and open a new pull "
                         "request.",
                         branch);
    return true;
}

/* pushurl and pushInsteadOf lead a push away from the URL that is shown. git pushes to each of
   several, and to a URL that is written in place of a name; who is asked, and the policy, know of
   one place, and by name. */
static bool read_push_url(const char *root, const char *effective, PushTarget *target,
                          Cancel *cancel, GError **error)
{
    const char *const args[] = { "remote",           "get-url",      "--push", "--all",
                                 "--end-of-options", target->remote, NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(root, args, 0, cancel, &result, error))
        return false;
    if (result.exit_status != 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "there is no remote %s. Nothing was pushed.",
                         target->remote);
    if (strchr(result.output, '\n'))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "remote %s pushes to several URLs (git remote get-url --push --all %s): "
                         "leave it one. Nothing was pushed.",
                         target->remote, target->remote);
    if (g_strcmp0(result.output, effective) != 0)
        target->push_url = g_steal_pointer(&result.output);
    return true;
}

/* What is no name of a repository to us (o/%72, https::https://…) may be one to git: the policy of
   its host counts even so. */
static GhRemote *push_place_new(const ToolCall *call, const char *remote, const char *url)
{
    GhRemote *place = gh_remote_new(remote, url, tool_call_settings(call), tool_call_cancel(call));
    const char *helper = strstr(url, "::");
    if (!place->host)
        place->host = remote_url_host(helper ? helper + strlen("::") : url);
    return place;
}

static bool read_target(const ToolCall *call, const char *root, const char *branch,
                        PushTarget *ret_target, GError **error)
{
    g_auto(PushTarget) target = { 0 };
    Cancel *cancel = tool_call_cancel(call);
    if (!check_push_target(root, branch, cancel, error) ||
        !branch_config(root, branch, "ompPrHeadRef", cancel, &target.head_ref, error))
        return false;
    if (!target.head_ref)
        return fail_with(
            error, KEDGE_ERROR_FAILED,
            "branch %s has no PR push metadata; check it out via op: pr_checkout first", branch);
    if (!branch_config(root, branch, "pushRemote", cancel, &target.remote, error))
        return false;
    if (!target.remote && !branch_config(root, branch, "remote", cancel, &target.remote, error))
        return false;
    if (!target.remote)
        return fail_with(error, KEDGE_ERROR_FAILED, "branch %s has no configured push remote",
                         branch);

    g_autofree char *effective = NULL;
    if (!branch_config(root, branch, "ompPrUrl", cancel, &target.pr_url, error) ||
        !git_remote_urls(root, target.remote, cancel, &target.remote_url, &effective, error) ||
        !read_push_url(root, effective, &target, cancel, error) ||
        !read_fork(root, branch, cancel, &target.is_closed_fork, error))
        return false;
    target.place =
        push_place_new(call, target.remote, target.push_url ? target.push_url : effective);
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
        return pass_error(error, &cause);
    }
    *ret_source = g_strcmp0(current, branch) == 0 ? g_strdup("HEAD")
                                                  : g_strconcat("refs/heads/", branch, NULL);
    return true;
}

/* The remote's commit of the head branch; NULL: it has none. */
static bool ask_remote(const char *root, const PushTarget *target, Cancel *cancel,
                       char **ret_commit, GError **error)
{
    g_autofree char *ref = g_strconcat("refs/heads/", target->head_ref, NULL);
    const char *const args[] = { "ls-remote", "--end-of-options", target->remote, ref, NULL };
    g_autofree char *output = NULL;
    if (!git_must(root, args, ASK_TIMEOUT_MS, cancel, &output, error))
        return false;
    output[strcspn(output, "\t")] = '\0';
    *ret_commit = *output != '\0' ? g_steal_pointer(&output) : NULL;
    return true;
}

static bool fail_moved(const PushTarget *target, const char *commit, GError **error)
{
    g_autofree char *there = commit != NULL ? text_sha12(commit) : g_strdup("(missing)");
    g_autofree char *expected = text_sha12(target->lease);
    g_autofree char *remote = redact_text(target->remote);
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "%s:%s is at %s, not at %s as of the last checkout or push. Nothing was "
                     "pushed. Run pr_checkout for this pull request again and take in its commits "
                     "first.",
                     remote, target->head_ref, there, expected);
}

/* What this checkout saw last and has taken in: only that may be overwritten. The remote is asked
   first, so that the answer can say where it is. */
static bool find_lease(const char *root, const char *branch, PushTarget *target, Cancel *cancel,
                       GError **error)
{
    if (!branch_config(root, branch, "kedgeLease", cancel, &target->lease, error))
        return false;
    if (!target->lease) { // a worktree of another program: what was fetched last
        g_autofree char *ref =
            g_strdup_printf("refs/remotes/%s/%s", target->remote, target->head_ref);
        bool exists = false;
        if (!git_ref_exists(root, ref, cancel, &exists, error))
            return false;
        if (!exists)
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "branch %s has no recorded lease; run op: pr_checkout for its pull "
                             "request first",
                             branch);
        if (!git_ref_value(root, ref, cancel, &target->lease, error))
            return false;
    }
    g_autofree char *there = NULL;
    if (!ask_remote(root, target, cancel, &there, error))
        return false;
    return g_strcmp0(there, target->lease) == 0 || fail_moved(target, there, error);
}

/* git's own words: which ref was refused is on stdout with --porcelain, the advice on stderr.
   Caller frees. */
static char *refusal_text(const GitResult *result)
{
    GString *text = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(result->output, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (str_has_prefix(*line, "!\t"))
            g_string_append_printf(text, "%s\n", g_strdelimit(*line, "\t", ' '));
    }
    g_string_append(text, result->error_output);
    if (text->len == 0)
        g_string_append_printf(text, "git push failed with exit code %d", result->exit_status);
    g_autofree char *whole = g_string_free(text, FALSE);
    return redact_text(whole);
}

static bool fail_push(const char *root, const PushTarget *target, const GitResult *result,
                      Cancel *cancel, GError **error)
{
    g_autofree char *said = refusal_text(result);
    if (target->lease && strstr(said, "stale info")) {
        g_autofree char *there = NULL;
        ask_remote(root, target, cancel, &there, NULL);
        return fail_moved(target, there, error);
    }
    return fail_with(error, KEDGE_ERROR_FAILED, "%s%s", said,
                     target->is_closed_fork ? "\n" FORK_WARNING : "");
}

/* The lines of `push --porcelain`: "<flag>\t<from>:<to>\t<what>"; "=" means that nothing moved. */
static bool was_up_to_date(const char *output)
{
    return str_has_prefix(output, "=\t") || strstr(output, "\n=\t") != NULL;
}

/* The person's own check of what is pushed, before git has a token. */
static bool run_hook(const char *root, const char *branch, const char *commit,
                     const PushTarget *target, Cancel *cancel, Push *push, GError **error)
{
    g_autofree char *primary = NULL, *there = NULL;
    g_autofree char *local_ref = g_strconcat("refs/heads/", branch, NULL);
    g_autofree char *remote_ref = g_strconcat("refs/heads/", target->head_ref, NULL);
    if (!git_primary_root(root, cancel, &primary, error))
        return false;
    PushHook hook = {
        .primary_root = primary,
        .remote = target->remote,
        .url = target->push_url     ? target->push_url
               : target->remote_url ? target->remote_url
                                    : target->remote,
        .local_ref = local_ref,
        .local_commit = commit,
        .remote_ref = remote_ref,
        .timeout_ms = PUSH_TIMEOUT_MS,
    };
    g_autofree char *path = NULL;
    if (!push_hook_find(&hook, cancel, &path, &push->left_off, error))
        return false;
    if (!path)
        return true;
    if (!ask_remote(root, target, cancel, &there, error))
        return false;
    hook.remote_commit = there;
    return push_hook_run(&hook, path, cancel, error);
}

static void add_left_off(Push *push, const char *programs)
{
    if (!programs)
        return;
    g_autofree char *before = push->left_off;
    push->left_off = before ? g_strconcat(before, ", ", programs, NULL) : g_strdup(programs);
}

/* In the worktree that the branch is checked out in, whose files may be a stranger's: git runs no
   hook there, and no program that one of these files could replace. */
static bool op_pr_push_run(const char *root, const char *branch, const PushTarget *target,
                           Cancel *cancel, Push *ret_push, GError **error)
{
    g_auto(Push) push = { 0 };
    g_autofree char *source = NULL;
    if (!push_source(root, branch, cancel, &source, error) ||
        !git_ref_value(root, source, cancel, &push.commit, error) ||
        !run_hook(root, branch, push.commit, target, cancel, &push, error))
        return false;
    g_autofree char *refspec = g_strdup_printf("%s:refs/heads/%s", source, target->head_ref);
    g_autofree char *lease =
        g_strdup_printf("--force-with-lease=refs/heads/%s:%s", target->head_ref, target->lease);
    const char *args[7] = { "push", "--porcelain" };
    size_t n = 2;
    if (target->lease)
        args[n++] = lease;
    args[n++] = "--end-of-options";
    args[n++] = target->remote;
    args[n++] = refspec;
    const GitSpec spec = {
        .dir = root,
        .args = args,
        .tree = strcmp(source, "HEAD") == 0 ? root : NULL,
        .timeout_ms = PUSH_TIMEOUT_MS,
    };
    g_auto(GitResult) result = { 0 };
    if (!git_start(&spec, cancel, &result, error))
        return false;
    if (result.exit_status != 0)
        return fail_push(root, target, &result, cancel, error);
    push.is_up_to_date = was_up_to_date(result.output);
    add_left_off(&push, result.left_off);
    *ret_push = push;
    push = (Push) { 0 };
    return true;
}

/* "Not pushed: 2 uncommitted changes in <path>: a, b."; NULL: the branch has no worktree, or a
   clean one, or it cannot be told. Caller frees. */
static char *unpushed_text(const char *root, const char *branch, Cancel *cancel)
{
    g_autofree char *ref = g_strconcat("refs/heads/", branch, NULL);
    g_autoptr(GPtrArray) worktrees = NULL;
    if (!git_worktree_list(root, cancel, &worktrees, NULL))
        return NULL;
    for (unsigned i = 0; i < worktrees->len; i++) {
        const GitWorktree *worktree = g_ptr_array_index(worktrees, i);
        g_auto(WorktreeState) state = { 0 };
        if (g_strcmp0(worktree->ref, ref) != 0 ||
            !worktree_state_read(worktree->path, cancel, &state, NULL) || state.paths->len == 0)
            continue;
        g_autofree char *paths = worktree_state_paths(&state);
        return g_strdup_printf("Not pushed: %u uncommitted change%s in %s: %s.", state.paths->len,
                               state.paths->len == 1 ? "" : "s", worktree->path, paths);
    }
    return NULL;
}

static char *push_text(const char *branch, const PushTarget *target, const Push *done,
                       const char *unpushed)
{
    g_autoptr(GString) out = g_string_new("# Pushed Pull Request Branch\n\n");
    g_autofree char *url = target->remote_url != NULL ? redact_text(target->remote_url) : NULL;
    g_autofree char *push_url = target->push_url != NULL ? redact_text(target->push_url) : NULL;
    g_autofree char *remote = redact_text(target->remote); // may be a URL itself
    text_line(out, "", "Local branch", branch);
    text_line(out, "", "Remote", remote);
    text_line(out, "", "Remote branch", target->head_ref);
    text_line(out, "", "Remote URL", url);
    text_line(out, "", "Push URL", push_url);
    text_line(out, "", "PR", target->pr_url);
    text_line(out, "", "Force with lease", target->lease != NULL ? "true" : "false");
    g_autofree char *sha = text_sha12(done->commit);
    if (done->is_up_to_date)
        g_string_append_printf(out, "\nAlready up to date: %s:%s is at %s. Nothing was pushed.",
                               remote, target->head_ref, sha);
    else
        g_string_append_printf(out, "\nPushed %s to %s:%s.", branch, remote, target->head_ref);
    if (unpushed)
        g_string_append_printf(out, "\n%s", unpushed);
    if (done->left_off) {
        g_autofree char *left_off = redact_text(done->left_off);
        g_string_append_printf(out, "\nNot run, since somebody else's files could replace it: %s.",
                               left_off);
    }
    if (target->is_closed_fork)
        g_string_append(out, "\n" FORK_WARNING);
    return utf8_trim(out->str);
}

/* What is kept of the pull request is older than what was pushed. */
static void forget_views(ToolCall *call, const char *pr_url)
{
    g_auto(GithubUrl) url = { 0 };
    if (!github_url_parse(pr_url, "pull", &url))
        return;
    const Settings *settings = tool_call_settings(call);
    g_autofree char *whole = github_url_repo(&url, settings);
    g_autofree char *repo = view_cache_repo(whole, settings);
    view_cache_drop_item(view_cache_of(tool_call_context(call)), repo, url.number,
                         tool_call_cancel(call));
}

/* The branch to push: `wanted`, else what is checked out. */
static bool find_branch(const char *root, const char *wanted, Cancel *cancel, char **ret_branch,
                        GError **error)
{
    g_autofree char *branch = github_opt(wanted);
    if (!branch && !git_current_branch(root, cancel, &branch, error))
        return false;
    g_autofree char *ref = g_strconcat("refs/heads/", branch, NULL);
    bool exists = false;
    if (!git_ref_exists(root, ref, cancel, &exists, error))
        return false;
    if (!exists)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "local branch %s does not exist", branch);
    *ret_branch = g_steal_pointer(&branch);
    return true;
}

/* Root, branch and target of what the arguments mean. */
static bool find_target(const ToolCall *call, const GithubArgs *args, char **ret_root,
                        char **ret_branch, PushTarget *ret_target, GError **error)
{
    Cancel *cancel = tool_call_cancel(call);
    return git_repo_root(tool_call_cwd(call), cancel, ret_root, error) &&
           find_branch(*ret_root, args->branch, cancel, ret_branch, error) &&
           read_target(call, *ret_root, *ret_branch, ret_target, error);
}

void github_push_repo(ToolCall *call, const GithubArgs *args, char **ret_host, char **ret_repo)
{
    g_autofree char *root = NULL, *branch = NULL;
    g_auto(PushTarget) target = { 0 };
    if (!find_target(call, args, &root, &branch, &target, NULL) || !target.place)
        return;
    *ret_host = g_strdup(target.place->host);
    *ret_repo = g_strdup(target.place->repo);
}

/* Caller frees. */
static char *push_place_text(const char *host, const char *repo)
{
    return g_strconcat(host ? host : "(unknown)", repo ? "/" : NULL, repo, NULL);
}

/* What was judged is what is pushed to: the policy may be another on another host. */
static bool check_judged(const ToolCall *call, const PushTarget *target, GError **error)
{
    const Judgement *judgement = tool_call_outcome(call)->judgement;
    const char *repo = target->place ? target->place->repo : NULL;
    const char *host = target->place ? target->place->host : NULL;
    if (!judgement ||
        (str_equal_nocase(judgement->repo, repo) && str_equal_nocase(judgement->host, host)))
        return true;
    g_autofree char *was = push_place_text(judgement->host, judgement->repo);
    g_autofree char *is = push_place_text(host, repo);
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "the push target has changed from %s to %s. Nothing was pushed.", was, is);
}

bool github_pr_push(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error)
{
    Cancel *cancel = tool_call_cancel(call);
    g_autofree char *root = NULL, *branch = NULL;
    g_auto(PushTarget) target = { 0 };
    g_auto(Push) done = { 0 };
    if (!find_target(call, args, &root, &branch, &target, error) ||
        !check_judged(call, &target, error) ||
        (args->force_with_lease && !find_lease(root, branch, &target, cancel, error)) ||
        !op_pr_push_run(root, branch, &target, cancel, &done, error))
        return false;
    forget_views(call, target.pr_url);
    g_autofree char *lease_key = g_strdup_printf("branch.%s.kedgeLease", branch);
    if (!git_config_set(root, lease_key, done.commit, cancel, error)) {
        g_prefix_error(error, "the branch was pushed, but its lease was not recorded: ");
        return false;
    }

    g_autofree char *unpushed = unpushed_text(root, branch, cancel);
    g_autofree char *text = push_text(branch, &target, &done, unpushed);
    g_autofree char *remote = redact_text(target.remote);
    tool_result_add_text(result, text);
    if (target.pr_url)
        tool_result_set_source_url(result, target.pr_url);
    json_t *details = tool_result_details(result);
    json_add(details, "branch:%s remote:%s remoteBranch:%s", branch, remote, target.head_ref);
    return true;
}
