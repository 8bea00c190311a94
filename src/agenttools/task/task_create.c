/*
 * The operation that adds a task to the queue (agent-tools-cli §3.3).
 */
#include "agenttools/agenttools.h"
#include "agenttools/task/task_args.h"
#include "agenttools/task/task_examples.h"
#include "agenttools/task/task_queue.h"

#define MAX_DELAY_SECONDS ((int64_t)10 * 365 * 86400)

typedef struct CreateArgs {
    const char *db, *type, *description, *project_path, *run_id, *idempotency_key, *available_at;
    const char *on_dependency_failure;
    const json_t *payload, *depends_on;
    int64_t priority, delay_seconds, max_attempts;
    bool has_delay;
} CreateArgs;

static const char *const dependency_failures[] = { "block", "cancel", NULL };

static const FieldDef create_fields[] = {
    { "type", FIELD_STRING, offsetof(CreateArgs, type), .is_required = true, .refuses_blank = true,
      .max_chars = 100, .problem = "Task type must be a non-empty string",
      .help = "Kind of work, for workers to choose by" },
    { "description", FIELD_STRING, offsetof(CreateArgs, description), .is_required = true,
      .refuses_blank = true, .max_chars = 10000,
      .problem = "Task description must be a non-empty string", .help = "What is to be done" },
    { "payload", FIELD_JSON, offsetof(CreateArgs, payload),
      .problem = "Task payload must be valid JSON", .value_name = "JSON",
      .help = "Data for the worker: any JSON up to 1 MiB" },
    TASK_PROJECT_FIELD(CreateArgs, "Project it belongs to; default: none, global"),
    { "priority", FIELD_INTEGER, offsetof(CreateArgs, priority), .min = -100, .max = 100,
      .default_text = "0", .help = "Higher goes first" },
    { "dependsOn", FIELD_INTEGER_LIST, offsetof(CreateArgs, depends_on), .min = 1,
      .max_items = TASK_MAX_DEPENDENCIES, .value_name = "IDS",
      .help = "Tasks that must be completed before" },
    { "runId", FIELD_STRING, offsetof(CreateArgs, run_id), .refuses_blank = true, .max_chars = 200,
      .help = "Workflow run it belongs to" },
    { "idempotencyKey", FIELD_STRING, offsetof(CreateArgs, idempotency_key), .refuses_blank = true,
      .max_chars = 200, .help = "The same key and input give the same task, once per project" },
    { "delaySeconds", FIELD_INTEGER, offsetof(CreateArgs, delay_seconds), .min = 0,
      .max = MAX_DELAY_SECONDS, .has_offset = offsetof(CreateArgs, has_delay), .flag = "delay",
      .value_name = "SECONDS", .help = "Not picked up before so many seconds from now" },
    { "availableAt", FIELD_STRING, offsetof(CreateArgs, available_at), .refuses_blank = true,
      .value_name = "TIME", .help = "Not picked up before this time (2026-03-04T05:06:07Z)" },
    { "maxAttempts", FIELD_INTEGER, offsetof(CreateArgs, max_attempts), .min = 1, .max = 100,
      .default_text = "3", .help = "Times it may be picked up" },
    { "onDependencyFailure", FIELD_ENUM, offsetof(CreateArgs, on_dependency_failure),
      .values = dependency_failures, .default_text = "\"block\"",
      .help = "When a dependency fails or is cancelled: stay blocked, or be cancelled too" },
    TASK_DB_FIELD(CreateArgs),
    { 0 },
};

typedef struct Creation {
    const CreateArgs *args;
    char *payload, *project_path, *digest;
    int64_t available_at; // as asked for; 0: now, or now and the delay
    GArray *depends_on;   // int64_t, rising, each once
    json_t *data;         // the answer
} Creation;

static void creation_clear(Creation *self)
{
    g_free(self->payload);
    g_free(self->project_path);
    g_free(self->digest);
    g_clear_pointer(&self->depends_on, g_array_unref);
    json_decref(self->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Creation, creation_clear)

static GArray *sorted_ids(const json_t *list)
{
    GArray *ids = g_array_new(FALSE, FALSE, sizeof(int64_t));
    json_each (list, index, item) {
        int64_t id =
            json_is_integer(item) ? json_integer_value(item) : (int64_t)json_real_value(item);
        g_array_append_val(ids, id);
    }
    g_array_sort_with_data(ids, task_compare_ids, NULL);
    for (unsigned i = ids->len; i > 1; i--)
        if (g_array_index(ids, int64_t, i - 1) == g_array_index(ids, int64_t, i - 2))
            g_array_remove_index(ids, i - 1);
    return ids;
}

static bool read_time(const CreateArgs *args, int64_t *ret_at, GError **error)
{
    if (args->available_at && args->has_delay)
        return answer_error_field(
            error, "availableAt",
            "Validation failed: availableAt and delaySeconds exclude each other");
    g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
    g_autoptr(GDateTime) time =
        args->available_at ? g_date_time_new_from_iso8601(args->available_at, utc) : NULL;
    if (args->available_at && !time)
        return answer_error_field(error, "availableAt",
                                  "Validation failed: availableAt must be a time such as "
                                  "2026-03-04T05:06:07.089Z");
    *ret_at =
        time ? g_date_time_to_unix(time) * 1000 + g_date_time_get_microsecond(time) / 1000 : 0;
    return true;
}

/* Of all fields that make the task, in one order and with their defaults. */
static char *digest_of(const Creation *self)
{
    const CreateArgs *args = self->args;
    json_t *ids = json_array();
    for (unsigned i = 0; i < self->depends_on->len; i++)
        json_append_take(ids, json_integer(g_array_index(self->depends_on, int64_t, i)));
    g_autoptr(json_t) all =
        json_make("type:%s description:%s payload:%p projectPath:%s priority:%jd dependsOn:%p "
                  "runId:%s availableAt:%jd delaySeconds:%jd maxAttempts:%jd "
                  "onDependencyFailure:%s",
                  args->type, args->description, json_incref((json_t *)args->payload),
                  self->project_path, args->priority, ids, args->run_id, self->available_at,
                  args->delay_seconds, args->max_attempts, args->on_dependency_failure);
    g_autofree char *text = json_to_canonical(all);
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
}

/* What the input says, before the store is opened. */
static bool creation_prepare(Creation *self, const CreateArgs *args, Cancel *cancel, GError **error)
{
    self->args = args;
    self->depends_on = sorted_ids(args->depends_on);
    if (!task_json_text("payload", args->payload, &self->payload, error) ||
        !task_project_path(args->project_path, cancel, &self->project_path, error) ||
        !read_time(args, &self->available_at, error))
        return false;
    self->digest = args->idempotency_key ? digest_of(self) : NULL;
    return true;
}

static bool task_tx_finish(TaskTx *tx, Creation *self, const Task *task, bool is_new,
                           GError **error)
{
    if (!task_record(tx, task, &self->data, error))
        return false;
    json_set_bool(self->data, "created", is_new);
    return true;
}

/* The task that an earlier call made with this key becomes the answer, if there is one. */
static bool find_earlier(TaskTx *tx, Creation *self, GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    bool has_row = false;
    if (!task_sql_query(tx->sql, &rows, error,
                        "SELECT " TASK_COLUMNS " FROM @task WHERE coalesce(project_path, '') = ?"
                        " AND idempotency_key = ?",
                        "ss", self->project_path ? self->project_path : "",
                        self->args->idempotency_key) ||
        !task_rows_next(rows, &has_row, error))
        return false;
    if (!has_row)
        return true;
    g_autoptr(Task) task = task_from_row(rows);
    g_clear_pointer(&rows, task_rows_free);
    if (g_strcmp0(task->input_digest, self->digest) == 0)
        return task_tx_finish(tx, self, task, false, error);
    return answer_error(error, ANSWER_CONFLICT, json_make("id:%jd", task->id),
                        "Idempotency key \"%s\" was already used for task %" G_GINT64_FORMAT
                        " with different input",
                        self->args->idempotency_key, task->id);
}

/* Locks the dependency, counts it, and cancels the new task with it if that is asked for. */
static bool look_at_dependency(TaskTx *tx, int64_t id, Task *task, GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    bool has_row = false;
    if (!task_sql_query(tx->sql, &rows, error, "SELECT status FROM @task WHERE id = ? [FOR SHARE]",
                        "i", id) ||
        !task_rows_next(rows, &has_row, error))
        return false;
    if (!has_row) {
        return answer_error(error, ANSWER_NOT_FOUND, answer_field("dependsOn"),
                            "Dependency %" G_GINT64_FORMAT " not found", id);
    }
    TaskStatus status = task_status_of(task_rows_text(rows, 0));
    task->blockers += status != TASK_COMPLETED;
    bool has_ended = status == TASK_FAILED || status == TASK_CANCELLED;
    if (has_ended && task->is_cancelled_with_dependency && task->status == TASK_PENDING) {
        task_set_finished(task, TASK_CANCELLED, tx->now_ms);
        task->error = task_dependents_reason(id, status);
    }
    return true;
}

static Task *new_task(const TaskTx *tx, const Creation *self)
{
    const CreateArgs *args = self->args;
    Task *task = g_new0(Task, 1);
    task->type = g_strdup(args->type);
    task->description = g_strdup(args->description);
    task->payload = g_strdup(self->payload);
    task->project_path = g_strdup(self->project_path);
    task->run_id = g_strdup(args->run_id);
    task->idempotency_key = g_strdup(args->idempotency_key);
    task->input_digest = g_strdup(self->digest);
    task->priority = args->priority;
    task->max_attempts = args->max_attempts;
    task->is_cancelled_with_dependency = strcmp(args->on_dependency_failure, "cancel") == 0;
    task->created_at = task->updated_at = tx->now_ms;
    task_set_pending(task, tx->now_ms,
                     self->available_at ? self->available_at
                                        : tx->now_ms + args->delay_seconds * 1000);
    return task;
}

/* task->id stays 0 when another process was first with the key. */
static bool insert_task(TaskTx *tx, Task *task, GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    bool has_row = false;
    if (!task_sql_query(
            tx->sql, &rows, error,
            "INSERT INTO @task (type, description, status, payload, project_path, error,"
            " priority, run_id, max_attempts, available_at, delayed_until, blockers,"
            " idempotency_key, input_digest, on_dependency_failure, created_at,"
            " updated_at, finished_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING RETURNING id",
            "ssssssisiitisssiit", task->type, task->description, task_status_name(task->status),
            task->payload, task->project_path, task->error, task->priority, task->run_id,
            task->max_attempts, task->available_at, task->delayed_until, task->blockers,
            task->idempotency_key, task->input_digest,
            task->is_cancelled_with_dependency ? "cancel" : "block", task->created_at,
            task->updated_at, task->finished_at) ||
        !task_rows_next(rows, &has_row, error))
        return false;
    task->id = has_row ? task_rows_int(rows, 0) : 0;
    while (has_row)
        if (!task_rows_next(rows, &has_row, error))
            return false;
    return true;
}

static bool insert_dependencies(TaskTx *tx, const Creation *self, int64_t id, GError **error)
{
    for (unsigned i = 0; i < self->depends_on->len; i++)
        if (!task_sql_run(tx->sql, error,
                          "INSERT INTO @task_dep (task_id, depends_on) VALUES (?, ?)", "ii", id,
                          g_array_index(self->depends_on, int64_t, i)))
            return false;
    return true;
}

static bool create_new(TaskTx *tx, Creation *self, GError **error)
{
    g_autoptr(Task) task = new_task(tx, self);
    for (unsigned i = 0; i < self->depends_on->len; i++)
        if (!look_at_dependency(tx, g_array_index(self->depends_on, int64_t, i), task, error))
            return false;
    if (!insert_task(tx, task, error))
        return false;
    if (task->id == 0)
        return find_earlier(tx, self, error);
    tx->has_woken = task->status == TASK_PENDING;
    return insert_dependencies(tx, self, task->id, error) &&
           task_add_event(tx, task->id, TASK_NO_STATUS, task->status, NULL,
                          task->error ? task->error : "created", error) &&
           task_tx_finish(tx, self, task, true, error);
}

static bool create_body(TaskTx *tx, void *data, GError **error)
{
    Creation *self = data;
    g_clear_pointer(&self->data, json_decref);
    if (self->digest && !find_earlier(tx, self, error))
        return false;
    if (!self->data && !create_new(tx, self, error))
        return false;
    // who was first with the key has pruned the task since
    return self->data || fail_with(error, KEDGE_ERROR_TIMEOUT, "task store: lost a race");
}

static bool create_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    g_auto(Creation) creation = { 0 };
    const TaskQueue queue = { call, ((const CreateArgs *)args)->db, answer };
    if (!creation_prepare(&creation, args, call->cancel, error) ||
        !task_queue_run(&queue, TASK_CHANGES, create_body, &creation, error))
        return false;
    answer_set_data(answer, g_steal_pointer(&creation.data));
    return true;
}

static const FieldDef create_output[] = {
    TASK_RECORD_FIELDS,
    { "created", FIELD_BOOLEAN, 0, .is_required = true,
      .help = "false: an earlier call had made it with this idempotencyKey" },
    { 0 },
};

static const OperationExample create_examples[] = {
    { "kedge agent-tools task create --type check-annotations --description \"Review open "
      "annotations\" --payload '{\"severity\": \"high\"}' --project /srv/app --priority 5",
      "{\"type\": \"check-annotations\", \"description\": \"Review open annotations\", "
      "\"payload\": {\"severity\": \"high\"}, \"projectPath\": \"/srv/app\", \"priority\": 5}",
      TASK_EXAMPLE_PENDING(", \"created\": true") },
    { "kedge agent-tools task create --type deploy --description \"Deploy main\" --depends-on 7,8 "
      "--on-dependency-failure cancel --max-attempts 1",
      "{\"type\": \"deploy\", \"description\": \"Deploy main\", \"dependsOn\": [7, 8], "
      "\"onDependencyFailure\": \"cancel\", \"maxAttempts\": 1}",
      NULL },
    { 0 },
};

const OperationDef operation_task_create = {
    .tool = OPERATION_TOOL(
        create, CreateArgs, TOOL_CHANGES_RECORDS, .name = "task_create",
        .label = "Create queue task", .summary = "Add a task to the queue",
        .description = "Adds a task to the durable queue that worker processes share. It is picked "
                       "up once all tasks of dependsOn are completed, the highest priority first. "
                       "With an idempotencyKey a repeated call gives the task of the first."),
    TASK_PARTS(create, create_output),
};
