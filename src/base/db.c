/* See db.h. */
#include "base/db.h"

#include "base/file.h"
#include "base/timefmt.h"

#include <errno.h>
#include <linux/magic.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define BUSY_TIMEOUT_MS 10000
#define WAL_RETRY_MS    20
#define LOOK_MIN_US     300 // between two looks at a lock, by chance
#define LOOK_MAX_US     2000

#define SMB2_MAGIC      0xfe534d42 // of the kernel's cifs, in no header
#define CIFS_MAGIC      0xff534d42
#define KEPT_STATEMENTS 64
#define LOOK_STEPS      20000 // of SQLite's machine, between two looks at the token: about 1 ms

struct Db {
    sqlite3 *handle;
    char *path;
    GHashTable *idle; // SQL text → prepared statement that no query uses
    gint64 waiting_since_ms;
    Cancel *cancel; // owned
};

struct DbQuery {
    sqlite3_stmt *statement;
    Db *db; // borrowed; outlives its queries
};

static KedgeError error_code(int status)
{
    switch (status & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return KEDGE_ERROR_TIMEOUT;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return KEDGE_ERROR_PROTOCOL;
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return KEDGE_ERROR_IO;
    case SQLITE_TOOBIG:
        return KEDGE_ERROR_LIMIT;
    default:
        return KEDGE_ERROR_FAILED;
    }
}

static bool fail_with_db(Db *self, int status, GError **error)
{
    if ((status & 0xff) == SQLITE_BUSY || (status & 0xff) == SQLITE_INTERRUPT) {
        if (!cancel_check(self->cancel, error))
            return false;
    }
    // The handle's message says more than the code's, when it is about this failure.
    bool is_same =
        self->handle != NULL && (sqlite3_errcode(self->handle) & 0xff) == (status & 0xff);
    const char *text = is_same ? sqlite3_errmsg(self->handle) : sqlite3_errstr(status);
    return fail_with(error, error_code(status), "%s: %s", self->path, text);
}

void db_close(Db *self)
{
    if (!self)
        return;
    if (self->idle)
        g_hash_table_unref(self->idle);
    sqlite3_close_v2(self->handle);
    cancel_unref(self->cancel);
    g_free(self->path);
    g_free(self);
}

static bool make_private(const char *path, GError **error)
{
    struct stat st;
    if (stat(path, &st) != 0 || (st.st_mode & 077) == 0)
        return true;
    if (chmod(path, st.st_mode & 0700) != 0)
        return fail_with_errno(error, errno, "%s: cannot make the database private", path);
    return true;
}

/*
 * Makes the file before SQLite does; SQLite gives the mode of the file to -wal and -shm too.
 * mknod() and chmod(), not open(): closing any descriptor of a database file would drop the locks
 * that another connection of this process holds on it (sqlite.org/howtocorrupt.html, section 2.2).
 */
static bool prepare_file(const char *path, GError **error)
{
    g_autofree char *dir = g_path_get_dirname(path);
    if (!file_make_dirs(dir, 0700, error))
        return false;
    if (mknod(path, S_IFREG | 0600, 0) != 0 && errno != EEXIST)
        return fail_with_errno(error, errno, "%s: cannot create the database", path);
    // root could make a device private, and /dev/null is everybody's
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return fail_with(error, KEDGE_ERROR_IO, "%s: not a regular file, and so no database", path);
    return true;
}

// What an older program, or SQLite behind a dangling link, made with another mode.
static bool make_files_private(const char *path, GError **error)
{
    g_autofree char *wal = g_strconcat(path, "-wal", NULL);
    g_autofree char *shm = g_strconcat(path, "-shm", NULL);
    return make_private(path, error) && make_private(wal, error) && make_private(shm, error);
}

// Turning WAL on needs the file alone and does not wait for it by itself, hence the loop.
static bool enable_wal(Db *self, GError **error)
{
    int status = SQLITE_BUSY;
    for (int waited = 0; waited <= BUSY_TIMEOUT_MS; waited += WAL_RETRY_MS) {
        status = sqlite3_exec(self->handle, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if (status != SQLITE_BUSY)
            break;
        if (!cancel_sleep(self->cancel, WAL_RETRY_MS, error))
            return false;
    }
    return status == SQLITE_OK || fail_with_db(self, status, error);
}

// Where the shared memory of WAL does not work (sqlite.org/wal.html).
static bool is_on_network(const char *path)
{
    struct statfs fs;
    if (statfs(path, &fs) != 0)
        return false;
    switch ((unsigned long)fs.f_type & 0xffffffffUL) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case SMB2_MAGIC:
    case CIFS_MAGIC:
    case V9FS_MAGIC:
    case FUSE_SUPER_MAGIC:
        return true;
    default:
        return false;
    }
}

static bool choose_journal(Db *self, GPtrArray *warnings, GError **error)
{
    if (is_on_network(self->path)) {
        if (warnings)
            g_ptr_array_add(warnings,
                            g_strdup_printf("%s is on a network file system: many processes at "
                                            "once are slow there",
                                            self->path));
        return db_exec(self, "PRAGMA journal_mode=DELETE", error);
    }
    return enable_wal(self, error);
}

static bool read_version(Db *self, int64_t *ret_version, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(self, &query, error, "PRAGMA user_version", "") ||
        !db_query_step(query, &has_row, error))
        return false;
    *ret_version = has_row ? db_query_int(query, 0) : 0;
    return true;
}

typedef struct Migration {
    int64_t number;
    const char *sql;
} Migration;

static bool apply_migration(Db *self, void *migration_, GError **error)
{
    const Migration *migration = migration_;
    // Another process may have been first while this one waited for the lock.
    int64_t version;
    if (!read_version(self, &version, error))
        return false;
    if (version >= migration->number)
        return true;
    g_autofree char *pragma =
        g_strdup_printf("PRAGMA user_version=%" G_GINT64_FORMAT, migration->number);
    return db_exec(self, migration->sql, error) && db_exec(self, pragma, error);
}

static int64_t newest_version(const char *const *migrations)
{
    return migrations == NULL ? 0 : (int64_t)g_strv_length((char **)migrations);
}

static bool check_version(Db *self, const char *const *migrations, GError **error)
{
    int64_t newest = newest_version(migrations);
    int64_t version;
    if (!read_version(self, &version, error))
        return false;
    if (version > newest)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "The database was written by a newer kedge (schema %" G_GINT64_FORMAT
                         "; this build knows %" G_GINT64_FORMAT ")",
                         version, newest);
    return true;
}

static bool db_migrate(Db *self, const char *const *migrations, GError **error)
{
    int64_t newest = newest_version(migrations);
    int64_t version;
    if (!read_version(self, &version, error))
        return false;
    for (; version < newest; version++) {
        Migration migration = { .number = version + 1, .sql = migrations[version] };
        if (!db_transaction(self, apply_migration, &migration, error))
            return false;
    }
    return true;
}

/*
 * In place of sqlite3_busy_timeout(), whose pauses grow to 100 ms: among many processes that write
 * all the time whoever has waited long would look least often, and may starve.
 */
static int wait_for_lock(void *self_, int looks)
{
    Db *self = self_;
    gint64 now_ms = time_monotonic_ms();
    if (looks == 0)
        self->waiting_since_ms = now_ms;
    if (now_ms - self->waiting_since_ms >= BUSY_TIMEOUT_MS || cancel_has_fired(self->cancel))
        return 0;
    g_usleep((gulong)g_random_int_range(LOOK_MIN_US, LOOK_MAX_US));
    return 1;
}

/* SQLite asks now and then whether to stop. */
static int should_stop(void *self_)
{
    const Db *self = self_;
    return cancel_has_fired(self->cancel);
}

void db_set_cancel(Db *self, Cancel *cancel)
{
    Cancel *before = self->cancel;
    self->cancel = cancel_ref(cancel);
    cancel_unref(before);
    sqlite3_progress_handler(self->handle, LOOK_STEPS, cancel != NULL ? should_stop : NULL, self);
}

static void finalize_statement(void *statement)
{
    sqlite3_finalize(statement);
}

bool db_open(const char *path, const char *const *migrations, Cancel *cancel, Db **ret_db,
             GPtrArray *warnings, GError **error)
{
    if (!cancel_check(cancel, error))
        return false;
    bool is_memory = strcmp(path, ":memory:") == 0;
    if (!is_memory && !prepare_file(path, error))
        return false;

    g_autoptr(Db) self = g_new0(Db, 1);
    self->path = g_strdup(path);
    self->idle = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, finalize_statement);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(path, &self->handle, flags, NULL);
    if (status != SQLITE_OK)
        return fail_with_db(self, status, error);
    sqlite3_busy_handler(self->handle, wait_for_lock, self);
    db_set_cancel(self, cancel);
    // A damaged or hostile file must not run code of its schema, nor SQL damage the file.
    sqlite3_db_config(self->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(self->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);

    // what a newer program wrote is not even switched to another journal, and what is no database
    // keeps its mode
    if (!check_version(self, migrations, error) ||
        (!is_memory &&
         (!make_files_private(path, error) || !choose_journal(self, warnings, error))) ||
        !db_exec(self, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON", error) ||
        !db_migrate(self, migrations, error))
        return false;
    *ret_db = g_steal_pointer(&self);
    return true;
}

bool db_check(const char *path, GError **error)
{
    g_autofree char *plain = g_filename_to_uri(path, NULL, error);
    if (!plain)
        return false;
    // without that, a reader of a write-ahead log makes files beside it
    g_autofree char *uri = g_strconcat(plain, "?immutable=1", NULL);
    g_autoptr(Db) self = g_new0(Db, 1);
    self->path = g_strdup(path);
    self->idle = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, finalize_statement);
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(uri, &self->handle, flags, NULL);
    if (status != SQLITE_OK)
        return fail_with_db(self, status, error);
    sqlite3_db_config(self->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(self->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    return db_exec(self, "SELECT count(*) FROM sqlite_master", error);
}

const char *db_library_version(void)
{
    return sqlite3_libversion();
}

bool db_exec(Db *self, const char *sql, GError **error)
{
    int status = sqlite3_exec(self->handle, sql, NULL, NULL, NULL);
    return status == SQLITE_OK || fail_with_db(self, status, error);
}

void db_query_free(DbQuery *self)
{
    if (!self)
        return;
    Db *db = self->db;
    if (!self->statement) {
        g_free(self);
        return;
    }
    const char *sql = sqlite3_sql(self->statement);
    sqlite3_reset(self->statement);
    sqlite3_clear_bindings(self->statement);
    // the same text may have run inside itself: one of them is enough
    if (!sql || g_hash_table_size(db->idle) >= KEPT_STATEMENTS ||
        g_hash_table_contains(db->idle, sql))
        sqlite3_finalize(self->statement);
    else
        g_hash_table_insert(db->idle, g_strdup(sql), self->statement);
    g_free(self);
}

// An idle statement of that text, else a new one.
static int take_statement(Db *self, const char *sql, sqlite3_stmt **ret_statement)
{
    g_autofree char *key = NULL;
    void *statement = NULL;
    if (g_hash_table_steal_extended(self->idle, sql, (void **)&key, &statement)) {
        *ret_statement = statement;
        return SQLITE_OK;
    }
    return sqlite3_prepare_v3(self->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, ret_statement,
                              NULL);
}

static int bind_one(sqlite3_stmt *statement, int index, char type, va_list *ap)
{
    const char *text;
    const int64_t *integer;
    switch (type) {
    case 'i':
        return sqlite3_bind_int64(statement, index, va_arg(*ap, int64_t));
    case 'I':
        integer = va_arg(*ap, const int64_t *);
        return integer == NULL ? sqlite3_bind_null(statement, index)
                               : sqlite3_bind_int64(statement, index, *integer);
    case 'd':
        return sqlite3_bind_double(statement, index, va_arg(*ap, double));
    case 's':
        text = va_arg(*ap, const char *);
        return text == NULL ? sqlite3_bind_null(statement, index)
                            : sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
    default:
        g_assert_not_reached();
    }
}

static bool query_prepare(Db *self, DbQuery **ret_query, GError **error, const char *sql,
                          size_t count)
{
    g_autoptr(DbQuery) query = g_new0(DbQuery, 1);
    query->db = self;
    int status = take_statement(self, sql, &query->statement);
    if (status != SQLITE_OK)
        return fail_with_db(self, status, error);
    g_assert((int)count == sqlite3_bind_parameter_count(query->statement));
    *ret_query = g_steal_pointer(&query);
    return true;
}

static bool query_new(Db *self, DbQuery **ret_query, GError **error, const char *sql,
                      const char *types, va_list *ap)
{
    g_autoptr(DbQuery) query = NULL;
    if (!query_prepare(self, &query, error, sql, strlen(types)))
        return false;
    for (int i = 0; types[i] != '\0'; i++) {
        int status = bind_one(query->statement, i + 1, types[i], ap);
        if (status != SQLITE_OK)
            return fail_with_db(self, status, error);
    }
    *ret_query = g_steal_pointer(&query);
    return true;
}

static int bind_value(sqlite3_stmt *statement, int index, const DbValue *value)
{
    if (value->type == 'i')
        return sqlite3_bind_int64(statement, index, value->integer);
    if (value->type == 's' && value->text)
        return sqlite3_bind_text(statement, index, value->text, -1, SQLITE_TRANSIENT);
    return sqlite3_bind_null(statement, index);
}

bool db_query_values(Db *self, DbQuery **ret_query, GError **error, const char *sql,
                     const DbValue *values, size_t count)
{
    g_autoptr(DbQuery) query = NULL;
    if (!query_prepare(self, &query, error, sql, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        int status = bind_value(query->statement, (int)i + 1, &values[i]);
        if (status != SQLITE_OK)
            return fail_with_db(self, status, error);
    }
    *ret_query = g_steal_pointer(&query);
    return true;
}

bool db_query(Db *self, DbQuery **ret_query, GError **error, const char *sql, const char *types,
              ...)
{
    va_list ap;
    va_start(ap, types);
    bool is_good = query_new(self, ret_query, error, sql, types, &ap);
    va_end(ap);
    return is_good;
}

bool db_run(Db *self, GError **error, const char *sql, const char *types, ...)
{
    g_autoptr(DbQuery) query = NULL;
    va_list ap;
    va_start(ap, types);
    bool is_good = query_new(self, &query, error, sql, types, &ap);
    va_end(ap);
    bool has_row = true;
    while (is_good && has_row)
        is_good = db_query_step(query, &has_row, error);
    return is_good;
}

bool db_query_step(DbQuery *self, bool *ret_has_row, GError **error)
{
    int status = sqlite3_step(self->statement);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        return fail_with_db(self->db, status, error);
    *ret_has_row = status == SQLITE_ROW;
    return true;
}

bool db_query_more(DbQuery *self, bool *ret_is_good, GError **error)
{
    bool has_row = false;
    *ret_is_good = db_query_step(self, &has_row, error);
    return *ret_is_good && has_row;
}

const char *db_query_text(DbQuery *self, int column)
{
    return (const char *)sqlite3_column_text(self->statement, column);
}

int64_t db_query_int(DbQuery *self, int column)
{
    return sqlite3_column_int64(self->statement, column);
}

bool db_query_is_null(DbQuery *self, int column)
{
    return sqlite3_column_type(self->statement, column) == SQLITE_NULL;
}

bool db_transaction(Db *self, bool (*func)(Db *db, void *data, GError **error), void *data,
                    GError **error)
{
    if (!db_exec(self, "BEGIN IMMEDIATE", error))
        return false;
    if (func(self, data, error) && db_exec(self, "COMMIT", error))
        return true;
    // Some errors (a full disk) have rolled back already.
    if (sqlite3_get_autocommit(self->handle) == 0)
        db_exec(self, "ROLLBACK", NULL);
    return false;
}

int64_t db_changes(Db *self)
{
    return sqlite3_changes64(self->handle);
}

int64_t db_last_id(Db *self)
{
    return sqlite3_last_insert_rowid(self->handle);
}

bool db_data_version(Db *self, int64_t *ret_version, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(self, &query, error, "PRAGMA data_version", "") ||
        !db_query_step(query, &has_row, error))
        return false;
    *ret_version = has_row ? db_query_int(query, 0) : 0;
    return true;
}
