/*
 * Which row of a table a key means (sqlite_file.h).
 */
#include "base/str.h"
#include "tools/database/sqlite_file.h"

#include <math.h>

void sqlite_key_clear(SqliteKey *self)
{
    g_clear_pointer(&self->condition, g_free);
    g_clear_pointer(&self->text, g_free);
}

static bool set_integer(SqliteKey *self, const char *key, const char *label, GError **error)
{
    self->type = 'i';
    return str_parse_int(key, &self->integer) ||
           fail_with(error, KEDGE_ERROR_USAGE, "%s must be an integer; got '%s'", label, key);
}

static bool is_real_type(const char *type)
{
    return str_contains_nocase(type, "real") || str_contains_nocase(type, "floa") ||
           str_contains_nocase(type, "doub");
}

static bool set_by_column(SqliteKey *self, const SqliteColumn *column, const char *key,
                          GError **error)
{
    g_autofree char *name = sqlite_quote_name(column->name);
    self->condition = g_strconcat(name, " = ?", NULL);
    const char *type = column->type ? column->type : "";
    if (str_contains_nocase(type, "int")) {
        g_autofree char *label = g_strdup_printf("Primary key '%s'", column->name);
        return set_integer(self, key, label, error);
    }
    char *end = NULL;
    double real = g_ascii_strtod(key, &end);
    bool is_number = *key && *end == '\0' && isfinite(real);
    self->type = is_number && is_real_type(type) ? 'd' : 's';
    self->real = real;
    self->text = g_strdup(key);
    return true;
}

/* A column may have the name of the row's number: then it is another of its names. */
static const char *row_number_name(SqliteFile *file, const char *table, const GPtrArray *columns)
{
    static const char *const names[] = { "rowid", "_rowid_", "oid" };
    g_autofree char *quoted = sqlite_quote_name(table);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (sqlite_column_find(columns, names[i]))
            continue;
        g_autofree char *sql = g_strdup_printf("SELECT %s FROM %s LIMIT 0", names[i], quoted);
        g_autoptr(SqliteStatement) statement = NULL;
        return sqlite_file_prepare(file, sql, &statement, NULL) ? names[i] : NULL;
    }
    return NULL;
}

bool sqlite_file_find_key(SqliteFile *self, const char *table, const GPtrArray *columns,
                          const char *key, SqliteKey *ret_key, GError **error)
{
    g_auto(SqliteKey) found = { 0 };
    const SqliteColumn *by = NULL;
    guint count = 0;
    for (guint i = 0; i < columns->len; i++) {
        const SqliteColumn *column = g_ptr_array_index(columns, i);
        by = column->key > 0 ? column : by;
        count += column->key > 0;
    }
    if (count > 1)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "SQLite table '%s' has a composite primary key; use '?where=' instead",
                         table);
    if (by) {
        if (!set_by_column(&found, by, key, error))
            return false;
    } else {
        const char *name = row_number_name(self, table, columns);
        if (!name)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "SQLite table '%s' does not expose ROWID; use '?where=' instead",
                             table);
        found.condition = g_strconcat(name, " = ?", NULL);
        if (!set_integer(&found, key, "SQLite ROWID", error))
            return false;
    }
    *ret_key = found;
    found = (SqliteKey) { 0 };
    return true;
}

void sqlite_key_bind(const SqliteKey *self, SqliteStatement *statement, int parameter)
{
    if (self->type == 'i')
        sqlite3_bind_int64(statement, parameter, self->integer);
    else if (self->type == 'd')
        sqlite3_bind_double(statement, parameter, self->real);
    else
        sqlite3_bind_text(statement, parameter, self->text, -1, SQLITE_STATIC);
}
