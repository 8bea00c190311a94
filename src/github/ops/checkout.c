/*
 * One pull request: ask gh for its facts, then, under the lock, remote, fetch, branch,
 * configuration and worktree. The order of the steps is that of github-tool §3.3; a failure leaves
 * what was done before, and a retry continues from there.
 */
#include "github/ops/checkout.h"

#include "base/file.h"
#include "base/path.h"
#include "github/git.h"
#include "github/ops/checkout_head.h"
#include "github/ops/checkout_tree.h"
#include "github/ops/git_worktree.h"
#include "github/ops/repo_lock.h"
#include "github/ops/worktree_state.h"
#include "github/repo_ref.h"
#include "github/text.h"

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
