/*
 * Transactions of the queue (task_queue.h): a store from the pool, begun, reclaimed, run,
 * committed.
 */
#include "agenttools/task/task_queue.h"

#include "agenttools/task/task_place.h"
#include "base/json.h"
#include "tool/context.h"

#include <pthread.h>

#define MAX_REPEATS 5 // of a transaction that was the victim of another

// ---- open stores of one conversation (ToolContext), so that calls do not open them each time ----

#define MAX_SQLITE    1
#define MAX_POSTGRES  16 // as many as the MCP server runs calls at once
#define MAX_IDLE      16 // of all places; the oldest is closed
#define LOOK_AGAIN_MS 20 // whether the call that waits was cancelled

typedef struct IdleStore {
    char *key;
    TaskSql *sql;
} IdleStore;

typedef struct TaskPool { // thread safe
    pthread_mutex_t lock;
    pthread_cond_t is_given_back;
    GPtrArray *idle;    // of IdleStore, the oldest first
    GHashTable *in_use; // key → number of stores that calls have
} TaskPool;

static void idle_free(void *data)
{
    IdleStore *self = data;
    task_sql_close(self->sql);
    g_free(self->key);
    g_free(self);
}

static void *pool_new(void)
{
    TaskPool *self = g_new0(TaskPool, 1);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&self->is_given_back, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&self->lock, NULL);
    self->idle = g_ptr_array_new_with_free_func(idle_free);
    self->in_use = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return self;
}

static void pool_free(void *data)
{
    TaskPool *self = data;
    g_ptr_array_unref(self->idle);
    g_hash_table_unref(self->in_use);
    pthread_cond_destroy(&self->is_given_back);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

/* Of the call's context; freed with it. Borrowed. */
static TaskPool *task_pool_of(const OperationCall *call)
{
    return tool_context_state(tool_call_context(call->tool_call), "task stores", pool_new,
                              pool_free);
}

static unsigned count_in_use_locked(const TaskPool *self, const char *key)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(self->in_use, key));
}

static void add_in_use_locked(TaskPool *self, const char *key, int change)
{
    unsigned count = (unsigned)((int)count_in_use_locked(self, key) + change);
    if (count == 0)
        g_hash_table_remove(self->in_use, key);
    else
        g_hash_table_replace(self->in_use, g_strdup(key), GUINT_TO_POINTER(count));
}

/* The one that was used last; NULL when none is idle. */
static TaskSql *steal_idle_locked(TaskPool *self, const char *key)
{
    for (unsigned i = self->idle->len; i > 0; i--) {
        IdleStore *idle = self->idle->pdata[i - 1];
        if (strcmp(idle->key, key) != 0)
            continue;
        TaskSql *sql = g_steal_pointer(&idle->sql);
        g_ptr_array_remove_index(self->idle, i - 1);
        return sql;
    }
    return NULL;
}

static void wait_locked(TaskPool *self)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_AGAIN_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&self->is_given_back, &self->lock, &until);
}

/* Counts one more store as in use; *ret_sql is NULL when it is yet to be opened. */
static bool task_pool_reserve(TaskPool *self, const char *key, unsigned max, Cancel *cancel,
                              TaskSql **ret_sql, GError **error)
{
    pthread_mutex_lock(&self->lock);
    bool is_good = true;
    while (count_in_use_locked(self, key) >= max && is_good) {
        wait_locked(self);
        is_good = cancel_check(cancel, error);
    }
    if (is_good) {
        *ret_sql = steal_idle_locked(self, key);
        add_in_use_locked(self, key, 1);
    }
    pthread_mutex_unlock(&self->lock);
    return is_good;
}

static void task_pool_release(TaskPool *self, const char *key, TaskSql *sql)
{
    pthread_mutex_lock(&self->lock);
    add_in_use_locked(self, key, -1);
    if (sql) {
        IdleStore *idle = g_new0(IdleStore, 1);
        idle->key = g_strdup(key);
        idle->sql = sql;
        g_ptr_array_add(self->idle, idle);
        if (self->idle->len > MAX_IDLE)
            g_ptr_array_remove_index(self->idle, 0);
    }
    pthread_cond_broadcast(&self->is_given_back); // some wait for another place
    pthread_mutex_unlock(&self->lock);
}

/* An open store of that place. Waits while as many are out as one process may have open: one for
   SQLite, where more would only wait for one another. `warnings` gets texts (char *). */
static bool task_pool_take(TaskPool *self, const OperationCall *call, const TaskPlace *place,
                           TaskSql **ret_sql, GPtrArray *warnings, GError **error)
{
    const char *key = task_place_key(place);
    unsigned max = place->url ? MAX_POSTGRES : MAX_SQLITE;
    TaskSql *sql = NULL;
    if (!task_pool_reserve(self, key, max, call->cancel, &sql, error))
        return false;
    if (sql && sql->ops->is_current && !sql->ops->is_current(sql))
        task_sql_close(g_steal_pointer(&sql));
    bool is_open = sql != NULL;
    if (!is_open && place->url)
        is_open = task_postgres_open(place->url, call->cancel, &sql, error);
    else if (!is_open)
        is_open = task_sqlite_open(place->path, call->cancel, &sql, warnings, error);
    if (!is_open) {
        task_pool_release(self, key, NULL);
        return false;
    }
    sql->call = call->tool_call;
    sql->cancel = call->cancel;
    *ret_sql = sql;
    return true;
}

/* `is_good` false: it failed, and is closed. */
static void task_pool_give(TaskPool *self, const TaskPlace *place, TaskSql *sql, bool is_good)
{
    sql->call = NULL;
    sql->cancel = NULL;
    if (!is_good)
        task_sql_close(g_steal_pointer(&sql));
    task_pool_release(self, task_place_key(place), sql);
}

// ---- transactions ----

static bool fail_busy(GError **error)
{
    return answer_error(error, ANSWER_UNAVAILABLE, json_make("retryable:%i", true),
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
    return pass_error(error, &owned);
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
    answer_warn_all(self->answer, warnings);
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
