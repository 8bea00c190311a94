/*
 * Trees by way of indexes of our own (commit_trees.h): `work`, a copy of the repository's, which
 * keeps what git knows of the files on disk, and `plan`, in which the trees are put together. Blobs
 * and modes come from the two trees of the change, never from the work tree.
 */
#include "changes/commit_trees.h"

#include "base/dirs.h"
#include "base/file.h"
#include "base/limits.h"
#include "changes/commit_plan.h"
#include "github/git.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct CommitTrees {
    char *root, *dir;  // `dir` is ours, beside the repository
    char *index;       // the repository's
    char *work, *plan; // indexes in `dir`
    char *index_bytes; // as it was; NULL: there was none
    size_t index_size;
    struct timespec index_time;
    bool only_looks;
    bool wants_all, is_replaced; // the repository's index holds `final`
    char *head, *base, *final;
    char *staged; // with wants_all: the tree of what was staged before
    CommitParts *parts;
};

void commit_trees_free(CommitTrees *self)
{
    if (!self)
        return;
    if (self->dir)
        file_remove_tree(self->dir, NULL);
    commit_parts_free(self->parts);
    g_free(self->root);
    g_free(self->dir);
    g_free(self->index);
    g_free(self->work);
    g_free(self->plan);
    g_free(self->index_bytes);
    g_free(self->head);
    g_free(self->base);
    g_free(self->final);
    g_free(self->staged);
    g_free(self);
}

const char *commit_trees_head(const CommitTrees *self)
{
    return self->head;
}

const CommitParts *commit_trees_parts(const CommitTrees *self)
{
    return self->parts;
}

/* `index` NULL: the repository's. `ret_output` may be NULL. */
static bool commit_trees_run(const CommitTrees *self, const char *index, const char *const *args,
                             Cancel *cancel, char **ret_output, GError **error)
{
    const GitSpec spec = { .dir = self->root, .args = args, .index_file = index };
    return git_must_spec(&spec, cancel, ret_output, error);
}

// ---- what has changed ----

/* A commit then is one of two parents, or ends something else: it cannot be divided. */
static bool check_nothing_is_on(const CommitTrees *self, Cancel *cancel, GError **error)
{
    static const char *const marks[] = { "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD" };
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        const char *const args[] = { "rev-parse", "-q", "--verify", marks[i], NULL };
        g_auto(GitResult) result = { 0 };
        if (!git_run(self->root, args, 0, cancel, &result, error))
            return false;
        if (result.exit_status == 0)
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "there is a %s: finish or abort what is going on before a commit is "
                             "divided",
                             marks[i]);
    }
    return true;
}

static bool read_head(CommitTrees *self, Cancel *cancel, GError **error)
{
    static const char *const head[] = { "rev-parse", "-q", "--verify", "HEAD^{commit}", NULL };
    static const char *const tree[] = { "rev-parse", "HEAD^{tree}", NULL };
    static const char *const empty[] = { "hash-object", "-t", "tree", "-w", "--stdin", NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(self->root, head, 0, cancel, &result, error))
        return false;
    if (result.exit_status == 0)
        self->head = g_strdup(result.output);
    return commit_trees_run(self, NULL, self->head ? tree : empty, cancel, &self->base, error);
}

static bool copy_index(CommitTrees *self, Cancel *cancel, GError **error)
{
    static const char *const args[] = { "rev-parse", "--git-path", "index", NULL };
    g_autofree char *path = NULL;
    if (!commit_trees_run(self, NULL, args, cancel, &path, error))
        return false;
    self->index = g_canonicalize_filename(path, self->root);
    struct stat info;
    if (stat(self->index, &info) != 0)
        return true;
    self->index_time = info.st_mtim;
    return file_read(self->index, LIMIT_GIT_INDEX_BYTES, &self->index_bytes, &self->index_size,
                     error) &&
           file_write_atomic(self->work, self->index_bytes, self->index_size, 0600, error);
}

static bool read_final(CommitTrees *self, Cancel *cancel, GError **error)
{
    static const char *const write[] = { "write-tree", NULL };
    const GitSpec add_all = {
        .dir = self->root,
        .args = (const char *const[]) { "add", "-u", NULL },
        .index_file = self->work,
        .only_looks = self->only_looks,
        .is_own = !self->only_looks && !git_is_pull_checkout(self->root, cancel),
    };
    if ((self->wants_all &&
         (!commit_trees_run(self, self->work, write, cancel, &self->staged, error) ||
          !git_must_spec(&add_all, cancel, NULL, error))) ||
        !commit_trees_run(self, self->work, write, cancel, &self->final, error)) {
        g_prefix_error(error, "cannot take what is to be committed: ");
        return false;
    }
    return true;
}

static bool read_blob(const CommitTrees *self, const char *id, Cancel *cancel, char **ret_data,
                      size_t *ret_size, GError **error)
{
    const char *const args[] = { "cat-file", "blob", id, NULL };
    return git_must_bytes(self->root, args, cancel, ret_data, ret_size, error);
}

/* All hunks together make the new file of the old one, to the byte. */
static bool is_divisible(const CommitTrees *self, const PartFile *file, Cancel *cancel)
{
    g_autofree char *old = NULL, *new = NULL;
    size_t old_size = 0, new_size = 0;
    if (!read_blob(self, file->old_id, cancel, &old, &old_size, NULL) ||
        !read_blob(self, file->new_id, cancel, &new, &new_size, NULL))
        return false;
    g_autofree bool *all = g_new(bool, file->hunks->len);
    memset(all, true, file->hunks->len * sizeof(bool));
    g_autoptr(GString) made = commit_parts_apply(file, all, old, old_size);
    return made->len == new_size && memcmp(made->str, new, new_size) == 0;
}

static bool read_parts(CommitTrees *self, Cancel *cancel, GError **error)
{
    const char *const raw_args[] = { "diff-tree",   "-r",       "-z",        "-M", "--raw",
                                     "--no-abbrev", self->base, self->final, NULL };
    static const char plain[] = "diff.suppressBlankEmpty=false";
    const char *const patch_args[] = { "-c",
                                       plain,
                                       "diff-tree",
                                       "-r",
                                       "-p",
                                       "-M",
                                       "-U3",
                                       "--full-index",
                                       "--src-prefix=a/",
                                       "--dst-prefix=b/",
                                       self->base,
                                       self->final,
                                       NULL };
    g_autofree char *raw = NULL, *patch = NULL;
    size_t raw_size = 0, patch_size = 0;
    if (!git_must_bytes(self->root, raw_args, cancel, &raw, &raw_size, error) ||
        !git_must_bytes(self->root, patch_args, cancel, &patch, &patch_size, error) ||
        !commit_parts_read(raw, raw_size, patch, patch_size, &self->parts, error))
        return false;
    for (unsigned i = 0; i < self->parts->files->len; i++) {
        const PartFile *file = self->parts->files->pdata[i];
        if (file->hunks->len > 1 && !is_divisible(self, file, cancel))
            commit_parts_join(self->parts, i);
    }
    return cancel_check(cancel, error);
}

bool commit_trees_open(const char *root, bool wants_all, bool only_looks, Cancel *cancel,
                       CommitTrees **ret_self, GError **error)
{
    g_autofree char *dir = g_build_filename(dirs_temp(), "kedge-commit-XXXXXX", NULL);
    if (!g_mkdtemp_full(dir, 0700))
        return fail_with_errno(error, errno, "cannot make a directory in %s", dirs_temp());
    g_autoptr(CommitTrees) self = g_new0(CommitTrees, 1);
    self->root = g_strdup(root);
    self->dir = g_steal_pointer(&dir);
    self->work = g_build_filename(self->dir, "work", NULL);
    self->plan = g_build_filename(self->dir, "plan", NULL);
    self->wants_all = wants_all;
    self->only_looks = only_looks;
    if (!check_nothing_is_on(self, cancel, error) || !read_head(self, cancel, error) ||
        !copy_index(self, cancel, error) || !read_final(self, cancel, error) ||
        !read_parts(self, cancel, error))
        return false;
    *ret_self = g_steal_pointer(&self);
    return true;
}

// ---- the trees ----

static bool plan_remove(const CommitTrees *self, const char *path, Cancel *cancel, GError **error)
{
    const char *const args[] = { "update-index", "--force-remove", "--", path, NULL };
    return commit_trees_run(self, self->plan, args, cancel, NULL, error);
}

static bool plan_add(const CommitTrees *self, const PartFile *file, const char *id, Cancel *cancel,
                     GError **error)
{
    g_autofree char *entry = g_strdup_printf("%s,%s,%s", file->new_mode, id, file->path);
    const char *const args[] = { "update-index", "--add", "--replace", "--cacheinfo", entry, NULL };
    return commit_trees_run(self, self->plan, args, cancel, NULL, error);
}

static bool write_blob(const CommitTrees *self, const GString *data, Cancel *cancel, char **ret_id,
                       GError **error)
{
    g_autofree char *path = g_build_filename(self->dir, "blob", NULL);
    const char *const args[] = { "hash-object", "-w", "--no-filters", "--", path, NULL };
    return file_write_atomic(path, data->str, data->len, 0600, error) &&
           commit_trees_run(self, NULL, args, cancel, ret_id, error);
}

/* The file with the hunks of `chosen`, of which some are missing. */
static bool add_some(const CommitTrees *self, const PartFile *file, const bool *chosen,
                     Cancel *cancel, GError **error)
{
    g_autofree char *old = NULL, *id = NULL;
    size_t size = 0;
    if (!read_blob(self, file->old_id, cancel, &old, &size, error))
        return false;
    g_autoptr(GString) data = commit_parts_apply(file, chosen, old, size);
    return write_blob(self, data, cancel, &id, error) && plan_add(self, file, id, cancel, error);
}

static bool add_file(const CommitTrees *self, const PartFile *file, const bool *chosen,
                     Cancel *cancel, GError **error)
{
    for (unsigned i = 0; i < file->hunks->len; i++)
        if (!chosen[i])
            return add_some(self, file, chosen, cancel, error);
    return file->status == 'D' || plan_add(self, file, file->new_id, cancel, error);
}

/* `chosen`: of each file, which hunks are in the plan already. */
static bool plan_commit(const CommitTrees *self, const PlannedCommit *commit, GPtrArray *chosen,
                        Cancel *cancel, GError **error)
{
    for (unsigned i = 0; i < commit->parts->len; i++) {
        unsigned number = g_array_index(commit->parts, unsigned, i);
        const CommitPart *part = &g_array_index(self->parts->parts, CommitPart, number);
        const PartFile *file = commit_parts_file(self->parts, number);
        const char *gone = file->status == 'D' ? file->path : file->old_path;
        if (part->hunk >= 0)
            ((bool *)chosen->pdata[part->file])[part->hunk] = true;
        if (gone && !plan_remove(self, gone, cancel, error)) // first: it may become a directory
            return false;
    }
    for (unsigned i = 0; i < commit->parts->len; i++) {
        unsigned number = g_array_index(commit->parts, unsigned, i);
        const CommitPart *part = &g_array_index(self->parts->parts, CommitPart, number);
        const bool *of_file = chosen->pdata[part->file];
        if (!add_file(self, commit_parts_file(self->parts, number), of_file, cancel, error))
            return false;
    }
    return true;
}

static GPtrArray *nothing_chosen(const CommitTrees *self)
{
    GPtrArray *chosen = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < self->parts->files->len; i++) {
        const PartFile *file = self->parts->files->pdata[i];
        g_ptr_array_add(chosen, g_new0(bool, MAX(file->hunks->len, 1)));
    }
    return chosen;
}

bool commit_trees_build(CommitTrees *self, const GPtrArray *commits, Cancel *cancel,
                        char ***ret_trees, GError **error)
{
    const char *const start[] = { "read-tree", self->base, NULL };
    static const char *const write[] = { "write-tree", NULL };
    if (!commit_trees_run(self, self->plan, start, cancel, NULL, error))
        return false;
    g_autoptr(GPtrArray) chosen = nothing_chosen(self);
    g_auto(GStrv) trees = g_new0(char *, commits->len + 1);
    for (unsigned i = 0; i < commits->len; i++) {
        if (!plan_commit(self, commits->pdata[i], chosen, cancel, error) ||
            !commit_trees_run(self, self->plan, write, cancel, &trees[i], error))
            return false;
        if (strcmp(trees[i], i > 0 ? trees[i - 1] : self->base) == 0)
            return fail_with(error, KEDGE_ERROR_USAGE, "  - commit %u would change nothing", i + 1);
    }
    if (commits->len == 0 || strcmp(trees[commits->len - 1], self->final) != 0)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "the parts do not make the whole change; nothing was committed");
    *ret_trees = g_steal_pointer(&trees);
    return true;
}

bool commit_trees_use_index(CommitTrees *self, const char *tree, Cancel *cancel,
                            const char **ret_index, GError **error)
{
    const char *const args[] = { "read-tree", "-i", "-m", tree, NULL };
    *ret_index = self->work;
    return commit_trees_run(self, self->work, args, cancel, NULL, error);
}

// ---- the repository's index, with wants_all ----

/* The repository's index, which holds what `tree` does, gets `bytes`. Its time stays `when`, by
   which git knows files that changed just as they were written down. */
static bool replace_index(CommitTrees *self, const char *tree, const char *bytes, size_t size,
                          const struct timespec *when, GError **error)
{
    static const char *const write[] = { "write-tree", NULL };
    g_autofree char *seen_path = g_build_filename(self->dir, "seen", NULL);
    g_autofree char *lock = g_strconcat(self->index, ".lock", NULL);
    g_autofree char *seen = NULL, *now = NULL, *held = NULL;
    size_t seen_size = 0, now_size = 0;
    if (!file_read(self->index, LIMIT_GIT_INDEX_BYTES, &seen, &seen_size, error) ||
        !file_write_atomic(seen_path, seen, seen_size, 0600, error) ||
        !commit_trees_run(self, seen_path, write, NULL, &held, error))
        return false;
    int fd = open(lock, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); // git's own
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot lock the index with %s", lock);
    close(fd);
    const struct timespec times[] = { *when, *when };
    bool is_done = file_read(self->index, LIMIT_GIT_INDEX_BYTES, &now, &now_size, error);
    if (is_done &&
        (strcmp(held, tree) != 0 || now_size != seen_size || memcmp(now, seen, now_size) != 0))
        is_done = fail_with(error, KEDGE_ERROR_FAILED, "another program has changed the index");
    is_done = is_done && file_write_atomic(self->index, bytes, size, 0666, error);
    if (is_done)
        utimensat(AT_FDCWD, self->index, times, 0);
    unlink(lock);
    return is_done;
}

bool commit_trees_begin(CommitTrees *self, GError **error)
{
    g_autofree char *bytes = NULL;
    size_t size = 0;
    struct stat info;
    if (!self->wants_all || !self->index_bytes)
        return true;
    if (stat(self->work, &info) != 0)
        return fail_with_errno(error, errno, "cannot read %s", self->work);
    self->is_replaced = file_read(self->work, LIMIT_GIT_INDEX_BYTES, &bytes, &size, error) &&
                        replace_index(self, self->staged, bytes, size, &info.st_mtim, error);
    return self->is_replaced;
}

bool commit_trees_restore(CommitTrees *self, GError **error)
{
    if (!self->is_replaced)
        return true;
    self->is_replaced = !replace_index(self, self->final, self->index_bytes, self->index_size,
                                       &self->index_time, error);
    return !self->is_replaced;
}
