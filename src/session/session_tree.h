/*
 * The tree of a session: where its leaf is, moving it, and what is said of entries (agent-core
 * §4.4, §4.6). Entries are only ever appended; what a move leaves behind stays in the file.
 *
 * One thread at a time, as session.h, but for session_tree() and session_branch_points(): they may
 * be asked for by another thread than the one that goes on with the session.
 */
#pragma once

#include "session/entry_head.h"
#include "session/session.h"

/* NULL: there is none, the next entry is a root. Borrowed. */
const char *session_leaf_id(const Session *self);
/* New reference; NULL: there is no such entry. */
json_t *session_entry(const Session *self, const char *entry_id);
/* From the root to an entry (NULL: to the leaf), as const EntryHead *. Most of a long session is
   packed, so what walks far reads only the entries that it is after. */
GPtrArray *session_path_to(const Session *self, const char *entry_id);
json_t *session_read_entry(const Session *self, const EntryHead *head); // new reference
/* The entries of some heads, of those of a type on the way to the leaf, and of the part of that way
   that the context holds (agent-core §4.5): as json_t * that the array owns. */
GPtrArray *session_read_entries(const Session *self, const GPtrArray *heads);
GPtrArray *session_path_of_type(const Session *self, const char *type);
GPtrArray *session_context_path(const Session *self);
/* The heads of what the context's messages are made of, in their order. */
GPtrArray *session_context_heads(const Session *self);

/* The agent message that an entry stands for; NULL: none. New reference. */
json_t *session_entry_message(const json_t *entry);

/* The next entry will be a child of this one; NULL: a root. NOT_FOUND: Entry ID not found. */
bool session_move(Session *self, const char *entry_id, GError **error);

typedef struct SessionTarget { // where going to an entry leads
    const char *leaf;          // the leaf it makes; NULL: none; borrowed from the session
    char *text;                // of a message that is to be written again; else NULL
    GPtrArray *left;           // heads of what is no longer on the path, oldest first
} SessionTarget;
void session_target_clear(SessionTarget *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SessionTarget, session_target_clear)

/* Of a user's or a custom message the parent and its text, of any other entry itself. NOT_FOUND as
   above. */
bool session_find_target(const Session *self, const char *entry_id, SessionTarget *ret_target,
                         GError **error);

/* Appends an entry of a type with these fields (takes the reference). Its id, borrowed. */
const char *session_append_fields(Session *self, const char *type, json_t *fields);
/* Another form of an entry's message (shared); the file is written again with the next append or
   flush. */
void session_replace_message(Session *self, const char *entry_id, json_t *message);
/* NULL or empty `label` clears. NOT_FOUND as above. */
bool session_set_label(Session *self, const char *entry_id, const char *label, GError **error);
/* {"leafId","entries":[…],"labels":{id: label}}, entries in the order they were made, all of them
   unpacked. New reference. */
json_t *session_tree(Session *self);

/* A new session, kept as this one is, with the path up to but without the user message `entry_id`,
   whose text is *ret_text (caller frees). USAGE: Invalid entry ID for branching. */
bool session_branch(const Session *self, const char *entry_id, Session **ret_session,
                    char **ret_text, GError **error);
/* {"entryId","text"} of each user message of all branches, oldest first, but those without text.
   New array. */
json_t *session_branch_points(Session *self);

/* What a title looks like: without control characters, spaces collapsed; NULL when nothing is left.
   Caller frees. */
char *session_clean_title(const char *text);
