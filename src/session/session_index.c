/*
 * The index of sessions (session_index.h): SQLite with full-text search over what people and models
 * said. Results of tools are not in it.
 */
#include "session/session_index.h"

#include "base/db.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "session/file_mark.h"
#include "session/index_file.h"
#include "session/index_query.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#define FILES_PER_COMMIT 200
#define PROGRESS_FILES   50 // below that no one wants to hear about it

static const char *const migrations[] = {
    "CREATE TABLE session ("
    " id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE,"
    " size INTEGER NOT NULL, modified INTEGER NOT NULL, inode INTEGER NOT NULL," // of the file
    " read INTEGER NOT NULL," // bytes that are in the index: whole lines
    " session_id TEXT,"       // NULL: no session file
    " cwd TEXT, place TEXT,"  // as the header has it, and without links
    " title TEXT, created TEXT, parent TEXT, model TEXT, first_message TEXT, summary TEXT,"
    " messages INTEGER NOT NULL DEFAULT 0, cost TEXT);"
    "CREATE INDEX session_by_time ON session(modified DESC);"
    "CREATE TABLE message ("
    " id INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,"
    " entry TEXT, role TEXT NOT NULL, at TEXT, text TEXT NOT NULL);"
    "CREATE INDEX message_by_session ON message(session);"
    "CREATE VIRTUAL TABLE message_fts USING fts5(text, content='message', content_rowid='id');",
    "ALTER TABLE session ADD COLUMN header TEXT;" // file_mark.h
    "UPDATE session SET modified = 0;",           // all are read again
    // pull requests that the session opened; without a number: the call's result is to come
    "CREATE TABLE pull ("
    " session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,"
    " call TEXT, host TEXT, repo TEXT COLLATE NOCASE, number INTEGER);"
    "CREATE INDEX pull_by_session ON pull(session);"
    "CREATE INDEX pull_by_number ON pull(number);"
    "UPDATE session SET modified = 0, header = NULL;", // all are read again
    NULL,
};

struct SessionIndex {
    Db *db;
    Cancel *cancel; // borrowed
};

typedef struct Known { // a row of the index, while files are compared
    int64_t id, size, modified, inode, read;
    char *header;
    bool is_seen;
} Known;

typedef struct Sync {
    SessionIndex *index;
    GHashTable *known;  // path → Known
    GPtrArray *changed; // char *: paths to read
    char *root;         // with a slash: rows below it that were not seen go
    SessionIndexProgress progress;
    void *user_data;
} Sync;

static void known_free(gpointer data)
{
    Known *self = data;
    g_free(self->header);
    g_free(self);
}

void session_index_close(SessionIndex *self)
{
    if (!self)
        return;
    db_close(self->db);
    g_free(self);
}

static void sync_clear(Sync *self)
{
    g_clear_pointer(&self->known, g_hash_table_unref);
    g_clear_pointer(&self->changed, g_ptr_array_unref);
    g_clear_pointer(&self->root, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sync, sync_clear)

/* Of a query's row: id, size, modified, inode, read, header, from column `first` on. */
static Known *known_of(DbQuery *query, int first)
{
    Known *known = g_new0(Known, 1);
    known->id = db_query_int(query, first);
    known->size = db_query_int(query, first + 1);
    known->modified = db_query_int(query, first + 2);
    known->inode = db_query_int(query, first + 3);
    known->read = db_query_int(query, first + 4);
    known->header = g_strdup(db_query_text(query, first + 5));
    return known;
}

static bool load_known(Sync *self, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(self->index->db, &query, error,
                  "SELECT path, id, size, modified, inode, read, header FROM session", ""))
        return false;
    bool has_row = false;
    while (db_query_step(query, &has_row, error)) {
        if (!has_row)
            return true;
        g_hash_table_insert(self->known, g_strdup(db_query_text(query, 0)), known_of(query, 1));
    }
    return false;
}

static int64_t modified_of(const struct stat *info)
{
    return (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec;
}

static void look_at_file(Sync *self, int dir_fd, const char *dir, const char *name)
{
    struct stat info;
    if (name[0] == '.' || !g_str_has_suffix(name, ".jsonl") ||
        fstatat(dir_fd, name, &info, 0) != 0 || !S_ISREG(info.st_mode))
        return;
    g_autofree char *path = g_strconcat(dir, "/", name, NULL);
    Known *known = g_hash_table_lookup(self->known, path);
    if (known)
        known->is_seen = true;
    bool is_same = known && known->size == info.st_size && known->inode == (int64_t)info.st_ino &&
                   known->modified == modified_of(&info);
    if (!is_same)
        g_ptr_array_add(self->changed, g_steal_pointer(&path));
}

static void look_at_dir(Sync *self, const char *dir)
{
    DIR *stream = opendir(dir);
    if (!stream)
        return;
    struct dirent *entry = NULL;
    while ((entry = readdir(stream)))
        look_at_file(self, dirfd(stream), dir, entry->d_name);
    closedir(stream);
}

static void look_below(Sync *self, const char *root)
{
    g_autoptr(GDir) dir = g_dir_open(root, 0, NULL);
    const char *name = NULL;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(root, name, NULL);
        look_at_dir(self, path);
    }
}

/* No trigger does it: with a schema that is not trusted, they may not touch a virtual table. */
static bool remove_row(Db *db, int64_t id, GError **error)
{
    return db_run(db, error,
                  "INSERT INTO message_fts(message_fts, rowid, text)"
                  " SELECT 'delete', id, text FROM message WHERE session = ?",
                  "i", id) &&
           db_run(db, error, "DELETE FROM session WHERE id = ?", "i", id);
}

/* One file into the index: what was appended, or all of it again. */
/* What the index says of a file now, in the transaction: another process may have read it since
   load_known(). */
static bool know_again(Sync *self, const char *path, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(self->index->db, &query, error,
                  "SELECT id, size, modified, inode, read, header FROM session WHERE path = ?", "s",
                  path) ||
        !db_query_step(query, &has_row, error))
        return false;
    g_hash_table_remove(self->known, path);
    if (has_row) {
        Known *known = known_of(query, 0);
        known->is_seen = true;
        g_hash_table_insert(self->known, g_strdup(path), known);
    }
    return true;
}

static bool take_file(Sync *self, const char *path, GError **error)
{
    if (!know_again(self, path, error))
        return false;
    const Known *known = g_hash_table_lookup(self->known, path);
    struct stat info;
    g_auto(Fd) fd = file_open_regular(path, 0, &info);
    if (fd < 0)
        return true; // gone meanwhile, or not ours to read
    g_autofree char *header = file_mark_of_header(fd);
    bool has_grown = known && known->inode == (int64_t)info.st_ino && info.st_size >= known->size &&
                     file_mark_goes_on(fd, known->header, header, known->read);
    Db *db = self->index->db;
    if (known && !has_grown && !remove_row(db, known->id, error))
        return false;
    if (!has_grown &&
        !db_run(db, error,
                "INSERT INTO session (path, size, modified, inode, read) VALUES (?, 0, 0, 0, 0)",
                "s", path))
        return false;
    int64_t id = has_grown ? known->id : db_last_id(db);
    int64_t read = has_grown ? known->read : 0;
    if (!index_file_read(db, id, fd, &read, self->index->cancel, error))
        return false;
    return db_run(db, error,
                  "UPDATE session SET size = ?, modified = ?, inode = ?, read = ?, header = ?"
                  " WHERE id = ?",
                  "iiiisi", (int64_t)info.st_size, modified_of(&info), (int64_t)info.st_ino, read,
                  header, id);
}

static bool forget_missing(Sync *self, GError **error)
{
    GHashTableIter iter;
    void *path = NULL;
    void *known_ = NULL;
    g_hash_table_iter_init(&iter, self->known);
    while (g_hash_table_iter_next(&iter, &path, &known_)) {
        const Known *known = known_;
        if (known->is_seen || !str_has_prefix(path, self->root))
            continue;
        if (!remove_row(self->index->db, known->id, error))
            return false;
    }
    return true;
}

typedef struct Chunk {
    Sync *sync;
    unsigned from, to;
} Chunk;

static bool take_chunk(Db *db, void *data, GError **error)
{
    const Chunk *chunk = data;
    for (unsigned i = chunk->from; i < chunk->to; i++)
        if (!take_file(chunk->sync, chunk->sync->changed->pdata[i], error))
            return false;
    return chunk->from > 0 || forget_missing(chunk->sync, error);
}

static bool has_missing(const Sync *self)
{
    GHashTableIter iter;
    void *path = NULL;
    void *known = NULL;
    g_hash_table_iter_init(&iter, self->known);
    while (g_hash_table_iter_next(&iter, &path, &known))
        if (!((const Known *)known)->is_seen && str_has_prefix(path, self->root))
            return true;
    return false;
}

static bool bring_up_to_date(Sync *self, GError **error)
{
    unsigned count = self->changed->len;
    if (count == 0 && !has_missing(self))
        return true;
    Chunk chunk = { .sync = self };
    do {
        chunk.to = MIN(chunk.from + FILES_PER_COMMIT, count);
        if (self->progress && count >= PROGRESS_FILES)
            self->progress(chunk.from, count, self->user_data);
        if (!db_transaction(self->index->db, take_chunk, &chunk, error))
            return false;
        chunk.from = chunk.to;
    } while (chunk.from < count);
    return true;
}

static bool sync_synchronise(Sync *self, const char *agent_dir, const char *session_dir,
                             GError **error)
{
    g_autofree char *root = g_build_filename(agent_dir, "sessions", NULL);
    self->root = g_strconcat(session_dir ? session_dir : root, "/", NULL);
    self->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, known_free);
    self->changed = g_ptr_array_new_with_free_func(g_free);
    if (!load_known(self, error))
        return false;
    if (session_dir)
        look_at_dir(self, session_dir);
    else
        look_below(self, root);
    return bring_up_to_date(self, error);
}

static bool open_index(const char *path, const char *agent_dir, const char *session_dir, Sync *sync,
                       Cancel *cancel, SessionIndex **ret_index, GError **error)
{
    g_autoptr(SessionIndex) self = g_new0(SessionIndex, 1);
    self->cancel = cancel;
    g_auto(Sync) work = { .index = self, .progress = sync->progress, .user_data = sync->user_data };
    if (!db_open(path, migrations, cancel, &self->db, NULL, error) ||
        !sync_synchronise(&work, agent_dir, session_dir, error))
        return false;
    *ret_index = g_steal_pointer(&self);
    return true;
}

static void remove_database(const char *path)
{
    static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
        g_autofree char *name = g_strconcat(path, suffixes[i], NULL);
        unlink(name);
    }
}

bool session_index_open(const char *agent_dir, const char *session_dir,
                        SessionIndexProgress progress, void *user_data, Cancel *cancel,
                        SessionIndex **ret_index, GError **error)
{
    g_autofree char *path = g_build_filename(agent_dir, "sessions.db", NULL);
    g_autofree char *dir = session_dir ? path_absolute(session_dir, NULL) : NULL;
    Sync sync = { .progress = progress, .user_data = user_data };
    g_autoptr(GError) problem = NULL;
    if (open_index(path, agent_dir, dir, &sync, cancel, ret_index, &problem))
        return true;
    // broken, or of a newer release: it says nothing that the files do not say
    if (error_is(problem, KEDGE_ERROR_PROTOCOL) || error_is(problem, KEDGE_ERROR_DENIED)) {
        remove_database(path);
        return open_index(path, agent_dir, dir, &sync, cancel, ret_index, error);
    }
    return pass_error(error, &problem);
}

bool session_index_list(SessionIndex *self, const char *cwd, int64_t limit, json_t **ret_sessions,
                        GError **error)
{
    return index_query_list(self->db, cwd, limit, ret_sessions, error);
}

bool session_index_opened(SessionIndex *self, const PullRef *pull, const char *cwd,
                          json_t **ret_sessions, GError **error)
{
    return index_query_opened(self->db, pull, cwd, ret_sessions, error);
}

bool session_index_search(SessionIndex *self, const char *query, const char *cwd, int64_t limit,
                          json_t **ret_hits, GError **error)
{
    return index_query_search(self->db, query, cwd, limit, ret_hits, error);
}

char *session_info_name(const json_t *session)
{
    const char *title = json_get_text(session, "title");
    const char *first = json_get_text(session, "firstMessage");
    if (title && *title)
        return g_strdup(title);
    if (first) {
        g_autofree char *line = g_strndup(first, strcspn(first, "\n"));
        if (*g_strstrip(line))
            return utf8_ellipsize(line, 80);
    }
    struct tm parts;
    time_t at = (time_t)(json_get_int(session, "modified", 0) / 1000);
    if (!time_to_local(at, &parts))
        return g_strdup("Untitled");
    return g_strdup_printf("Untitled · %02d:%02d", parts.tm_hour, parts.tm_min);
}
