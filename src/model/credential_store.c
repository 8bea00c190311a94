/* See credential_store.h. */
#include "model/credential_store.h"

#include "base/db.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/secrets.h"
#include "base/timefmt.h"

#include <unistd.h>

#define API_KEY "api_key"

static const char *const migrations[] = {
    "CREATE TABLE auth_credentials(id INTEGER PRIMARY KEY, provider TEXT NOT NULL,"
    " credential_type TEXT NOT NULL, data TEXT NOT NULL, disabled_cause TEXT, identity_key TEXT,"
    " created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL)",
    NULL,
};

static void stored_key_free(gpointer key)
{
    StoredKey *self = key;
    g_free(self->provider);
    g_free(self->key);
    g_free(self);
}

static bool open_store(const char *path, Db **ret_db, GError **error)
{
    if (db_open(path, migrations, NULL, ret_db, NULL, error))
        return true;
    g_prefix_error(error, "cannot use the stored credentials in %s: ", path);
    return false;
}

static bool read_rows(Db *db, GPtrArray *keys, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(db, &query, error,
                  "SELECT provider, data FROM auth_credentials WHERE credential_type = ?"
                  " AND disabled_cause IS NULL ORDER BY id",
                  "s", API_KEY))
        return false;
    bool has_row;
    while (true) {
        if (!db_query_step(query, &has_row, error))
            return false;
        if (!has_row)
            return true;
        g_autoptr(json_t) data = NULL;
        const char *provider = db_query_text(query, 0);
        const char *text = db_query_text(query, 1);
        const char *key =
            text && json_parse_text(text, &data, NULL) ? json_get_text(data, "key") : NULL;
        if (!provider || !key || !*key)
            continue;
        secrets_register(key);
        StoredKey *stored = g_new0(StoredKey, 1);
        stored->provider = g_strdup(provider);
        stored->key = g_strdup(key);
        g_ptr_array_add(keys, stored);
    }
}

bool credential_store_read(const char *path, GPtrArray **ret_keys, GError **error)
{
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(stored_key_free);
    g_autoptr(Db) db = NULL;
    if (access(path, F_OK) == 0 && (!open_store(path, &db, error) || !read_rows(db, keys, error)))
        return false;
    *ret_keys = g_steal_pointer(&keys);
    return true;
}

bool credential_key_check(const char *key, GError **error)
{
    size_t length = 0;
    while (g_ascii_isgraph(key[length]))
        length++;
    if (length == 0 || key[length] != '\0')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "that is no key: it is empty, or has blanks or other characters than "
                         "letters, digits and punctuation");
    return length <= LIMIT_API_KEY_BYTES ||
           fail_with(error, KEDGE_ERROR_LIMIT, "the key is longer than %zu bytes",
                     LIMIT_API_KEY_BYTES);
}

bool credential_store_add(const char *path, const char *provider, const char *key, bool *ret_is_new,
                          GError **error)
{
    secrets_register(key);
    g_autoptr(json_t) data = json_make("key:%s", key);
    g_autofree char *text = json_to_text(data);
    g_autoptr(Db) db = NULL;
    gint64 now = time_now_ms();
    if (!open_store(path, &db, error) ||
        !db_run(
            db, error,
            "INSERT INTO auth_credentials(provider, credential_type, data, created_at, updated_at)"
            " SELECT ?1, ?2, ?3, ?4, ?4 WHERE NOT EXISTS (SELECT 1 FROM auth_credentials"
            " WHERE provider = ?1 AND credential_type = ?2 AND data = ?3"
            " AND disabled_cause IS NULL)",
            "sssi", provider, API_KEY, text, (int64_t)now))
        return false;
    *ret_is_new = db_changes(db) > 0;
    return true;
}

bool credential_store_remove(const char *path, const char *provider, int64_t *ret_count,
                             GError **error)
{
    *ret_count = 0;
    if (access(path, F_OK) != 0)
        return true;
    g_autoptr(Db) db = NULL;
    if (!open_store(path, &db, error) || !db_exec(db, "PRAGMA secure_delete = ON", error) ||
        !db_run(db, error, "DELETE FROM auth_credentials WHERE provider = ?", "s", provider))
        return false;
    *ret_count = db_changes(db);
    return true;
}
