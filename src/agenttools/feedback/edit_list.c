/*
 * Reading edits, with the patch that each one is now.
 */
#include "agenttools/answer.h"
#include "agenttools/feedback/artifact_view.h"
#include "agenttools/feedback/edit_row.h"
#include "agenttools/feedback/edits.h"
#include "base/line_diff.h"
#include "base/timefmt.h"

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
                     "author:%s createdAt:%s updatedAt:%s artifactMissing:%hhd?",
                     row->id, row->doc_id, row->run_id, view->artifact->path, row->mode, patch,
                     row->status, row->author, created, updated, view->is_missing);
}

typedef struct Settling {
    const EditRow *row;
    int64_t now_ms;
} Settling;

static bool settle_in(Db *db, void *settling_, GError **error)
{
    const Settling *settling = settling_;
    return edit_row_settle(db, settling->row, "accepted", NULL, settling->now_ms, error);
}

/* An edit that makes no difference is done with, unless it has just changed. */
static bool settle_empty(Db *db, const EditRow *row, int64_t now_ms, GError **error)
{
    Settling settling = { .row = row, .now_ms = now_ms };
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
