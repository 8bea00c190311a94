/* See sqlite_file.h. */
#include "tools/database/sqlite_file.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/worker.h"
#include "tools/database/sqlite_beside.h"
#include "tools/file/tool_file.h"

#define MAGIC "SQLite format 3"

enum { HEADER_BYTES = 20, WRITE_VERSION_AT = 18, VERSION_WAL = 2 };
enum { BUSY_TIMEOUT_MS = 3000, LOOK_STEPS = 500, STATEMENTS_MS = 20000 };
enum { MAX_PATTERN_BYTES = 1000 }; // of LIKE, which takes its size times that of the text

struct SqliteFile {
    sqlite3 *handle;
    char *shown;
    bool is_writing;
    Cancel *cancel;         // owned
    _Atomic int64_t end_ms; // on the monotonic clock; the watch reads it
    Worker *watch;          // NULL: no thread could be made
    Cancel *watch_end;      // owned
    char *index_of;         // the database whose index this connection has made; NULL: none
};

/* False when the file cannot be read or is shorter. */
static bool read_header(const char *path, char header[HEADER_BYTES])
{
    g_auto(Fd) fd = -1;
    struct stat info;
    return tool_file_open(path, path, &fd, &info, NULL) &&
           read(fd, header, HEADER_BYTES) == HEADER_BYTES;
}

bool sqlite_file_is(const char *path)
{
    char header[HEADER_BYTES];
    return read_header(path, header) && memcmp(header, MAGIC, sizeof(MAGIC)) == 0;
}

static KedgeError code_of(int status)
{
    switch (status & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return KEDGE_ERROR_TIMEOUT;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return KEDGE_ERROR_PROTOCOL;
    case SQLITE_TOOBIG:
        return KEDGE_ERROR_LIMIT;
    default:
        return KEDGE_ERROR_FAILED;
    }
}

bool sqlite_file_is_out_of_time(const SqliteFile *self)
{
    return time_monotonic_ms() >= self->end_ms;
}

static bool fail_with_status(SqliteFile *self, int status, GError **error)
{
    if (!cancel_check(self->cancel, error))
        return false;
    if ((status & 0xff) == SQLITE_INTERRUPT)
        return fail_with(error, KEDGE_ERROR_TIMEOUT,
                         "%s: the query was stopped after %d s; ask for less", self->shown,
                         STATEMENTS_MS / 1000);
    if ((status & 0xff) == SQLITE_AUTH)
        return fail_with(error, KEDGE_ERROR_DENIED, "%s: %s%s", self->shown,
                         sqlite3_errmsg(self->handle),
                         self->is_writing ? "" : " (read opens a database to be read only)");
    return fail_with(error, code_of(status), "%s: %s", self->shown,
                     self->handle ? sqlite3_errmsg(self->handle) : sqlite3_errstr(status));
}

/* Pragmas that only tell something. */
static bool is_harmless_pragma(const char *name, const char *value)
{
    static const char *const with_value[] = { "table_info",   "table_xinfo", "index_list",
                                              "index_info",   "index_xinfo", "foreign_key_list",
                                              "data_version", NULL };
    static const char *const without[] = { "table_list",     "user_version", "schema_version",
                                           "application_id", "encoding",     "page_count",
                                           "page_size",      "journal_mode", "integrity_check",
                                           "quick_check",    "data_version", NULL };
    return g_strv_contains(with_value, name) || (!value && g_strv_contains(without, name));
}

/* SQLite asks before each part of a statement. */
static int sqlite_file_authorize(void *self_, int action, const char *first, const char *second,
                                 const char *database G_GNUC_UNUSED,
                                 const char *trigger G_GNUC_UNUSED)
{
    const SqliteFile *self = self_;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return str_equal_nocase(second, "load_extension") ||
                       str_equal_nocase(second, "fts3_tokenizer")
                   ? SQLITE_DENY
                   : SQLITE_OK;
    case SQLITE_PRAGMA:
        return first && is_harmless_pragma(first, second) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_UPDATE: // asked for the schema, too, when a module declares its table
        return self->is_writing || g_strcmp0(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_INSERT:
    case SQLITE_DELETE:
        return self->is_writing ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static int should_stop(void *self_)
{
    const SqliteFile *self = self_;
    return cancel_has_fired(self->cancel) || sqlite_file_is_out_of_time(self);
}

/* SQLite asks should_stop() between the steps of a statement, and a few of them can take long:
   told to stop, it also looks while it goes from row to row. */
static void sqlite_file_watch(void *self_)
{
    SqliteFile *self = self_;
    while (cancel_sleep(self->watch_end, CANCEL_SLICE_MS, NULL))
        if (should_stop(self))
            sqlite3_interrupt(self->handle);
}

void sqlite_file_close(SqliteFile *self)
{
    if (!self)
        return;
    cancel_fire(self->watch_end);
    worker_join(self->watch);
    sqlite3_close_v2(self->handle);
    if (self->index_of)
        sqlite_beside_remove_index(self->index_of);
    g_free(self->index_of);
    cancel_unref(self->watch_end);
    cancel_unref(self->cancel);
    g_free(self->shown);
    g_free(self);
}

void sqlite_file_set_time(SqliteFile *self, int64_t duration_ms)
{
    self->end_ms = time_monotonic_ms() + duration_ms;
}

static void set_limits(SqliteFile *self)
{
    sqlite3 *handle = self->handle;
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, (int *)NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, (int *)NULL);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH,
                  (int)(self->is_writing ? LIMIT_SQLITE_ROW_BYTES : LIMIT_SQLITE_SHOWN_BYTES));
    sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN_BYTES);
    sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, (int)MIB);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 100);
    sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 10);
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_busy_timeout(handle, BUSY_TIMEOUT_MS);
    sqlite3_progress_handler(handle, LOOK_STEPS, should_stop, self);
    sqlite_file_set_time(self, STATEMENTS_MS);
    // a broken file is found out page by page, and never mapped into memory
    sqlite3_exec(handle, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", NULL, NULL, NULL);
    sqlite3_set_authorizer(handle, sqlite_file_authorize, self);
}

/* To read a database with a write-ahead log SQLite makes two files beside it, and cannot remove
   them. No one writes where there is no log: it is then read as one that does not change. */
static bool is_at_rest(const char *real)
{
    char header[HEADER_BYTES];
    return sqlite_beside_is_empty(real) && read_header(real, header) &&
           header[WRITE_VERSION_AT] == VERSION_WAL;
}

static bool open_handle(SqliteFile *self, const char *real, GError **error)
{
    bool is_still = !self->is_writing && is_at_rest(real);
    g_autofree char *escaped = g_uri_escape_string(real, "/", FALSE);
    g_autofree char *url = g_strconcat("file:", escaped, is_still ? "?immutable=1" : "", NULL);
    if (!self->is_writing && !is_still && !sqlite_beside_has_index(real))
        self->index_of = g_strdup(real);
    int flags = (self->is_writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(url, &self->handle, flags, NULL);
    return status == SQLITE_OK || fail_with_status(self, status, error);
}

bool sqlite_file_open(const char *path, const char *shown, bool is_writing, Cancel *cancel,
                      SqliteFile **ret_file, GError **error)
{
    if (!tool_file_check_target(path, shown, error))
        return false;
    g_autofree char *real = path_real(path);
    if (!real)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "SQLite database '%s' not found", shown);
    if (is_writing && !sqlite_beside_check_journal(real, shown, error))
        return false;
    g_autoptr(SqliteFile) self = g_new0(SqliteFile, 1);
    self->shown = g_strdup(shown);
    self->is_writing = is_writing;
    self->cancel = cancel_ref(cancel);
    self->watch_end = cancel_new(NULL);
    if (!open_handle(self, real, error))
        return false;
    set_limits(self);
    self->watch = worker_start("sqlite watch", sqlite_file_watch, self);
    *ret_file = g_steal_pointer(&self);
    return true;
}

bool sqlite_file_prepare(SqliteFile *self, const char *sql, SqliteStatement **ret_statement,
                         GError **error)
{
    g_autoptr(SqliteStatement) statement = NULL;
    const char *tail = NULL;
    int status = sqlite3_prepare_v2(self->handle, sql, -1, &statement, &tail);
    if (status != SQLITE_OK)
        return fail_with_status(self, status, error);
    g_autoptr(SqliteStatement) second = NULL;
    if (!statement)
        return fail_with(error, KEDGE_ERROR_USAGE, "%s: no SQL statement in '%s'", self->shown,
                         sql);
    if (sqlite3_prepare_v2(self->handle, tail, -1, &second, NULL) != SQLITE_OK || second)
        return fail_with(error, KEDGE_ERROR_USAGE, "%s: one SQL statement at a time", self->shown);
    *ret_statement = g_steal_pointer(&statement);
    return true;
}

bool sqlite_file_step(SqliteFile *self, SqliteStatement *statement, bool *ret_has_row,
                      GError **error)
{
    int status = sqlite3_step(statement);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        return fail_with_status(self, status, error);
    *ret_has_row = status == SQLITE_ROW;
    return true;
}

int sqlite_file_changes(SqliteFile *self)
{
    return sqlite3_changes(self->handle);
}

static void column_free(void *column_)
{
    SqliteColumn *column = column_;
    g_free(column->name);
    g_free(column->type);
    g_free(column);
}

bool sqlite_file_columns(SqliteFile *self, const char *table, GPtrArray **ret_columns,
                         GError **error)
{
    g_autoptr(SqliteStatement) statement = NULL;
    if (!sqlite_file_prepare(self,
                             "SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1",
                             &statement, error))
        return false;
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func(column_free);
    bool has_row = true;
    for (;;) {
        if (!sqlite_file_step(self, statement, &has_row, error))
            return false;
        if (!has_row)
            break;
        SqliteColumn *column = g_new0(SqliteColumn, 1);
        column->name = g_strdup((const char *)sqlite3_column_text(statement, 0));
        column->type = g_strdup((const char *)sqlite3_column_text(statement, 1));
        column->key = sqlite3_column_int(statement, 2);
        g_ptr_array_add(columns, column);
    }
    if (columns->len == 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "SQLite table '%s' not found", table);
    *ret_columns = g_steal_pointer(&columns);
    return true;
}

const SqliteColumn *sqlite_column_find(const GPtrArray *columns, const char *name)
{
    for (guint i = 0; i < columns->len; i++) {
        const SqliteColumn *column = g_ptr_array_index(columns, i);
        if (str_equal_nocase(column->name, name))
            return column;
    }
    return NULL;
}

char *sqlite_quote_name(const char *name)
{
    GString *out = g_string_new("\"");
    for (; *name; name++) {
        if (*name == '"')
            g_string_append_c(out, '"');
        g_string_append_c(out, *name);
    }
    g_string_append_c(out, '"');
    return g_string_free(out, FALSE);
}
