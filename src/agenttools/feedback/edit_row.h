/*
 * Rows of edits, and the file while it is edited, for the files that make edits.h together. Errors
 * are those of answer.h. Blocks.
 */
#pragma once

#include "agenttools/emit/run_artifact.h"

typedef struct EditRow {
    int64_t id;
    char *doc_id, *run_id; // run_id NULL: every run that has the artifact
    char *author, *mode, *status;
    char *base, *content; // plain text (edit_text.h); base NULL: dropped
    int64_t created_at, updated_at;
} EditRow;

void edit_row_free(EditRow *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EditRow, edit_row_free)

bool edit_row_is_direct(const EditRow *self);

/* NOT_FOUND `Edit 9 not found`. */
bool edit_row_get(Db *db, int64_t id, EditRow **ret_row, GError **error);
/* Ids (int64_t) of pending edits, oldest first: texts are large, so rows are read one at a time.
   `run_id`: those of the run, and those without a run on its artifacts; both may be NULL. */
bool edit_row_list_pending(Db *db, const char *run_id, const char *doc_id, GArray **ret_ids,
                           GError **error);
/* The pending direct edit on the artifact; NULL in *ret_row when there is none. */
bool edit_row_find_direct(Db *db, const char *doc_id, EditRow **ret_row, GError **error);

/* The rest belongs inside a transaction. */

/* A pending suggestion; the fields of `row` but id, mode, status and times are borrowed. */
bool edit_row_insert(Db *db, const EditRow *row, int64_t now_ms, int64_t *ret_id, GError **error);
/* Settles a pending edit; CONFLICT when it is not as `row` was read. `reason` may be NULL. Only
   `accepted` of a direct edit drops its base, `superseded` both texts. */
bool edit_row_settle(Db *db, const EditRow *row, const char *status, const char *reason,
                     int64_t now_ms, GError **error);
/* Tells the feed. */
bool edit_row_feed(Db *db, const EditRow *row, const char *mode, const char *status, int64_t now_ms,
                   GError **error);

// ---- the file of a run artifact while it is edited: its text, and writing a new one over it ----

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
