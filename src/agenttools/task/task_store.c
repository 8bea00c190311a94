/*
 * One task within a transaction: reading it, writing it back, its history and its record
 * (task_queue.h).
 */
#include "agenttools/task/task_queue.h"

#include "base/utf8.h"

#define MAX_NOTE_CHARS 1000 // of the history; the whole text is in the task

static bool find(TaskTx *tx, const char *sql, int64_t id, Task **ret_task, GError **error)
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
    return find(tx, "SELECT " TASK_COLUMNS " FROM @task WHERE id = ?", id, ret_task, error);
}

bool task_load(TaskTx *tx, int64_t id, Task **ret_task, GError **error)
{
    return find(tx, "SELECT " TASK_COLUMNS " FROM @task WHERE id = ? [FOR UPDATE]", id, ret_task,
                error);
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
