/*
 * The agent-tools database (agent-tools-cli §0): runs, events, run artifacts, annotations, edits,
 * the feed that Arcade follows, and the queue tasks, in one SQLite file.
 *
 * Times are integer milliseconds. Every change is one db_transaction(), feed rows included. One Db
 * belongs to one thread at a time; any number of processes may have the file open.
 */
#pragma once

#include "base/db.h"
#include "base/json.h"

/* KEDGE_STATE_DB, else RP1_DB, else ~/.kedge/agent-tools.db. Caller frees. */
char *state_path(void);
/* Opens (and makes, or migrates) the database. `path` NULL: state_path(). A newer one is refused
   (INVALID_STATE, answer.h); a locked one UNAVAILABLE; a damaged one IO. `warnings` (of char *, may
   be NULL) gets a word about a network file system. `cancel`: db.h. */
bool state_open(const char *path, Cancel *cancel, Db **ret_db, GPtrArray *warnings, GError **error);

/* Appends a row that Arcade's stream hands on (agent-tools-cli §5.7), inside the caller's
   transaction. `type` is run, event, artifact, annotation or edit; `run_id` and `doc_id` may be
   NULL; `data` (borrowed, may be NULL) is what the stream shows. Keeps the last 10,000 rows. */
bool feed_append(Db *db, const char *type, const char *run_id, const char *doc_id,
                 const json_t *data, int64_t now_ms, GError **error);

/* NULL for SQL NULL. New references. */
json_t *state_time(DbQuery *query, int column); // "2026-03-04T05:06:07.089Z"
json_t *state_json(DbQuery *query, int column); // stored JSON text, parsed
json_t *state_text(DbQuery *query, int column); // JSON null for SQL NULL
