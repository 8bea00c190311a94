/* See feed.h. */
#include "arcade/feed.h"

static bool query_int(Db *db, const char *sql, int64_t *ret_value, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error, sql, "") || !db_query_step(query, &has_row, error))
        return false;
    *ret_value = has_row ? db_query_int(query, 0) : 0;
    return true;
}

/* Rows are deleted, their numbers are not given again: what counts is the highest number given. */
bool feed_last_id(Db *db, int64_t *ret_id, GError **error)
{
    return query_int(db,
                     "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'feed'), 0)",
                     ret_id, error);
}

bool feed_reaches(Db *db, int64_t id, bool *ret_reaches, GError **error)
{
    int64_t first = 0, last = 0;
    if (!feed_last_id(db, &last, error) ||
        !query_int(db, "SELECT coalesce(min(id), 0) FROM feed", &first, error))
        return false;
    *ret_reaches = id == last || (id < last && first > 0 && id >= first - 1);
    return true;
}

static void row_free(void *row_)
{
    FeedRow *row = row_;
    g_free(row->type);
    json_decref(row->data);
    g_free(row);
}

/* `data` may be shared with no one: it was just parsed. */
static json_t *complete(json_t *data, const char *run_id, const char *doc_id)
{
    if (!json_is_object(data)) {
        json_decref(data);
        data = json_object();
    }
    if (!json_object_get(data, "runId"))
        json_set_text(data, "runId", run_id);
    if (!json_object_get(data, "docId"))
        json_set_text(data, "docId", doc_id);
    return data;
}

bool feed_read(Db *db, const char *run_id, int64_t after, int64_t limit, GPtrArray **ret_rows,
               GError **error)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(row_free);
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(db, &query, error,
                  "SELECT id, type, run_id, doc_id, data FROM feed WHERE id > ?1 AND"
                  " (?2 IS NULL OR run_id = ?2 OR ((run_id IS NULL OR type = 'artifact')"
                  " AND doc_id IN (SELECT doc_id FROM run_artifact WHERE run_id = ?2)))"
                  " ORDER BY id LIMIT ?3",
                  "isi", after, run_id, limit))
        return false;
    bool is_good = false;
    while (db_query_more(query, &is_good, error)) {
        FeedRow *row = g_new0(FeedRow, 1);
        row->id = db_query_int(query, 0);
        row->type = g_strdup(db_query_text(query, 1));
        row->data =
            complete(state_json(query, 4), db_query_text(query, 2), db_query_text(query, 3));
        g_ptr_array_add(rows, row);
    }
    if (!is_good)
        return false;
    *ret_rows = g_steal_pointer(&rows);
    return true;
}

bool feed_read_shas(Db *db, int64_t after, GHashTable *shas, int64_t *ret_last_id, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    int64_t last = after;
    if (!db_query(db, &query, error,
                  "SELECT id, doc_id, data FROM feed WHERE id > ? AND type = 'artifact'"
                  " AND doc_id IS NOT NULL ORDER BY id",
                  "i", after))
        return false;
    bool is_good = false;
    while (db_query_more(query, &is_good, error)) {
        last = db_query_int(query, 0);
        g_autoptr(json_t) data = state_json(query, 2);
        const json_t *sha = json_object_get(data, "sha256");
        if (json_is_string(sha) || json_is_null(sha))
            g_hash_table_replace(shas, g_strdup(db_query_text(query, 1)),
                                 g_strdup(json_is_string(sha) ? json_string_value(sha) : ""));
    }
    if (!is_good)
        return false;
    *ret_last_id = last;
    return true;
}
