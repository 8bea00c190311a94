/*
 * What time does to the queue (agent-tools-cli §3.4): a lease that has expired gives the task back,
 * or fails it when that was the last try; a delay that is over makes it available. Both are found
 * by one indexed look each, so that every operation can begin with it.
 */
#include "agenttools/task/task_queue.h"

#define BATCH 100 // tasks in memory at once

typedef struct Due {
    bool has_expired; // a lease
    bool is_over;     // a delay
} Due;

static bool find_due(TaskTx *tx, Due *ret_due, GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    bool has_row = false;
    if (!task_sql_query(tx->sql, &rows, error,
                        "SELECT (SELECT id FROM @task WHERE lease_expires_at <= ? LIMIT 1),"
                        " (SELECT id FROM @task WHERE delayed_until <= ? LIMIT 1)",
                        "ii", tx->now_ms, tx->now_ms) ||
        !task_rows_next(rows, &has_row, error))
        return false;
    ret_due->has_expired = has_row && task_rows_int(rows, 0) != 0;
    ret_due->is_over = has_row && task_rows_int(rows, 1) != 0;
    return true;
}

bool task_has_expired(TaskTx *tx, bool *ret_has_expired, GError **error)
{
    Due due = { 0 };
    if (!find_due(tx, &due, error))
        return false;
    *ret_has_expired = due.has_expired;
    return true;
}

/* The lease's own length was the delay: the task is available at once. */
static bool expire(TaskTx *tx, Task *task, GError **error)
{
    g_autofree char *worker = g_strdup(task->lease_owner);
    bool has_tries = task->attempts < task->max_attempts;
    g_autofree char *reason =
        has_tries
            ? g_strdup("Lease expired")
            : g_strdup_printf("Lease expired after %" G_GINT64_FORMAT " attempts", task->attempts);
    task_set_text(&task->error, reason);
    if (has_tries)
        task_set_pending(task, tx->now_ms, tx->now_ms);
    else
        task_set_finished(task, TASK_FAILED, tx->now_ms);
    return task_move(tx, task, TASK_IN_PROGRESS, worker, reason, error);
}

/* A batch of tasks whose lease has expired, locked; rows are read before any is changed. */
static bool load_expired(TaskTx *tx, GPtrArray *tasks, GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    if (!task_sql_query(tx->sql, &rows, error,
                        "SELECT " TASK_COLUMNS " FROM @task WHERE lease_expires_at <= ?"
                        " ORDER BY lease_expires_at, id LIMIT ? [FOR UPDATE SKIP LOCKED]",
                        "ii", tx->now_ms, (int64_t)BATCH))
        return false;
    bool is_good = false;
    while (task_rows_more(rows, &is_good, error)) {
        g_ptr_array_add(tasks, task_from_row(rows));
    }
    return is_good;
}

static bool expire_all(TaskTx *tx, GError **error)
{
    for (;;) {
        g_autoptr(GPtrArray) tasks = g_ptr_array_new_with_free_func((GDestroyNotify)task_free);
        if (!load_expired(tx, tasks, error))
            return false;
        for (unsigned i = 0; i < tasks->len; i++)
            if (!expire(tx, tasks->pdata[i], error))
                return false;
        if (tasks->len < BATCH)
            return true;
    }
}

bool task_reclaim(TaskTx *tx, GError **error)
{
    Due due = { 0 };
    return find_due(tx, &due, error) && (!due.has_expired || expire_all(tx, error)) &&
           (!due.is_over ||
            task_sql_run(tx->sql, error,
                         "UPDATE @task SET delayed_until = NULL WHERE id IN (SELECT id FROM @task"
                         " WHERE delayed_until <= ? ORDER BY delayed_until, id"
                         " [FOR UPDATE SKIP LOCKED])",
                         "i", tx->now_ms));
}
