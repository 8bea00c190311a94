/*
 * What lists and searches ask of the index (session_index.h). Internal to session.
 */
#pragma once

#include "base/db.h"
#include "base/json.h"
#include "session/opened_pull.h"

bool index_query_list(Db *db, const char *cwd, int64_t limit, json_t **ret_sessions,
                      GError **error);
bool index_query_opened(Db *db, const PullRef *pull, const char *cwd, json_t **ret_sessions,
                        GError **error);
bool index_query_search(Db *db, const char *query, const char *cwd, int64_t limit,
                        json_t **ret_hits, GError **error);

/* "fix the-Bug" → `"fix"* "the"* "bug"*`; NULL when it has no word. Caller frees. */
char *index_query_words(const char *query);
/* `LIKE` patterns, one a word, in any order: "%fix%". Wildcards are escaped with a backslash.
   Caller frees with g_strfreev(). */
char **index_query_patterns(const char *query);
