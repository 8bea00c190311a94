/*
 * agent-tools task pickup (agent-tools-cli §3.4): gives the one eligible task of the highest
 * priority, then the lowest id, to this worker alone.
 */
#include "agenttools/agenttools.h"
#include "agenttools/task/task_args.h"
#include "agenttools/task/task_examples.h"
#include "agenttools/task/task_queue.h"

#include <errno.h>
#include <sys/random.h>

#define TOKEN_BYTES      16
#define FIRST_PAUSE_MS   200 // between two looks of --wait
#define LONGEST_PAUSE_MS 2000
#define MAX_WAIT_SECONDS 600

typedef struct PickupArgs {
    const char *db, *project_path, *worker;
    bool is_including_global;
    const json_t *types;
    int64_t lease_seconds, wait_seconds;
} PickupArgs;

static const FieldDef pickup_fields[] = {
    TASK_PROJECT_FIELD(PickupArgs, "Only tasks of exactly this project"),
    { "includeGlobal", FIELD_BOOLEAN, offsetof(PickupArgs, is_including_global),
      .help = "With a project: tasks without one too" },
    TASK_TYPES_FIELD(PickupArgs, "Only tasks of these types"),
    { "worker", FIELD_STRING, offsetof(PickupArgs, worker), .refuses_blank = true, .max_chars = 200,
      .value_name = "NAME", .help = "Who works on it; default: host:pid" },
    { "leaseSeconds", FIELD_INTEGER, offsetof(PickupArgs, lease_seconds), .min = 0,
      .max = TASK_LEASE_SECONDS_MAX, .default_text = "1800", .flag = "lease",
      .value_name = "SECONDS",
      .help = "The task goes back when nothing is heard for so long; 0: never" },
    { "waitSeconds", FIELD_INTEGER, offsetof(PickupArgs, wait_seconds), .min = 0,
      .max = MAX_WAIT_SECONDS, .default_text = "0", .flag = "wait", .value_name = "SECONDS",
      .help = "Wait so long for a task when there is none" },
    TASK_DB_FIELD(PickupArgs),
    { 0 },
};

typedef struct Pickup {
    const PickupArgs *args;
    char *project_path, *worker;
    char token[2 * TOKEN_BYTES + 1];
    json_t *data;      // NULL: nothing eligible
    bool is_uncertain; // the store was lost, perhaps with a task of this token given
} Pickup;

static void pickup_clear(Pickup *self)
{
    g_free(self->project_path);
    g_free(self->worker);
    json_decref(self->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pickup, pickup_clear)

static bool make_token(char *hex, GError **error)
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return fail_with_errno(error, errno, "cannot get random bytes for a lease");
    for (size_t i = 0; i < sizeof bytes; i++)
        g_snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static void add_filters(const Pickup *self, TaskFilter *filter)
{
    const char *project = self->project_path;
    task_filter_add_types(filter, self->args->types);
    if (!self->args->is_including_global) {
        task_filter_add_text(filter, " AND project_path = ?", project);
        return;
    }
    // by the order of the queue, not project by project
    task_filter_add_text(filter, " AND coalesce(project_path, ?)", project);
    task_filter_add_text(filter, " = ?", project);
}

/* Takes the task in one statement, which is what makes it exclusive. */
static bool take_task(TaskTx *tx, const Pickup *self, Task **ret_task, GError **error)
{
    g_auto(TaskFilter) filter = { 0 };
    task_filter_init(&filter);
    add_filters(self, &filter);
    int64_t lease_ms = self->args->lease_seconds * 1000;
    g_autofree char *sql = g_strconcat(
        "WITH c AS (SELECT id FROM @task WHERE ready = 1", filter.where->str,
        " ORDER BY priority DESC, id LIMIT 1 [FOR UPDATE SKIP LOCKED])"
        " UPDATE @task SET status = 'in_progress', attempts = attempts + 1, lease_owner = ?,"
        " lease_token = ?, lease_expires_at = ?, heartbeat_at = ?, started_at = ?, updated_at = ?"
        " WHERE id = (SELECT id FROM c) RETURNING " TASK_COLUMNS,
        NULL);
    task_values_add_text(filter.values, self->worker);
    task_values_add_text(filter.values, self->token);
    task_values_add_time(filter.values, lease_ms > 0 ? tx->now_ms + lease_ms : 0);
    for (int i = 0; i < 3; i++)
        task_values_add_int(filter.values, tx->now_ms);

    g_autoptr(TaskRows) rows = NULL;
    bool has_row = false;
    if (!task_sql_query_values(tx->sql, &rows, error, sql, filter.values) ||
        !task_rows_next(rows, &has_row, error))
        return false;
    *ret_task = has_row ? task_from_row(rows) : NULL;
    return true;
}

/* What a commit gave whose answer was lost; NULL: nothing. */
static bool find_taken(TaskTx *tx, const Pickup *self, Task **ret_task, GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    bool has_row = false;
    if (!task_sql_query(tx->sql, &rows, error,
                        "SELECT " TASK_COLUMNS " FROM @task"
                        " WHERE status = 'in_progress' AND lease_token = ?",
                        "s", self->token) ||
        !task_rows_next(rows, &has_row, error))
        return false;
    *ret_task = has_row ? task_from_row(rows) : NULL;
    return true;
}

static bool pickup_body(TaskTx *tx, void *data, GError **error)
{
    Pickup *self = data;
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref);
    if (self->is_uncertain && !find_taken(tx, self, &task, error))
        return false;
    bool is_given = task != NULL;
    if (!is_given && !take_task(tx, self, &task, error))
        return false;
    if (!task)
        return true;
    if (!is_given &&
        !task_add_event(tx, task->id, TASK_PENDING, TASK_IN_PROGRESS, self->worker, NULL, error))
        return false;
    if (!task_record(tx, task, &self->data, error))
        return false;
    json_set_text(self->data, "leaseToken", self->token);
    return true;
}

static bool pickup_prepare(Pickup *self, const PickupArgs *args, Cancel *cancel, GError **error)
{
    self->args = args;
    self->worker = args->worker ? g_strdup(args->worker)
                                : g_strdup_printf("%s:%d", g_get_host_name(), (int)getpid());
    return task_project_path(args->project_path, cancel, &self->project_path, error) &&
           make_token(self->token, error);
}

/* Looks until there is a task or the time is over. A store that answered once and then is lost is
   tried again, for a server that restarts comes back. */
static bool look_until(const TaskQueue *queue, Pickup *pickup, int64_t until_ms, GError **error)
{
    int64_t look_ms = FIRST_PAUSE_MS, retry_ms = FIRST_PAUSE_MS;
    for (bool was_there = false;;) {
        g_autoptr(GError) cause = NULL;
        bool is_good = task_queue_run(queue, TASK_CHANGES, pickup_body, pickup, &cause);
        int64_t left_ms = until_ms - tool_call_now_ms(queue->call->tool_call);
        if (is_good && (pickup->data || left_ms <= 0))
            return true;
        if (is_good) {
            was_there = true;
            pickup->is_uncertain = false;
            retry_ms = FIRST_PAUSE_MS;
            is_good = task_queue_wait(queue, MIN(look_ms, left_ms), &cause);
            look_ms = MIN(2 * look_ms, LONGEST_PAUSE_MS);
        }
        if (is_good)
            continue;
        if (!was_there || left_ms <= 0 || !task_queue_can_come_back(cause))
            return pass_error(error, &cause);
        pickup->is_uncertain = true;
        if (!task_queue_pause(queue, MIN(retry_ms, left_ms), error))
            return false;
        retry_ms = MIN(2 * retry_ms, LONGEST_PAUSE_MS);
    }
}

static bool pickup_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const PickupArgs *args = args_;
    const TaskQueue queue = { call, args->db, answer };
    g_auto(Pickup) pickup = { 0 };
    if (!pickup_prepare(&pickup, args, call->cancel, error))
        return false;
    int64_t until_ms = tool_call_now_ms(call->tool_call) + args->wait_seconds * 1000;
    if (!look_until(&queue, &pickup, until_ms, error))
        return false;
    answer_set_data(answer, pickup.data ? g_steal_pointer(&pickup.data) : json_null());
    return true;
}

static int64_t pickup_extra_ms(const void *args)
{
    return ((const PickupArgs *)args)->wait_seconds * 1000;
}

static const FieldDef pickup_output[] = {
    TASK_RECORD_FIELDS,
    { "leaseToken", FIELD_STRING, 0, .is_required = true,
      .help = "Proof of the lease, for complete, fail, heartbeat and release" },
    { 0 },
};

static const OperationExample pickup_examples[] = {
    { "kedge agent-tools task pickup --project /srv/app --type check-annotations --wait 60",
      "{\"projectPath\": \"/srv/app\", \"type\": [\"check-annotations\"], \"waitSeconds\": 60}",
      TASK_EXAMPLE_HELD(", \"leaseToken\": \"5f0c2a9b7d1e4c3889aa00bb11cc22dd\"") },
    { "kedge agent-tools task pickup --worker w1 --lease 600",
      "{\"worker\": \"w1\", \"leaseSeconds\": 600}", "null" },
    { 0 },
};

const OperationDef operation_task_pickup = {
    .tool = OPERATION_TOOL(
        pickup, PickupArgs, TOOL_CHANGES_RECORDS, .name = "task_pickup",
        .label = "Pick up queue task", .summary = "Take the next task of the queue",
        .description =
            "Takes the eligible task with the highest priority, then the lowest id; no one else "
            "gets it while the lease lasts. The answer is null when there is none. Call heartbeat "
            "within the lease, and end with complete, fail or release."),
    TASK_PARTS(pickup, pickup_output),
    .shape = OUTPUT_OBJECT_OR_NULL,
    .extra_ms = pickup_extra_ms,
};
