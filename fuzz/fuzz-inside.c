/*
 * Paths that go on inside a file, what stands behind them, and JSON5 for a row: the first byte says
 * which reader gets the rest.
 */
#include "base/archive.h"
#include "base/json_reader.h"
#include "base/str.h"
#include "tools/database/sqlite_select.h"
#include "tools/document/document.h"
#include "tools/file/inner_path.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A condition that is taken stays inside its brackets, whatever SQLite makes of it. */
static void check_where(const char *where)
{
    static sqlite3 *db;
    if (!db && (sqlite3_open(":memory:", &db) != SQLITE_OK ||
                sqlite3_exec(db, "CREATE TABLE t(a, b)", NULL, NULL, NULL) != SQLITE_OK))
        abort();
    if (!sqlite_check_where(where, NULL))
        return;
    g_autofree char *sql =
        g_strdup_printf("SELECT * FROM t WHERE (%s) LIMIT ?9000 OFFSET ?9001", where);
    sqlite3_stmt *statement = NULL;
    const char *tail = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, &tail) == SQLITE_OK &&
        (*tail || sqlite3_bind_parameter_count(statement) < 9001))
        abort();
    sqlite3_finalize(statement);
}

static void check_name(const char *name)
{
    g_autofree char *clean = archive_clean_name(name, true);
    g_autofree char *again = clean ? archive_clean_name(clean, true) : NULL;
    if (clean && (strcmp(clean, again) != 0 || *clean == '/' || strstr(clean, "//") ||
                  strcmp(clean, "..") == 0 || str_has_prefix(clean, "../") ||
                  strstr(clean, "/../") || g_str_has_suffix(clean, "/..")))
        abort();
}

static void check_candidates(const char *path)
{
    static const char *const extensions[] = { ".tar", ".tar.gz", ".zip", NULL };
    g_autoptr(GArray) sizes = inner_path_candidates(path, extensions, ":?");
    for (guint i = 0; i < sizes->len; i++) {
        size_t size = g_array_index(sizes, size_t, i);
        if (size > strlen(path) || (path[size] && !strchr(":?", path[size])) ||
            (i > 0 && size >= g_array_index(sizes, size_t, i - 1)))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(json_t) value = NULL;
    g_autoptr(GString) out = g_string_new(NULL);
    g_auto(SqliteSelect) select = { 0 };
    if (size == 0)
        return 0;
    g_autofree char *text = g_strndup((const char *)data + 1, size - 1);
    switch (data[0] % 6) {
    case 0:
        check_where(text);
        break;
    case 1:
        sqlite_select_parse(text, &select, NULL);
        break;
    case 2:
        check_name(text);
        break;
    case 3:
        check_candidates(text);
        break;
    case 4:
        json_parse_json5(text, &value, NULL);
        break;
    default:
        document_rtf_text(text, strlen(text), NULL, out, NULL);
    }
    return 0;
}
