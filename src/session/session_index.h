/*
 * The index of sessions: what lists and searches ask, in <agent dir>/sessions.db. It holds nothing
 * that the session files do not say: it can be deleted at any time, and one that is broken is made
 * again. Files are read again only from where they have grown. One thread at a time.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"
#include "session/opened_pull.h"

typedef struct SessionIndex SessionIndex;

/* Called while many files are read; may be NULL. */
typedef void (*SessionIndexProgress)(size_t done, size_t all, void *user_data);

/* Opens the index and brings it up to date with <agent dir>/sessions, or with `session_dir` alone
   when that is given. What cannot be read is left out. */
bool session_index_open(const char *agent_dir, const char *session_dir,
                        SessionIndexProgress progress, void *user_data, Cancel *cancel,
                        SessionIndex **ret_index, GError **error);
void session_index_close(SessionIndex *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SessionIndex, session_index_close)

/*
 * Sessions, the one that changed last first: {"path","id","cwd","title"?,"created","modified",
 * "messageCount","size","firstMessage"?,"summary"?,"model"?,"cost","parentSession"?}. `cwd` NULL:
 * of all directories. New array.
 */
bool session_index_list(SessionIndex *self, const char *cwd, int64_t limit, json_t **ret_sessions,
                        GError **error);

/* Sessions that opened the pull request, in the same form and order. */
bool session_index_opened(SessionIndex *self, const PullRef *pull, const char *cwd,
                          json_t **ret_sessions, GError **error);

/* Messages that hold every word of `query` (its beginnings, in any case), newest first: {"session":
   as above,"entryId","role","timestamp","text": an excerpt}. */
bool session_index_search(SessionIndex *self, const char *query, const char *cwd, int64_t limit,
                          json_t **ret_hits, GError **error);

/* "title", else the first prompt's first line, else `Untitled · HH:MM`. Caller frees. */
char *session_info_name(const json_t *session);
