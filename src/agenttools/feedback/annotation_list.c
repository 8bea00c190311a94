/*
 * Reading annotations: the rows first, then file by file the places of their anchors.
 */
#include "agenttools/answer.h"
#include "agenttools/feedback/anchor.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/artifact_view.h"
#include "base/timefmt.h"

static bool read_replies(Db *db, int64_t root_id, json_t *replies, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(db, &query, error,
                  "SELECT id, content, author, created_at, edited_at FROM annotation"
                  " WHERE parent_id = ?"
                  " ORDER BY id",
                  "i", root_id))
        return false;
    bool is_good = false;
    while (db_query_more(query, &is_good, error)) {
        json_t *reply =
            json_make("id:%jd content:%p author:%p createdAt:%p", db_query_int(query, 0),
                      state_text(query, 1), state_text(query, 2), state_time(query, 3));
        if (!db_query_is_null(query, 4))
            json_set_take(reply, "editedAt", state_time(query, 4));
        json_append_take(replies, reply);
    }
    return is_good;
}

/* All keys in their order; what the file says is filled in later. */
static json_t *root_from_row(DbQuery *query)
{
    json_t *root = json_object();
    json_set_int(root, "id", db_query_int(query, 0));
    json_set_take(root, "docId", state_text(query, 1));
    json_set_take(root, "runId", state_text(query, 2));
    json_set_take(root, "artifactPath", json_null());
    json_set_take(root, "content", state_text(query, 3));
    json_set_take(root, "anchor", state_json(query, 4));
    json_set_take(root, "line", json_null());
    json_set_take(root, "endLine", json_null());
    json_set_take(root, "status", state_text(query, 5));
    json_set_bool(root, "orphaned", db_query_int(query, 6) != 0);
    json_set_take(root, "author", state_text(query, 7));
    json_set_take(root, "replies", json_array());
    json_set_take(root, "createdAt", state_time(query, 8));
    json_set_take(root, "updatedAt", state_time(query, 9));
    if (!db_query_is_null(query, 10))
        json_set_int(root, "answerTo", db_query_int(query, 10));
    if (!db_query_is_null(query, 11))
        json_set_take(root, "editedAt", state_time(query, 11));
    return root;
}

/* `root_id` 0: those of the filter. */
static bool read_roots(Db *db, const AnnotationFilter *filter, int64_t root_id, json_t *roots,
                       GError **error)
{
    bool is_any_status = !filter->status || strcmp(filter->status, "all") == 0;
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(
            db, &query, error,
            "SELECT id, doc_id, run_id, content, anchor, status, orphaned, author, created_at,"
            " updated_at, answer_to, edited_at FROM annotation WHERE parent_id IS NULL AND (?1 = 0 "
            "OR id = ?1)"
            " AND (?2 IS NULL OR run_id = ?2 OR (run_id IS NULL AND doc_id IN"
            " (SELECT doc_id FROM run_artifact WHERE run_id = ?2)))"
            " AND (?3 IS NULL OR doc_id = ?3) AND (?4 IS NULL OR status = ?4)"
            " AND updated_at >= ?5 ORDER BY created_at, id",
            "isssi", root_id, filter->run_id, filter->doc_id, is_any_status ? NULL : filter->status,
            filter->since_ms))
        return false;
    bool is_good = false;
    while (db_query_more(query, &is_good, error)) {
        json_t *root = root_from_row(query);
        json_append_take(roots, root);
        if (!read_replies(db, json_get_int(root, "id", 0), json_get_array(root, "replies"), error))
            return false;
    }
    return is_good;
}

typedef struct Move { // an anchor to store again
    int64_t id;
    char *anchor; // NULL: as it is
    bool is_orphaned;
    char *doc_id;
} Move;

static void move_free(void *self_)
{
    Move *self = self_;
    g_free(self->anchor);
    g_free(self->doc_id);
    g_free(self);
}

static json_t *line_number(int64_t line)
{
    return line > 0 ? json_integer(line) : json_null();
}

static void place_root(json_t *root, AnchorText *text, GPtrArray *moves)
{
    const json_t *anchor = json_object_get(root, "anchor");
    bool was_orphaned = json_get_bool(root, "orphaned", false);
    g_auto(AnchorPlace) place = { 0 };
    anchor_text_locate(text, anchor, &place);
    // a hidden-anchor is only shown as another one
    bool is_stored =
        place.is_orphaned || json_equal(anchor, place.anchor) ||
        g_strcmp0(json_get_text(anchor, "type"), json_get_text(place.anchor, "type")) != 0;
    if (!is_stored || place.is_orphaned != was_orphaned) {
        Move *move = g_new0(Move, 1);
        move->id = json_get_int(root, "id", 0);
        move->anchor = is_stored ? NULL : json_to_text(place.anchor);
        move->is_orphaned = place.is_orphaned;
        move->doc_id = g_strdup(json_get_text(root, "docId"));
        g_ptr_array_add(moves, move);
    }
    json_object_set(root, "anchor", place.anchor);
    json_set_take(root, "line", line_number(place.line));
    json_set_take(root, "endLine", line_number(place.end_line));
    json_set_bool(root, "orphaned", place.is_orphaned);
}

/* `of_document` are the roots on one artifact, borrowed. */
static bool place_on_document(Db *db, const char *doc_id, const GPtrArray *of_document,
                              GPtrArray *warnings, GPtrArray *moves, GError **error)
{
    g_autoptr(RunArtifact) artifact = NULL;
    if (!artifact_view_get(db, doc_id, &artifact, error))
        return false;
    bool is_missing = false;
    g_autofree char *text = artifact_view_text(artifact, warnings, &is_missing);
    g_autoptr(AnchorText) prepared = text ? anchor_text_new(text) : NULL;
    for (unsigned i = 0; i < of_document->len; i++) {
        json_t *root = of_document->pdata[i];
        json_set_text(root, "artifactPath", artifact->path);
        if (prepared)
            place_root(root, prepared, moves);
        if (is_missing)
            json_set_bool(root, "artifactMissing", true);
    }
    return true;
}

static void roots_free(void *roots)
{
    g_ptr_array_unref(roots);
}

static bool place_all(Db *db, json_t *roots, GPtrArray *warnings, GPtrArray *moves, GError **error)
{
    g_autoptr(GHashTable) by_document =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, roots_free);
    g_autoptr(GPtrArray) documents = g_ptr_array_new(); // in order of appearance
    json_each (roots, index, root) {
        char *doc_id = (char *)json_get_text(root, "docId");
        if (!doc_id)
            continue;
        GPtrArray *of_document = g_hash_table_lookup(by_document, doc_id);
        if (!of_document) {
            of_document = g_ptr_array_new();
            g_hash_table_insert(by_document, doc_id, of_document);
            g_ptr_array_add(documents, doc_id);
        }
        g_ptr_array_add(of_document, root);
    }
    for (unsigned i = 0; i < documents->len; i++)
        if (!place_on_document(db, documents->pdata[i],
                               g_hash_table_lookup(by_document, documents->pdata[i]), warnings,
                               moves, error))
            return false;
    return true;
}

/* Moves come document by document; one row of the feed tells of each document. */
static bool store_moves_in(Db *db, void *moves_, GError **error)
{
    const GPtrArray *moves = moves_;
    g_autoptr(json_t) data = json_make("change:%s", "moved");
    const char *told = NULL;
    for (unsigned i = 0; i < moves->len; i++) {
        const Move *move = moves->pdata[i];
        if (!db_run(db, error,
                    "UPDATE annotation SET anchor = coalesce(?, anchor), orphaned = ? WHERE id = ?",
                    "sii", move->anchor, (int64_t)move->is_orphaned, move->id))
            return false;
        if (g_strcmp0(told, move->doc_id) != 0 &&
            !feed_append(db, "annotation", NULL, move->doc_id, data, time_now_ms(), error))
            return false;
        told = move->doc_id;
    }
    return true;
}

static bool annotation_list_run(Db *db, const AnnotationFilter *filter, int64_t root_id,
                                GPtrArray *warnings, json_t **ret_annotations, GError **error)
{
    g_autoptr(json_t) roots = json_array();
    g_autoptr(GPtrArray) moves = g_ptr_array_new_with_free_func(move_free);
    if (!read_roots(db, filter, root_id, roots, error) ||
        !place_all(db, roots, warnings, moves, error) ||
        (moves->len > 0 && !db_transaction(db, store_moves_in, moves, error)))
        return false;
    *ret_annotations = g_steal_pointer(&roots);
    return true;
}

bool annotation_list(Db *db, const AnnotationFilter *filter, GPtrArray *warnings,
                     json_t **ret_annotations, GError **error)
{
    return annotation_list_run(db, filter, 0, warnings, ret_annotations, error);
}

static bool fail_not_found(GError **error, int64_t id)
{
    return answer_error(error, ANSWER_NOT_FOUND, NULL, "Annotation %" G_GINT64_FORMAT " not found",
                        id);
}

static bool find_root(Db *db, int64_t id, int64_t *ret_root_id, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error, "SELECT coalesce(parent_id, id) FROM annotation WHERE id = ?",
                  "i", id) ||
        !db_query_step(query, &has_row, error))
        return false;
    if (!has_row)
        return fail_not_found(error, id);
    *ret_root_id = db_query_int(query, 0);
    return true;
}

bool annotation_get(Db *db, int64_t id, json_t **ret_annotation, GError **error)
{
    const AnnotationFilter any = { 0 };
    int64_t root_id = 0;
    g_autoptr(json_t) roots = NULL;
    if (!find_root(db, id, &root_id, error) ||
        !annotation_list_run(db, &any, root_id, NULL, &roots, error))
        return false;
    if (json_array_size(roots) == 0) // deleted meanwhile
        return fail_not_found(error, id);
    *ret_annotation = json_incref(json_array_get(roots, 0));
    return true;
}
