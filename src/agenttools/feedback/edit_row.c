/*
 * Rows of edits: reading, inserting, settling.
 */
#include "agenttools/feedback/edit_row.h"

#include "agenttools/answer.h"
#include "agenttools/feedback/edit_text.h"
#include "agenttools/feedback/edits.h"

#define SELECT_EDIT                                                                                \
    "SELECT id, doc_id, run_id, author, mode, status, base_content, new_content, created_at,"      \
    " updated_at FROM edit "

void edit_row_free(EditRow *self)
{
    if (!self)
        return;
    g_free(self->doc_id);
    g_free(self->run_id);
    g_free(self->author);
    g_free(self->mode);
    g_free(self->status);
    g_free(self->base);
    g_free(self->content);
    g_free(self);
}

bool edit_row_is_direct(const EditRow *self)
{
    return strcmp(self->mode, "direct") == 0;
}

static EditRow *row_of(DbQuery *query)
{
    EditRow *self = g_new0(EditRow, 1);
    self->id = db_query_int(query, 0);
    self->doc_id = g_strdup(db_query_text(query, 1));
    self->run_id = g_strdup(db_query_text(query, 2));
    self->author = g_strdup(db_query_text(query, 3));
    self->mode = g_strdup(db_query_text(query, 4));
    self->status = g_strdup(db_query_text(query, 5));
    self->base = g_strdup(db_query_text(query, 6));
    self->content = g_strdup(db_query_text(query, 7));
    self->created_at = db_query_int(query, 8);
    self->updated_at = db_query_int(query, 9);
    return self;
}

bool edit_row_get(Db *db, int64_t id, EditRow **ret_row, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error, SELECT_EDIT "WHERE id = ?", "i", id) ||
        !db_query_step(query, &has_row, error))
        return false;
    if (!has_row)
        return answer_error(error, ANSWER_NOT_FOUND, NULL, "Edit %" G_GINT64_FORMAT " not found",
                            id);
    *ret_row = row_of(query);
    return true;
}

bool edit_row_list_pending(Db *db, const char *run_id, const char *doc_id, GArray **ret_ids,
                           GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(int64_t));
    if (!db_query(db, &query, error,
                  "SELECT id FROM edit WHERE status = 'pending' AND (?1 IS NULL OR doc_id = ?1)"
                  " AND (?2 IS NULL OR run_id = ?2 OR (run_id IS NULL AND doc_id IN"
                  " (SELECT doc_id FROM run_artifact WHERE run_id = ?2)))"
                  " ORDER BY created_at, id",
                  "ss", doc_id, run_id))
        return false;
    bool is_good = false;
    while (db_query_more(query, &is_good, error)) {
        int64_t id = db_query_int(query, 0);
        g_array_append_val(ids, id);
    }
    if (!is_good)
        return false;
    *ret_ids = g_steal_pointer(&ids);
    return true;
}

bool edit_row_find_direct(Db *db, const char *doc_id, EditRow **ret_row, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error,
                  SELECT_EDIT "WHERE doc_id = ? AND status = 'pending' AND mode = 'direct'"
                              " ORDER BY id LIMIT 1",
                  "s", doc_id) ||
        !db_query_step(query, &has_row, error))
        return false;
    *ret_row = has_row ? row_of(query) : NULL;
    return true;
}

bool edit_row_feed(Db *db, const EditRow *row, const char *mode, const char *status, int64_t now_ms,
                   GError **error)
{
    g_autoptr(json_t) data =
        json_make("editId:%jd docId:%s mode:%s status:%s", row->id, row->doc_id, mode, status);
    return feed_append(db, "edit", row->run_id, row->doc_id, data, now_ms, error);
}

bool edit_row_insert(Db *db, const EditRow *row, int64_t now_ms, int64_t *ret_id, GError **error)
{
    if (!db_run(db, error,
                "INSERT INTO edit (doc_id, run_id, author, mode, base_content, new_content,"
                " created_at, updated_at) VALUES (?, ?, ?, 'suggested', ?, ?, ?, ?)",
                "sssssii", row->doc_id, row->run_id, row->author, row->base, row->content, now_ms,
                now_ms))
        return false;
    *ret_id = db_last_id(db);
    EditRow inserted = *row;
    inserted.id = *ret_id;
    return edit_row_feed(db, &inserted, "suggested", "pending", now_ms, error);
}

bool edit_row_settle(Db *db, const EditRow *row, const char *status, const char *reason,
                     int64_t now_ms, GError **error)
{
    bool is_superseded = strcmp(status, "superseded") == 0;
    bool drops_base = is_superseded || (edit_row_is_direct(row) && strcmp(status, "accepted") == 0);
    if (!db_run(db, error,
                "UPDATE edit SET status = ?, reason = ?, updated_at = ?,"
                " base_content = iif(?, NULL, base_content),"
                " new_content = iif(?, NULL, new_content)"
                " WHERE id = ? AND status = 'pending' AND updated_at = ?",
                "ssiiiii", status, reason, now_ms, (int64_t)drops_base, (int64_t)is_superseded,
                row->id, row->updated_at))
        return false;
    if (db_changes(db) != 1)
        return answer_error(error, ANSWER_CONFLICT, NULL,
                            "Edit %" G_GINT64_FORMAT " was changed or settled meanwhile", row->id);
    return edit_row_feed(db, row, row->mode, status, now_ms, error);
}

// ---- the file of an artifact while it is edited ----

void edit_file_clear(EditFile *self)
{
    g_clear_pointer(&self->data, g_free);
    g_clear_pointer(&self->sha256, g_free);
    g_clear_pointer(&self->text, g_free);
}

void edit_bytes_clear(EditBytes *self)
{
    g_clear_pointer(&self->data, g_free);
    g_clear_pointer(&self->sha256, g_free);
}

bool edit_file_open(const RunArtifact *artifact, EditFile *ret_file, GError **error)
{
    g_auto(EditFile) file = { .artifact = artifact };
    if (!run_artifact_read(artifact, LIMIT_EDIT_BYTES, &file.data, &file.size, error))
        return false;
    file.sha256 = content_sha256(file.data, file.size);
    if (!edit_text_decode(file.data, file.size, &file.text))
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Artifact file is not UTF-8 text and cannot be edited: %s",
                            artifact->path);
    *ret_file = file;
    file = (EditFile) { 0 };
    return true;
}

bool edit_file_encode(const EditFile *self, const char *text, EditBytes *ret_bytes, GError **error)
{
    g_auto(EditBytes) bytes = { 0 };
    bytes.data = edit_text_encode(self->data, self->size, text, &bytes.size);
    if (bytes.size > LIMIT_EDIT_BYTES)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Validation failed: content is too long: %zu bytes (limit %zu)",
                            bytes.size, LIMIT_EDIT_BYTES);
    bytes.sha256 = content_sha256(bytes.data, bytes.size);
    bytes.is_same = strcmp(bytes.sha256, self->sha256) == 0;
    *ret_bytes = bytes;
    bytes = (EditBytes) { 0 };
    return true;
}

bool edit_file_write(const EditFile *self, Db *db, const EditBytes *bytes, const char *run_id,
                     int64_t now_ms, GError **error)
{
    if (bytes->is_same)
        return true;
    g_autoptr(json_t) data = json_make("docId:%s sha256:%s", self->artifact->doc_id, bytes->sha256);
    return feed_append(db, "artifact", run_id, self->artifact->doc_id, data, now_ms, error) &&
           run_artifact_write(self->artifact, bytes->data, bytes->size, self->sha256, error);
}
