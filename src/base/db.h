/*
 * SQLite: open, migrate, bind, step. WAL, busy timeout 5 s, synchronous NORMAL, file mode 0600.
 * One Db belongs to one thread at a time.
 */
#pragma once

#include "base/error.h"

#include <stdint.h>

typedef struct Db Db;
typedef struct DbQuery DbQuery;

/* `migrations` is a NULL-terminated list of SQL texts; number n (1-based) leads to user_version n.
   Those not yet applied run in one transaction each. A database of a newer version is refused
   (PROTOCOL). Missing parent directories are made with mode 0700. ":memory:" is allowed. */
bool db_open(const char *path, const char *const *migrations, Db **ret_db, GError **error);
void db_close(Db *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Db, db_close)

bool db_exec(Db *self, const char *sql, GError **error);

/* `types` has a letter per parameter: i int64_t, s const char * (NULL allowed), d double. */
bool db_query(Db *self, DbQuery **ret_query, GError **error, const char *sql, const char *types,
              ...);
/* Runs a statement that returns no rows. */
bool db_run(Db *self, GError **error, const char *sql, const char *types, ...);
void db_query_free(DbQuery *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DbQuery, db_query_free)

/* True with *ret_has_row; columns are valid until the next step. */
bool db_query_step(DbQuery *self, bool *ret_has_row, GError **error);
const char *db_query_text(DbQuery *self, int column); // NULL for SQL NULL
int64_t db_query_int(DbQuery *self, int column);

/* Runs `func` inside BEGIN IMMEDIATE … COMMIT; rolls back when it returns false. */
bool db_transaction(Db *self, bool (*func)(Db *db, void *data, GError **error), void *data,
                    GError **error);
int64_t db_changes(Db *self);
