/*
 * Reading the feed (agenttools/state.h): the rows that Arcade's streams hand on.
 */
#pragma once

#include "agenttools/state.h"

typedef struct FeedRow {
    int64_t id;
    char *type;   // "run", "event", "artifact", "annotation", "edit"
    json_t *data; // an object: what the writer gave, with runId and docId
} FeedRow;

/* The newest id; 0 when nothing was ever written. */
bool feed_last_id(Db *db, int64_t *ret_id, GError **error);

/* Are all rows after `id` still there? Not so when it is older than the feed reaches, or of another
   database. */
bool feed_reaches(Db *db, int64_t id, bool *ret_reaches, GError **error);

/* Array of FeedRow *, oldest first, those after id `after`; owns them. `run_id` (NULL: any) keeps
   what belongs to the run; what belongs to no run but one of its artifacts; and its artifacts'
   changes, whoever made them. */
bool feed_read(Db *db, const char *run_id, int64_t after, int64_t limit, GPtrArray **ret_rows,
               GError **error);

/* doc id → sha256 ("" for a file that was gone) as the feed's newest artifact rows after `after`
   say it; *ret_last_id is where to go on. Adds to `shas`, which owns both. */
bool feed_read_shas(Db *db, int64_t after, GHashTable *shas, int64_t *ret_last_id, GError **error);
