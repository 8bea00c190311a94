/*
 * SQLite: open, migrate, bind, step. WAL (on a network file system, where WAL is unsafe, a rollback
 * journal), synchronous FULL, foreign keys on, file mode 0600. A lock is waited for 10 s; then
 * TIMEOUT. One Db belongs to one thread at a time.
 *
 * Every call obeys the connection's token: waiting for a lock and running a statement end with
 * CANCELLED soon after it fires. What is inside a transaction is then rolled back by who began it.
 */
#pragma once

#include "base/cancel.h"

#include <stdint.h>

typedef struct Db Db;
typedef struct DbQuery DbQuery;

/* `migrations` is a NULL-terminated list of SQL texts; number n (1-based) leads to user_version n.
   Those not yet applied run in one transaction each. A database of a newer version is refused
   (DENIED) and left as it is. Missing parent directories are made with mode 0700. ":memory:" is
   allowed. `warnings` (of char *, may be NULL) gets a word about a network file system. */
bool db_open(const char *path, const char *const *migrations, Cancel *cancel, Db **ret_db,
             GPtrArray *warnings, GError **error);
/* Whether the file is a database that can be read. Makes and changes nothing. */
bool db_check(const char *path, GError **error);
/* Of SQLite: "3.40.1". */
const char *db_library_version(void);
void db_close(Db *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Db, db_close)

/* The token from now on, for a connection that is handed from one piece of work to the next. Keeps
   a reference; NULL: none. */
void db_set_cancel(Db *self, Cancel *cancel);

bool db_exec(Db *self, const char *sql, GError **error);

/* `types` has a letter per parameter: i int64_t, I const int64_t * (NULL allowed), s const char *
   (NULL allowed), d double. Statements are kept prepared by their text, which must be constant or
   few. */
bool db_query(Db *self, DbQuery **ret_query, GError **error, const char *sql, const char *types,
              ...);
typedef struct DbValue { // a parameter
    char type;           // i, s; 0: NULL
    int64_t integer;
    const char *text; // NULL: NULL
} DbValue;

/* As db_query(), with `count` parameters in an array. */
bool db_query_values(Db *self, DbQuery **ret_query, GError **error, const char *sql,
                     const DbValue *values, size_t count);
/* Runs a statement that returns no rows. */
bool db_run(Db *self, GError **error, const char *sql, const char *types, ...);
void db_query_free(DbQuery *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DbQuery, db_query_free)

/* True with *ret_has_row; columns are valid until the next step. */
bool db_query_step(DbQuery *self, bool *ret_has_row, GError **error);
/* The same for loops: true while there is a row; *ret_is_good then tells their end from a failure.
 */
bool db_query_more(DbQuery *self, bool *ret_is_good, GError **error);
const char *db_query_text(DbQuery *self, int column); // NULL for SQL NULL
bool db_query_is_null(DbQuery *self, int column);
int64_t db_query_int(DbQuery *self, int column);

/* Runs `func` inside BEGIN IMMEDIATE … COMMIT; rolls back when it returns false. */
bool db_transaction(Db *self, bool (*func)(Db *db, void *data, GError **error), void *data,
                    GError **error);
int64_t db_changes(Db *self);
int64_t db_last_id(Db *self); // rowid of the last INSERT

/* Changes when another connection has changed the file (PRAGMA data_version). */
bool db_data_version(Db *self, int64_t *ret_version, GError **error);
