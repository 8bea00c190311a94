/*
 * One pull request: ask gh for its facts, then, under the lock, remote, fetch, branch,
 * configuration and worktree. The order of the steps is that of github-tool §3.3; a failure leaves
 * what was done before, and a retry continues from there.
 */
#include "github/ops/checkout.h"

#include "base/file.h"
#include "base/path.h"
#include "github/git.h"
#include "github/ops/checkout_remote.h"
#include "github/ops/checkout_tree.h"
#include "github/ops/git_worktree.h"
#include "github/ops/repo_lock.h"
#include "github/ops/worktree_state.h"
#include "github/repo_ref.h"
#include "github/text.h"

// ---- the head commit (github-tool §3.3, step 7) ----
//
// It comes from its branch, or, where that is gone or elsewhere, from refs/pull/N/head. It is
// always compared with what GitHub said the head is: a branch of the same name in another
// repository, or one that moved meanwhile, must not be taken for the pull request.

#define FETCH_TIMEOUT_MS (30 * 60 * 1000)

typedef struct Fetched {
    char *ref;    // where the remote's ref was put
    char *commit; // NULL: the remote has no such ref
} Fetched;

static void fetched_clear(Fetched *self)
{
    g_clear_pointer(&self->ref, g_free);
    g_clear_pointer(&self->commit, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fetched, fetched_clear)

/* Fetches `source` of the remote into refs/remotes/<remote>/<name>. */
static bool head_fetch_ref(const char *root, const char *remote, const char *source,
                           const char *name, Cancel *cancel, Fetched *ret_fetched, GError **error)
{
    g_auto(Fetched) fetched = { .ref = g_strdup_printf("refs/remotes/%s/%s", remote, name) };
    g_autofree char *refspec = g_strdup_printf("+%s:%s", source, fetched.ref);
    const char *const args[] = { "fetch", "--end-of-options", remote, refspec, NULL };
    g_autoptr(GError) cause = NULL;
    if (!git_must(root, args, FETCH_TIMEOUT_MS, cancel, NULL, &cause)) {
        if (!strstr(cause->message, "couldn't find remote ref"))
            return pass_error(error, &cause);
    } else if (!git_ref_value(root, fetched.ref, cancel, &fetched.commit, error)) {
        return false;
    }
    *ret_fetched = fetched;
    fetched = (Fetched) { 0 };
    return true;
}

static bool is_head(const Fetched *fetched, const Checkout *checkout)
{
    return g_strcmp0(fetched->commit, checkout->head_oid) == 0;
}

/* "(missing)" for none. Caller frees. */
static char *sha_text(const char *commit)
{
    return commit != NULL ? text_sha12(commit) : g_strdup("(missing)");
}

static void take_remote(CheckoutRemote *remote, Checkout *checkout)
{
    checkout->remote = g_steal_pointer(&remote->name);
    checkout->remote_url = g_steal_pointer(&remote->raw_url);
}

/* From the head branch. *ret_start stays NULL when it is not there, or at another commit. */
static bool from_branch(ToolCall *call, const char *root, const CheckoutRequest *request,
                        CheckoutRemote *remote, Checkout *checkout, Fetched *ret_branch,
                        char **ret_start, GError **error)
{
    Cancel *cancel = tool_call_cancel(call);
    g_autofree char *source = g_strconcat("refs/heads/", checkout->head_ref, NULL);
    if (!head_fetch_ref(root, remote->name, source, checkout->head_ref, cancel, ret_branch, error))
        return false;
    if (ret_branch->commit && !is_head(ret_branch, checkout)) {
        g_autoptr(Checkout) now = NULL; // somebody may have pushed in between
        if (!checkout_fetch_facts(call, request, &now, error))
            return false;
        g_free(checkout->head_oid);
        checkout->head_oid = g_steal_pointer(&now->head_oid);
    }
    if (is_head(ret_branch, checkout)) {
        *ret_start = g_steal_pointer(&ret_branch->ref);
        take_remote(remote, checkout);
    }
    return true;
}

static bool fail_not_head(const CheckoutRemote *remote, const Checkout *checkout,
                          const Fetched *branch, const Fetched *pull, const char *pull_ref,
                          bool is_fork_gone, GError **error)
{
    g_autofree char *expected = text_sha12(checkout->head_oid);
    if (is_fork_gone)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "head repository must not be empty");
    if (remote->unmatched_slug) {
        g_autofree char *there = sha_text(branch->commit);
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "no git remote of this checkout points at %s: refs/heads/%s is at %s, "
                         "expected %s",
                         remote->unmatched_slug, checkout->head_ref, there, expected);
    }
    g_autofree char *there = sha_text(pull->commit);
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "%s of %s is at %s, but the head of pull request #%" G_GINT64_FORMAT " is %s",
                     pull_ref, remote->name, there, checkout->number, expected);
}

static bool from_pull_ref(ToolCall *call, const char *root, Checkout *checkout,
                          const Fetched *branch, bool is_fork_gone, char **ret_start,
                          GError **error)
{
    g_auto(CheckoutRemote) remote = { 0 };
    g_auto(Fetched) pull = { 0 };
    g_autofree char *name = g_strdup_printf("pull/%" G_GINT64_FORMAT "/head", checkout->number);
    g_autofree char *source = g_strconcat("refs/", name, NULL);
    if (!checkout_remote_pick_base(call, root, checkout, &remote, error) ||
        !head_fetch_ref(root, remote.name, source, name, tool_call_cancel(call), &pull, error))
        return false;
    if (!is_head(&pull, checkout))
        return fail_not_head(&remote, checkout, branch, &pull, source, is_fork_gone, error);
    *ret_start = g_steal_pointer(&pull.ref);
    checkout->has_no_push_target = true;
    take_remote(&remote, checkout);
    return true;
}

/* Fetches checkout->head_oid (which may become a newer commit) and sets the remote's fields and
   has_no_push_target. `ret_start` is the ref that holds it. */
static bool checkout_head_fetch(ToolCall *call, const char *root, const CheckoutRequest *request,
                                Checkout *checkout, char **ret_start, GError **error)
{
    g_auto(CheckoutRemote) remote = { 0 };
    g_auto(Fetched) branch = { 0 };
    g_autofree char *start = NULL;
    if (!checkout_remote_pick(call, root, checkout, &remote, error))
        return false;
    bool is_fork_gone = remote.is_gone;
    if (!is_fork_gone &&
        !from_branch(call, root, request, &remote, checkout, &branch, &start, error))
        return false;
    if (!start && !from_pull_ref(call, root, checkout, &branch, is_fork_gone, &start, error))
        return false;
    *ret_start = g_steal_pointer(&start);
    return true;
}

// ---- the checkout ----

/* Gives worktrees with a detached HEAD the branch that is rebased there. */
static bool name_rebased(GPtrArray *worktrees, Cancel *cancel, GError **error)
{
    for (unsigned i = 0; i < worktrees->len; i++) {
        GitWorktree *worktree = g_ptr_array_index(worktrees, i);
        if (!worktree->ref && file_is_directory(worktree->path) &&
            !worktree_rebased_ref(worktree->path, cancel, &worktree->ref, error))
            return false;
    }
    return true;
}

static GitWorktree *find_by_ref(const GPtrArray *worktrees, const char *ref)
{
    for (unsigned i = 0; i < worktrees->len; i++) {
        GitWorktree *worktree = g_ptr_array_index(worktrees, i);
        if (g_strcmp0(worktree->ref, ref) == 0)
            return worktree;
    }
    return NULL;
}

/* The worktree that has the branch, wherever it is; NULL when there is none. `ret_worktrees` owns
 * it. */
static bool find_existing(const char *root, const Checkout *self, Cancel *cancel,
                          GPtrArray **ret_worktrees, GitWorktree **ret_existing, GError **error)
{
    g_autofree char *ref = g_strconcat("refs/heads/", self->branch, NULL);
    g_autoptr(GPtrArray) worktrees = NULL;
    if (!git_worktree_list(root, cancel, &worktrees, error) ||
        !name_rebased(worktrees, cancel, error))
        return false;
    GitWorktree *existing = find_by_ref(worktrees, ref);
    if (existing && !file_is_directory(existing->path)) {
        const char *const prune[] = { "worktree", "prune", NULL };
        g_clear_pointer(&worktrees, g_ptr_array_unref);
        if (!git_must(root, prune, 0, cancel, NULL, error) ||
            !git_worktree_list(root, cancel, &worktrees, error))
            return false;
        existing = find_by_ref(worktrees, ref);
        if (existing && !file_is_directory(existing->path))
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "worktree for %s is registered at %s but missing on disk",
                             self->branch, existing->path);
    }
    *ret_existing = existing;
    *ret_worktrees = g_steal_pointer(&worktrees);
    return true;
}

/* The name goes into refspecs and configuration: it must be one branch's, not a pattern or two
 * names. */
static bool check_head_ref(const char *root, const char *head_ref, Cancel *cancel, GError **error)
{
    g_autofree char *ref = g_strconcat("refs/heads/", head_ref, NULL);
    const char *const args[] = { "check-ref-format", ref, NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(root, args, 0, cancel, &result, error))
        return false;
    if (head_ref[0] == '-' || result.exit_status != 0)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "invalid head branch name: %s", head_ref);
    return true;
}

static bool make_branch(const char *root, const Checkout *self, const char *start, bool force,
                        Cancel *cancel, GError **error)
{
    g_autofree char *ref = g_strconcat("refs/heads/", self->branch, NULL);
    bool exists = false;
    if (!git_ref_exists(root, ref, cancel, &exists, error))
        return false;
    if (exists) {
        g_autofree char *commit = NULL;
        if (!git_ref_value(root, ref, cancel, &commit, error))
            return false;
        if (strcmp(commit, self->head_oid) == 0)
            return true;
        if (!force) {
            g_autofree char *short_sha = text_sha12(commit);
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "local branch %s already exists at %s; pass force=true to reset it",
                             self->branch, short_sha);
        }
    }
    // --no-track: what to track is written by write_config(), and git's own guess can fail
    const char *const add[] = { "branch",     "--no-track", "--end-of-options",
                                self->branch, start,        NULL };
    const char *const reset[] = { "branch",     "--no-track", "--force", "--end-of-options",
                                  self->branch, start,        NULL };
    return git_must(root, exists ? reset : add, 0, cancel, NULL, error);
}

typedef struct ConfigEntry {
    const char *key, *value; // NULL: removed
} ConfigEntry;

/* May the branch's push overwrite the head? Only when it has taken in what is there. */
static bool has_taken_in(const Checkout *self)
{
    return !self->is_reused || self->behind == 0;
}

static bool write_config(const char *root, const Checkout *self, Cancel *cancel, GError **error)
{
    bool can_push = !self->has_no_push_target;
    g_autofree char *merge =
        can_push ? g_strconcat("refs/heads/", self->head_ref, NULL)
                 : g_strdup_printf("refs/pull/%" G_GINT64_FORMAT "/head", self->number);
    bool is_cross = json_get_bool(self->pr, "isCrossRepository", false);
    bool can_modify = json_get_bool(self->pr, "maintainerCanModify", false);
    const ConfigEntry entries[] = {
        { "remote", self->remote },
        { "merge", merge },
        { "pushRemote", can_push ? self->remote : NULL },
        { "ompPrHeadRef", can_push ? self->head_ref : NULL },
        { "ompPrUrl", self->url != NULL ? self->url : "" },
        { "ompPrIsCrossRepository", is_cross ? "true" : "false" },
        { "ompPrMaintainerCanModify", can_modify ? "true" : "false" },
        { "kedgePushTarget", can_push ? NULL : "none" },
        { "kedgeLease", can_push ? self->head_oid : NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(entries); i++) {
        if (strcmp(entries[i].key, "kedgeLease") == 0 && can_push && !has_taken_in(self))
            continue;
        g_autofree char *key = g_strdup_printf("branch.%s.%s", self->branch, entries[i].key);
        bool is_done = entries[i].value != NULL
                           ? git_config_set(root, key, entries[i].value, cancel, error)
                           : git_config_unset(root, key, cancel, error);
        if (!is_done)
            return false;
    }
    return true;
}

static bool fail_not_clean(const Checkout *self, const char *path, const WorktreeState *state,
                           GError **error)
{
    if (state->operation)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "worktree of %s at %s was not reset: %s in progress", self->branch, path,
                         state->operation);
    g_autofree char *counts = worktree_state_counts(state);
    g_autofree char *paths = worktree_state_paths(state);
    return fail_with(error, KEDGE_ERROR_FAILED, "worktree of %s at %s was not reset: %s: %s",
                     self->branch, path, counts, paths);
}

/* How a worktree that is there compares with the head; with `force` it is moved there. */
static bool look_at_existing(const char *root, const char *path, bool force, Checkout *self,
                             Cancel *cancel, GError **error)
{
    g_auto(WorktreeState) state = { 0 };
    if (!worktree_state_read(path, cancel, &state, error) ||
        !worktree_compare(path, self->head_oid, cancel, &self->ahead, &self->behind, error))
        return false;
    self->state = worktree_state_text(&state);
    if (!force || (self->ahead == 0 && self->behind == 0))
        return true;
    if (!worktree_state_is_clean(&state))
        return fail_not_clean(self, path, &state, error);
    return checkout_tree_reset(root, path, self, cancel, error);
}

static bool check_path_is_free(const GPtrArray *worktrees, const char *path, GError **error)
{
    g_autofree char *parent = g_path_get_dirname(path);
    g_autofree char *real_parent = path_real(parent);
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *real = real_parent != NULL ? g_build_filename(real_parent, name, NULL) : NULL;
    for (unsigned i = 0; i < worktrees->len; i++) {
        const GitWorktree *worktree = g_ptr_array_index(worktrees, i);
        if (strcmp(worktree->path, path) == 0 || g_strcmp0(worktree->path, real) == 0)
            return fail_with(error, KEDGE_ERROR_FAILED, "worktree path is already registered: %s",
                             path);
    }
    if (file_exists(path))
        return fail_with(error, KEDGE_ERROR_FAILED, "worktree path already exists: %s", path);
    return true;
}

/* Steps 5 to 11, under the lock. `root` is the primary root: a linked worktree may hold another
   pull request's files. */
static bool checkout_locked(ToolCall *call, const char *root, const char *target,
                            const CheckoutRequest *request, Checkout *self, GError **error)
{
    Cancel *cancel = tool_call_cancel(call);
    g_autoptr(GPtrArray) worktrees = NULL;
    GitWorktree *existing = NULL;
    g_autofree char *start = NULL;
    if (!check_head_ref(root, self->head_ref, cancel, error) ||
        !find_existing(root, self, cancel, &worktrees, &existing, error) ||
        !checkout_head_fetch(call, root, request, self, &start, error))
        return false;
    self->is_reused = existing != NULL;

    bool is_ready =
        existing != NULL
            ? look_at_existing(root, existing->path, request->force, self, cancel, error)
            : make_branch(root, self, start, request->force, cancel, error);
    if (!is_ready || !write_config(root, self, cancel, error))
        return false;
    if (!existing && !(check_path_is_free(worktrees, target, error) &&
                       checkout_tree_add(root, target, self, cancel, error)))
        return false;

    const char *path = existing != NULL ? existing->path : target;
    self->worktree_path = path_real(path);
    if (!self->worktree_path)
        self->worktree_path = g_strdup(path);
    return true;
}

bool checkout_finish(ToolCall *call, const CheckoutRequest *request, Checkout *checkout,
                     GError **error)
{
    Cancel *cancel = tool_call_cancel(call);
    g_autofree char *root = NULL;
    g_autofree char *primary = NULL;
    g_autofree char *common = NULL;
    if (!git_repo_root(tool_call_cwd(call), cancel, &root, error) ||
        !git_primary_root(root, cancel, &primary, error) ||
        !git_common_dir(root, cancel, &common, error))
        return false;

    g_autofree char *target = git_worktree_path(primary, checkout->number);
    g_autoptr(RepoLock) lock = NULL;
    return repo_lock_acquire(primary, common, REPO_LOCK_MAX_WAIT_MS, cancel, &lock, error) &&
           checkout_locked(call, primary, target, request, checkout, error);
}

/* HOST/OWNER/REPO of the pull request's URL in lower case, or "". Caller frees. */
static char *repository_of(const Checkout *self)
{
    g_auto(GithubUrl) url = { 0 };
    if (!self->url || !github_url_parse(self->url, "pull", &url))
        return g_strdup("");
    g_autofree char *name = g_strconcat(url.host, "/", url.slug, NULL);
    return g_ascii_strdown(name, -1);
}

bool checkout_is_same(const Checkout *a, const Checkout *b)
{
    g_autofree char *a_name = repository_of(a);
    g_autofree char *b_name = repository_of(b);
    return a->number == b->number && strcmp(a_name, b_name) == 0;
}
