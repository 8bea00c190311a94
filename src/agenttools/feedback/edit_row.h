/*
 * Rows of edits, for the files that make edits.h together.
 */
#pragma once

#include "agenttools/state.h"

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
