/*
 * A unified diff and its files (github-tool §7.6). Pure.
 */
#pragma once

#include "base/json.h"

/* {"files": [{path, additions, deletions, changeType, oldPath?, startOffset, endOffset}]} with the
   offsets in bytes of `diff`. New reference. */
json_t *pr_diff_index(const char *diff);
/* Does `index` look like one of this diff? What comes out of a file may be anything. */
bool pr_diff_index_fits(const json_t *index, const char *diff);

/* The list of files; `repo` and `number` are for addresses. Caller frees. */
char *pr_diff_list(const json_t *index, const char *repo, int64_t number);

/* What GitHub's list of files (REST, all pages in one array) says as a diff, where the whole is too
   large to be had. Caller frees. */
char *pr_diff_rebuild(const json_t *files);
