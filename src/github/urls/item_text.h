/*
 * Issues, pull requests and their lists as Markdown (github-tool §7.4, §7.5). Pure: from gh's
 * JSON to text. Strings belong to the caller.
 */
#pragma once

#include "base/json.h"
#include "github/urls/item_url.h"

/* `items` is gh's array; `repo` what the addresses of the items are written with. */
char *item_text_list(const json_t *items, const ItemUrl *url, const char *repo);
/* `data` is gh's object; `number` stands in where it has none. */
char *item_text_issue(const json_t *data, int64_t number, bool has_comments);
/* Besides `reviewComments` (REST, an array) or `reviewThreads` (GraphQL, an array of nodes), which
   `data` has as far as they were asked for. `file` NULL: review comments of every file; `line` 0:
   of every line of it. */
char *item_text_pr(const json_t *data, int64_t number, ItemComments comments, const char *file,
                   int64_t line);
