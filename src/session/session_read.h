/*
 * A session file read for people and other programs: shown, exported, checked. Nothing is written,
 * migrated or locked. Thread safe.
 */
#pragma once

#include "base/json.h"

typedef struct SessionCopy {
    json_t *header;
    json_t *entries; // of version 3, blobs put back
    json_t *mended;  // ids of those in which something was no text, which became U+FFFD
    json_t *leaf;    // borrowed: where the conversation stands; NULL: there is no entry
} SessionCopy;

void session_copy_clear(SessionCopy *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SessionCopy, session_copy_clear)

/* NOT_FOUND: no such file, or no session file. */
bool session_read(const char *path, SessionCopy *ret_copy, GError **error);

/* The entries from the root to the leaf, borrowed. Caller frees the array. */
GPtrArray *session_copy_path(const SessionCopy *self);

/* A transcript for a person: header, messages, calls, and what tools said, cut. Text of others is
   as it came; the caller makes it visible. Caller frees. */
char *session_copy_text(const SessionCopy *self);
