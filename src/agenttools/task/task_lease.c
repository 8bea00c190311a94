/*
 * agent-tools task heartbeat, release, retry (agent-tools-cli §3.5): a task in progress is kept or
 * given back, and a failed one gets another life.
 */
#include "agenttools/agenttools.h"
#include "agenttools/task/task_args.h"
#include "agenttools/task/task_examples.h"
#include "agenttools/task/task_queue.h"

typedef struct LeaseArgs { // each operation has a part of them
    const char *db, *lease_token;
    int64_t id, lease_seconds;
    bool has_lease_seconds;
} LeaseArgs;

typedef struct LeaseCall {
    const LeaseArgs *args;
    json_t *data;
} LeaseCall;

static bool lease_run(OperationCall *call, const LeaseArgs *args, TaskBody body, Answer *answer,
                      GError **error)
{
    const TaskQueue queue = { call, args->db, answer };
    LeaseCall lease = { .args = args };
    bool is_good = task_queue_run(&queue, TASK_CHANGES, body, &lease, error);
    if (is_good)
        answer_set_data(answer, g_steal_pointer(&lease.data));
    json_decref(lease.data);
    return is_good;
}

static bool load_held(TaskTx *tx, const LeaseArgs *args, const char *done, Task **ret_task,
                      GError **error)
{
    g_autoptr(Task) task = NULL;
    if (!task_load(tx, args->id, &task, error))
        return false;
    if (task->status != TASK_IN_PROGRESS)
        return task_fail_state(task, "in_progress", done, error);
    if (!task_check_token(task, args->lease_token, error))
        return false;
    *ret_task = g_steal_pointer(&task);
    return true;
}

/* As long as asked for, else as long as it was given the last time. */
static void task_extend(Task *task, const LeaseArgs *args, int64_t now_ms)
{
    bool is_endless = task->lease_expires_at == 0;
    int64_t length_ms = is_endless ? 0 : task->lease_expires_at - task->heartbeat_at;
    if (args->has_lease_seconds)
        length_ms = args->lease_seconds * 1000;
    task->heartbeat_at = now_ms;
    task->lease_expires_at = length_ms > 0 ? now_ms + length_ms : 0;
}

static bool heartbeat_body(TaskTx *tx, void *data, GError **error)
{
    LeaseCall *self = data;
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref);
    if (!task_load(tx, self->args->id, &task, error))
        return false;
    bool is_cancelled = task->status == TASK_CANCELLED;
    if (!is_cancelled) {
        g_clear_pointer(&task, task_free);
        if (!load_held(tx, self->args, "extended", &task, error))
            return false;
        task_extend(task, self->args, tx->now_ms);
        if (!task_save(tx, task, error))
            return false;
    }
    self->data = json_object();
    json_set_int(self->data, "id", task->id);
    json_set_bool(self->data, "cancelled", is_cancelled);
    json_set_take(self->data, "lease", task_lease_to_json(task));
    return true;
}

static bool heartbeat_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    return lease_run(call, args, heartbeat_body, answer, error);
}

static bool release_body(TaskTx *tx, void *data, GError **error)
{
    LeaseCall *self = data;
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref);
    if (!load_held(tx, self->args, "released", &task, error))
        return false;
    g_autofree char *worker = g_strdup(task->lease_owner);
    task->attempts--;
    task_set_pending(task, tx->now_ms, tx->now_ms);
    return task_move(tx, task, TASK_IN_PROGRESS, worker, "released", error) &&
           task_record(tx, task, &self->data, error);
}

static bool release_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    return lease_run(call, args, release_body, answer, error);
}

static bool retry_body(TaskTx *tx, void *data, GError **error)
{
    LeaseCall *self = data;
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref);
    if (!task_load(tx, self->args->id, &task, error))
        return false;
    if (task->status != TASK_FAILED)
        return task_fail_state(task, "failed", "retried", error);
    task->attempts = 0;
    task_set_text(&task->error, NULL);
    task_set_pending(task, tx->now_ms, tx->now_ms);
    return task_move(tx, task, TASK_FAILED, NULL, "retried", error) &&
           task_record(tx, task, &self->data, error);
}

static bool retry_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    return lease_run(call, args, retry_body, answer, error);
}

static const FieldDef heartbeat_fields[] = {
    TASK_ID_FIELD(LeaseArgs),
    TASK_TOKEN_FIELD(LeaseArgs, true),
    { "leaseSeconds", FIELD_INTEGER, offsetof(LeaseArgs, lease_seconds), .min = 0,
      .max = TASK_LEASE_SECONDS_MAX, .has_offset = offsetof(LeaseArgs, has_lease_seconds),
      .flag = "lease", .value_name = "SECONDS",
      .help = "The lease's length from now; 0: never expires; default: as the last time" },
    TASK_DB_FIELD(LeaseArgs),
    { 0 },
};

static const FieldDef release_fields[] = {
    TASK_ID_FIELD(LeaseArgs),
    TASK_TOKEN_FIELD(LeaseArgs, true),
    TASK_DB_FIELD(LeaseArgs),
    { 0 },
};

static const FieldDef retry_fields[] = {
    TASK_ID_FIELD(LeaseArgs),
    TASK_DB_FIELD(LeaseArgs),
    { 0 },
};

static const FieldDef record_output[] = { TASK_RECORD_FIELDS, { 0 } };

static const FieldDef heartbeat_output[] = {
    { "id", FIELD_INTEGER, 0, .is_required = true, .help = "The task" },
    { "cancelled", FIELD_BOOLEAN, 0, .is_required = true,
      .help = "The task was cancelled: stop working on it" },
    { "lease", FIELD_OBJECT, 0, .item_fields = task_lease_fields,
      .help = "The extended lease; null when cancelled" },
    { 0 },
};

static const OperationExample heartbeat_examples[] = {
    { "kedge agent-tools task heartbeat --id 7 --lease-token 5f0c2a9b7d1e4c3889aa00bb11cc22dd",
      "{\"id\": 7, \"leaseToken\": \"5f0c2a9b7d1e4c3889aa00bb11cc22dd\"}",
      "{\"id\": 7, \"cancelled\": false, \"lease\": " TASK_EXAMPLE_LEASE "}" },
    { "kedge agent-tools task heartbeat 7 --lease-token 5f0c2a9b7d1e4c3889aa00bb11cc22dd --lease "
      "3600",
      "{\"id\": 7, \"leaseToken\": \"5f0c2a9b7d1e4c3889aa00bb11cc22dd\", \"leaseSeconds\": 3600}",
      "{\"id\": 7, \"cancelled\": true, \"lease\": null}" },
    { 0 },
};

static const OperationExample release_examples[] = {
    { "kedge agent-tools task release --id 7 --lease-token 5f0c2a9b7d1e4c3889aa00bb11cc22dd",
      "{\"id\": 7, \"leaseToken\": \"5f0c2a9b7d1e4c3889aa00bb11cc22dd\"}",
      TASK_EXAMPLE_PENDING("") },
    { "echo '{\"id\": 7, \"leaseToken\": \"5f0c2a9b7d1e4c3889aa00bb11cc22dd\"}' | kedge "
      "agent-tools "
      "task release --json",
      "{\"id\": 7, \"leaseToken\": \"5f0c2a9b7d1e4c3889aa00bb11cc22dd\"}", NULL },
    { 0 },
};

static const OperationExample retry_examples[] = {
    { "kedge agent-tools task retry --id 7", "{\"id\": 7}", TASK_EXAMPLE_PENDING("") },
    { "kedge agent-tools task retry 7", "{\"id\": 7}", NULL },
    { 0 },
};

const OperationDef operation_task_heartbeat = {
    .tool = { .name = "task_heartbeat",
              .label = "Keep queue task",
              .summary = "Extend the lease of a task",
              .description = "Says that the worker is alive and extends its lease. cancelled: true "
                             "means that the task was called off: stop working on it.",
              .fields = heartbeat_fields,
              OPERATION_OF(LeaseArgs, OPERATION_FLAGS | TOOL_CHANGES_RECORDS | TOOL_IDEMPOTENT) },
    TASK_PARTS(heartbeat, heartbeat_output),
    .words = task_id_words,
};

const OperationDef operation_task_release = {
    .tool = { .name = "task_release",
              .label = "Release queue task",
              .summary = "Give a task back unworked",
              .description = "Gives a task in progress back to the queue; the attempt does not "
                             "count.",
              .fields = release_fields,
              OPERATION_OF(LeaseArgs, OPERATION_FLAGS | TOOL_CHANGES_RECORDS) },
    TASK_PARTS(release, record_output),
    .words = task_id_words,
};

const OperationDef operation_task_retry = {
    .tool = { .name = "task_retry",
              .label = "Retry queue task",
              .summary = "Put a failed task back into the queue",
              .description = "Puts a task that failed for good back into the queue, with all its "
                             "tries.",
              .fields = retry_fields,
              OPERATION_OF(LeaseArgs, OPERATION_FLAGS | TOOL_CHANGES_RECORDS) },
    TASK_PARTS(retry, record_output),
    .words = task_id_words,
};
