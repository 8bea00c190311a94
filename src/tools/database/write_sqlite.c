/*
 * write to a row of a SQLite file (sqlite_tool.h).
 */
#include "base/json_reader.h"
#include "base/mask.h"
#include "base/utf8.h"
#include "tool/write_guard.h"
#include "tools/database/sqlite_tool.h"
#include "tools/file/secret_file.h"

typedef struct RowPath {
    char *table;
    char *key; // NULL: a new row
} RowPath;

static void row_path_clear(RowPath *self)
{
    g_clear_pointer(&self->table, g_free);
    g_clear_pointer(&self->key, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RowPath, row_path_clear)

static bool parse_row_path(const char *rest, RowPath *ret_path, GError **error)
{
    if (strchr(rest, '?'))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "SQLite write paths do not support query parameters");
    const char *table = *rest == ':' ? rest + 1 : rest;
    const char *colon = strchr(table, ':');
    if (!*table || colon == table)
        return fail_with(error, KEDGE_ERROR_USAGE, "SQLite write path must target a table");
    if (colon && !colon[1])
        return fail_with(error, KEDGE_ERROR_USAGE, "SQLite row writes require a non-empty row key");
    ret_path->table = colon ? g_strndup(table, (size_t)(colon - table)) : g_strdup(table);
    ret_path->key = colon ? g_strdup(colon + 1) : NULL;
    return true;
}

static bool check_values(const json_t *values, const char *table, const GPtrArray *columns,
                         GError **error)
{
    json_each_member (values, name, value) {
        if (!sqlite_column_find(columns, name))
            return fail_with(error, KEDGE_ERROR_USAGE, "SQLite table '%s' has no column named '%s'",
                             table, name);
        if (json_is_object(value) || json_is_array(value))
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "SQLite column '%s' only accepts JSON scalar values or null", name);
    }
    return true;
}

static bool parse_values(const char *content, json_t **ret_values, GError **error)
{
    g_autoptr(json_t) values = NULL;
    g_autoptr(GError) problem = NULL;
    if (!json_parse_json5(content, &values, &problem))
        return fail_with(error, KEDGE_ERROR_USAGE, "SQLite write content must be valid JSON5: %s",
                         problem->message);
    if (!json_is_object(values))
        return fail_with(error, KEDGE_ERROR_USAGE, "SQLite write content must be a JSON object");
    *ret_values = g_steal_pointer(&values);
    return true;
}

static void bind_values(const json_t *values, SqliteStatement *statement)
{
    int parameter = 0;
    json_each_member (values, name, value) {
        parameter++;
        if (json_is_integer(value))
            sqlite3_bind_int64(statement, parameter, json_integer_value(value));
        else if (json_is_real(value))
            sqlite3_bind_double(statement, parameter, json_real_value(value));
        else if (json_is_boolean(value))
            sqlite3_bind_int(statement, parameter, json_is_true(value));
        else if (json_is_string(value))
            sqlite3_bind_text64(statement, parameter, json_string_value(value),
                                json_string_length(value), SQLITE_STATIC, SQLITE_UTF8);
    }
}

/* `"a" = ?, "b" = ?`, or `"a", "b"`. Caller frees. */
static char *name_list(const json_t *values, const char *behind)
{
    GString *out = g_string_new(NULL);
    json_each_member (values, name, value) {
        g_autofree char *quoted = sqlite_quote_name(name);
        g_string_append_printf(out, "%s%s%s", out->len ? ", " : "", quoted, behind);
    }
    return g_string_free(out, FALSE);
}

static char *insert_sql(const char *table, const json_t *values)
{
    g_autofree char *quoted = sqlite_quote_name(table);
    if (json_object_size(values) == 0)
        return g_strdup_printf("INSERT INTO %s DEFAULT VALUES", quoted);
    g_autofree char *names = name_list(values, "");
    g_autoptr(GString) marks = g_string_new("?");
    for (size_t i = 1; i < json_object_size(values); i++)
        g_string_append(marks, ", ?");
    return g_strdup_printf("INSERT INTO %s (%s) VALUES (%s)", quoted, names, marks->str);
}

/* Runs what changes rows; *ret_changes of the table itself. */
static bool run_change(SqliteFile *file, const char *sql, const json_t *values,
                       const SqliteKey *key, int *ret_changes, GError **error)
{
    g_autoptr(SqliteStatement) statement = NULL;
    bool has_row = false;
    if (!sqlite_file_prepare(file, sql, &statement, error))
        return false;
    if (values)
        bind_values(values, statement);
    if (key)
        sqlite_key_bind(key, statement, values ? (int)json_object_size(values) + 1 : 1);
    if (!sqlite_file_step(file, statement, &has_row, error))
        return false;
    *ret_changes = sqlite_file_changes(file);
    return true;
}

static bool insert_row(SqliteFile *file, const RowPath *row, const json_t *values, char **ret_text,
                       GError **error)
{
    g_autofree char *sql = insert_sql(row->table, values);
    int changes = 0;
    if (!run_change(file, sql, values, NULL, &changes, error))
        return false;
    *ret_text = g_strdup_printf("Inserted row into %s", row->table);
    return true;
}

/* `text` in place of the value that `column` of the row has. */
static bool check_masks(SqliteFile *file, const char *table, const SqliteKey *key,
                        const char *column, const char *text, GError **error)
{
    g_autofree char *quoted = sqlite_quote_name(table);
    g_autofree char *name = sqlite_quote_name(column);
    g_autofree char *sql =
        g_strdup_printf("SELECT %s FROM %s WHERE %s", name, quoted, key->condition);
    g_autoptr(SqliteStatement) statement = NULL;
    bool has_row = true;
    if (!sqlite_file_prepare(file, sql, &statement, error))
        return false;
    sqlite_key_bind(key, statement, 1);
    for (;;) {
        if (!sqlite_file_step(file, statement, &has_row, error))
            return false;
        if (!has_row)
            return true;
        const void *old = sqlite3_column_blob(statement, 0); // a text, too, as its bytes
        size_t size = (size_t)sqlite3_column_bytes(statement, 0);
        g_autofree char *before = g_strndup(old ? old : "", size);
        if (!secret_file_check_masks(before, size, text, error))
            return false;
    }
}

/* Only a text with a mask makes it worth reading the old row. */
static bool check_values_masks(SqliteFile *file, const char *table, const SqliteKey *key,
                               const json_t *values, GError **error)
{
    json_each_member (values, name, value) {
        const char *text = json_string_value(value);
        if (text && strstr(text, MASK_TEXT) && !check_masks(file, table, key, name, text, error))
            return false;
    }
    return true;
}

/* `values` NULL: delete it. */
static bool change_row(SqliteFile *file, const RowPath *row, const GPtrArray *columns,
                       const json_t *values, char **ret_text, GError **error)
{
    g_auto(SqliteKey) key = { 0 };
    if (!sqlite_file_find_key(file, row->table, columns, row->key, &key, error) ||
        (values && !check_values_masks(file, row->table, &key, values, error)))
        return false;
    g_autofree char *quoted = sqlite_quote_name(row->table);
    g_autofree char *names = values ? name_list(values, " = ?") : NULL;
    g_autofree char *sql =
        values ? g_strdup_printf("UPDATE %s SET %s WHERE %s", quoted, names, key.condition)
               : g_strdup_printf("DELETE FROM %s WHERE %s", quoted, key.condition);
    int changes = 0;
    if (!run_change(file, sql, values, &key, &changes, error))
        return false;
    if (values)
        *ret_text =
            changes ? g_strdup_printf("Updated row '%s' in %s", row->key, row->table)
                    : g_strdup_printf("No row updated in %s for key '%s'", row->table, row->key);
    else
        *ret_text =
            changes ? g_strdup_printf("Deleted row '%s' from %s", row->key, row->table)
                    : g_strdup_printf("No row deleted from %s for key '%s'", row->table, row->key);
    return true;
}

bool sqlite_tool_write(ToolCall *call, const InnerPath *inner, const char *content,
                       ToolResult *result, GError **error)
{
    if (!inner->exists)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "SQLite database '%s' not found",
                         inner->asked);
    g_auto(RowPath) row = { 0 };
    g_autoptr(json_t) values = NULL;
    if (!parse_row_path(inner->rest, &row, error))
        return false;
    bool is_delete = utf8_is_blank(content);
    if (is_delete && !row.key)
        return fail_with(error, KEDGE_ERROR_USAGE, "SQLite deletes require a row key in the path");
    if (!is_delete && !parse_values(content, &values, error))
        return false;
    if (values && row.key && json_object_size(values) == 0)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "SQLite updates require at least one column value");

    g_autoptr(SqliteFile) file = NULL;
    g_autoptr(GPtrArray) columns = NULL;
    g_autofree char *text = NULL;
    g_autofree char *real = NULL;
    if (!write_guard_pass(call, inner->path, false, &real, error) ||
        !sqlite_file_open(real, inner->shown, true, tool_call_cancel(call), &file, error) ||
        !sqlite_file_columns(file, row.table, &columns, error) ||
        (values && !check_values(values, row.table, columns, error)) ||
        !(row.key ? change_row(file, &row, columns, values, &text, error)
                  : insert_row(file, &row, values, &text, error)))
        return false;
    tool_result_add_text(result, text);
    json_set_text(tool_result_details(result), "op", "update");
    return true;
}
