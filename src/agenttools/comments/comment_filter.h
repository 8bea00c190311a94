/*
 * Which files of a scope are read: globs of the caller, and what is never source text
 * (agent-tools-cli §7.1). Pure; thread safe.
 */
#pragma once

#include "agenttools/comments/comment_git.h"
#include "base/json.h"

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
