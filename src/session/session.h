/*
 * A session: the header and the tree of entries of one conversation, and the JSONL file (version 3)
 * that holds them (agent-core §4). Formats are the seed's.
 *
 * One thread at a time. Appends are remembered until the first message of a person exists, then the
 * whole session is written; later entries are one line and one write() each. The first write error
 * is kept and given once by session_take_error(); what is missing on disk stays in memory, is
 * tried again with every later append and flush, and flushes fail until it is there. What is on
 * disk may be there alone: where another program has changed the file itself, entries come back
 * empty, and session_take_error() says so. Where it has removed or replaced the file, all is
 * written again in its place, and session_take_notice() says so.
 */
#pragma once

#include "base/json.h"

typedef struct Session Session;

/* A new session in `dir` (a directory for session files). NULL `dir`: in memory only. */
Session *session_new(const char *dir, const char *cwd);
/* What the header names as the session that this one comes from; before anything is written. */
void session_set_parent(Session *self, const char *parent);
/* Opens a file: loads, migrates, tolerates torn lines (agent-core §4.8), takes the advisory lock;
   when another process holds it, or the version is newer, the session is a fork in the same
   directory, written with the next append. A missing file becomes a new session at that path; one
   that is no session is an error and stays as it is. *ret_notice (may be NULL; caller frees) says
   what a person should know of this and of images that are missing, else it is NULL. */
bool session_open(const char *path, const char *cwd, Session **ret_session, char **ret_notice,
                  GError **error);
/* A new session in `dir` with a copy of another's entries; parentSession is the other's id. */
bool session_fork(const char *path, const char *dir, const char *cwd, Session **ret_session,
                  GError **error);
void session_free(Session *self); // flushes
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Session, session_free)

const char *session_id(const Session *self);
const char *session_path(const Session *self); // NULL in memory; the file may not exist yet
const char *session_cwd(const Session *self);
const json_t *session_header(const Session *self);
/* The session file's path without .jsonl; NULL in memory. Caller frees. */
char *session_artifacts_dir(const Session *self);

/* What it holds is worth a file, also before the first prompt. */
void session_keep(Session *self);

/* Appends take the current leaf as parent and become the leaf. `message` is shared, not taken.
   Return the entry's id (borrowed). */
const char *session_append_message(Session *self, json_t *message);
const char *session_append_model_change(Session *self, const char *model, const char *role);
const char *session_append_thinking_level(Session *self, const char *level);

/* The name that people see, written with the next append or flush; from any thread. An automatic
   one never replaces one that a person gave. */
void session_set_title(Session *self, const char *title, bool is_automatic);

/* Writes what is pending and fsyncs. */
bool session_flush(Session *self, GError **error);
/* The first write error since the last call, or NULL. Caller frees. */
GError *session_take_error(Session *self);
/* What else a person should know of the file, or NULL: that another program took it away. Caller
   frees. */
char *session_take_notice(Session *self);

typedef struct SessionContext { // buildSessionContext (agent-core §4.5)
    json_t *messages;           // array of agent messages
    json_t *entry_ids;          // for each of them, of the entry it is of
    json_t *text_repairs;       // places of messages in which something was no text (R02)
    json_t *tree_repairs; // places of messages before which the tree was not what it should be
                          // (safety §8.1, R22)
    char *thinking_level;
    json_t *models; // role → "provider/id"
    bool has_messages;
} SessionContext;
void session_context_clear(SessionContext *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SessionContext, session_context_clear)

void session_build_context(const Session *self, SessionContext *ret_context);
/* The same without the messages, which are not read: what the session goes on with. */
void session_build_setup(const Session *self, SessionContext *ret_context);
/* What the context does not need, and the file has, is left to the file from now on. To be
   called when the context has become another one; values that were given out stay. */
void session_settle(Session *self);

/* Pure form, for tests: `entries` is an array; `leaf_id` NULL: the last entry; "" : no leaf. */
void session_context_build(const json_t *entries, const char *leaf_id, SessionContext *ret_context);
