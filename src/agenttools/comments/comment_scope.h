/*
 * Scopes (agent-tools-cli §7.1): which files, where their text is, which lines of them changed.
 * Errors are those of answer_error(), but for cancelled and timed out. Blocks; one thread at a
 * time.
 */
#pragma once

#include "agenttools/comments/comment_git.h"
#include "base/json.h"

typedef struct ScopeSpec { // all borrowed
    const char *scope;     // "branch", "unstaged", "staged", "files", "all", "A..B", "A...B"
    const char *base;      // NULL: not given
    const json_t *files;   // strings, against cwd; NULL: not given
    const char *lines;     // "10-40,55", of the only file; NULL
    bool has_untracked;    // untracked files too
    const char *cwd;
} ScopeSpec;

typedef struct CommentScope {
    char *root;
    char *base;       // as it was given, or the left side of a range; NULL: none
    GPtrArray *files; // ScopeFile *, by path in byte order, each path once
    bool has_diff;    // there is something that --line-scoped can mean
    bool has_blobs;   // texts are git objects, not files
    char **words;     // behind `git diff`; NULL: no such diff
} CommentScope;

void comment_scope_free(CommentScope *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CommentScope, comment_scope_free)

/* *ret_scope NULL and no error: not a git repository. */
bool comment_scope_open(const ScopeSpec *spec, Cancel *cancel, CommentScope **ret_scope,
                        GError **error);
/* Fills `changed` of these files of the scope. */
bool comment_scope_find_changes(CommentScope *self, GPtrArray *files, Cancel *cancel,
                                GError **error);
/* The file's bytes, at most COMMENT_FILE_MAX_BYTES; or *ret_data NULL and `skipped` set. Fails only
   for reasons that are not this file's. */
bool comment_scope_read(const CommentScope *self, ScopeFile *file, Cancel *cancel, char **ret_data,
                        size_t *ret_size, GError **error);

/* Is one of the lines first to last a changed one? */
bool scope_file_has_changed(const ScopeFile *self, size_t first, size_t last);

// ---- which files of a scope are read: globs of the caller, and what is never source text ----

typedef struct CommentFilter {
    GPtrArray *include, *exclude; // GRegex *; NULL: none
} CommentFilter;

void comment_filter_clear(CommentFilter *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CommentFilter, comment_filter_clear)

/* Arrays of globs, or NULL. One without a slash is for names, one with a slash for paths from the
   root, and one that ends with a slash for all below a directory. Fails for a glob that cannot be
   understood, with an error of answer_error(). */
bool comment_filter_init(CommentFilter *self, const json_t *include, const json_t *exclude,
                         GError **error);
bool comment_filter_takes(const CommentFilter *self, const char *path);

/* Why this file is not considered, whatever is in it; NULL: it is. */
const char *comment_filter_reason(const ScopeFile *file);
