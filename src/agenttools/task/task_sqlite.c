/*
 * The queue in SQLite (agent-tools-cli §3.7): the agent-tools database, or another file of the same
 * schema. One writer at a time; the clock is that of the call.
 */
#include "agenttools/state.h"
#include "agenttools/task/task_sql.h"

#include <sys/stat.h>

typedef struct SqliteTasks {
    TaskSql base;
    Db *db;
    char *path;
    dev_t device; // of the file that is open
    ino_t inode;
} SqliteTasks;

typedef struct SqliteRows {
    TaskRows base;
    DbQuery *query;
} SqliteRows;

static Db *db_of(TaskSql *self)
{
    return ((SqliteTasks *)self)->db;
}

static DbQuery *query_of(TaskRows *rows)
{
    return ((SqliteRows *)rows)->query;
}

static void sqlite_close(TaskSql *self)
{
    db_close(db_of(self));
    g_free(((SqliteTasks *)self)->path);
    task_sql_clear(self);
    g_free(self);
}

/* A file that somebody moved away or deleted would go on taking tasks that no one else sees. */
static bool sqlite_is_current(TaskSql *self_)
{
    const SqliteTasks *self = (SqliteTasks *)self_;
    struct stat st;
    return stat(self->path, &st) == 0 && st.st_dev == self->device && st.st_ino == self->inode;
}

/* IMMEDIATE: a transaction that began as a reader could not wait for the lock later on. */
static bool sqlite_begin(TaskSql *self, bool is_write, int64_t *ret_now_ms, GError **error)
{
    db_set_cancel(db_of(self), self->cancel); // each call has its own
    if (!db_run(db_of(self), error, is_write ? "BEGIN IMMEDIATE" : "BEGIN", ""))
        return false;
    *ret_now_ms = tool_call_now_ms(self->call);
    return true;
}

static bool sqlite_commit(TaskSql *self, GError **error)
{
    return db_run(db_of(self), error, "COMMIT", "");
}

static void sqlite_rollback(TaskSql *self)
{
    db_run(db_of(self), NULL, "ROLLBACK", "");
}

static bool sqlite_query(TaskSql *self, const char *sql, const DbValue *values, size_t count,
                         TaskRows **ret_rows, GError **error)
{
    DbQuery *query = NULL;
    if (!db_query_values(db_of(self), &query, error, sql, values, count))
        return false;
    SqliteRows *rows = g_new0(SqliteRows, 1);
    rows->base.ops = self->ops;
    rows->query = query;
    *ret_rows = &rows->base;
    return true;
}

static bool sqlite_rows_next(TaskRows *rows, bool *ret_has_row, GError **error)
{
    return db_query_step(query_of(rows), ret_has_row, error);
}

static const char *sqlite_rows_text(TaskRows *rows, int column)
{
    return db_query_text(query_of(rows), column);
}

static int64_t sqlite_rows_int(TaskRows *rows, int column)
{
    return db_query_int(query_of(rows), column);
}

static void sqlite_rows_free(TaskRows *rows)
{
    db_query_free(query_of(rows));
    g_free(rows);
}

static const TaskSqlOps sqlite_ops = {
    .table_prefix = "",
    .close = sqlite_close,
    .is_current = sqlite_is_current,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .query = sqlite_query,
    .rows_next = sqlite_rows_next,
    .rows_text = sqlite_rows_text,
    .rows_int = sqlite_rows_int,
    .rows_free = sqlite_rows_free,
};

bool task_sqlite_open(const char *path, Cancel *cancel, TaskSql **ret_sql, GPtrArray *warnings,
                      GError **error)
{
    Db *db = NULL;
    if (!state_open(path, cancel, &db, warnings, error))
        return false;
    SqliteTasks *self = g_new0(SqliteTasks, 1);
    task_sql_init(&self->base, &sqlite_ops);
    self->db = db;
    self->path = g_strdup(path);
    struct stat st;
    if (stat(path, &st) == 0) {
        self->device = st.st_dev;
        self->inode = st.st_ino;
    }
    *ret_sql = &self->base;
    return true;
}
