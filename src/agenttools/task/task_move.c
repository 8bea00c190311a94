/*
 * Moving a task to another status, and what its end means for those that depend on it
 * (agent-tools-cli §3.5).
 *
 * A task depends only on tasks made before it, so ids rise along every chain. Dependents are
 * therefore visited, and locked, by rising id, which keeps transactions that run side by side from
 * waiting for one another in a circle.
 */
#include "agenttools/task/task_queue.h"

/* `id` is completed: those waiting for it have one blocker less. */
static bool release_dependents(TaskTx *tx, int64_t id, GError **error)
{
    // where rows have locks they are taken in order
    if (tx->sql->ops->has_row_locks &&
        !task_sql_run(tx->sql, error,
                      "SELECT t.id FROM @task_dep d JOIN @task t ON t.id = d.task_id"
                      " WHERE d.depends_on = ? ORDER BY t.id FOR UPDATE OF t",
                      "i", id))
        return false;
    g_autoptr(TaskRows) rows = NULL;
    if (!task_sql_query(tx->sql, &rows, error,
                        "UPDATE @task SET blockers = blockers - 1 WHERE id IN"
                        " (SELECT task_id FROM @task_dep WHERE depends_on = ?) RETURNING blockers",
                        "i", id))
        return false;
    bool is_good = false;
    while (task_rows_more(rows, &is_good, error)) {
        if (task_rows_int(rows, 0) == 0)
            tx->has_woken = true;
    }
    return is_good;
}

char *task_dependents_reason(int64_t id, TaskStatus status)
{
    return g_strdup_printf("Cancelled: dependency %" G_GINT64_FORMAT " %s", id,
                           status == TASK_FAILED ? "failed" : "was cancelled");
}

static int64_t *id_new(int64_t id)
{
    return g_memdup2(&id, sizeof id);
}

/* Those to be cancelled with `id`: into `waiting`, id → reason. */
static bool add_dependents(TaskTx *tx, GTree *waiting, int64_t id, TaskStatus status,
                           GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    if (!task_sql_query(tx->sql, &rows, error,
                        "SELECT t.id FROM @task_dep d JOIN @task t ON t.id = d.task_id"
                        " WHERE d.depends_on = ? AND t.status = 'pending'"
                        " AND t.on_dependency_failure = 'cancel' ORDER BY t.id",
                        "i", id))
        return false;
    bool is_good = false;
    while (task_rows_more(rows, &is_good, error)) {
        int64_t dependent = task_rows_int(rows, 0);
        if (!g_tree_lookup(waiting, &dependent)) // the first reason stands
            g_tree_insert(waiting, id_new(dependent), task_dependents_reason(id, status));
    }
    return is_good;
}

static bool cancel_one(TaskTx *tx, int64_t id, const char *reason, bool *ret_is_cancelled,
                       GError **error)
{
    g_autoptr(Task) task = NULL;
    if (!task_load(tx, id, &task, error))
        return false;
    *ret_is_cancelled = task->status == TASK_PENDING; // it may have changed before it was locked
    if (!*ret_is_cancelled)
        return true;
    task_set_finished(task, TASK_CANCELLED, tx->now_ms);
    task_set_text(&task->error, reason);
    return task_save(tx, task, error) &&
           task_add_event(tx, id, TASK_PENDING, TASK_CANCELLED, NULL, reason, error);
}

/* `id` failed or was cancelled: those that asked for that are cancelled too, and theirs. */
static bool cancel_dependents(TaskTx *tx, int64_t id, TaskStatus status, GError **error)
{
    g_autoptr(GTree) waiting = g_tree_new_full(task_compare_ids, NULL, g_free, g_free);
    if (!add_dependents(tx, waiting, id, status, error))
        return false;
    for (GTreeNode *first; (first = g_tree_node_first(waiting));) {
        int64_t next = *(const int64_t *)g_tree_node_key(first);
        bool is_cancelled = false;
        if (!cancel_one(tx, next, g_tree_node_value(first), &is_cancelled, error))
            return false;
        g_tree_remove(waiting, &next);
        if (is_cancelled && !add_dependents(tx, waiting, next, TASK_CANCELLED, error))
            return false;
    }
    return true;
}

bool task_move(TaskTx *tx, Task *task, TaskStatus from, const char *worker, const char *note,
               GError **error)
{
    if (!task_save(tx, task, error) ||
        !task_add_event(tx, task->id, from, task->status, worker, note, error))
        return false;
    switch (task->status) {
    case TASK_PENDING:
        tx->has_woken = true;
        return true;
    case TASK_COMPLETED:
        return release_dependents(tx, task->id, error);
    case TASK_FAILED:
    case TASK_CANCELLED:
        return cancel_dependents(tx, task->id, task->status, error);
    default:
        return true;
    }
}
