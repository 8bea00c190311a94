/*
 * What is asked of a SQLite file, by what follows its name (agent-tools §3.1.7): `:t`,
 * `:t:key`, `:t?limit=&offset=&order=&where=`, `?q=SQL`. Pure.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    SQLITE_SELECT_TABLES, // the list of them
    SQLITE_SELECT_TABLE,  // schema and first rows
    SQLITE_SELECT_ROW,
    SQLITE_SELECT_PAGE,
    SQLITE_SELECT_QUERY,
} SqliteSelectKind;

typedef struct SqliteSelect {
    SqliteSelectKind kind;
    char *table;
    char *key;   // of ROW
    char *query; // of QUERY
    int64_t limit, offset;
    char *order; // a column; NULL: none
    bool is_descending;
    char *where; // NULL: none
} SqliteSelect;

void sqlite_select_clear(SqliteSelect *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SqliteSelect, sqlite_select_clear)

/* `rest` begins with ':' or '?', or is empty. */
bool sqlite_select_parse(const char *rest, SqliteSelect *ret_select, GError **error);

/* A condition that stays one: no comments, no second statement, no paging of its own. */
bool sqlite_check_where(const char *where, GError **error);
