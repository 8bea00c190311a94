/*
 * agent-tools task complete, fail, cancel, heartbeat, release, retry (agent-tools-cli §3.5): how
 * work on a task ends, is kept or given back, and how a failed task gets another life.
 */
#include "agenttools/agenttools.h"
#include "agenttools/task/task_args.h"
#include "agenttools/task/task_examples.h"
#include "agenttools/task/task_queue.h"

#define FIRST_DELAY_MS   5000 // of a task that failed and has tries left
#define LONGEST_DELAY_MS (300 * 1000)

typedef struct ChangeArgs { // each operation has a part of them
    const char *db, *lease_token;
    const char *error_text, *failure, *reason; // fail: two names of one thing; cancel
    const json_t *result;                      // complete
    int64_t id, lease_seconds;
    bool has_lease_seconds;
    bool is_final; // fail: not tried again
} ChangeArgs;

typedef struct Change {
    const ChangeArgs *args;
    char *result;      // of complete, JSON text
    const char *error; // of fail
    json_t *data;      // the answer
} Change;

static void change_clear(Change *self)
{
    g_free(self->result);
    json_decref(self->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Change, change_clear)

static bool change_run(OperationCall *call, Change *self, TaskBody body, Answer *answer,
                       GError **error)
{
    const TaskQueue queue = { call, self->args->db, answer };
    if (!task_queue_run(&queue, TASK_CHANGES, body, self, error))
        return false;
    answer_set_data(answer, g_steal_pointer(&self->data));
    return true;
}

/* Is it in one of `statuses` (bits of TaskStatus), and held with the token, when one is given?
   `only` and `done` are for the refusal. */
static bool change_check(const Task *task, const Change *self, unsigned statuses, const char *only,
                         const char *done, GError **error)
{
    if (!(statuses & 1u << task->status))
        return task_fail_state(task, only, done, error);
    return task_check_token(task, self->args->lease_token, error);
}

static bool change_load(TaskTx *tx, Change *self, unsigned statuses, const char *only,
                        const char *done, Task **ret_task, GError **error)
{
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref); // of a try before
    if (!task_load(tx, self->args->id, &task, error) ||
        !change_check(task, self, statuses, only, done, error))
        return false;
    *ret_task = g_steal_pointer(&task);
    return true;
}

static const FieldDef record_output[] = { TASK_RECORD_FIELDS, { 0 } };

// ---- complete ----

static bool complete_body(TaskTx *tx, void *data, GError **error)
{
    Change *self = data;
    const char *token = self->args->lease_token;
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref);
    if (!task_load(tx, self->args->id, &task, error))
        return false;
    bool is_its_own = token && g_strcmp0(task->lease_token, token) == 0;
    if (task->status == TASK_COMPLETED && is_its_own) // the answer to the first call was lost
        return task_record(tx, task, &self->data, error);
    if (!change_check(task, self, 1u << TASK_IN_PROGRESS, "in_progress", "completed", error))
        return false;
    task_set_text(&task->result, self->result);
    task_set_text(&task->error, NULL);
    task_set_finished(task, TASK_COMPLETED, tx->now_ms);
    return task_move(tx, task, TASK_IN_PROGRESS, task->lease_owner, NULL, error) &&
           task_record(tx, task, &self->data, error);
}

static bool complete_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    g_auto(Change) change = { .args = args };
    return task_json_text("result", change.args->result, &change.result, error) &&
           change_run(call, &change, complete_body, answer, error);
}

static const FieldDef complete_fields[] = {
    TASK_ID_FIELD(ChangeArgs),
    { "result", FIELD_JSON, offsetof(ChangeArgs, result), .is_json_or_text = true,
      .value_name = "RESULT",
      .help = "What came of it: any JSON up to 1 MiB; on the command line "
              "a JSON object or array, else text" },
    TASK_TOKEN_FIELD(ChangeArgs, false),
    TASK_DB_FIELD(ChangeArgs),
    { 0 },
};

static const OperationExample complete_examples[] = {
    { "kedge agent-tools task complete --id 7 --result '{\"resolved\": 3}' --lease-token "
      "5f0c2a9b7d1e4c3889aa00bb11cc22dd",
      "{\"id\": 7, \"result\": {\"resolved\": 3}, "
      "\"leaseToken\": \"5f0c2a9b7d1e4c3889aa00bb11cc22dd\"}",
      TASK_EXAMPLE_COMPLETED },
    { "kedge agent-tools task complete --id 7 --result \"all annotations resolved\"",
      "{\"id\": 7, \"result\": \"all annotations resolved\"}", NULL },
    { 0 },
};

const OperationDef operation_task_complete = {
    .tool = OPERATION_TOOL(
        complete, ChangeArgs, TOOL_CHANGES_RECORDS, .name = "task_complete",
        .label = "Complete queue task", .summary = "Say that a task is done",
        .description =
            "Ends a task that is in progress; tasks that waited for it may now be picked up. With "
            "the lease token of pickup a repeated call is answered like the first."),
    TASK_PARTS(complete, record_output),
    .words = task_id_words,
};

// ---- fail ----

static int64_t delay_after(int64_t attempts)
{
    int64_t delay_ms = FIRST_DELAY_MS;
    for (int64_t i = 1; i < attempts && delay_ms < LONGEST_DELAY_MS; i++)
        delay_ms *= 2;
    return MIN(delay_ms, LONGEST_DELAY_MS);
}

static bool fail_body(TaskTx *tx, void *data, GError **error)
{
    Change *self = data;
    g_autoptr(Task) task = NULL;
    if (!change_load(tx, self, 1u << TASK_IN_PROGRESS, "in_progress", "failed", &task, error))
        return false;
    g_autofree char *worker = g_strdup(task->lease_owner);
    bool will_retry = task->attempts < task->max_attempts && !self->args->is_final;
    task_set_text(&task->error, self->error);
    if (will_retry)
        task_set_pending(task, tx->now_ms, tx->now_ms + delay_after(task->attempts));
    else
        task_set_finished(task, TASK_FAILED, tx->now_ms);
    if (!task_move(tx, task, TASK_IN_PROGRESS, worker, self->error, error) ||
        !task_record(tx, task, &self->data, error))
        return false;
    json_set_bool(self->data, "willRetry", will_retry);
    return true;
}

static bool fail_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ChangeArgs *args = args_;
    g_auto(Change) change = { .args = args };
    if (args->failure && args->error_text && strcmp(args->failure, args->error_text) != 0)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Validation failed: error and result are two names of one text");
    change.error = args->error_text ? args->error_text : args->failure;
    return task_check_size("error", change.error, error) &&
           change_run(call, &change, fail_body, answer, error);
}

static const FieldDef fail_fields[] = {
    TASK_ID_FIELD(ChangeArgs),
    { "error", FIELD_STRING, offsetof(ChangeArgs, error_text), .value_name = "TEXT",
      .help = "What went wrong" },
    { "result", FIELD_STRING, offsetof(ChangeArgs, failure), .value_name = "TEXT",
      .help = "Another name of error" },
    TASK_TOKEN_FIELD(ChangeArgs, false),
    { "noRetry", FIELD_BOOLEAN, offsetof(ChangeArgs, is_final),
      .help = "Do not try again, even with tries left" },
    TASK_DB_FIELD(ChangeArgs),
    { 0 },
};

static const FieldDef fail_output[] = {
    TASK_RECORD_FIELDS,
    { "willRetry", FIELD_BOOLEAN, 0, .is_required = true, .help = "It is pending again" },
    { 0 },
};

static const OperationExample fail_examples[] = {
    { "kedge agent-tools task fail --id 7 --error \"timeout talking to CI\"",
      "{\"id\": 7, \"error\": \"timeout talking to CI\"}",
      TASK_EXAMPLE_TRIED(", \"willRetry\": true") },
    { "kedge agent-tools task fail --id 7 --error \"no such branch\" --no-retry",
      "{\"id\": 7, \"error\": \"no such branch\", \"noRetry\": true}",
      TASK_EXAMPLE_FAILED(", \"willRetry\": false") },
    { 0 },
};

const OperationDef operation_task_fail = {
    .tool = OPERATION_TOOL(
        fail, ChangeArgs, TOOL_CHANGES_RECORDS, .name = "task_fail", .label = "Fail queue task",
        .summary = "Say that a task could not be done",
        .description = "Gives a task in progress back for another try after a while, or, when it "
                       "has no tries left, ends it as failed. willRetry says which."),
    TASK_PARTS(fail, fail_output),
    .words = task_id_words,
};

// ---- cancel ----

static bool cancel_body(TaskTx *tx, void *data, GError **error)
{
    Change *self = data;
    const char *reason = self->args->reason;
    g_autoptr(Task) task = NULL;
    if (!change_load(tx, self, 1u << TASK_PENDING | 1u << TASK_IN_PROGRESS,
                     "pending or in_progress", "cancelled", &task, error))
        return false;
    TaskStatus from = task->status;
    task_set_text(&task->error, reason);
    task_set_finished(task, TASK_CANCELLED, tx->now_ms);
    return task_move(tx, task, from, task->lease_owner, reason, error) &&
           task_record(tx, task, &self->data, error);
}

static bool cancel_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    g_auto(Change) change = { .args = args };
    return change_run(call, &change, cancel_body, answer, error);
}

static const FieldDef cancel_fields[] = {
    TASK_ID_FIELD(ChangeArgs),
    { "reason", FIELD_STRING, offsetof(ChangeArgs, reason), .max_chars = 10000,
      .value_name = "TEXT", .help = "Why; becomes the task's error" },
    TASK_DB_FIELD(ChangeArgs),
    { 0 },
};

static const OperationExample cancel_examples[] = {
    { "kedge agent-tools task cancel --id 7 --reason superseded",
      "{\"id\": 7, \"reason\": \"superseded\"}", TASK_EXAMPLE_CANCELLED },
    { "kedge agent-tools task cancel 7", "{\"id\": 7}", NULL },
    { 0 },
};

const OperationDef operation_task_cancel = {
    .tool = OPERATION_TOOL(
        cancel, ChangeArgs, TOOL_CHANGES_RECORDS | TOOL_CAN_DESTROY, .name = "task_cancel",
        .label = "Cancel queue task", .summary = "Call a task off",
        .description = "Cancels a task that is pending or in progress; its worker learns of it at "
                       "the next heartbeat. Tasks that asked for it are cancelled with it."),
    TASK_PARTS(cancel, record_output),
    .words = task_id_words,
};

// ---- heartbeat ----

/* As long as asked for, else as long as it was given the last time. */
static void task_extend(Task *task, const ChangeArgs *args, int64_t now_ms)
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
    Change *self = data;
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref);
    if (!task_load(tx, self->args->id, &task, error))
        return false;
    bool is_cancelled = task->status == TASK_CANCELLED;
    if (!is_cancelled) {
        if (!change_check(task, self, 1u << TASK_IN_PROGRESS, "in_progress", "extended", error))
            return false;
        task_extend(task, self->args, tx->now_ms);
        if (!task_save(tx, task, error))
            return false;
    }
    self->data =
        json_make("id:%jd cancelled:%i lease:%p", task->id, is_cancelled, task_lease_to_json(task));
    return true;
}

static bool heartbeat_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    g_auto(Change) change = { .args = args };
    return change_run(call, &change, heartbeat_body, answer, error);
}

static const FieldDef heartbeat_fields[] = {
    TASK_ID_FIELD(ChangeArgs),
    TASK_TOKEN_FIELD(ChangeArgs, true),
    { "leaseSeconds", FIELD_INTEGER, offsetof(ChangeArgs, lease_seconds), .min = 0,
      .max = TASK_LEASE_SECONDS_MAX, .has_offset = offsetof(ChangeArgs, has_lease_seconds),
      .flag = "lease", .value_name = "SECONDS",
      .help = "The lease's length from now; 0: never expires; default: as the last time" },
    TASK_DB_FIELD(ChangeArgs),
    { 0 },
};

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

const OperationDef operation_task_heartbeat = {
    .tool = OPERATION_TOOL(
        heartbeat, ChangeArgs, TOOL_CHANGES_RECORDS | TOOL_IDEMPOTENT, .name = "task_heartbeat",
        .label = "Keep queue task", .summary = "Extend the lease of a task",
        .description = "Says that the worker is alive and extends its lease. cancelled: true means "
                       "that the task was called off: stop working on it."),
    TASK_PARTS(heartbeat, heartbeat_output),
    .words = task_id_words,
};

// ---- release ----

static bool release_body(TaskTx *tx, void *data, GError **error)
{
    Change *self = data;
    g_autoptr(Task) task = NULL;
    if (!change_load(tx, self, 1u << TASK_IN_PROGRESS, "in_progress", "released", &task, error))
        return false;
    g_autofree char *worker = g_strdup(task->lease_owner);
    task->attempts--;
    task_set_pending(task, tx->now_ms, tx->now_ms);
    return task_move(tx, task, TASK_IN_PROGRESS, worker, "released", error) &&
           task_record(tx, task, &self->data, error);
}

static bool release_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    g_auto(Change) change = { .args = args };
    return change_run(call, &change, release_body, answer, error);
}

static const FieldDef release_fields[] = {
    TASK_ID_FIELD(ChangeArgs),
    TASK_TOKEN_FIELD(ChangeArgs, true),
    TASK_DB_FIELD(ChangeArgs),
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

const OperationDef operation_task_release = {
    .tool = OPERATION_TOOL(
        release, ChangeArgs, TOOL_CHANGES_RECORDS, .name = "task_release",
        .label = "Release queue task", .summary = "Give a task back unworked",
        .description = "Gives a task in progress back to the queue; the attempt does not count."),
    TASK_PARTS(release, record_output),
    .words = task_id_words,
};

// ---- retry ----

static bool retry_body(TaskTx *tx, void *data, GError **error)
{
    Change *self = data;
    g_autoptr(Task) task = NULL;
    if (!change_load(tx, self, 1u << TASK_FAILED, "failed", "retried", &task, error))
        return false;
    task->attempts = 0;
    task_set_text(&task->error, NULL);
    task_set_pending(task, tx->now_ms, tx->now_ms);
    return task_move(tx, task, TASK_FAILED, NULL, "retried", error) &&
           task_record(tx, task, &self->data, error);
}

static bool retry_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    g_auto(Change) change = { .args = args };
    return change_run(call, &change, retry_body, answer, error);
}

static const FieldDef retry_fields[] = {
    TASK_ID_FIELD(ChangeArgs),
    TASK_DB_FIELD(ChangeArgs),
    { 0 },
};

static const OperationExample retry_examples[] = {
    { "kedge agent-tools task retry --id 7", "{\"id\": 7}", TASK_EXAMPLE_PENDING("") },
    { "kedge agent-tools task retry 7", "{\"id\": 7}", NULL },
    { 0 },
};

const OperationDef operation_task_retry = {
    .tool = OPERATION_TOOL(
        retry, ChangeArgs, TOOL_CHANGES_RECORDS, .name = "task_retry", .label = "Retry queue task",
        .summary = "Put a failed task back into the queue",
        .description = "Puts a task that failed for good back into the queue, with all its tries."),
    TASK_PARTS(retry, record_output),
    .words = task_id_words,
};
