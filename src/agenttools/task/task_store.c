/*
 * One task within a transaction: reading it, writing it back, its history, its record and its moves
 * (task_queue.h; agent-tools-cli §3.5).
 */
#include "agenttools/task/task_queue.h"

#include "base/utf8.h"

#define MAX_NOTE_CHARS 1000 // of the history; the whole text is in the task

static bool task_find_where(TaskTx *tx, const char *sql, int64_t id, Task **ret_task,
                            GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    bool has_row = false;
    if (!task_sql_query(tx->sql, &rows, error, sql, "i", id) ||
        !task_rows_next(rows, &has_row, error))
        return false;
    if (!has_row) {
        return answer_error(error, ANSWER_NOT_FOUND, json_make("id:%jd", id),
                            "Task %" G_GINT64_FORMAT " not found", id);
    }
    *ret_task = task_from_row(rows);
    return true;
}

bool task_find(TaskTx *tx, int64_t id, Task **ret_task, GError **error)
{
    return task_find_where(tx, "SELECT " TASK_COLUMNS " FROM @task WHERE id = ?", id, ret_task,
                           error);
}

bool task_load(TaskTx *tx, int64_t id, Task **ret_task, GError **error)
{
    return task_find_where(tx, "SELECT " TASK_COLUMNS " FROM @task WHERE id = ? [FOR UPDATE]", id,
                           ret_task, error);
}

bool task_save(TaskTx *tx, Task *task, GError **error)
{
    task->updated_at = tx->now_ms;
    return task_sql_run(tx->sql, error,
                        "UPDATE @task SET status = ?, result = ?, error = ?, attempts = ?,"
                        " available_at = ?, delayed_until = ?, lease_owner = ?, lease_token = ?,"
                        " lease_expires_at = ?, heartbeat_at = ?, started_at = ?, finished_at = ?,"
                        " updated_at = ? WHERE id = ?",
                        "sssiitssttttii", task_status_name(task->status), task->result, task->error,
                        task->attempts, task->available_at, task->delayed_until, task->lease_owner,
                        task->lease_token, task->lease_expires_at, task->heartbeat_at,
                        task->started_at, task->finished_at, task->updated_at, task->id);
}

bool task_add_event(TaskTx *tx, int64_t id, TaskStatus from, TaskStatus to, const char *worker,
                    const char *note, GError **error)
{
    g_autofree char *short_note = note ? utf8_ellipsize(note, MAX_NOTE_CHARS) : NULL;
    return task_sql_run(tx->sql, error,
                        "INSERT INTO @task_event (task_id, at, from_status, to_status, worker,"
                        " note) VALUES (?, ?, ?, ?, ?, ?)",
                        "iissss", id, tx->now_ms, task_status_name(from), task_status_name(to),
                        worker, short_note);
}

void task_set_text(char **text, const char *value)
{
    char *copy = g_strdup(value);
    g_free(*text);
    *text = copy;
}

void task_set_pending(Task *self, int64_t now_ms, int64_t available_at)
{
    self->status = TASK_PENDING;
    self->available_at = available_at;
    self->delayed_until = available_at > now_ms ? available_at : 0;
    task_set_text(&self->lease_owner, NULL);
    task_set_text(&self->lease_token, NULL);
    self->lease_expires_at = self->heartbeat_at = 0;
    self->started_at = self->finished_at = 0;
}

void task_set_finished(Task *self, TaskStatus status, int64_t now_ms)
{
    self->status = status;
    self->delayed_until = self->lease_expires_at = 0;
    self->finished_at = now_ms;
}

bool task_record(TaskTx *tx, const Task *task, json_t **ret_record, GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    if (!task_sql_query(tx->sql, &rows, error,
                        "SELECT d.depends_on, t.status FROM @task_dep d"
                        " LEFT JOIN @task t ON t.id = d.depends_on"
                        " WHERE d.task_id = ? ORDER BY d.depends_on",
                        "i", task->id))
        return false;
    g_autoptr(json_t) depends_on = json_array();
    g_autoptr(json_t) blocked_by = json_array();
    bool is_good = false;
    while (task_rows_more(rows, &is_good, error)) {
        task_add_dependency(depends_on, blocked_by, task_rows_int(rows, 0),
                            task_rows_text(rows, 1));
    }
    if (!is_good)
        return false;
    *ret_record = task_to_json(task, g_steal_pointer(&depends_on), g_steal_pointer(&blocked_by));
    return true;
}

// ---- moving to another status, and what the end means for those that depend on it ----

/*
 * A task depends only on tasks made before it, so ids rise along every chain. Dependents are
 * therefore visited, and locked, by rising id, which keeps transactions that run side by side from
 * waiting for one another in a circle.
 */

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
