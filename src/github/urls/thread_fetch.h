/*
 * Reading the review threads of a pull request, which only GraphQL knows as such. Blocks.
 */
#pragma once

#include "tool/tool.h"

/* `gh api graphql` with `query`, whose variables are $owner, $name and $number, and, when `name` is
   not NULL, one more of type String or ID. `repo` is a valid [HOST/]OWNER/REPO. Caller frees with
   g_strfreev(). */
char **thread_query_argv(const char *repo, const char *query, int64_t number, const char *name,
                         const char *value);

/* The nodes of reviewThreads, in GitHub's order, at most 5,000 of them, each with at most its first
   50 comments. New reference. Errors are gh's own. */
bool thread_fetch_all(ToolCall *call, const char *repo, int64_t number, json_t **ret_threads,
                      GError **error);
/* One of them by its id, with at most 1,000 comments: which pull request it is of, the caller has
   to know. New reference. */
bool thread_fetch_one(ToolCall *call, const char *repo, const char *id, json_t **ret_thread,
                      GError **error);
