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
 *
 * What is stored is the text that the person had and the text that they made of it; what others
 * changed meanwhile is only in the file.
 */
#include "agenttools/answer.h"
#include "agenttools/feedback/artifact_view.h"
#include "agenttools/feedback/edit_merge.h"
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
static bool edit_save_fold(Db *db, const Saving *saving, EditRow *direct, GError **error)
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
    bool is_recorded =
        direct ? edit_save_fold(db, saving, direct, error) : make_direct(db, saving, error);
    saving->is_written = is_recorded && edit_file_write(saving->file, db, saving->bytes,
                                                        saving->row.run_id, saving->now_ms, error);
    return saving->is_written;
}

static bool check_size(const char *what, const char *text, GError **error)
{
    size_t size = strlen(text);
    return size <= LIMIT_EDIT_BYTES ||
           answer_error(error, ANSWER_VALIDATION, NULL,
                        "Validation failed: %s is too long: %zu bytes (limit %zu)", what, size,
                        LIMIT_EDIT_BYTES);
}

typedef struct Texts { // plain (edit_text.h)
    char *base, *content;
} Texts;

static void texts_clear(Texts *self)
{
    g_free(self->base);
    g_free(self->content);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Texts, texts_clear)

static bool open_checked(Db *db, const RunArtifact *artifact, const EditDraft *draft,
                         Texts *ret_texts, EditFile *ret_file, GError **error)
{
    if (!check_size("base", draft->base, error) || !check_size("content", draft->content, error) ||
        (draft->run_id && !artifact_view_check_run(db, artifact->doc_id, draft->run_id, error)) ||
        !edit_file_open(artifact, ret_file, error))
        return false;
    ret_texts->base = edit_text_plain(draft->base);
    ret_texts->content = edit_text_fit(ret_texts->base, draft->content);
    return true;
}

/* Borrows all that it gets. */
static Saving saving_new(const RunArtifact *artifact, const EditDraft *draft, const EditFile *file,
                         const Texts *texts, int64_t now_ms)
{
    return (Saving) {
        .file = file,
        .row = { .doc_id = artifact->doc_id,
                 .run_id = (char *)draft->run_id,
                 .author = (char *)draft->author,
                 .mode = (char *)"suggested",
                 .base = texts->base,
                 .content = texts->content,
                 .updated_at = now_ms },
        .now_ms = now_ms,
    };
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

static bool fail_conflict(const EditFile *file, const GArray *conflicts, GError **error)
{
    json_t *details =
        json_make("sha256:%s conflicts:%p", file->sha256, line_ranges_json(conflicts));
    g_autofree char *lines = line_ranges_text(conflicts);
    return answer_error(error, ANSWER_CONFLICT, details,
                        "Artifact file was changed meanwhile in the same lines (%s): %s", lines,
                        file->artifact->path);
}

/* What is to be in the file, into ret_saved->merged when that is not what the person wrote. */
static bool merge_changes(const EditFile *file, const Texts *texts, EditSaved *ret_saved,
                          GError **error)
{
    if (strcmp(file->text, texts->base) == 0)
        return true;
    g_autoptr(GArray) conflicts = NULL;
    edit_merge(file->text, texts->base, texts->content, &ret_saved->merged, &conflicts);
    if (conflicts)
        return fail_conflict(file, conflicts, error);
    ret_saved->from_elsewhere = edit_merge_changed(texts->content, ret_saved->merged);
    return true;
}

void edit_saved_clear(EditSaved *self)
{
    g_clear_pointer(&self->sha256, g_free);
    g_clear_pointer(&self->merged, g_free);
    g_clear_pointer(&self->from_elsewhere, g_array_unref);
}

bool edit_save(Db *db, const RunArtifact *artifact, const EditDraft *draft, int64_t now_ms,
               EditSaved *ret_saved, GError **error)
{
    g_auto(EditFile) file = { 0 };
    g_auto(EditBytes) bytes = { 0 };
    g_auto(Texts) texts = { 0 };
    g_auto(EditSaved) saved = { 0 };
    if (!open_checked(db, artifact, draft, &texts, &file, error) ||
        !merge_changes(&file, &texts, &saved, error) ||
        !edit_file_encode(&file, saved.merged ? saved.merged : texts.content, &bytes, error))
        return false;
    Saving saving = saving_new(artifact, draft, &file, &texts, now_ms);
    saving.bytes = &bytes;
    if (bytes.is_same) {
        g_autoptr(EditRow) direct = NULL;
        if (!edit_row_find_direct(db, artifact->doc_id, &direct, error))
            return false;
        saving.edit_id = direct ? direct->id : 0;
    } else if (!save_changed(db, &saving, error)) {
        return false;
    }
    saved.edit_id = saving.edit_id;
    saved.sha256 = g_steal_pointer(&bytes.sha256);
    *ret_saved = saved;
    saved = (EditSaved) { 0 };
    return true;
}

bool edit_suggest(Db *db, const RunArtifact *artifact, const EditDraft *draft, int64_t now_ms,
                  int64_t *ret_edit_id, GError **error)
{
    g_auto(EditFile) file = { 0 };
    g_auto(Texts) texts = { 0 };
    if (!open_checked(db, artifact, draft, &texts, &file, error))
        return false;
    if (strcmp(texts.content, texts.base) == 0 || strcmp(texts.content, file.text) == 0)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Validation failed: content is what the file has already");
    Saving saving = saving_new(artifact, draft, &file, &texts, now_ms);
    if (!db_transaction(db, insert_in, &saving, error))
        return false;
    *ret_edit_id = saving.row.id;
    return true;
}
