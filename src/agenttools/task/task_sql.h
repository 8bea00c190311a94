/*
 * The seam between the queue's logic and a database: SQLite (task_sqlite.c) or PostgreSQL
 * (task_postgres.c). The logic is written once, above it; an engine knows nothing of tasks but
 * their tables.
 *
 * SQL texts use only what both speak (INSERT … RETURNING, ON CONFLICT DO NOTHING, coalesce, WITH)
 * and these marks, which are turned into the engine's own:
 *
 *   ?       a parameter: ? or $1, $2, …
 *   @task   a table: task or kedge_task
 *   [ … ]   only where transactions run side by side: FOR UPDATE and the like; SQLite, which has
 *           one writer at a time, drops it
 *
 * None of the marks may stand inside a quoted text. Integers are 64 bits, times milliseconds since
 * the epoch, JSON is text.
 *
 * Errors of an engine are of KEDGE_ERROR: TIMEOUT when a lock was not given in 10 s, NETWORK when
 * the connection is gone, PROTOCOL when the database is damaged, CANCELLED. Messages never hold a
 * password. A TaskSql belongs to one thread at a time and is given up after any of its errors but
 * one that can_repeat.
 */
#pragma once

#include "base/cancel.h"
#include "base/db.h"
#include "tool/tool.h"

typedef struct TaskSql TaskSql;
typedef struct TaskRows TaskRows;

typedef struct TaskSqlOps {
    const char *table_prefix; // of @: "", "kedge_"
    bool has_row_locks;       // keeps what is in [ ]
    bool has_numbered_parameters;
    void (*close)(TaskSql *self);
    /* Asked before it is used again: is it still the store that its place names? NULL: yes. */
    bool (*is_current)(TaskSql *self);
    /* Begins a transaction, for reading one unchanging state or for writing, and reads the store's
       clock once it has what locks that takes. */
    bool (*begin)(TaskSql *self, bool is_write, int64_t *ret_now_ms, GError **error);
    bool (*commit)(TaskSql *self, GError **error);
    void (*rollback)(TaskSql *self); // also after an error that ended the transaction
    /* `sql` has no marks; the number of texts is bounded, so statements can be kept. */
    bool (*query)(TaskSql *self, const char *sql, const DbValue *values, size_t count,
                  TaskRows **ret_rows, GError **error);
    bool (*rows_next)(TaskRows *rows, bool *ret_has_row, GError **error);
    const char *(*rows_text)(TaskRows *rows, int column); // NULL for SQL NULL; until the next row
    int64_t (*rows_int)(TaskRows *rows, int column);      // 0 for SQL NULL
    void (*rows_free)(TaskRows *rows);
    /* Within a write transaction: some task may have become ready. NULL: no one listens. */
    bool (*notify)(TaskSql *self, GError **error);
    /* Outside of transactions: returns after such a notice of anyone, at the latest after
       `timeout_ms`. NULL: the caller sleeps. */
    bool (*wait)(TaskSql *self, int64_t timeout_ms, Cancel *cancel, GError **error);
} TaskSqlOps;

struct TaskSql { // an engine's own struct begins with it
    const TaskSqlOps *ops;
    const ToolCall *call; // of who uses it now: the clock of an engine that has none. Borrowed
    Cancel *cancel;       // the same call's. Borrowed
    bool can_repeat;      // set by a failing engine: the transaction was the victim of another one
                          // (deadlock, serialization) and may run again
    GHashTable *texts;    // SQL text with marks → the engine's; made by task_sql_init()
};

struct TaskRows { // an engine's own struct begins with it
    const TaskSqlOps *ops;
};

/* For engines: the first and the last thing of their struct's life. */
void task_sql_init(TaskSql *self, const TaskSqlOps *ops);
void task_sql_clear(TaskSql *self);

/* Open and bring the schema up to date. A newer schema is refused. Errors: of answer_error() or
   as above. `warnings` gets texts (char *). */
bool task_sqlite_open(const char *path, Cancel *cancel, TaskSql **ret_sql, GPtrArray *warnings,
                      GError **error);
bool task_postgres_open(const char *url, Cancel *cancel, TaskSql **ret_sql, GError **error);

void task_sql_close(TaskSql *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TaskSql, task_sql_close)

/* `types` has a letter per parameter, at most 32: i int64_t, s const char * (NULL allowed), t
   int64_t of a time, 0 for SQL NULL. */
bool task_sql_query(TaskSql *self, TaskRows **ret_rows, GError **error, const char *sql,
                    const char *types, ...);
/* Runs a statement whose rows, if any, are of no interest. */
bool task_sql_run(TaskSql *self, GError **error, const char *sql, const char *types, ...);

/* Parameters of a text that was put together: an array of DbValue that borrows its texts. */
typedef GArray TaskValues;
TaskValues *task_values_new(void);
void task_values_add_int(TaskValues *self, int64_t value);
void task_values_add_time(TaskValues *self, int64_t at); // 0: SQL NULL
void task_values_add_text(TaskValues *self, const char *text);
bool task_sql_query_values(TaskSql *self, TaskRows **ret_rows, GError **error, const char *sql,
                           const TaskValues *values);

bool task_rows_next(TaskRows *self, bool *ret_has_row, GError **error);
/* The same for loops: true while there is a row; *ret_is_good then tells their end from a failure.
 */
bool task_rows_more(TaskRows *self, bool *ret_is_good, GError **error);
const char *task_rows_text(TaskRows *self, int column);
int64_t task_rows_int(TaskRows *self, int column);
void task_rows_free(TaskRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TaskRows, task_rows_free)
