/*
 * The queue in PostgreSQL (agent-tools-cli §3.8): tables kedge_task…, transactions side by side,
 * row locks, the server's clock, LISTEN and NOTIFY.
 */
#include "agenttools/answer.h"
#include "agenttools/task/task_place.h"
#include "agenttools/task/task_postgres_schema.h"
#include "agenttools/task/task_sql.h"
#include "base/pg.h"

#define CONNECT_MS     (10 * 1000)
#define MAX_PARAMETERS 64
#define MAX_INT_CHARS  24

typedef struct PgTasks {
    TaskSql base;
    Pg *pg;
    bool is_listening;
} PgTasks;

typedef struct PgTaskRows {
    TaskRows base;
    PgRows *rows;
    int next; // row that rows_next() goes to
} PgTaskRows;

static PgTasks *task_sql_of(TaskSql *self)
{
    return (PgTasks *)self;
}

static void postgres_close(TaskSql *self)
{
    pg_close(task_sql_of(self)->pg);
    task_sql_clear(self);
    g_free(self);
}

/* A failure by its SQLSTATE. Takes `cause`. */
static bool fail_with_state(TaskSql *self, GError *cause, GError **error)
{
    static const struct {
        const char *state; // or the class that it begins with
        KedgeError code;
        bool can_repeat;
    } states[] = {
        { "40001", KEDGE_ERROR_FAILED, true },   // serialization_failure
        { "40P01", KEDGE_ERROR_FAILED, true },   // deadlock_detected
        { "55P03", KEDGE_ERROR_TIMEOUT, false }, // lock_not_available
        { "57P", KEDGE_ERROR_NETWORK, false },   // the server shuts down
        { "XX", KEDGE_ERROR_PROTOCOL, false },   // damaged
    };
    const char *state = pg_error_state(task_sql_of(self)->pg);
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++) {
        if (!g_str_has_prefix(state, states[i].state))
            continue;
        cause->code = (int)states[i].code;
        self->can_repeat = states[i].can_repeat;
    }
    g_propagate_error(error, cause);
    return false;
}

static bool task_sql_execute(TaskSql *self, const char *sql, int count, const char *const *values,
                             PgRows **ret_rows, GError **error)
{
    GError *cause = NULL;
    return pg_query(task_sql_of(self)->pg, sql, count, values, self->cancel, ret_rows, &cause) ||
           fail_with_state(self, cause, error);
}

static bool read_clock(TaskSql *self, int64_t *ret_now_ms, GError **error)
{
    g_autoptr(PgRows) rows = NULL;
    if (!task_sql_execute(self,
                          "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint", 0,
                          NULL, &rows, error))
        return false;
    *ret_now_ms = pg_rows_int(rows, 0, 0);
    return true;
}

static void postgres_rollback(TaskSql *self)
{
    if (!pg_is_lost(task_sql_of(self)->pg)) // also of a call that was cancelled
        pg_query(task_sql_of(self)->pg, "ROLLBACK", 0, NULL, NULL, NULL, NULL);
}

static bool postgres_begin(TaskSql *self, bool is_write, int64_t *ret_now_ms, GError **error)
{
    const char *sql = is_write ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
    if (!task_sql_execute(self, sql, 0, NULL, NULL, error))
        return false;
    if (read_clock(self, ret_now_ms, error))
        return true;
    postgres_rollback(self);
    return false;
}

static bool postgres_commit(TaskSql *self, GError **error)
{
    return task_sql_execute(self, "COMMIT", 0, NULL, NULL, error);
}

static bool postgres_query(TaskSql *self, const char *sql, const DbValue *values, size_t count,
                           TaskRows **ret_rows, GError **error)
{
    const char *texts[MAX_PARAMETERS];
    char numbers[MAX_PARAMETERS][MAX_INT_CHARS];
    g_assert(count <= MAX_PARAMETERS);
    for (size_t i = 0; i < count; i++) {
        g_snprintf(numbers[i], MAX_INT_CHARS, "%" G_GINT64_FORMAT, values[i].integer);
        texts[i] = values[i].type == 'i'   ? numbers[i]
                   : values[i].type == 's' ? values[i].text
                                           : NULL;
    }
    PgRows *rows = NULL;
    if (!task_sql_execute(self, sql, (int)count, texts, &rows, error))
        return false;
    PgTaskRows *made = g_new0(PgTaskRows, 1);
    made->base.ops = self->ops;
    made->rows = rows;
    *ret_rows = &made->base;
    return true;
}

static bool postgres_rows_next(TaskRows *rows, bool *ret_has_row, GError **error)
{
    PgTaskRows *self = (PgTaskRows *)rows;
    *ret_has_row = self->next < pg_rows_count(self->rows);
    self->next += *ret_has_row;
    return true;
}

static const char *postgres_rows_text(TaskRows *rows, int column)
{
    const PgTaskRows *self = (PgTaskRows *)rows;
    return pg_rows_text(self->rows, self->next - 1, column);
}

static int64_t postgres_rows_int(TaskRows *rows, int column)
{
    const PgTaskRows *self = (PgTaskRows *)rows;
    return pg_rows_int(self->rows, self->next - 1, column);
}

static void postgres_rows_free(TaskRows *rows)
{
    pg_rows_free(((PgTaskRows *)rows)->rows);
    g_free(rows);
}

static bool postgres_notify(TaskSql *self, GError **error)
{
    return task_sql_execute(self, "NOTIFY kedge_task", 0, NULL, NULL, error);
}

static bool postgres_wait(TaskSql *self, int64_t timeout_ms, Cancel *cancel, GError **error)
{
    bool is_told = false;
    if (!task_sql_of(self)->is_listening &&
        !task_sql_execute(self, "LISTEN kedge_task", 0, NULL, NULL, error))
        return false;
    task_sql_of(self)->is_listening = true;
    return pg_wait(task_sql_of(self)->pg, timeout_ms, cancel, &is_told, error);
}

static const TaskSqlOps postgres_ops = {
    .table_prefix = "kedge_",
    .has_row_locks = true,
    .has_numbered_parameters = true,
    .close = postgres_close,
    .begin = postgres_begin,
    .commit = postgres_commit,
    .rollback = postgres_rollback,
    .query = postgres_query,
    .rows_next = postgres_rows_next,
    .rows_text = postgres_rows_text,
    .rows_int = postgres_rows_int,
    .rows_free = postgres_rows_free,
    .notify = postgres_notify,
    .wait = postgres_wait,
};

static bool fail_unreachable(const char *url, const GError *cause, GError **error)
{
    if (error_is(cause, KEDGE_ERROR_CANCELLED)) {
        g_propagate_error(error, g_error_copy(cause));
        return false;
    }
    json_t *details = json_object();
    json_set_bool(details, "retryable", !error_is(cause, KEDGE_ERROR_NOT_FOUND));
    if (error_is(cause, KEDGE_ERROR_NOT_FOUND)) // no libpq
        return answer_error(error, ANSWER_UNAVAILABLE, details, "%s", cause->message);
    g_autofree char *shown = task_place_show_url(url);
    return answer_error(error, ANSWER_UNAVAILABLE, details, "Task store %s cannot be used: %s",
                        shown, cause->message);
}

bool task_postgres_open(const char *url, Cancel *cancel, TaskSql **ret_sql, GError **error)
{
    g_autoptr(GError) cause = NULL;
    g_autoptr(Pg) pg = NULL;
    if (!pg_open(url, CONNECT_MS, cancel, &pg, &cause) ||
        !task_postgres_migrate(pg, cancel, &cause)) {
        if (cause->domain == KEDGE_ERROR)
            return fail_unreachable(url, cause, error);
        g_propagate_error(error, g_steal_pointer(&cause));
        return false;
    }
    PgTasks *self = g_new0(PgTasks, 1);
    task_sql_init(&self->base, &postgres_ops);
    self->pg = g_steal_pointer(&pg);
    *ret_sql = &self->base;
    return true;
}
