/*
 * Accepting, rejecting and withdrawing edits.
 *
 * Where the file has to change, the row is settled and then the file written in one transaction, so
 * that a failure to write leaves the edit pending. Killed between the writing and the commit, the
 * edit is pending still, and the file has its result: doing it again finds nothing to merge.
 */
#include "agenttools/answer.h"
#include "agenttools/feedback/edit_file.h"
#include "agenttools/feedback/edit_merge.h"
#include "agenttools/feedback/edit_row.h"
#include "agenttools/feedback/edits.h"

void edit_outcome_clear(EditOutcome *self)
{
    g_clear_pointer(&self->mode, g_free);
}

static bool is_pending(const EditRow *row)
{
    return strcmp(row->status, "pending") == 0;
}

/* Takes the text. */
static bool fail_state(GError **error, char *text)
{
    g_autofree char *own = text;
    return answer_error(error, ANSWER_INVALID_STATE, NULL, "%s", own);
}

static bool fail_several(const GArray *edits, const char *doc_id, GError **error)
{
    g_autoptr(GString) ids = g_string_new(NULL);
    for (unsigned i = 0; i < edits->len; i++)
        g_string_append_printf(ids, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                               g_array_index(edits, int64_t, i));
    return fail_state(error, g_strdup_printf("Artifact '%s' has %u pending edits; pass --edit-id "
                                             "(%s)",
                                             doc_id, edits->len, ids->str));
}

/* The named edit of the artifact, which the run must be shown. */
static bool choose_named(Db *db, const char *doc_id, const char *run_id, int64_t edit_id,
                         EditRow **ret_row, GError **error)
{
    g_autoptr(EditRow) row = NULL;
    if (!edit_row_get(db, edit_id, &row, error))
        return false;
    if (strcmp(row->doc_id, doc_id) != 0)
        return fail_state(error, g_strdup_printf("Edit %" G_GINT64_FORMAT
                                                 " does not belong to artifact '%s'",
                                                 edit_id, doc_id));
    if (run_id && row->run_id && strcmp(row->run_id, run_id) != 0)
        return fail_state(error,
                          g_strdup_printf("Edit %" G_GINT64_FORMAT " does not belong to run %s",
                                          edit_id, run_id));
    if (!is_pending(row))
        return fail_state(error, g_strdup_printf("Edit %" G_GINT64_FORMAT " is %s already", edit_id,
                                                 row->status));
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

static void set_outcome(const EditRow *row, bool is_applied, EditOutcome *ret_outcome)
{
    *ret_outcome = (EditOutcome) {
        .edit_id = row->id,
        .mode = g_strdup(row->mode),
        .is_applied = is_applied,
    };
}

bool edit_accept(Db *db, const RunArtifact *artifact, int64_t edit_id, int64_t now_ms,
                 EditOutcome *ret_outcome, GError **error)
{
    g_autoptr(EditRow) row = NULL;
    if (!edit_settle_choose(db, artifact->doc_id, NULL, edit_id, &row, error))
        return false;
    Settling settling = { .row = row, .status = "accepted", .now_ms = now_ms };
    bool is_applied = !edit_row_is_direct(row);
    bool is_settled =
        is_applied ? settle_with_file(db, artifact, &settling, row->base, row->content, error)
                   : db_transaction(db, settle_in, &settling, error);
    if (is_settled)
        set_outcome(row, is_applied, ret_outcome);
    return is_settled;
}

bool edit_reject(Db *db, const RunArtifact *artifact, int64_t edit_id, const char *reason,
                 bool restores, int64_t now_ms, EditOutcome *ret_outcome, GError **error)
{
    g_autoptr(EditRow) row = NULL;
    if (!edit_settle_choose(db, artifact->doc_id, NULL, edit_id, &row, error))
        return false;
    Settling settling = { .row = row, .status = "rejected", .reason = reason, .now_ms = now_ms };
    bool is_applied = restores && edit_row_is_direct(row);
    bool is_settled =
        is_applied ? settle_with_file(db, artifact, &settling, row->content, row->base, error)
                   : db_transaction(db, settle_in, &settling, error);
    if (is_settled)
        set_outcome(row, is_applied, ret_outcome);
    return is_settled;
}

bool edit_withdraw(Db *db, int64_t edit_id, int64_t now_ms, GError **error)
{
    g_autoptr(EditRow) row = NULL;
    if (!edit_row_get(db, edit_id, &row, error))
        return false;
    if (edit_row_is_direct(row))
        return fail_state(error, g_strdup_printf("Edit %" G_GINT64_FORMAT
                                                 " is in the file already; only a suggestion can "
                                                 "be withdrawn",
                                                 edit_id));
    if (!is_pending(row))
        return fail_state(error, g_strdup_printf("Edit %" G_GINT64_FORMAT " is %s already", edit_id,
                                                 row->status));
    Settling settling = {
        .row = row, .status = "rejected", .reason = "withdrawn", .now_ms = now_ms
    };
    return db_transaction(db, settle_in, &settling, error);
}
