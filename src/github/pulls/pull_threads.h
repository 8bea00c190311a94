/*
 * Reading the review threads of a pull request, which only GraphQL knows as such. Blocks.
 */
#pragma once

#include "github/pulls/pull_link.h"

typedef enum {
    PULL_THREADS_WHOLE, // with at most the first 50 comments of each
    PULL_THREADS_STATE, // id, isResolved, and fullDatabaseId of the first comment
} PullThreads;

/* `owner`, `repo` and `number`, which a query about a pull request begins with. New reference. */
json_t *pull_variables(const PullLink *link, int64_t number);

/* The nodes of reviewThreads, in GitHub's order, of at most 100 pages. New reference. Errors are
   the link's own; PROTOCOL from a strict one for an answer without threads. */
bool pull_threads_list(const PullLink *link, int64_t number, PullThreads what, json_t **ret_threads,
                       GError **error);
/* One of them by its id, with at most 1,000 comments: which pull request it is of, the caller has
   to know. New reference. */
bool pull_threads_one(const PullLink *link, const char *id, json_t **ret_thread, GError **error);
