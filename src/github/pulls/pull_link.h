/*
 * How the review service reaches GitHub: through gh, with the permit of a running call, or by REST.
 * What is asked of a pull request is written once, for both. Blocks; one thread at a time.
 */
#pragma once

#include "github/repo_ref.h"
#include "tool/tool.h"

typedef struct PullLink {
    char *owner, *repo;
    bool is_strict; // an answer without what was asked for is an error, not an empty list
    /* A query of GraphQL; *ret_data is the `data` of its answer, an object. */
    bool (*query)(void *data, const char *query, const json_t *variables, json_t **ret_data,
                  GError **error);
    void *data;
} PullLink;

void pull_link_clear(PullLink *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PullLink, pull_link_clear)

typedef struct PullGh { // a link through gh; errors are gh's own
    PullLink link;
    ToolCall *call; // borrowed
    RepoRef ref;
} PullGh;

/* `repo` is a valid [HOST/]OWNER/REPO. `self` stays where it is. */
void pull_gh_init(PullGh *self, ToolCall *call, const char *repo);
void pull_gh_clear(PullGh *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PullGh, pull_gh_clear)

/* All entries of a list of REST, whose path is below /repos/OWNER/REPO, of at most 100 pages; with
   `has_them` only those up to where it says that they are enough. New reference. */
bool pull_gh_list(const PullGh *self, const char *path,
                  bool (*has_them)(const json_t *items, const void *user_data),
                  const void *user_data, json_t **ret_items, GError **error);
