/* See checkout_tree.h. */
#include "github/ops/checkout_tree.h"

#include "base/file.h"
#include "base/str.h"
#include "github/git.h"

#include <unistd.h>

#define TREE_TIMEOUT_MS (30 * 60 * 1000) // the network, or a large tree
#define MAX_ROUNDS      8                // first trees, then what is in them
#define OBJECTS_BYTES   ((size_t)64 * 1024 * 1024)

// ---- what a partial clone lacks ----

/* The remote that is to have what is missing; NULL: the clone is whole. */
static bool find_promisor(const char *root, Cancel *cancel, char **ret_remote, GError **error)
{
    static const char suffix[] = ".promisor true";
    const char *const args[] = { "config", "--type=bool", "--get-regexp",
                                 "^remote\\..*\\.promisor$", NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(root, args, 0, cancel, &result, error))
        return false;
    g_auto(GStrv) lines = g_strsplit(result.output, "\n", -1);
    for (char **line = lines; *line && !*ret_remote; line++)
        if (str_has_prefix(*line, "remote.") && g_str_has_suffix(*line, suffix))
            *ret_remote = g_strndup(*line + strlen("remote."),
                                    strlen(*line) - strlen("remote.") - strlen(suffix));
    return true;
}

/* The ids of `commit`'s objects that are not here, one a line; "": none. */
static bool list_missing(const char *root, const char *commit, Cancel *cancel, GString *ret_ids,
                         GError **error)
{
    const GitSpec spec = {
        .dir = root,
        .args = (const char *const[]) { "rev-list", "--objects", "--no-walk", "--missing=print",
                                        "--no-object-names", "--end-of-options", commit, NULL },
        .timeout_ms = TREE_TIMEOUT_MS,
        .max_output_bytes = OBJECTS_BYTES,
    };
    g_autofree char *output = NULL;
    if (!git_must_spec(&spec, cancel, &output, error))
        return false;
    for (char *line = output, *end = NULL; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (*line == '?')
            g_string_append_printf(ret_ids, "%s\n", line + 1);
    }
    return true;
}

/* As git itself would while it writes the tree, but from where the person's own files are. */
static bool fetch_missing(const char *root, const char *commit, Cancel *cancel, GError **error)
{
    g_autofree char *remote = NULL;
    if (!find_promisor(root, cancel, &remote, error))
        return false;
    for (int round = 0; remote && round < MAX_ROUNDS; round++) {
        g_autoptr(GString) ids = g_string_new(NULL);
        if (!list_missing(root, commit, cancel, ids, error))
            return false;
        if (ids->len == 0)
            return true;
        const GitSpec spec = {
            .dir = root,
            .args =
                (const char *const[]) { "-c", "fetch.negotiationAlgorithm=noop", "fetch",
                                        "--no-tags", "--no-write-fetch-head", "--filter=blob:none",
                                        "--stdin", "--end-of-options", remote, NULL },
            .input = ids->str,
            .timeout_ms = TREE_TIMEOUT_MS,
        };
        if (!git_must_spec(&spec, cancel, NULL, error)) {
            g_prefix_error(error, "what this partial clone lacks of %s: ", commit);
            return false;
        }
    }
    return true;
}

// ---- the files ----

/* Does git have one of the hooks that it would run now? */
static bool has_hooks(const char *root, Cancel *cancel)
{
    static const char *const names[] = { "post-checkout", "post-index-change",
                                         "reference-transaction", "post-merge" };
    g_autofree char *hooks = NULL;
    bool is_known = git_hooks_path(root, cancel, &hooks, NULL);
    for (size_t i = 0; is_known && i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(hooks, names[i], NULL);
        if (file_exists(path) && access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static bool write_tree(const char *root, const GitSpec *spec, Checkout *self, Cancel *cancel,
                       GError **error)
{
    g_auto(GitResult) result = { 0 };
    if (!fetch_missing(root, self->head_oid, cancel, error) ||
        !git_start(spec, cancel, &result, error) || !git_check(spec->args, &result, error))
        return false;
    bool is_any = has_hooks(root, cancel);
    if (is_any || result.left_off)
        self->left_off =
            g_strconcat(is_any ? "git hooks" : "", is_any && result.left_off ? ", " : "",
                        result.left_off ? result.left_off : "", NULL);
    return true;
}

/* A worktree that was just made, and could not be filled. */
static void remove_worktree(const char *root, const char *path)
{
    const char *const args[] = { "worktree", "remove", "--force", "--end-of-options", path, NULL };
    g_auto(GitResult) result = { 0 };
    git_run(root, args, TREE_TIMEOUT_MS, NULL, &result, NULL);
}

/* Empty at first: what a condition of the configuration includes (includeIf) may be other in the
   new tree than in the root, so that it is asked there before a file is written. */
bool checkout_tree_add(const char *root, const char *path, Checkout *self, Cancel *cancel,
                       GError **error)
{
    g_autofree char *parent = g_path_get_dirname(path);
    const char *const add[] = { "worktree",   "add", "--no-checkout", "--end-of-options", path,
                                self->branch, NULL };
    const GitSpec fill = {
        .dir = path,
        .args = (const char *const[]) { "reset", "--hard", NULL },
        .tree = path,
        .timeout_ms = TREE_TIMEOUT_MS,
    };
    if (!file_make_dirs(parent, 0700, error) ||
        !git_must(root, add, TREE_TIMEOUT_MS, cancel, NULL, error))
        return false;
    if (write_tree(root, &fill, self, cancel, error))
        return true;
    remove_worktree(root, path);
    return false;
}

bool checkout_tree_reset(const char *root, const char *path, Checkout *self, Cancel *cancel,
                         GError **error)
{
    g_autofree char *old = NULL;
    const GitSpec spec = {
        .dir = path,
        .args = (const char *const[]) { "reset", "--keep", self->head_oid, NULL },
        .tree = path,
        .timeout_ms = TREE_TIMEOUT_MS,
    };
    if (!git_head_sha(path, cancel, &old, error) || !write_tree(root, &spec, self, cancel, error))
        return false;
    self->reset_from = g_steal_pointer(&old);
    self->ahead = self->behind = 0;
    return true;
}
