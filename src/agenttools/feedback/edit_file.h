/*
 * The file of a run artifact while it is edited: its text, and writing a new one over it. Errors
 * are those of answer.h. Blocks.
 */
#pragma once

#include "agenttools/emit/run_artifact.h"

typedef struct EditFile {
    const RunArtifact *artifact; // borrowed
    char *data;                  // as it was read
    size_t size;
    char *sha256;
    char *text; // plain (edit_text.h)
} EditFile;

void edit_file_clear(EditFile *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EditFile, edit_file_clear)

/* Reads it. VALIDATION when it cannot be edited. */
bool edit_file_open(const RunArtifact *artifact, EditFile *ret_file, GError **error);

typedef struct EditBytes {
    char *data;
    size_t size;
    char *sha256;
    bool is_same; // as the file has
} EditBytes;

void edit_bytes_clear(EditBytes *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EditBytes, edit_bytes_clear)

/* What `text` is in this file. VALIDATION when that is too much. */
bool edit_file_encode(const EditFile *self, const char *text, EditBytes *ret_bytes, GError **error);

/* Writes it unless the file has it already, and tells the feed: inside the transaction that records
   it, as its last step, so that nothing is recorded that was not written. CONFLICT when the file is
   no longer as it was read. */
bool edit_file_write(const EditFile *self, Db *db, const EditBytes *bytes, const char *run_id,
                     int64_t now_ms, GError **error);
