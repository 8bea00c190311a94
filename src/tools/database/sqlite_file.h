/*
 * A SQLite file of somebody else's, which may be hostile: nothing of its schema runs code outside
 * SQLite, nothing is attached, no extension is loaded, and every statement ends (agent-tools
 * §3.1.7). One thread at a time.
 */
#pragma once

#include "base/cancel.h"

#include <sqlite3.h>
#include <stdbool.h>

typedef struct SqliteFile SqliteFile;

/* A file that begins as databases do. */
bool sqlite_file_is(const char *path);

/* A lock is waited for 3 s. Nothing stays created or changed on disk by a connection that only
   reads. One that writes is refused (DENIED) where a journal waits to be rolled back. */
bool sqlite_file_open(const char *path, const char *shown, bool is_writing, Cancel *cancel,
                      SqliteFile **ret_file, GError **error);
void sqlite_file_close(SqliteFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SqliteFile, sqlite_file_close)

/* Statements from now on may take so long in all. */
void sqlite_file_set_time(SqliteFile *self, int64_t duration_ms);
bool sqlite_file_is_out_of_time(const SqliteFile *self);

typedef sqlite3_stmt SqliteStatement;
static inline void sqlite_statement_free(SqliteStatement *self)
{
    sqlite3_finalize(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SqliteStatement, sqlite_statement_free)

/* One statement, nothing behind it. */
bool sqlite_file_prepare(SqliteFile *self, const char *sql, SqliteStatement **ret_statement,
                         GError **error);
bool sqlite_file_step(SqliteFile *self, SqliteStatement *statement, bool *ret_has_row,
                      GError **error);
/* Rows that the last statement changed. */
int sqlite_file_changes(SqliteFile *self);

typedef struct SqliteColumn {
    char *name, *type;
    int key; // place in the primary key from 1; 0: not in it
} SqliteColumn;

/* Of SqliteColumn. NOT_FOUND "SQLite table 't' not found". Caller frees. */
bool sqlite_file_columns(SqliteFile *self, const char *table, GPtrArray **ret_columns,
                         GError **error);
const SqliteColumn *sqlite_column_find(const GPtrArray *columns, const char *name);

/* `name` as it stands in SQL. Caller frees. */
char *sqlite_quote_name(const char *name);

typedef struct SqliteKey { // which row a key means
    char *condition;       // with one parameter: "\"id\" = ?"
    char type;             // of the parameter: 'i', 'd' or 's'
    int64_t integer;
    double real;
    char *text;
} SqliteKey;

void sqlite_key_clear(SqliteKey *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SqliteKey, sqlite_key_clear)

/* By the primary key of one column, else by the row's number. */
bool sqlite_file_find_key(SqliteFile *self, const char *table, const GPtrArray *columns,
                          const char *key, SqliteKey *ret_key, GError **error);
void sqlite_key_bind(const SqliteKey *self, SqliteStatement *statement, int parameter);
