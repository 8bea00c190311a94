/*
 * Transactions of the queue (task_queue.h): a store from the pool, begun, reclaimed, run,
 * committed.
 */
#include "agenttools/task/task_queue.h"

#include "agenttools/task/task_pool.h"
#include "base/json.h"
#include "tool/context.h"

#define MAX_REPEATS 5 // of a transaction that was the victim of another

static bool fail_busy(GError **error)
{
    return answer_error(error, ANSWER_UNAVAILABLE, json_make("retryable:%hhd", true),
                        "Task store is busy; try again");
}

/* What the engine says, as an answer. Takes `cause`. */
static bool fail_with_engine(GError *cause, GError **error)
{
    g_autoptr(GError) owned = cause;
    if (error_is(owned, KEDGE_ERROR_TIMEOUT))
        return fail_busy(error);
    if (error_is(owned, KEDGE_ERROR_PROTOCOL))
        return answer_error(error, ANSWER_IO, answer_hint("Move the damaged database away"), "%s",
                            owned->message);
    g_propagate_error(error, g_steal_pointer(&owned));
    return false;
}

static bool task_queue_take(const TaskQueue *self, TaskPool *pool, const TaskPlace *place,
                            TaskSql **ret_sql, GError **error)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) cause = NULL;
    if (!task_pool_take(pool, self->call, place, ret_sql, warnings, &cause)) {
        bool is_locked = place->path && answer_error_is(cause, ANSWER_UNAVAILABLE);
        return is_locked ? fail_busy(error) : fail_with_engine(g_steal_pointer(&cause), error);
    }
    for (unsigned i = 0; i < warnings->len; i++)
        answer_warn(self->answer, "%s", (char *)warnings->pdata[i]);
    return true;
}

static bool run_reading(TaskTx *tx, TaskBody body, void *data, bool *ret_is_done, GError **error)
{
    bool has_expired = false;
    if (!task_has_expired(tx, &has_expired, error))
        return false;
    *ret_is_done = !has_expired;
    return has_expired || body(tx, data, error);
}

static bool run_changing(TaskTx *tx, TaskMode mode, TaskBody body, void *data, GError **error)
{
    const TaskSqlOps *ops = tx->sql->ops;
    return (mode == TASK_STATS || task_reclaim(tx, error)) && body(tx, data, error) &&
           (!tx->has_woken || !ops->notify || ops->notify(tx->sql, error)) &&
           ops->commit(tx->sql, error);
}

static bool run_once(TaskSql *sql, TaskMode mode, TaskBody body, void *data, GError **error)
{
    TaskTx tx = { .sql = sql };
    if (mode == TASK_READS) {
        bool is_done = false;
        if (!sql->ops->begin(sql, false, &tx.now_ms, error))
            return false;
        bool is_good = run_reading(&tx, body, data, &is_done, error);
        sql->ops->rollback(sql); // nothing was written
        if (!is_good || is_done)
            return is_good;
    }
    if (!sql->ops->begin(sql, true, &tx.now_ms, error))
        return false;
    if (run_changing(&tx, mode, body, data, error))
        return true;
    sql->ops->rollback(sql);
    return false;
}

/* A refusal of the queue's own leaves the connection as good as it was. */
static bool is_of_engine(const GError *error)
{
    return error && error->domain == KEDGE_ERROR;
}

/* Reading makes no file: where there is none, an empty store that no one else sees answers. */
static bool run_on_empty(const TaskQueue *self, TaskMode mode, TaskBody body, void *data,
                         GError **error)
{
    TaskSql *sql = NULL;
    g_autoptr(GError) cause = NULL;
    if (!task_sqlite_open(":memory:", self->call->cancel, &sql, NULL, &cause))
        return fail_with_engine(g_steal_pointer(&cause), error);
    sql->call = self->call->tool_call;
    sql->cancel = self->call->cancel;
    bool is_good = run_once(sql, mode, body, data, &cause);
    task_sql_close(sql);
    return is_good || fail_with_engine(g_steal_pointer(&cause), error);
}

bool task_queue_can_come_back(const GError *error)
{
    return error_is(error, KEDGE_ERROR_NETWORK) ||
           (answer_error_is(error, ANSWER_UNAVAILABLE) &&
            json_get_bool(answer_error_details(error), "retryable", false));
}

bool task_queue_run(const TaskQueue *self, TaskMode mode, TaskBody body, void *data, GError **error)
{
    g_auto(TaskPlace) place = { 0 };
    TaskPool *pool = task_pool_of(self->call);
    TaskSql *sql = NULL;
    bool is_there = true;
    if (!task_place_find(self->call, self->db, &place, error) ||
        (mode != TASK_CHANGES && !task_place_look(&place, &is_there, error)))
        return false;
    if (!is_there)
        return run_on_empty(self, mode, body, data, error);
    if (!task_queue_take(self, pool, &place, &sql, error))
        return false;
    g_autoptr(GError) cause = NULL;
    bool is_good = false, can_repeat = true;
    for (int i = 0; !is_good && can_repeat; i++) {
        g_clear_error(&cause);
        sql->can_repeat = false;
        is_good =
            cancel_check(self->call->cancel, &cause) && run_once(sql, mode, body, data, &cause);
        can_repeat = sql->can_repeat && i < MAX_REPEATS;
    }
    bool is_victim = !is_good && sql->can_repeat;
    task_pool_give(pool, &place, sql, !is_of_engine(cause));
    if (is_victim)
        return fail_busy(error);
    return is_good || fail_with_engine(g_steal_pointer(&cause), error);
}

static bool wait_in_store(const TaskQueue *self, TaskPool *pool, const TaskPlace *place,
                          int64_t timeout_ms, GError **error)
{
    TaskSql *sql = NULL;
    if (!task_queue_take(self, pool, place, &sql, error))
        return false;
    g_autoptr(GError) cause = NULL;
    bool is_good = sql->ops->wait(sql, timeout_ms, self->call->cancel, &cause);
    task_pool_give(pool, place, sql, is_good);
    return is_good || fail_with_engine(g_steal_pointer(&cause), error);
}

bool task_queue_wait(const TaskQueue *self, int64_t timeout_ms, GError **error)
{
    g_auto(TaskPlace) place = { 0 };
    if (!task_place_find(self->call, self->db, &place, error))
        return false;
    if (place.url)
        return wait_in_store(self, task_pool_of(self->call), &place, timeout_ms, error);
    return task_queue_pause(self, timeout_ms, error);
}

bool task_queue_pause(const TaskQueue *self, int64_t timeout_ms, GError **error)
{
    const ToolClock *clock = tool_context_clock(tool_call_context(self->call->tool_call));
    return clock->sleep(clock->user_data, timeout_ms, self->call->cancel, error);
}
