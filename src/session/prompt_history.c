/*
 * Prompt history (prompt_history.h).
 *
 * Without the trigger that fills the full-text index in files of the same shape by other programs:
 * a schema that is not trusted may not touch a virtual table, so both rows are written here.
 */
#include "session/prompt_history.h"

#include "base/db.h"
#include "base/file.h"
#include "base/mask.h"
#include "base/utf8.h"
#include "session/index_query.h"

#define LIMIT_MAX        1000
#define PROMPT_MAX_BYTES (256 * 1024)

static const char *const migrations[] = {
    "CREATE TABLE IF NOT EXISTS history (id INTEGER PRIMARY KEY AUTOINCREMENT, prompt TEXT NOT "
    "NULL, created_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS INTEGER)), cwd TEXT);"
    "CREATE INDEX IF NOT EXISTS idx_history_created_at ON history(created_at DESC);"
    "DROP TRIGGER IF EXISTS history_ai;",
    NULL,
};

/* The index is made again when it is not there. */
static bool make_index(Db *db, void *data, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error, "SELECT 1 FROM sqlite_master WHERE name = 'history_fts'",
                  "") ||
        !db_query_step(query, &has_row, error))
        return false;
    return has_row ||
           (db_exec(db,
                    "CREATE VIRTUAL TABLE history_fts USING fts5(prompt, content='history', "
                    "content_rowid='id')",
                    error) &&
            db_exec(db, "INSERT INTO history_fts(history_fts) VALUES ('rebuild')", error));
}

static Db *open_history(const char *agent_dir)
{
    g_autofree char *path = g_build_filename(agent_dir, "history.db", NULL);
    g_autoptr(Db) db = NULL;
    if (!db_open(path, migrations, NULL, &db, NULL, NULL) ||
        !db_transaction(db, make_index, NULL, NULL))
        return NULL;
    return g_steal_pointer(&db);
}

typedef struct Addition {
    const char *prompt, *cwd;
} Addition;

static bool prompt_history_do_add(Db *db, void *data, GError **error)
{
    const Addition *addition = data;
    g_autoptr(DbQuery) last = NULL;
    bool has_row = false;
    if (!db_query(db, &last, error, "SELECT prompt FROM history ORDER BY id DESC LIMIT 1", "") ||
        !db_query_step(last, &has_row, error))
        return false;
    if (has_row && g_strcmp0(db_query_text(last, 0), addition->prompt) == 0)
        return true;
    return db_run(db, error, "INSERT INTO history (prompt, cwd) VALUES (?, ?)", "ss",
                  addition->prompt, addition->cwd) &&
           db_run(db, error, "INSERT INTO history_fts(rowid, prompt) VALUES (?, ?)", "is",
                  db_last_id(db), addition->prompt);
}

void prompt_history_add(const char *agent_dir, const char *prompt, const char *cwd)
{
    g_autofree char *masked = mask_text(prompt);
    g_autofree char *trimmed = utf8_trim(masked);
    if (*trimmed == '\0' || strlen(trimmed) > PROMPT_MAX_BYTES)
        return; // a whole file is nothing to pick from a list
    g_autoptr(Db) db = open_history(agent_dir);
    const Addition addition = { .prompt = trimmed, .cwd = cwd };
    if (db)
        db_transaction(db, prompt_history_do_add, (void *)&addition, NULL);
}

static void take_rows(DbQuery *query, json_t *list, GHashTable *seen, int64_t limit)
{
    bool has_row = false;
    while ((int64_t)json_array_size(list) < limit && db_query_step(query, &has_row, NULL) &&
           has_row) {
        if (!g_hash_table_add(seen, GINT_TO_POINTER((int)db_query_int(query, 0))))
            continue;
        json_append_take(list, json_make("prompt:%s created:%jd cwd:%s", db_query_text(query, 1),
                                         db_query_int(query, 2), db_query_text(query, 3)));
    }
}

#define COLUMNS "h.id, h.prompt, h.created_at, h.cwd"

static void take_words(Db *db, const char *words, json_t *list, GHashTable *seen, int64_t limit)
{
    g_autoptr(DbQuery) query = NULL;
    if (db_query(db, &query, NULL,
                 "SELECT " COLUMNS " FROM history_fts JOIN history h ON h.id = history_fts.rowid"
                 " WHERE history_fts MATCH ? ORDER BY h.id DESC LIMIT ?",
                 "si", words, limit))
        take_rows(query, list, seen, limit);
}

static void take_parts(Db *db, const char *text, json_t *list, GHashTable *seen, int64_t limit)
{
    g_auto(GStrv) patterns = index_query_patterns(text);
    g_autoptr(GString) sql = g_string_new("SELECT " COLUMNS " FROM history h WHERE 1");
    size_t count = g_strv_length(patterns);
    g_autofree DbValue *values = g_new0(DbValue, count + 1);
    for (size_t i = 0; i < count; i++) {
        g_string_append(sql, " AND h.prompt LIKE ?");
        values[i] = (DbValue) { .type = 's', .text = patterns[i] };
    }
    g_string_append(sql, " ORDER BY h.id DESC LIMIT ?");
    values[count] = (DbValue) { .type = 'i', .integer = limit };
    g_autoptr(DbQuery) query = NULL;
    if (db_query_values(db, &query, NULL, sql->str, values, count + 1))
        take_rows(query, list, seen, limit);
}

/* No file is made for a look. */
static Db *open_to_read(const char *agent_dir)
{
    g_autofree char *path = g_build_filename(agent_dir, "history.db", NULL);
    return file_exists(path) ? open_history(agent_dir) : NULL;
}

json_t *prompt_history_recent(const char *agent_dir, int64_t limit)
{
    json_t *list = json_array();
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    g_autoptr(Db) db = open_to_read(agent_dir);
    g_autoptr(DbQuery) query = NULL;
    int64_t count = CLAMP(limit, 0, LIMIT_MAX);
    if (db && db_query(db, &query, NULL,
                       "SELECT " COLUMNS " FROM history h ORDER BY h.id DESC LIMIT ?", "i", count))
        take_rows(query, list, seen, count);
    return list;
}

json_t *prompt_history_search(const char *agent_dir, const char *text, int64_t limit)
{
    json_t *list = json_array();
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    g_autofree char *words = index_query_words(text);
    g_autoptr(Db) db = words ? open_to_read(agent_dir) : NULL;
    int64_t count = CLAMP(limit, 0, LIMIT_MAX);
    if (!db)
        return list;
    take_words(db, words, list, seen, count);
    take_parts(db, text, list, seen, count);
    return list;
}
