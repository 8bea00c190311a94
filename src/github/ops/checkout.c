/*
 * One pull request: ask gh for its facts, then, under the lock, remote, fetch, branch,
 * configuration and worktree. The order of the steps is that of github-tool §3.3; a failure leaves
 * what was done before, and a retry continues from there.
 */
#include "github/ops/checkout.h"

#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "github/gh.h"
#include "github/git.h"
#include "github/ops/checkout_remote.h"
#include "github/ops/git_worktree.h"
#include "github/ops/repo_lock.h"
#include "github/text.h"

#define CHECKOUT_GIT_TIMEOUT_MS (30 * 60 * 1000) // the network, or a large tree

static const char CHECKOUT_FIELDS[] =
    "baseRefName,headRefName,headRefOid,headRepository,headRepositoryOwner,isCrossRepository,"
    "maintainerCanModify,number,title,url";

void checkout_free(Checkout *self)
{
    if (self == NULL)
        return;
    json_decref(self->pr);
    g_free(self->url);
    g_free(self->head_ref);
    g_free(self->head_oid);
    g_free(self->head_repo);
    g_free(self->branch);
    g_free(self->worktree_path);
    g_free(self->remote);
    g_free(self->remote_url);
    g_free(self);
}

static const char *text_or_null(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return str_is_empty(text) ? NULL : text;
}

/* gh up to 2.46 at least gives the head repository no nameWithOwner. */
static char *head_repository(const json_t *pr)
{
    const json_t *repository = json_get_object(pr, "headRepository");
    const char *whole = text_or_null(repository, "nameWithOwner");
    if (whole != NULL)
        return g_strdup(whole);
    const char *owner = text_or_null(json_get_object(pr, "headRepositoryOwner"), "login");
    const char *name = text_or_null(repository, "name");
    return owner != NULL && name != NULL ? g_strdup_printf("%s/%s", owner, name) : NULL;
}

static bool read_facts(json_t *pr, Checkout **ret_checkout, GError **error)
{
    g_autoptr(Checkout) self = g_new0(Checkout, 1);
    self->pr = json_incref(pr);
    self->number = json_get_int(pr, "number", 0);
    if (self->number <= 0)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "GitHub CLI did not return a pull request number.");
    self->head_ref = g_strdup(text_or_null(pr, "headRefName"));
    if (self->head_ref == NULL)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "head branch must not be empty");
    self->head_oid = g_strdup(text_or_null(pr, "headRefOid"));
    if (self->head_oid == NULL)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "head commit must not be empty");
    self->url = g_strdup(text_or_null(pr, "url"));
    self->head_repo = head_repository(pr);
    self->branch = g_strdup_printf("pr-%" G_GINT64_FORMAT, self->number);
    *ret_checkout = g_steal_pointer(&self);
    return true;
}

static bool fetch_facts(ToolCall *call, const CheckoutRequest *request, Checkout **ret_checkout,
                        GError **error)
{
    const char *entry = request->entry;
    if (entry != NULL && entry[0] == '-')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "invalid PR identifier: %s. Pass a PR number, URL, or branch name.",
                         entry);

    const char *argv[8] = { "pr", "view" };
    size_t n = 2;
    if (entry != NULL)
        argv[n++] = entry;
    bool is_url = entry != NULL && g_str_has_prefix(entry, "https://");
    if (request->repo != NULL && !is_url) {
        argv[n++] = "--repo";
        argv[n++] = request->repo;
    }
    argv[n++] = "--json";
    argv[n++] = CHECKOUT_FIELDS;
    const GhSpec spec = { .argv = argv, .has_explicit_repo = request->repo != NULL };
    g_autoptr(json_t) pr = NULL;
    return gh_json(call, &spec, JSON_OBJECT, &pr, error) && read_facts(pr, ret_checkout, error);
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
    if (!git_worktree_list(root, cancel, &worktrees, error))
        return false;
    GitWorktree *existing = find_by_ref(worktrees, ref);
    if (existing != NULL && !file_is_directory(existing->path)) {
        const char *const prune[] = { "worktree", "prune", NULL };
        g_clear_pointer(&worktrees, g_ptr_array_unref);
        if (!git_must(root, prune, 0, cancel, NULL, error) ||
            !git_worktree_list(root, cancel, &worktrees, error))
            return false;
        existing = find_by_ref(worktrees, ref);
        if (existing != NULL && !file_is_directory(existing->path))
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

/* Fetches the head branch; `ret_ref` is its remote-tracking ref. */
static bool fetch_head(const char *root, const Checkout *self, const CheckoutRemote *remote,
                       Cancel *cancel, char **ret_ref, GError **error)
{
    g_autofree char *ref = g_strdup_printf("refs/remotes/%s/%s", remote->name, self->head_ref);
    g_autofree char *refspec = g_strdup_printf("+refs/heads/%s:%s", self->head_ref, ref);
    const char *const args[] = { "fetch", "--end-of-options", remote->name, refspec, NULL };
    if (!git_must(root, args, CHECKOUT_GIT_TIMEOUT_MS, cancel, NULL, error))
        return false;

    if (remote->unmatched_slug != NULL) {
        g_autofree char *commit = NULL;
        if (!git_ref_value(root, ref, cancel, &commit, error))
            return false;
        if (strcmp(commit, self->head_oid) != 0) {
            g_autofree char *fetched = text_sha12(commit);
            g_autofree char *expected = text_sha12(self->head_oid);
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "no git remote of this checkout points at %s: refs/heads/%s is at %s, "
                             "expected %s",
                             remote->unmatched_slug, self->head_ref, fetched, expected);
        }
    }
    *ret_ref = g_steal_pointer(&ref);
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

static bool write_config(const char *root, const Checkout *self, Cancel *cancel, GError **error)
{
    g_autofree char *merge = g_strconcat("refs/heads/", self->head_ref, NULL);
    bool is_cross = json_get_bool(self->pr, "isCrossRepository", false);
    bool can_modify = json_get_bool(self->pr, "maintainerCanModify", false);
    const struct {
        const char *key, *value;
    } entries[] = {
        { "remote", self->remote },
        { "merge", merge },
        { "pushRemote", self->remote },
        { "ompPrHeadRef", self->head_ref },
        { "ompPrUrl", self->url != NULL ? self->url : "" },
        { "ompPrIsCrossRepository", is_cross ? "true" : "false" },
        { "ompPrMaintainerCanModify", can_modify ? "true" : "false" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(entries); i++) {
        g_autofree char *key = g_strdup_printf("branch.%s.%s", self->branch, entries[i].key);
        if (!git_config_set(root, key, entries[i].value, cancel, error))
            return false;
    }
    return true;
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

static bool add_worktree(const char *root, const GPtrArray *worktrees, const char *path,
                         const char *branch, Cancel *cancel, GError **error)
{
    g_autofree char *parent = g_path_get_dirname(path);
    const char *const args[] = { "worktree", "add", "--end-of-options", path, branch, NULL };
    return check_path_is_free(worktrees, path, error) && file_make_dirs(parent, 0700, error) &&
           git_must(root, args, CHECKOUT_GIT_TIMEOUT_MS, cancel, NULL, error);
}

/* Steps 5 to 11, under the lock. `root` is the primary root: with a relative core.hooksPath (.husky
   and the like) git takes hooks from where it runs, and a linked worktree may hold another pull
   request's files. */
static bool checkout_locked(ToolCall *call, const char *root, const char *target, bool force,
                            Checkout *self, GError **error)
{
    Cancel *cancel = tool_call_cancel(call);
    g_autoptr(GPtrArray) worktrees = NULL;
    GitWorktree *existing = NULL;
    g_auto(CheckoutRemote) remote = { 0 };
    g_autofree char *start = NULL;
    if (!check_head_ref(root, self->head_ref, cancel, error) ||
        !find_existing(root, self, cancel, &worktrees, &existing, error) ||
        !checkout_remote_pick(call, root, self, &remote, error) ||
        !fetch_head(root, self, &remote, cancel, &start, error))
        return false;
    self->is_reused = existing != NULL;
    self->remote = g_steal_pointer(&remote.name);
    self->remote_url = g_steal_pointer(&remote.raw_url);

    if (existing == NULL && !make_branch(root, self, start, force, cancel, error))
        return false;
    if (!write_config(root, self, cancel, error))
        return false;
    if (existing == NULL && !add_worktree(root, worktrees, target, self->branch, cancel, error))
        return false;

    const char *path = existing != NULL ? existing->path : target;
    self->worktree_path = path_real(path);
    if (self->worktree_path == NULL)
        self->worktree_path = g_strdup(path);
    return true;
}

bool checkout_pr(ToolCall *call, const CheckoutRequest *request, Checkout **ret_checkout,
                 GError **error)
{
    Cancel *cancel = tool_call_cancel(call);
    g_autoptr(Checkout) self = NULL;
    g_autofree char *root = NULL;
    g_autofree char *primary = NULL;
    g_autofree char *common = NULL;
    if (!fetch_facts(call, request, &self, error) ||
        !git_repo_root(tool_call_cwd(call), cancel, &root, error) ||
        !git_primary_root(root, cancel, &primary, error) ||
        !git_common_dir(root, cancel, &common, error))
        return false;

    g_autofree char *target = git_worktree_path(primary, self->number);
    g_autoptr(RepoLock) lock = NULL;
    if (!repo_lock_acquire(primary, common, REPO_LOCK_MAX_WAIT_MS, cancel, &lock, error) ||
        !checkout_locked(call, primary, target, request->force, self, error))
        return false;
    *ret_checkout = g_steal_pointer(&self);
    return true;
}
