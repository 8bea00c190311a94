/*
 * git for comment-extract (agent-tools-cli §1.9): the repository, revisions, and what a diff says
 * about files and lines. Paths are bytes as git has them, never arguments before `--`, and never
 * patterns. Errors are those of answer_error(), but for cancelled and timed out. Blocks; thread
 * safe.
 */
#pragma once

#include "base/cancel.h"

/* Output of a git command that must succeed. `Git command failed: …` otherwise, also when there is
   more than LIMIT_GIT_OUTPUT_BYTES of it; `ret_is_too_large` (may be NULL) tells the latter apart.
 */
bool comment_git(const char *dir, const char *const *args, Cancel *cancel, char **ret_data,
                 size_t *ret_size, bool *ret_is_too_large, GError **error);

typedef struct CommentRepo {
    char *root;   // of the work tree; of a bare repository, where the call was made
    bool is_bare; // no work tree
} CommentRepo;

void comment_repo_clear(CommentRepo *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CommentRepo, comment_repo_clear)

/* *ret_is_repo false: there is none, and no error. */
bool comment_repo_find(const char *cwd, Cancel *cancel, CommentRepo *ret_repo, bool *ret_is_repo,
                       GError **error);

/* The commit that a user's word means. `what` is "base" or "revision", for the error. */
bool comment_git_commit(const char *root, const char *revision, const char *what, Cancel *cancel,
                        char **ret_id, GError **error);
/* `No common ancestor of HEAD and main`: the names are for that. */
bool comment_git_merge_base(const char *root, const char *a, const char *a_name, const char *b,
                            const char *b_name, Cancel *cancel, char **ret_id, GError **error);

// ---- diffs ----

typedef enum { FILE_TEXT, FILE_DELETED, FILE_SUBMODULE, FILE_SYMLINK } ScopeFileSort;

typedef struct LineRange { // both count, from 1
    size_t first, last;
} LineRange;

/* One file of a scope. */
typedef struct ScopeFile {
    char *path;     // relative to the root
    char *old_path; // before a rename; NULL
    char *blob;     // its text's object id; NULL: the work tree has the text
    ScopeFileSort sort;
    size_t lines_added, lines_deleted; // numstat
    bool is_binary;                    // numstat has no lines for it
    bool is_new;                       // every line of it is a changed one
    bool is_untracked;
    bool is_named;       // by the caller, so that its directory does not matter
    GArray *changed;     // LineRange, ascending and apart; NULL until it was asked for
    const char *skipped; // why it is not read; NULL
} ScopeFile;

void scope_file_free(ScopeFile *self);
ScopeFile *scope_file_new(const char *path);

/* What differs: `words` are what stands behind `git diff`'s options, such as two commits. Adds
   ScopeFile to `files`. `has_blobs`: the new side is in the object store. */
bool comment_git_diff(const char *root, const char *const *words, bool has_blobs, Cancel *cancel,
                      GPtrArray *files, GError **error);
/* Fills `changed` of the files given, which came from the same diff. */
bool comment_git_changes(const char *root, const char *const *words, GPtrArray *files,
                         Cancel *cancel, GError **error);
/* Paths of `git ls-files` with these words. Adds ScopeFile. */
bool comment_git_list(const char *root, const char *const *words, Cancel *cancel, GPtrArray *files,
                      GError **error);
