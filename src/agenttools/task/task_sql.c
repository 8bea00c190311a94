/*
 * The seam to a database: texts, parameters and the way into the engine (task_sql.h).
 */
#include "agenttools/task/task_sql.h"

#define MAX_PARAMETERS 32
#define KEPT_TEXTS     256

void task_sql_init(TaskSql *self, const TaskSqlOps *ops)
{
    self->ops = ops;
    self->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

void task_sql_clear(TaskSql *self)
{
    g_clear_pointer(&self->texts, g_hash_table_unref);
}

void task_sql_close(TaskSql *self)
{
    if (self)
        self->ops->close(self);
}

static char *task_sql_ops_translate(const TaskSqlOps *ops, const char *sql)
{
    GString *out = g_string_sized_new(strlen(sql) + 64);
    unsigned parameters = 0;
    bool is_dropping = false;
    for (const char *p = sql; *p; p++) {
        if (*p == '[')
            is_dropping = !ops->has_row_locks;
        else if (*p == ']')
            is_dropping = false;
        else if (is_dropping)
            continue;
        else if (*p == '@')
            g_string_append(out, ops->table_prefix);
        else if (*p == '?' && ops->has_numbered_parameters)
            g_string_append_printf(out, "$%u", ++parameters);
        else
            g_string_append_c(out, *p);
    }
    return g_string_free(out, FALSE);
}

/* The engine's form of `sql`; borrowed, until the next call. */
static const char *task_sql_text(TaskSql *self, const char *sql)
{
    const char *known = g_hash_table_lookup(self->texts, sql);
    if (known)
        return known;
    if (g_hash_table_size(self->texts) >= KEPT_TEXTS)
        g_hash_table_remove_all(self->texts);
    char *text = task_sql_ops_translate(self->ops, sql);
    g_hash_table_insert(self->texts, g_strdup(sql), text);
    return text;
}

static bool task_sql_query_list(TaskSql *self, TaskRows **ret_rows, GError **error, const char *sql,
                                const char *types, va_list *ap)
{
    DbValue values[MAX_PARAMETERS];
    size_t count = strlen(types);
    g_assert(count <= MAX_PARAMETERS);
    for (size_t i = 0; i < count; i++) {
        DbValue *value = &values[i];
        *value = (DbValue) { .type = types[i] };
        if (types[i] == 's') {
            value->text = va_arg(*ap, const char *);
            continue;
        }
        value->integer = va_arg(*ap, int64_t);
        value->type = types[i] == 't' && value->integer == 0 ? 0 : 'i';
    }
    return self->ops->query(self, task_sql_text(self, sql), values, count, ret_rows, error);
}

bool task_sql_query(TaskSql *self, TaskRows **ret_rows, GError **error, const char *sql,
                    const char *types, ...)
{
    va_list ap;
    va_start(ap, types);
    bool is_good = task_sql_query_list(self, ret_rows, error, sql, types, &ap);
    va_end(ap);
    return is_good;
}

bool task_sql_run(TaskSql *self, GError **error, const char *sql, const char *types, ...)
{
    g_autoptr(TaskRows) rows = NULL;
    va_list ap;
    va_start(ap, types);
    bool is_good = task_sql_query_list(self, &rows, error, sql, types, &ap), has_row = is_good;
    va_end(ap);
    while (has_row && is_good)
        is_good = task_rows_next(rows, &has_row, error);
    return is_good;
}

TaskValues *task_values_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(DbValue));
}

void task_values_add_int(TaskValues *self, int64_t value)
{
    const DbValue item = { .type = 'i', .integer = value };
    g_array_append_val(self, item);
}

void task_values_add_time(TaskValues *self, int64_t at)
{
    const DbValue item = { .type = at ? 'i' : 0, .integer = at };
    g_array_append_val(self, item);
}

void task_values_add_text(TaskValues *self, const char *text)
{
    const DbValue item = { .type = 's', .text = text };
    g_array_append_val(self, item);
}

bool task_sql_query_values(TaskSql *self, TaskRows **ret_rows, GError **error, const char *sql,
                           const TaskValues *values)
{
    return self->ops->query(self, task_sql_text(self, sql), (const DbValue *)(void *)values->data,
                            values->len, ret_rows, error);
}

bool task_rows_next(TaskRows *self, bool *ret_has_row, GError **error)
{
    return self->ops->rows_next(self, ret_has_row, error);
}

bool task_rows_more(TaskRows *self, bool *ret_is_good, GError **error)
{
    bool has_row = false;
    *ret_is_good = task_rows_next(self, &has_row, error);
    return *ret_is_good && has_row;
}

const char *task_rows_text(TaskRows *self, int column)
{
    return self->ops->rows_text(self, column);
}

int64_t task_rows_int(TaskRows *self, int column)
{
    return self->ops->rows_int(self, column);
}

void task_rows_free(TaskRows *self)
{
    if (self)
        self->ops->rows_free(self);
}
