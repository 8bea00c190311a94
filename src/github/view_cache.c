/*
 * The store of the views of issues, pull requests and diffs.
 */
#include "github/view_cache.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/lock.h"
#include "github/repo_ref.h"

#define STATE_KEY    "github view cache"
#define FILE_NAME    "github-cache.db"
#define WAIT_MS      5000 // for a lock
#define SWEEP_MS     (60 * 1000)
#define KEPT_PERCENT 75 // of the maximum, once it is reached

#define DROP_OLD "DROP TABLE IF EXISTS github_view_cache"

// versions 1 and 2 had other columns; nothing in them is worth more than a fetch
static const char *const migrations[] = {
    DROP_OLD,
    DROP_OLD,
    DROP_OLD ";"
             "CREATE TABLE github_view_cache ("
             " auth_key TEXT NOT NULL, repo TEXT NOT NULL,"
             " kind TEXT NOT NULL CHECK (kind IN ('issue','pr','pr-diff')),"
             " number INTEGER NOT NULL, include_comments INTEGER NOT NULL,"
             " fetched_at INTEGER NOT NULL, payload TEXT NOT NULL, rendered TEXT NOT NULL,"
             " source_url TEXT,"
             " PRIMARY KEY (auth_key, repo, kind, number, include_comments));"
             "CREATE INDEX github_view_cache_age ON github_view_cache (fetched_at);"
             "CREATE TABLE IF NOT EXISTS github_view_login ("
             " host TEXT PRIMARY KEY, auth_key TEXT NOT NULL)",
    NULL,
};

struct ViewCache {
    pthread_mutex_t lock; // of everything below but `workers`
    Db *db;               // NULL: not opened, or given up
    bool is_given_up;
    char *problem; // to be told
    int64_t swept_at;
    char *login; // the last that was noted
    ViewWorkers *workers;
};

void view_row_clear(ViewRow *self)
{
    json_decref(self->payload);
    g_free(self->rendered);
    g_free(self->source_url);
    *self = (ViewRow) { 0 };
}

static void *cache_new(void)
{
    ViewCache *self = g_new0(ViewCache, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->workers = view_workers_new();
    return self;
}

static void cache_free(void *cache)
{
    ViewCache *self = cache;
    view_workers_free(self->workers); // they write to it
    db_close(self->db);
    pthread_mutex_destroy(&self->lock);
    g_free(self->problem);
    g_free(self->login);
    g_free(self);
}

ViewCache *view_cache_of(ToolContext *context)
{
    return tool_context_state(context, STATE_KEY, cache_new, cache_free);
}

char *view_cache_path(void)
{
    const char *path = env_get("GITHUB_CACHE_DB");
    if (!path)
        path = env_get_raw("OMP_GITHUB_CACHE_DB");
    if (path)
        return g_strdup(path);
    g_autofree char *dir = dirs_cache();
    return g_build_filename(dir, FILE_NAME, NULL);
}

char *view_cache_repo(const char *repo, const Settings *settings)
{
    g_auto(RepoRef) ref = { 0 };
    if (!repo_ref_parse(repo, &ref))
        return g_ascii_strdown(repo, -1);
    g_autofree char *slug = g_ascii_strdown(ref.slug, -1);
    g_autofree char *default_host = repo_default_host(settings);
    if (!ref.host || strcmp(ref.host, default_host) == 0)
        return g_steal_pointer(&slug);
    return g_strconcat(ref.host, "/", slug, NULL);
}

// ---- the connection ----

/* What to do about it depends on what it is. */
static const char *view_cache_advice(const GError *error)
{
    if (error_is(error, KEDGE_ERROR_PROTOCOL))
        return "; `kedge gh cache clear` removes it";
    return error_is(error, KEDGE_ERROR_TIMEOUT) ? "; another program holds it" : "";
}

/* A cancelled call says nothing about the file. Takes `error` over. */
static void note_problem_locked(ViewCache *self, GError *error, bool is_final)
{
    g_autoptr(GError) owned = error;
    if (error_is(owned, KEDGE_ERROR_CANCELLED))
        return;
    if (is_final || error_is(owned, KEDGE_ERROR_PROTOCOL)) {
        self->is_given_up = true;
        g_clear_pointer(&self->db, db_close);
    }
    g_free(self->problem);
    self->problem = g_strdup_printf("The cache of GitHub answers is not used: %s%s", owned->message,
                                    view_cache_advice(owned));
}

bool view_cache_open(const char *path, Cancel *cancel, Db **ret_db, GError **error)
{
    g_autoptr(Db) db = NULL;
    if (!db_open(path, migrations, cancel, &db, NULL, error) ||
        !db_exec(db, "PRAGMA synchronous=NORMAL", error)) // what is lost is fetched again
        return false;
    *ret_db = g_steal_pointer(&db);
    return true;
}

/* The token of a call, for no longer than a lock is waited for; a lock that is not given up in
   that time is told as one. */
typedef struct Turn {
    ViewCache *cache;
    Cancel *asker, *timed;
} Turn;

static bool turn_begin(ViewCache *self, Cancel *cancel, Turn *turn)
{
    pthread_mutex_lock(&self->lock);
    *turn = (Turn) { self, cancel, cancel_new_timed(cancel, WAIT_MS) };
    if (!self->db && !self->is_given_up) {
        g_autofree char *path = view_cache_path();
        GError *error = NULL;
        if (!view_cache_open(path, turn->timed, &self->db, &error)) {
            if (error_is(error, KEDGE_ERROR_CANCELLED) && !cancel_has_fired(cancel)) {
                g_clear_error(&error);
                fail_with(&error, KEDGE_ERROR_TIMEOUT, "%s: is locked", path);
            }
            note_problem_locked(self, error, !error_is(error, KEDGE_ERROR_CANCELLED));
        }
    }
    if (self->db)
        db_set_cancel(self->db, turn->timed);
    return self->db != NULL;
}

/* Takes `error` over; NULL: it went well. */
static void turn_end(Turn *turn, GError *error)
{
    ViewCache *self = turn->cache;
    if (error && error_is(error, KEDGE_ERROR_CANCELLED) && !cancel_has_fired(turn->asker)) {
        g_clear_error(&error);
        fail_with(&error, KEDGE_ERROR_TIMEOUT, "%s is locked", FILE_NAME);
    }
    if (self->db)
        db_set_cancel(self->db, NULL);
    if (error)
        note_problem_locked(self, error, false);
    cancel_unref(turn->timed);
    pthread_mutex_unlock(&self->lock);
}

char *view_cache_take_problem(ViewCache *self)
{
    HOLD_LOCK(&self->lock);
    return g_steal_pointer(&self->problem);
}

// ---- rows ----

#define WHERE_KEY       "auth_key=? AND repo=? AND kind=? AND number=? AND include_comments=?"
#define KEY_TYPES       "sssii"
#define KEY_VALUES(key) key->auth_key, key->repo, key->kind, key->number, key->comments

static bool read_row(Db *db, const ViewKey *key, ViewRow *ret_row, bool *ret_is_found,
                     GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(db, &query, error,
                  "SELECT fetched_at, payload, rendered, source_url FROM github_view_cache "
                  "WHERE " WHERE_KEY,
                  KEY_TYPES, KEY_VALUES(key)) ||
        !db_query_step(query, ret_is_found, error))
        return false;
    g_autoptr(json_t) payload = NULL;
    const char *text = *ret_is_found ? db_query_text(query, 1) : NULL;
    // a payload that is none is a row that is none
    *ret_is_found = text && json_parse_text(text, &payload, NULL) && json_is_object(payload);
    if (*ret_is_found)
        *ret_row = (ViewRow) {
            .fetched_at = db_query_int(query, 0),
            .payload = g_steal_pointer(&payload),
            .rendered = g_strdup(db_query_text(query, 2)),
            .source_url = g_strdup(db_query_text(query, 3)),
        };
    return true;
}

bool view_cache_read(ViewCache *self, const ViewKey *key, Cancel *cancel, ViewRow *ret_row)
{
    Turn turn;
    GError *error = NULL;
    bool is_found = false;
    bool is_read =
        turn_begin(self, cancel, &turn) && read_row(self->db, key, ret_row, &is_found, &error);
    turn_end(&turn, error);
    return is_read && is_found;
}

static bool read_number(Db *db, const char *sql, int64_t *ret_number, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error, sql, "") || !db_query_step(query, &has_row, error))
        return false;
    *ret_number = has_row ? db_query_int(query, 0) : 0;
    return true;
}

static bool read_used_bytes(Db *db, int64_t *ret_bytes, GError **error)
{
    int64_t pages, free_pages, page_size;
    if (!read_number(db, "PRAGMA page_count", &pages, error) ||
        !read_number(db, "PRAGMA freelist_count", &free_pages, error) ||
        !read_number(db, "PRAGMA page_size", &page_size, error))
        return false;
    *ret_bytes = (pages - free_pages) * page_size;
    return true;
}

/* The oldest rows go, a quarter of all at a time; what is freed is used again. */
static bool keep_size(Db *db, GError **error)
{
    int64_t used, rows;
    if (!read_used_bytes(db, &used, error))
        return false;
    if (used <= (int64_t)LIMIT_GH_CACHE_BYTES)
        return true;
    if (!read_number(db, "SELECT count(*) FROM github_view_cache", &rows, error))
        return false;
    int64_t gone = rows - rows * KEPT_PERCENT / 100;
    return db_run(db, error,
                  "DELETE FROM github_view_cache WHERE rowid IN (SELECT rowid FROM "
                  "github_view_cache ORDER BY fetched_at LIMIT ?)",
                  "i", MAX(gone, 1));
}

static bool write_row(Db *db, const ViewKey *key, const ViewRow *row, const char *payload,
                      GError **error)
{
    return db_run(db, error,
                  "INSERT OR REPLACE INTO github_view_cache (auth_key, repo, kind, number, "
                  "include_comments, fetched_at, payload, rendered, source_url) "
                  "VALUES (?,?,?,?,?,?,?,?,?)",
                  KEY_TYPES "isss", KEY_VALUES(key), row->fetched_at, payload, row->rendered,
                  row->source_url) &&
           keep_size(db, error);
}

void view_cache_write(ViewCache *self, const ViewKey *key, const ViewRow *row, Cancel *cancel)
{
    g_autofree char *payload = json_to_text(row->payload);
    if (strlen(payload) + strlen(row->rendered) > LIMIT_GH_CACHE_ROW_BYTES)
        return;
    Turn turn;
    GError *error = NULL;
    if (turn_begin(self, cancel, &turn))
        write_row(self->db, key, row, payload, &error);
    turn_end(&turn, error);
}

void view_cache_drop(ViewCache *self, const ViewKey *key, Cancel *cancel)
{
    Turn turn;
    GError *error = NULL;
    if (turn_begin(self, cancel, &turn))
        db_run(self->db, &error, "DELETE FROM github_view_cache WHERE " WHERE_KEY, KEY_TYPES,
               KEY_VALUES(key));
    turn_end(&turn, error);
}

/* A command that changes something is no reason to make the file. */
static bool has_file(ViewCache *self)
{
    g_autofree char *path = view_cache_path();
    pthread_mutex_lock(&self->lock);
    bool is_open = self->db != NULL;
    pthread_mutex_unlock(&self->lock);
    return is_open || file_exists(path);
}

void view_cache_drop_item(ViewCache *self, const char *repo, int64_t number, Cancel *cancel)
{
    if (!has_file(self))
        return;
    Turn turn;
    GError *error = NULL;
    if (turn_begin(self, cancel, &turn))
        db_run(self->db, &error,
               "DELETE FROM github_view_cache WHERE (?1 IS NULL OR repo=?1) "
               "AND (?2=0 OR number=?2)",
               "si", repo, number);
    turn_end(&turn, error);
}

void view_cache_sweep(ViewCache *self, int64_t now_ms, int64_t before, Cancel *cancel)
{
    Turn turn;
    GError *error = NULL;
    bool is_open = turn_begin(self, cancel, &turn);
    if (is_open && (self->swept_at == 0 || now_ms - self->swept_at >= SWEEP_MS)) {
        self->swept_at = now_ms;
        db_run(self->db, &error, "DELETE FROM github_view_cache WHERE fetched_at < ?", "i", before);
    }
    turn_end(&turn, error);
}

// ---- logins ----

static bool replace_login(Db *db, const char *host, const char *auth_key, GError **error)
{
    return db_run(db, error,
                  "DELETE FROM github_view_cache WHERE auth_key IN (SELECT auth_key FROM "
                  "github_view_login WHERE host=? AND auth_key<>?)",
                  "ss", host, auth_key) &&
           db_run(db, error,
                  "INSERT INTO github_view_login (host, auth_key) VALUES (?1,?2) ON CONFLICT "
                  "(host) DO UPDATE SET auth_key=?2 WHERE auth_key<>?2",
                  "ss", host, auth_key);
}

void view_cache_note_login(ViewCache *self, const char *host, const char *auth_key, Cancel *cancel)
{
    Turn turn;
    GError *error = NULL;
    if (turn_begin(self, cancel, &turn) && g_strcmp0(self->login, auth_key) != 0 &&
        replace_login(self->db, host, auth_key, &error)) {
        g_free(self->login);
        self->login = g_strdup(auth_key);
    }
    turn_end(&turn, error);
}

ViewWorkers *view_cache_workers(ViewCache *self)
{
    return self->workers;
}
