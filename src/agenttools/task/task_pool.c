/* See task_pool.h. */
#include "agenttools/task/task_pool.h"

#include "tool/context.h"

#include <pthread.h>

#define MAX_SQLITE    1
#define MAX_POSTGRES  16 // as many as the MCP server runs calls at once
#define MAX_IDLE      16 // of all places; the oldest is closed
#define LOOK_AGAIN_MS 20 // whether the call that waits was cancelled

typedef struct IdleStore {
    char *key;
    TaskSql *sql;
} IdleStore;

struct TaskPool {
    pthread_mutex_t lock;
    pthread_cond_t is_given_back;
    GPtrArray *idle;    // of IdleStore, the oldest first
    GHashTable *in_use; // key → number of stores that calls have
};

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

TaskPool *task_pool_of(const OperationCall *call)
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

bool task_pool_take(TaskPool *self, const OperationCall *call, const TaskPlace *place,
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

void task_pool_give(TaskPool *self, const TaskPlace *place, TaskSql *sql, bool is_good)
{
    sql->call = NULL;
    sql->cancel = NULL;
    if (!is_good)
        task_sql_close(g_steal_pointer(&sql));
    task_pool_release(self, task_place_key(place), sql);
}
