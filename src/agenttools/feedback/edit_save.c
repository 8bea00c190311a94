/*
 * What a person wrote: Save and Suggest.
 *
 * The file and the database cannot change together, so Save goes in two steps, each of which leaves
 * everything that was written in one place or the other when we are killed after it:
 *
 *   1. The old and the new text are stored as a suggestion, which is what they are until the file
 *      is written. Killed here, the person's text waits to be accepted.
 *   2. In one transaction the suggestion becomes a direct edit, or goes into the pending one, and
 *      then the file is written. Killed between the writing and the commit, it is a suggestion that
 *      the file has already: accepting it changes nothing, and its base still tells the change.
 */
#include "agenttools/answer.h"
#include "agenttools/feedback/artifact_view.h"
#include "agenttools/feedback/edit_file.h"
#include "agenttools/feedback/edit_row.h"
#include "agenttools/feedback/edit_text.h"
#include "agenttools/feedback/edits.h"

typedef struct Saving {
    const EditFile *file;
    const EditBytes *bytes;
    EditRow row; // the suggestion; all borrowed
    int64_t now_ms;
    int64_t edit_id; // the one that the person's text is in, at last
    bool is_written;
} Saving;

static bool insert_in(Db *db, void *saving_, GError **error)
{
    Saving *saving = saving_;
    return edit_row_insert(db, &saving->row, saving->now_ms, &saving->row.id, error);
}

static bool supersede_in(Db *db, void *saving_, GError **error)
{
    const Saving *saving = saving_;
    return edit_row_settle(db, &saving->row, "superseded", NULL, saving->now_ms, error);
}

/* The base stays the first one. A text that several runs had a part in belongs to all of them. */
static bool fold(Db *db, const Saving *saving, EditRow *direct, GError **error)
{
    bool is_same_run = g_strcmp0(direct->run_id, saving->row.run_id) == 0;
    if (!is_same_run)
        g_clear_pointer(&direct->run_id, g_free);
    return db_run(db, error,
                  "UPDATE edit SET new_content = ?, run_id = ?, updated_at = ? WHERE id = ?",
                  "ssii", saving->row.content, direct->run_id, saving->now_ms, direct->id) &&
           edit_row_settle(db, &saving->row, "superseded", NULL, saving->now_ms, error) &&
           edit_row_feed(db, direct, "direct", "pending", saving->now_ms, error);
}

static bool make_direct(Db *db, const Saving *saving, GError **error)
{
    if (!db_run(db, error, "UPDATE edit SET mode = 'direct' WHERE id = ? AND status = 'pending'",
                "i", saving->row.id))
        return false;
    if (db_changes(db) != 1)
        return answer_error(error, ANSWER_CONFLICT, NULL,
                            "Edit %" G_GINT64_FORMAT " was settled while it was saved",
                            saving->row.id);
    return edit_row_feed(db, &saving->row, "direct", "pending", saving->now_ms, error);
}

static bool write_in(Db *db, void *saving_, GError **error)
{
    Saving *saving = saving_;
    g_autoptr(EditRow) direct = NULL;
    if (!edit_row_find_direct(db, saving->row.doc_id, &direct, error))
        return false;
    saving->edit_id = direct ? direct->id : saving->row.id;
    bool is_recorded = direct ? fold(db, saving, direct, error) : make_direct(db, saving, error);
    saving->is_written = is_recorded && edit_file_write(saving->file, db, saving->bytes,
                                                        saving->row.run_id, saving->now_ms, error);
    return saving->is_written;
}

static bool check_size(const char *content, GError **error)
{
    size_t size = strlen(content);
    return size <= LIMIT_EDIT_BYTES ||
           answer_error(error, ANSWER_VALIDATION, NULL,
                        "Validation failed: content is too long: %zu bytes (limit %zu)", size,
                        LIMIT_EDIT_BYTES);
}

/* Borrows all that it gets. */
static Saving saving_new(const RunArtifact *artifact, const char *run_id, const char *author,
                         const EditFile *file, char *text, int64_t now_ms)
{
    return (Saving) {
        .file = file,
        .row = { .doc_id = artifact->doc_id,
                 .run_id = (char *)run_id,
                 .author = (char *)author,
                 .mode = (char *)"suggested",
                 .base = file->text,
                 .content = text,
                 .updated_at = now_ms },
        .now_ms = now_ms,
    };
}

static bool open_checked(Db *db, const RunArtifact *artifact, const char *run_id,
                         const char *content, const char *base_sha256, EditFile *ret_file,
                         GError **error)
{
    return check_size(content, error) &&
           (!run_id || artifact_view_check_run(db, artifact->doc_id, run_id, error)) &&
           edit_file_open(artifact, base_sha256, ret_file, error);
}

static bool save_changed(Db *db, Saving *saving, GError **error)
{
    if (!db_transaction(db, insert_in, saving, error))
        return false;
    if (db_transaction(db, write_in, saving, error))
        return true;
    // the person is told that it was not saved, and still has the text
    if (!saving->is_written)
        db_transaction(db, supersede_in, saving, NULL);
    return false;
}

bool edit_save(Db *db, const RunArtifact *artifact, const char *run_id, const char *author,
               const char *content, const char *base_sha256, int64_t now_ms, int64_t *ret_edit_id,
               char **ret_sha256, GError **error)
{
    g_auto(EditFile) file = { 0 };
    g_auto(EditBytes) bytes = { 0 };
    if (!open_checked(db, artifact, run_id, content, base_sha256, &file, error))
        return false;
    g_autofree char *text = edit_text_fit(file.text, content);
    if (!edit_file_encode(&file, text, &bytes, error))
        return false;
    Saving saving = saving_new(artifact, run_id, author, &file, text, now_ms);
    saving.bytes = &bytes;
    if (bytes.is_same) {
        g_autoptr(EditRow) direct = NULL;
        if (!edit_row_find_direct(db, artifact->doc_id, &direct, error))
            return false;
        saving.edit_id = direct ? direct->id : 0;
    } else if (!save_changed(db, &saving, error)) {
        return false;
    }
    *ret_edit_id = saving.edit_id;
    *ret_sha256 = g_steal_pointer(&bytes.sha256);
    return true;
}

bool edit_suggest(Db *db, const RunArtifact *artifact, const char *run_id, const char *author,
                  const char *content, const char *base_sha256, int64_t now_ms,
                  int64_t *ret_edit_id, GError **error)
{
    g_auto(EditFile) file = { 0 };
    if (!open_checked(db, artifact, run_id, content, base_sha256, &file, error))
        return false;
    g_autofree char *text = edit_text_fit(file.text, content);
    if (strcmp(text, file.text) == 0)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Validation failed: content is what the file has already");
    Saving saving = saving_new(artifact, run_id, author, &file, text, now_ms);
    if (!db_transaction(db, insert_in, &saving, error))
        return false;
    *ret_edit_id = saving.row.id;
    return true;
}
