/*
 * Shows what a path names inside a SQLite file, for the tool read (sqlite_tool.h).
 */
#include "base/str.h"
#include "base/utf8.h"
#include "tools/database/sqlite_select.h"
#include "tools/database/sqlite_tool.h"
#include "tools/file/text_table.h"

enum { MAX_TABLES = 500, SAMPLE_ROWS = 5, COUNT_MS = 5000, MAX_QUERY_ROWS = 3000 };
enum { SHORT_BYTES = 4096 }; // of a cell of a table, which shows at most 40 characters

typedef struct Reading {
    SqliteFile *file;
    const SqliteSelect *select;
    GString *out;
} Reading;

/* The shortest text that reads back as that number. */
static char *real_text(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    for (int digits = 15; digits <= 17; digits++) {
        char format[8];
        g_snprintf(format, sizeof(format), "%%.%dg", digits);
        g_ascii_formatd(text, sizeof(text), format, value);
        if (g_ascii_strtod(text, NULL) == value)
            break;
    }
    return g_strdup(text);
}

/* A column of the row, of a text at most `max_bytes`. Caller frees. */
static char *value_text(SqliteStatement *statement, int column, size_t max_bytes)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        return g_strdup("NULL");
    case SQLITE_FLOAT:
        return real_text(sqlite3_column_double(statement, column));
    case SQLITE_BLOB: {
        g_autofree char *size = str_format_bytes((uint64_t)sqlite3_column_bytes(statement, column));
        return g_strdup_printf("<BLOB %s>", size);
    }
    default: {
        const char *text = (const char *)sqlite3_column_text(statement, column);
        size_t size = (size_t)sqlite3_column_bytes(statement, column);
        g_autofree char *valid = utf8_from_bytes(text ? text : "", MIN(size, max_bytes));
        if (size <= max_bytes)
            return g_steal_pointer(&valid);
        // a character that was cut in two is U+FFFD now
        g_autofree char *whole = str_truncate(valid, strlen(valid) - 3);
        return g_strconcat(whole, "…", NULL);
    }
    }
}

static bool count_rows(const Reading *self, SqliteStatement *statement, int64_t *ret_count,
                       GError **error)
{
    bool has_row = false;
    if (!sqlite_file_step(self->file, statement, &has_row, error))
        return false;
    *ret_count = has_row ? sqlite3_column_int64(statement, 0) : 0;
    return true;
}

static bool count_table(const Reading *self, const char *table, int64_t *ret_count, GError **error)
{
    g_autofree char *name = sqlite_quote_name(table);
    g_autofree char *sql = g_strdup_printf("SELECT count(*) FROM %s", name);
    g_autoptr(SqliteStatement) statement = NULL;
    return sqlite_file_prepare(self->file, sql, &statement, error) &&
           count_rows(self, statement, ret_count, error);
}

/* Counting a huge table, or one of a module that is not there, is not worth the list. */
static void append_table(const Reading *self, const char *table)
{
    int64_t count = 0;
    g_autoptr(GError) problem = NULL;
    if (count_table(self, table, &count, &problem))
        g_string_append_printf(self->out, "%s%s (%" G_GINT64_FORMAT " rows)",
                               self->out->len ? "\n" : "", table, count);
    else
        g_string_append_printf(self->out, "%s%s (rows not counted%s%s)", self->out->len ? "\n" : "",
                               table, sqlite_file_is_out_of_time(self->file) ? "" : ": ",
                               sqlite_file_is_out_of_time(self->file) ? "" : problem->message);
}

static bool show_tables(Reading *self, GError **error)
{
    g_autoptr(SqliteStatement) statement = NULL;
    bool has_row = true;
    if (!sqlite_file_prepare(self->file,
                             "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT "
                             "LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name COLLATE NOCASE LIMIT 501",
                             &statement, error))
        return false;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (;;) {
        if (!sqlite_file_step(self->file, statement, &has_row, error))
            return false;
        if (!has_row)
            break;
        g_ptr_array_add(names, value_text(statement, 0, SHORT_BYTES));
    }
    sqlite_file_set_time(self->file, COUNT_MS);
    for (guint i = 0; i < MIN(names->len, MAX_TABLES); i++)
        append_table(self, g_ptr_array_index(names, i));
    if (names->len == 0)
        g_string_append(self->out, "(no tables)");
    if (names->len > MAX_TABLES)
        g_string_append_printf(self->out, "\n[%d tables are shown; ask for others by ?q=]",
                               MAX_TABLES);
    return true;
}

/* Draws the rows of a statement, at most `max_rows`. */
static bool append_rows(Reading *self, SqliteStatement *statement, int64_t max_rows,
                        int64_t *ret_rows, GError **error)
{
    g_autoptr(TextTable) table = text_table_new();
    int columns = sqlite3_column_count(statement);
    for (int i = 0; i < columns; i++)
        text_table_add_column(table, sqlite3_column_name(statement, i));
    bool has_row = true;
    int64_t rows = 0;
    for (; rows < max_rows && !text_table_is_full(table); rows++) {
        if (!sqlite_file_step(self->file, statement, &has_row, error))
            return false;
        if (!has_row)
            break;
        for (int i = 0; i < columns; i++) {
            g_autofree char *text = value_text(statement, i, SHORT_BYTES);
            text_table_add_cell(table, text);
        }
    }
    g_autofree char *drawn = text_table_draw(table);
    g_string_append(self->out, drawn);
    *ret_rows = rows;
    return true;
}

/* The condition and the end of "SELECT … FROM t": two parameters. Caller frees. */
static char *page_sql(const SqliteSelect *select, const char *what, const char *end)
{
    g_autofree char *table = sqlite_quote_name(select->table);
    return g_strdup_printf("SELECT %s FROM %s%s%s%s%s", what, table,
                           select->where ? " WHERE (" : "", select->where ? select->where : "",
                           select->where ? ")" : "", end);
}

static bool count_page(const Reading *self, int64_t *ret_count, GError **error)
{
    g_autofree char *sql = page_sql(self->select, "count(*)", "");
    g_autoptr(SqliteStatement) statement = NULL;
    return sqlite_file_prepare(self->file, sql, &statement, error) &&
           count_rows(self, statement, ret_count, error);
}

static bool append_page(Reading *self, int64_t limit, int64_t next_limit, GError **error)
{
    const SqliteSelect *select = self->select;
    g_autofree char *order = select->order ? sqlite_quote_name(select->order) : NULL;
    g_autofree char *end =
        g_strdup_printf("%s%s%s LIMIT ? OFFSET ?", order ? " ORDER BY " : "", order ? order : "",
                        select->is_descending ? " DESC" : "");
    g_autofree char *sql = page_sql(select, "*", end);
    g_autoptr(SqliteStatement) statement = NULL;
    int64_t total = 0, rows = 0;
    if (!sqlite_file_prepare(self->file, sql, &statement, error))
        return false;
    if (sqlite3_bind_parameter_count(statement) != 2)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "SQLite where clause changed the expected pagination parameters; use "
                         "q=SELECT ... for raw SQL");
    sqlite3_bind_int64(statement, 1, limit);
    sqlite3_bind_int64(statement, 2, select->offset);
    if (!append_rows(self, statement, limit, &rows, error))
        return false;
    sqlite_file_set_time(self->file, COUNT_MS);
    bool is_counted = count_page(self, &total, NULL);
    int64_t next = select->offset + rows;
    if (is_counted && total > next)
        g_string_append_printf(self->out, "\n[%" G_GINT64_FORMAT, total - next);
    else if (!is_counted && rows == limit)
        g_string_append(self->out, "\n[perhaps");
    else
        return true;
    g_string_append_printf(self->out,
                           " more rows; append :%s?limit=%" G_GINT64_FORMAT
                           "&offset=%" G_GINT64_FORMAT " to the database path to continue]",
                           select->table, next_limit, next);
    return true;
}

static bool show_page(Reading *self, GError **error)
{
    const SqliteSelect *select = self->select;
    g_autoptr(GPtrArray) columns = NULL;
    if (!sqlite_file_columns(self->file, select->table, &columns, error))
        return false;
    if (select->order && !sqlite_column_find(columns, select->order))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "SQLite order column '%s' not found in table schema", select->order);
    return append_page(self, select->limit, select->limit, error);
}

static bool show_table(Reading *self, GError **error)
{
    g_autoptr(GPtrArray) columns = NULL;
    g_autoptr(SqliteStatement) statement = NULL;
    bool has_row = false;
    if (!sqlite_file_columns(self->file, self->select->table, &columns, error) ||
        !sqlite_file_prepare(self->file,
                             "SELECT sql FROM sqlite_master WHERE type IN ('table', 'view') AND "
                             "name = ? COLLATE NOCASE",
                             &statement, error))
        return false;
    sqlite3_bind_text(statement, 1, self->select->table, -1, SQLITE_STATIC);
    if (!sqlite_file_step(self->file, statement, &has_row, error))
        return false;
    if (has_row) {
        g_autofree char *sql = value_text(statement, 0, TRUNCATE_MAX_BYTES);
        g_string_append_printf(self->out, "%s\n\n", sql);
    }
    g_string_append(self->out, "Sample rows:\n");
    return append_page(self, SAMPLE_ROWS, self->select->limit, error);
}

static bool show_row(Reading *self, GError **error)
{
    const SqliteSelect *select = self->select;
    g_autoptr(GPtrArray) columns = NULL;
    g_auto(SqliteKey) key = { 0 };
    if (!sqlite_file_columns(self->file, select->table, &columns, error) ||
        !sqlite_file_find_key(self->file, select->table, columns, select->key, &key, error))
        return false;
    g_autofree char *table = sqlite_quote_name(select->table);
    g_autofree char *sql =
        g_strdup_printf("SELECT * FROM %s WHERE %s LIMIT 1", table, key.condition);
    g_autoptr(SqliteStatement) statement = NULL;
    bool has_row = false;
    if (!sqlite_file_prepare(self->file, sql, &statement, error))
        return false;
    sqlite_key_bind(&key, statement, 1);
    if (!sqlite_file_step(self->file, statement, &has_row, error))
        return false;
    if (!has_row) {
        g_string_printf(self->out, "No row found in table '%s' for key '%s'.", select->table,
                        select->key);
        return true;
    }
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        g_autofree char *value = value_text(statement, i, TRUNCATE_MAX_BYTES);
        g_auto(GStrv) parts = g_strsplit(value, "\t", -1);
        g_autofree char *expanded = g_strjoinv("   ", parts);
        g_string_append_printf(self->out, "%s%s: %s", i > 0 ? "\n" : "",
                               sqlite3_column_name(statement, i), expanded);
        if (self->out->len > TRUNCATE_MAX_BYTES)
            break;
    }
    return true;
}

static bool show_query(Reading *self, GError **error)
{
    g_autoptr(SqliteStatement) statement = NULL;
    int64_t rows = 0;
    bool has_row = false;
    if (!sqlite_file_prepare(self->file, self->select->query, &statement, error))
        return false;
    if (sqlite3_bind_parameter_count(statement) > 0)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "SQLite raw queries do not support bound parameters");
    if (!append_rows(self, statement, MAX_QUERY_ROWS, &rows, error))
        return false;
    if (sqlite3_stmt_busy(statement) && !sqlite_file_step(self->file, statement, &has_row, error))
        return false;
    if (has_row)
        g_string_append_printf(self->out,
                               "\n[more than %" G_GINT64_FORMAT
                               " rows; add LIMIT and OFFSET to the query for the others]",
                               rows);
    return true;
}

/* A long answer is cut; how to ask for the rest differs from file to file, so it is said here. */
static void add_bounded(const GString *out, ToolResult *result)
{
    g_auto(Truncated) cut = truncate_head(out->str, TRUNCATE_MAX_LINES, TRUNCATE_MAX_BYTES);
    if (!cut.is_truncated) {
        tool_result_add_text(result, out->str);
        return;
    }
    g_autofree char *begin =
        cut.output_lines > 0 ? NULL : str_truncate(out->str, TRUNCATE_MAX_BYTES);
    g_autofree char *limit = str_format_bytes(TRUNCATE_MAX_BYTES);
    g_autofree char *text =
        g_strdup_printf("%s\n\n[cut after %s; ask for fewer columns or rows with ?q=SELECT ...]",
                        begin ? begin : cut.content, limit);
    tool_result_add_text(result, text);
}

bool sqlite_tool_show(ToolCall *call, const InnerPath *inner, ToolResult *result, GError **error)
{
    static bool (*const show[])(Reading *, GError **) = {
        [SQLITE_SELECT_TABLES] = show_tables, [SQLITE_SELECT_TABLE] = show_table,
        [SQLITE_SELECT_ROW] = show_row,       [SQLITE_SELECT_PAGE] = show_page,
        [SQLITE_SELECT_QUERY] = show_query,
    };
    g_auto(SqliteSelect) select = { 0 };
    g_autoptr(SqliteFile) file = NULL;
    g_autoptr(GString) out = g_string_new(NULL);
    if (!sqlite_select_parse(inner->rest, &select, error) ||
        !sqlite_file_open(inner->path, inner->shown, false, tool_call_user_cancel(call), &file,
                          error))
        return false;
    Reading reading = { file, &select, out };
    tool_result_set_source_path(result, inner->path);
    json_set_text(tool_result_details(result), "resolvedPath", inner->path);
    if (!show[select.kind](&reading, error))
        return false;
    add_bounded(out, result);
    return true;
}
