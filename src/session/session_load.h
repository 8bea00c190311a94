/*
 * Reading a session file: line by line, tolerant of torn and foreign lines, migrated to version 3
 * in memory (agent-core §4.8). Internal to session.
 */
#pragma once

#include "session/entry_list.h"

typedef struct SessionFile {
    json_t *header;     // NULL: no valid header, the file counts as empty
    EntryList *entries; // every entry has type, id and parentId
    gint64 version;     // as found; 0 without a header
    bool is_migrated;   // differs from the file: rewrite it
    bool has_bytes;
    size_t missing_blobs;
} SessionFile;

void session_file_clear(SessionFile *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SessionFile, session_file_clear)

/* Reads `source` from its start. Fails only on read errors and beyond LIMIT_SESSION_FILE_BYTES.
   `wants_values`: all entries are going to be read, so none is left to the file. */
bool session_file_load(LineFile *source, const char *path, bool wants_values, SessionFile *ret_file,
                       GError **error);

/* Drops what comes after the last completed turn: an assistant message and the results of all its
   calls (agent-core §4.7). Another process may be just answering the rest. */
void session_file_keep_completed(SessionFile *self);

/* The header alone, from a bounded prefix of the file; NULL when it has none. New reference. */
json_t *session_file_header(const char *path);
