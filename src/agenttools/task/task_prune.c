/*
 * agent-tools task stats, prune (agent-tools-cli §3.5): how the queue stands, and making room.
 */
#include "agenttools/agenttools.h"
#include "agenttools/task/task_args.h"
#include "agenttools/task/task_queue.h"

#define MAX_DAYS    36500
#define DAY_MS      ((int64_t)86400 * 1000)
#define PRUNE_BATCH 500 // tasks deleted in one transaction, so that others get their turn

typedef struct StatsArgs {
    const char *db, *project_path;
} StatsArgs;

typedef struct Stats {
    char *project_path;
    int64_t counts[TASK_NO_STATUS];
    int64_t expired;
    int64_t oldest_at; // 0: nothing is pending
    int64_t now_ms;
} Stats;

/* The first number of the answer; 0 for none. */
static bool query_number(TaskTx *tx, const char *sql, const TaskValues *values, int64_t *ret_number,
                         GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    bool has_row = false;
    if (!task_sql_query_values(tx->sql, &rows, error, sql, values) ||
        !task_rows_next(rows, &has_row, error))
        return false;
    *ret_number = has_row ? task_rows_int(rows, 0) : 0;
    return true;
}

static bool count_expired(TaskTx *tx, Stats *self, GError **error)
{
    g_auto(TaskFilter) filter = { 0 };
    task_filter_init(&filter);
    task_filter_add_int(&filter, " AND lease_expires_at <= ?", tx->now_ms);
    task_filter_add_text(&filter, " AND project_path = ?", self->project_path);
    g_autofree char *sql =
        g_strconcat("SELECT count(*) FROM @task WHERE id > 0", filter.where->str, NULL);
    return query_number(tx, sql, filter.values, &self->expired, error);
}

static bool find_oldest(TaskTx *tx, Stats *self, GError **error)
{
    g_auto(TaskFilter) filter = { 0 };
    task_filter_init(&filter);
    task_filter_add_text(&filter, " AND project_path = ?", self->project_path);
    g_autofree char *sql = g_strconcat("SELECT created_at FROM @task WHERE status = 'pending'",
                                       filter.where->str, " ORDER BY id LIMIT 1", NULL);
    return query_number(tx, sql, filter.values, &self->oldest_at, error);
}

static bool count_statuses(TaskTx *tx, Stats *self, GError **error)
{
    g_auto(TaskFilter) filter = { 0 };
    task_filter_init(&filter);
    task_filter_add_text(&filter, " WHERE project_path = ?", self->project_path);
    g_autofree char *sql = g_strconcat("SELECT status, count(*) FROM @task", filter.where->str,
                                       " GROUP BY status", NULL);
    g_autoptr(TaskRows) rows = NULL;
    if (!task_sql_query_values(tx->sql, &rows, error, sql, filter.values))
        return false;
    memset(self->counts, 0, sizeof self->counts);
    bool is_good = false;
    while (task_rows_more(rows, &is_good, error)) {
        TaskStatus status = task_status_of(task_rows_text(rows, 0));
        if (status != TASK_NO_STATUS)
            self->counts[status] = task_rows_int(rows, 1);
    }
    return is_good;
}

/* Counts the leases that it then takes back. */
static bool stats_body(TaskTx *tx, void *data, GError **error)
{
    Stats *self = data;
    self->now_ms = tx->now_ms;
    return count_expired(tx, self, error) && task_reclaim(tx, error) &&
           count_statuses(tx, self, error) && find_oldest(tx, self, error);
}

static json_t *stats_to_json(const Stats *self)
{
    json_t *data = json_object();
    for (TaskStatus status = TASK_PENDING; status < TASK_NO_STATUS; status++)
        json_set_int(data, task_status_name(status), self->counts[status]);
    int64_t age_ms = MAX(self->now_ms - self->oldest_at, 0);
    json_set_take(data, "oldestPendingSeconds",
                  self->oldest_at ? json_integer(age_ms / 1000) : json_null());
    json_set_int(data, "expiredLeases", self->expired);
    return data;
}

static bool stats_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const StatsArgs *args = args_;
    const TaskQueue queue = { call, args->db, answer };
    Stats stats = { 0 };
    if (!task_project_path(args->project_path, call->cancel, &stats.project_path, error))
        return false;
    bool is_good = task_queue_run(&queue, TASK_STATS, stats_body, &stats, error);
    if (is_good)
        answer_set_data(answer, stats_to_json(&stats));
    g_free(stats.project_path);
    return is_good;
}

typedef struct PruneArgs {
    const char *db;
    const json_t *statuses;
    int64_t older_than_days;
} PruneArgs;

typedef struct Prune {
    const PruneArgs *args;
    unsigned mask;
    int64_t last_id; // of the batches so far
    int64_t count;   // of the batch
    int64_t max_id;
} Prune;

/* A batch, by rising id. What was completed and is gone counts as completed for those that depended
   on it; they are finished too. */
static bool prune_body(TaskTx *tx, void *data, GError **error)
{
    Prune *self = data;
    g_auto(TaskFilter) filter = { 0 };
    task_filter_init(&filter);
    task_filter_add_int(&filter, " AND id > ?", self->last_id);
    task_filter_add_int(&filter, " AND finished_at <= ?",
                        tx->now_ms - self->args->older_than_days * DAY_MS);
    task_filter_add_statuses(&filter, self->mask);
    task_values_add_int(filter.values, PRUNE_BATCH);
    g_autofree char *sql =
        g_strconcat("WITH c AS (SELECT id FROM @task WHERE id > 0", filter.where->str,
                    " AND NOT EXISTS (SELECT 1 FROM @task_dep d JOIN @task u ON u.id = d.task_id"
                    " WHERE d.depends_on = @task.id AND u.status IN ('pending', 'in_progress'))"
                    " ORDER BY id LIMIT ? [FOR UPDATE SKIP LOCKED])"
                    " DELETE FROM @task WHERE id IN (SELECT id FROM c) RETURNING id",
                    NULL);
    g_autoptr(TaskRows) rows = NULL;
    if (!task_sql_query_values(tx->sql, &rows, error, sql, filter.values))
        return false;
    self->max_id = self->last_id;
    bool is_good = false;
    for (self->count = 0; task_rows_more(rows, &is_good, error); self->count++) {
        self->max_id = MAX(self->max_id, task_rows_int(rows, 0));
    }
    return is_good;
}

static bool fail_unfinished(GError **error)
{
    return answer_error_field(
        error, "status",
        "Validation failed: only completed, failed and cancelled tasks can be "
        "pruned");
}

static bool prune_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const PruneArgs *args = args_;
    const TaskQueue queue = { call, args->db, answer };
    const unsigned usual = 1u << TASK_COMPLETED | 1u << TASK_CANCELLED;
    Prune prune = { .args = args };
    if (!task_status_mask(args->statuses, usual, &prune.mask, error))
        return false;
    if (prune.mask & ~(usual | 1u << TASK_FAILED))
        return fail_unfinished(error);
    int64_t deleted = 0;
    do {
        if (!task_queue_run(&queue, TASK_CHANGES, prune_body, &prune, error))
            return false;
        deleted += prune.count;
        prune.last_id = prune.max_id;
    } while (prune.count == PRUNE_BATCH);
    answer_set_data(answer, json_make("deleted:%jd", deleted));
    return true;
}

static const FieldDef stats_fields[] = {
    TASK_PROJECT_FIELD(StatsArgs, "Only tasks of exactly this project"),
    TASK_DB_FIELD(StatsArgs),
    { 0 },
};

static const FieldDef prune_fields[] = {
    { "olderThanDays", FIELD_INTEGER, offsetof(PruneArgs, older_than_days), .is_required = true,
      .min = 0, .max = MAX_DAYS, .flag = "older-than", .value_name = "DAYS",
      .help = "Only tasks that ended so many days ago, or earlier" },
    { "status", FIELD_STRING_OR_LIST, offsetof(PruneArgs, statuses),
      .help = "Only tasks that ended so; default: completed,cancelled" },
    TASK_DB_FIELD(PruneArgs),
    { 0 },
};

static const FieldDef stats_output[] = {
    { "pending", FIELD_INTEGER, 0, .is_required = true, .help = "Tasks that wait" },
    { "in_progress", FIELD_INTEGER, 0, .is_required = true, .help = "Tasks that a worker has" },
    { "completed", FIELD_INTEGER, 0, .is_required = true, .help = "Tasks that are done" },
    { "failed", FIELD_INTEGER, 0, .is_required = true, .help = "Tasks with no tries left" },
    { "cancelled", FIELD_INTEGER, 0, .is_required = true, .help = "Tasks that were called off" },
    { "oldestPendingSeconds", FIELD_INTEGER, 0,
      .help = "Age of the oldest that waits; null: none" },
    { "expiredLeases", FIELD_INTEGER, 0, .is_required = true,
      .help = "Leases that had expired and were taken back by this call" },
    { 0 },
};

static const FieldDef prune_output[] = {
    { "deleted", FIELD_INTEGER, 0, .is_required = true, .help = "How many" },
    { 0 },
};

#define STATS_EXAMPLE                                                                              \
    "{\"pending\": 3, \"in_progress\": 1, \"completed\": 40, \"failed\": 0, \"cancelled\": 2, "    \
    "\"oldestPendingSeconds\": 12, \"expiredLeases\": 0}"

static const OperationExample stats_examples[] = {
    { "kedge agent-tools task stats", "{}", STATS_EXAMPLE },
    { "kedge agent-tools task stats --project /srv/app", "{\"projectPath\": \"/srv/app\"}",
      STATS_EXAMPLE },
    { 0 },
};

static const OperationExample prune_examples[] = {
    { "kedge agent-tools task prune --older-than 30", "{\"olderThanDays\": 30}",
      "{\"deleted\": 17}" },
    { "kedge agent-tools task prune --older-than 90 --status completed,failed,cancelled",
      "{\"olderThanDays\": 90, \"status\": [\"completed\", \"failed\", \"cancelled\"]}",
      "{\"deleted\": 3}" },
    { 0 },
};

const OperationDef operation_task_stats = {
    .tool = OPERATION_TOOL(stats, StatsArgs, 0, .name = "task_stats", .label = "Queue statistics",
                           .summary = "Count the tasks of the queue",
                           .description = "Counts tasks by status, and says how long the oldest "
                                          "has waited and how many workers went silent."),
    TASK_PARTS(stats, stats_output),
};

const OperationDef operation_task_prune = {
    .tool = OPERATION_TOOL(prune, PruneArgs, TOOL_CHANGES_RECORDS | TOOL_CAN_DESTROY,
                           .name = "task_prune", .label = "Prune queue",
                           .summary = "Delete old finished tasks",
                           .description = "Deletes tasks that ended long ago, with their history, "
                                          "unless an unfinished task depends on them."),
    TASK_PARTS(prune, prune_output),
};
