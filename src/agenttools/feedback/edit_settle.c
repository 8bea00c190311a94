/*
 * Accepting, rejecting and withdrawing edits.
 *
 * Where the file has to change, the row is settled and then the file written in one transaction, so
 * that a failure to write leaves the edit pending. Killed between the writing and the commit, the
 * edit is pending still, and the file has its result: doing it again finds nothing to merge.
 */
#include "agenttools/answer.h"
#include "agenttools/feedback/artifact_view.h"
#include "agenttools/feedback/edit_merge.h"
#include "agenttools/feedback/edit_row.h"
#include "agenttools/feedback/edits.h"
#include "base/line_diff.h"
#include "base/timefmt.h"

void edit_outcome_clear(EditOutcome *self)
{
    g_clear_pointer(&self->mode, g_free);
}

static bool is_pending(const EditRow *row)
{
    return strcmp(row->status, "pending") == 0;
}

static bool fail_several(const GArray *edits, const char *doc_id, GError **error)
{
    g_autoptr(GString) ids = g_string_new(NULL);
    for (unsigned i = 0; i < edits->len; i++)
        g_string_append_printf(ids, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                               g_array_index(edits, int64_t, i));
    return answer_error(error, ANSWER_INVALID_STATE, NULL,
                        "Artifact '%s' has %u pending edits; pass --edit-id "
                        "(%s)",
                        doc_id, edits->len, ids->str);
}

/* The named edit of the artifact, which the run must be shown. */
static bool choose_named(Db *db, const char *doc_id, const char *run_id, int64_t edit_id,
                         EditRow **ret_row, GError **error)
{
    g_autoptr(EditRow) row = NULL;
    if (!edit_row_get(db, edit_id, &row, error))
        return false;
    if (strcmp(row->doc_id, doc_id) != 0)
        return answer_error(error, ANSWER_INVALID_STATE, NULL,
                            "Edit %" G_GINT64_FORMAT " does not belong to artifact '%s'", edit_id,
                            doc_id);
    if (run_id && row->run_id && strcmp(row->run_id, run_id) != 0)
        return answer_error(error, ANSWER_INVALID_STATE, NULL,
                            "Edit %" G_GINT64_FORMAT " does not belong to run %s", edit_id, run_id);
    if (!is_pending(row))
        return answer_error(error, ANSWER_INVALID_STATE, NULL,
                            "Edit %" G_GINT64_FORMAT " is %s already", edit_id, row->status);
    *ret_row = g_steal_pointer(&row);
    return true;
}

static bool edit_settle_choose(Db *db, const char *doc_id, const char *run_id, int64_t edit_id,
                               EditRow **ret_row, GError **error)
{
    if (edit_id != 0)
        return choose_named(db, doc_id, run_id, edit_id, ret_row, error);
    g_autoptr(GArray) edits = NULL;
    if (!edit_row_list_pending(db, run_id, doc_id, &edits, error))
        return false;
    if (edits->len == 0)
        return answer_error(error, ANSWER_NOT_FOUND, NULL, "Artifact '%s' has no pending edit",
                            doc_id);
    if (edits->len > 1)
        return fail_several(edits, doc_id, error);
    return edit_row_get(db, g_array_index(edits, int64_t, 0), ret_row, error);
}

bool edit_choose(Db *db, const RunArtifact *artifact, const char *run_id, int64_t edit_id,
                 int64_t *ret_edit_id, GError **error)
{
    g_autoptr(EditRow) row = NULL;
    if (!edit_settle_choose(db, artifact->doc_id, run_id, edit_id, &row, error))
        return false;
    *ret_edit_id = row->id;
    return true;
}

typedef struct Settling {
    const EditRow *row;
    const char *status, *reason;
    int64_t now_ms;
    const EditFile *file; // NULL: stays as it is
    const EditBytes *bytes;
} Settling;

static bool settle_in(Db *db, void *settling_, GError **error)
{
    const Settling *self = settling_;
    return edit_row_settle(db, self->row, self->status, self->reason, self->now_ms, error) &&
           (!self->file ||
            edit_file_write(self->file, db, self->bytes, self->row->run_id, self->now_ms, error));
}

static bool fail_conflict(int64_t edit_id, const char *path, const GArray *conflicts,
                          GError **error)
{
    json_t *details = answer_hint("Read the edit, change the file by hand, then accept again");
    json_set_take(details, "conflicts", line_ranges_json(conflicts));
    g_autofree char *lines = line_ranges_text(conflicts);
    return answer_error(error, ANSWER_CONFLICT, details,
                        "Edit %" G_GINT64_FORMAT " conflicts with later changes to %s (lines %s)",
                        edit_id, path, lines);
}

/* Settles it with what leads from `from` to `to` done to the file. */
static bool settle_with_file(Db *db, const RunArtifact *artifact, Settling *settling,
                             const char *from, const char *to, GError **error)
{
    g_auto(EditFile) file = { 0 };
    g_auto(EditBytes) bytes = { 0 };
    g_autofree char *merged = NULL;
    g_autoptr(GArray) conflicts = NULL;
    if (!edit_file_open(artifact, &file, error))
        return false;
    edit_merge(file.text, from, to, &merged, &conflicts);
    if (conflicts)
        return fail_conflict(settling->row->id, artifact->path, conflicts, error);
    if (!edit_file_encode(&file, merged, &bytes, error))
        return false;
    settling->file = &file;
    settling->bytes = &bytes;
    return db_transaction(db, settle_in, settling, error);
}

/* Accepts or rejects it: `settling` says how, and gets the row. */
static bool settle_chosen(Db *db, const RunArtifact *artifact, int64_t edit_id, bool is_accepted,
                          bool restores, Settling *settling, EditOutcome *ret_outcome,
                          GError **error)
{
    g_autoptr(EditRow) row = NULL;
    if (!edit_settle_choose(db, artifact->doc_id, NULL, edit_id, &row, error))
        return false;
    settling->row = row;
    bool is_direct = edit_row_is_direct(row);
    bool is_applied = is_accepted ? !is_direct : restores && is_direct;
    const char *from = is_accepted ? row->base : row->content;
    const char *to = is_accepted ? row->content : row->base;
    if (is_applied ? !settle_with_file(db, artifact, settling, from, to, error)
                   : !db_transaction(db, settle_in, settling, error))
        return false;
    *ret_outcome = (EditOutcome) {
        .edit_id = row->id,
        .mode = g_strdup(row->mode),
        .is_applied = is_applied,
    };
    return true;
}

bool edit_accept(Db *db, const RunArtifact *artifact, int64_t edit_id, int64_t now_ms,
                 EditOutcome *ret_outcome, GError **error)
{
    Settling settling = { .status = "accepted", .now_ms = now_ms };
    return settle_chosen(db, artifact, edit_id, true, false, &settling, ret_outcome, error);
}

bool edit_reject(Db *db, const RunArtifact *artifact, int64_t edit_id, const char *reason,
                 bool restores, int64_t now_ms, EditOutcome *ret_outcome, GError **error)
{
    Settling settling = { .status = "rejected", .reason = reason, .now_ms = now_ms };
    return settle_chosen(db, artifact, edit_id, false, restores, &settling, ret_outcome, error);
}

bool edit_withdraw(Db *db, int64_t edit_id, int64_t now_ms, GError **error)
{
    g_autoptr(EditRow) row = NULL;
    if (!edit_row_get(db, edit_id, &row, error))
        return false;
    if (edit_row_is_direct(row))
        return answer_error(error, ANSWER_INVALID_STATE, NULL,
                            "Edit %" G_GINT64_FORMAT
                            " is in the file already; only a suggestion can "
                            "be withdrawn",
                            edit_id);
    if (!is_pending(row))
        return answer_error(error, ANSWER_INVALID_STATE, NULL,
                            "Edit %" G_GINT64_FORMAT " is %s already", edit_id, row->status);
    Settling settling = {
        .row = row, .status = "rejected", .reason = "withdrawn", .now_ms = now_ms
    };
    return db_transaction(db, settle_in, &settling, error);
}

// ---- reading them, with the patch that each one is now ----

/* An artifact as it is now; rows on the same one follow each other often. */
typedef struct View {
    RunArtifact *artifact;
    char *text; // NULL: cannot be read
    bool is_missing;
} View;

static void view_clear(View *self)
{
    run_artifact_free(self->artifact);
    g_free(self->text);
    *self = (View) { 0 };
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(View, view_clear)

static bool view_open(View *self, Db *db, const char *doc_id, GPtrArray *warnings, GError **error)
{
    if (self->artifact && strcmp(self->artifact->doc_id, doc_id) == 0)
        return true;
    view_clear(self);
    if (!artifact_view_get(db, doc_id, &self->artifact, error))
        return false;
    self->text = artifact_view_text(self->artifact, warnings, &self->is_missing);
    return true;
}

/* A pending direct edit is what the file has beyond the base; of every other one, and when there is
   no file to look at, it is what the person wrote. */
static char *patch_of(const EditRow *row, const View *view)
{
    if (!row->base || !row->content)
        return g_strdup("");
    bool is_on_disk = edit_row_is_direct(row) && strcmp(row->status, "pending") == 0 && view->text;
    return line_diff_unified(row->base, is_on_disk ? view->text : row->content,
                             view->artifact->path);
}

static json_t *edit_json(const EditRow *row, const View *view, const char *patch)
{
    g_autofree char *created = time_format_iso(row->created_at);
    g_autofree char *updated = time_format_iso(row->updated_at);
    return json_make("editId:%jd docId:%s runId:%s? artifactPath:%s mode:%s patch:%s status:%s "
                     "author:%s createdAt:%s updatedAt:%s artifactMissing:%i?",
                     row->id, row->doc_id, row->run_id, view->artifact->path, row->mode, patch,
                     row->status, row->author, created, updated, view->is_missing);
}

/* An edit that makes no difference is done with, unless it has just changed. */
static bool settle_empty(Db *db, const EditRow *row, int64_t now_ms, GError **error)
{
    Settling settling = { .row = row, .status = "accepted", .now_ms = now_ms };
    g_autoptr(GError) failure = NULL;
    if (db_transaction(db, settle_in, &settling, &failure) ||
        answer_error_is(failure, ANSWER_CONFLICT))
        return true;
    return pass_error(error, &failure);
}

bool edit_list_pending(Db *db, const char *run_id, const char *doc_id, GPtrArray *warnings,
                       int64_t now_ms, json_t **ret_edits, GError **error)
{
    g_autoptr(GArray) ids = NULL;
    if (!edit_row_list_pending(db, run_id, doc_id, &ids, error))
        return false;
    g_autoptr(json_t) edits = json_array();
    g_auto(View) view = { 0 };
    for (unsigned i = 0; i < ids->len; i++) {
        g_autoptr(EditRow) row = NULL;
        if (!edit_row_get(db, g_array_index(ids, int64_t, i), &row, error))
            return false;
        if (strcmp(row->status, "pending") != 0)
            continue; // settled meanwhile
        if (!view_open(&view, db, row->doc_id, warnings, error))
            return false;
        g_autofree char *patch = patch_of(row, &view);
        if (*patch)
            json_append_take(edits, edit_json(row, &view, patch));
        else if (!settle_empty(db, row, now_ms, error))
            return false;
    }
    *ret_edits = g_steal_pointer(&edits);
    return true;
}

bool edit_get(Db *db, int64_t edit_id, json_t **ret_edit, GError **error)
{
    g_autoptr(EditRow) row = NULL;
    g_auto(View) view = { 0 };
    if (!edit_row_get(db, edit_id, &row, error) || !view_open(&view, db, row->doc_id, NULL, error))
        return false;
    g_autofree char *patch = patch_of(row, &view);
    *ret_edit = edit_json(row, &view, patch);
    return true;
}
