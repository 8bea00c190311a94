/*
 * Database connections of the server, and what only its pages ask of them (store.h).
 */
#include "arcade/store.h"

#include <pthread.h>

#define STORE_MAX_IDLE 8

struct Store {
    char *path;
    pthread_mutex_t lock;
    GPtrArray *idle; // of Db; guarded by lock
};

Store *store_new(const char *path)
{
    Store *self = g_new0(Store, 1);
    self->path = g_strdup(path);
    self->idle = g_ptr_array_new_with_free_func((GDestroyNotify)db_close);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void store_free(Store *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->idle);
    pthread_mutex_destroy(&self->lock);
    g_free(self->path);
    g_free(self);
}

bool store_take(Store *self, Cancel *cancel, Db **ret_db, GError **error)
{
    pthread_mutex_lock(&self->lock);
    Db *idle = NULL;
    if (self->idle->len > 0)
        idle = g_ptr_array_steal_index(self->idle, self->idle->len - 1);
    pthread_mutex_unlock(&self->lock);
    if (idle) {
        db_set_cancel(idle, cancel);
        *ret_db = idle;
        return true;
    }
    return state_open(self->path, cancel, ret_db, NULL, error);
}

void store_give(Store *self, Db *db)
{
    if (db)
        db_set_cancel(db, NULL);
    pthread_mutex_lock(&self->lock);
    bool is_kept = db && self->idle->len < STORE_MAX_IDLE;
    if (is_kept)
        g_ptr_array_add(self->idle, db);
    pthread_mutex_unlock(&self->lock);
    if (!is_kept)
        db_close(db);
}

bool store_count_open(Db *db, const char *run_id, int64_t *ret_count, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error,
                  "SELECT count(*) FROM annotation WHERE parent_id IS NULL AND status = 'open'"
                  " AND (run_id = ?1 OR (run_id IS NULL AND doc_id IN"
                  " (SELECT doc_id FROM run_artifact WHERE run_id = ?1)))",
                  "s", run_id) ||
        !db_query_step(query, &has_row, error))
        return false;
    *ret_count = has_row ? db_query_int(query, 0) : 0;
    return true;
}
