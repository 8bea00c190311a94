/*
 * agent-tools task complete, fail, cancel (agent-tools-cli §3.5): how work on a task ends.
 */
#include "agenttools/agenttools.h"
#include "agenttools/task/task_args.h"
#include "agenttools/task/task_examples.h"
#include "agenttools/task/task_queue.h"

#define FIRST_DELAY_MS   5000 // of a task that failed and has tries left
#define LONGEST_DELAY_MS (300 * 1000)

typedef struct FinishArgs { // each operation has a part of them
    const char *db, *lease_token;
    const char *error_text, *failure, *reason; // fail: two names of one thing; cancel
    const json_t *result;                      // complete
    int64_t id;
    bool is_final; // fail: not tried again
} FinishArgs;

typedef struct Finish {
    const FinishArgs *args;
    char *result;      // JSON text
    const char *error; // of fail
    json_t *data;
} Finish;

static void finish_clear(Finish *self)
{
    g_free(self->result);
    json_decref(self->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Finish, finish_clear)

static bool finish_run(OperationCall *call, Finish *self, TaskBody body, Answer *answer,
                       GError **error)
{
    const TaskQueue queue = { call, self->args->db, answer };
    if (!task_queue_run(&queue, TASK_CHANGES, body, self, error))
        return false;
    answer_set_data(answer, g_steal_pointer(&self->data));
    return true;
}

static bool complete_body(TaskTx *tx, void *data, GError **error)
{
    Finish *self = data;
    const FinishArgs *args = self->args;
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref);
    if (!task_load(tx, args->id, &task, error))
        return false;
    bool is_its_own = args->lease_token && g_strcmp0(task->lease_token, args->lease_token) == 0;
    if (task->status == TASK_COMPLETED && is_its_own) // the answer to the first call was lost
        return task_record(tx, task, &self->data, error);
    if (task->status != TASK_IN_PROGRESS)
        return task_fail_state(task, "in_progress", "completed", error);
    if (!task_check_token(task, args->lease_token, error))
        return false;
    task_set_text(&task->result, self->result);
    task_set_text(&task->error, NULL);
    task_set_finished(task, TASK_COMPLETED, tx->now_ms);
    return task_move(tx, task, TASK_IN_PROGRESS, task->lease_owner, NULL, error) &&
           task_record(tx, task, &self->data, error);
}

static bool complete_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    g_auto(Finish) finish = { .args = args };
    return task_json_text("result", finish.args->result, &finish.result, error) &&
           finish_run(call, &finish, complete_body, answer, error);
}

static int64_t delay_after(int64_t attempts)
{
    int64_t delay_ms = FIRST_DELAY_MS;
    for (int64_t i = 1; i < attempts && delay_ms < LONGEST_DELAY_MS; i++)
        delay_ms *= 2;
    return MIN(delay_ms, LONGEST_DELAY_MS);
}

static bool fail_body(TaskTx *tx, void *data, GError **error)
{
    Finish *self = data;
    const FinishArgs *args = self->args;
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref);
    if (!task_load(tx, args->id, &task, error))
        return false;
    if (task->status != TASK_IN_PROGRESS)
        return task_fail_state(task, "in_progress", "failed", error);
    if (!task_check_token(task, args->lease_token, error))
        return false;
    g_autofree char *worker = g_strdup(task->lease_owner);
    bool will_retry = task->attempts < task->max_attempts && !args->is_final;
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
    const FinishArgs *args = args_;
    g_auto(Finish) finish = { .args = args };
    if (args->failure && args->error_text && strcmp(args->failure, args->error_text) != 0)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Validation failed: error and result are two names of one text");
    finish.error = args->error_text ? args->error_text : args->failure;
    return task_check_size("error", finish.error, error) &&
           finish_run(call, &finish, fail_body, answer, error);
}

static bool cancel_body(TaskTx *tx, void *data, GError **error)
{
    Finish *self = data;
    const FinishArgs *args = self->args;
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref);
    if (!task_load(tx, args->id, &task, error))
        return false;
    if (task->status != TASK_PENDING && task->status != TASK_IN_PROGRESS)
        return task_fail_state(task, "pending or in_progress", "cancelled", error);
    TaskStatus from = task->status;
    task_set_text(&task->error, args->reason);
    task_set_finished(task, TASK_CANCELLED, tx->now_ms);
    return task_move(tx, task, from, task->lease_owner, args->reason, error) &&
           task_record(tx, task, &self->data, error);
}

static bool cancel_run(OperationCall *call, const void *args, Answer *answer, GError **error)
{
    g_auto(Finish) finish = { .args = args };
    return finish_run(call, &finish, cancel_body, answer, error);
}

static const FieldDef complete_fields[] = {
    TASK_ID_FIELD(FinishArgs),
    { "result", FIELD_JSON, offsetof(FinishArgs, result), .is_json_or_text = true,
      .value_name = "RESULT",
      .help = "What came of it: any JSON up to 1 MiB; on the command line "
              "a JSON object or array, else text" },
    TASK_TOKEN_FIELD(FinishArgs, false),
    TASK_DB_FIELD(FinishArgs),
    { 0 },
};

static const FieldDef fail_fields[] = {
    TASK_ID_FIELD(FinishArgs),
    { "error", FIELD_STRING, offsetof(FinishArgs, error_text), .value_name = "TEXT",
      .help = "What went wrong" },
    { "result", FIELD_STRING, offsetof(FinishArgs, failure), .value_name = "TEXT",
      .help = "Another name of error" },
    TASK_TOKEN_FIELD(FinishArgs, false),
    { "noRetry", FIELD_BOOLEAN, offsetof(FinishArgs, is_final),
      .help = "Do not try again, even with tries left" },
    TASK_DB_FIELD(FinishArgs),
    { 0 },
};

static const FieldDef cancel_fields[] = {
    TASK_ID_FIELD(FinishArgs),
    { "reason", FIELD_STRING, offsetof(FinishArgs, reason), .max_chars = 10000,
      .value_name = "TEXT", .help = "Why; becomes the task's error" },
    TASK_DB_FIELD(FinishArgs),
    { 0 },
};

static const FieldDef record_output[] = { TASK_RECORD_FIELDS, { 0 } };

static const FieldDef fail_output[] = {
    TASK_RECORD_FIELDS,
    { "willRetry", FIELD_BOOLEAN, 0, .is_required = true, .help = "It is pending again" },
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

static const OperationExample fail_examples[] = {
    { "kedge agent-tools task fail --id 7 --error \"timeout talking to CI\"",
      "{\"id\": 7, \"error\": \"timeout talking to CI\"}",
      TASK_EXAMPLE_TRIED(", \"willRetry\": true") },
    { "kedge agent-tools task fail --id 7 --error \"no such branch\" --no-retry",
      "{\"id\": 7, \"error\": \"no such branch\", \"noRetry\": true}",
      TASK_EXAMPLE_FAILED(", \"willRetry\": false") },
    { 0 },
};

static const OperationExample cancel_examples[] = {
    { "kedge agent-tools task cancel --id 7 --reason superseded",
      "{\"id\": 7, \"reason\": \"superseded\"}", TASK_EXAMPLE_CANCELLED },
    { "kedge agent-tools task cancel 7", "{\"id\": 7}", NULL },
    { 0 },
};

const OperationDef operation_task_complete = {
    .tool = { .name = "task_complete",
              .label = "Complete queue task",
              .summary = "Say that a task is done",
              .description = "Ends a task that is in progress; tasks that waited for it may now be "
                             "picked up. With the lease token of pickup a repeated call is "
                             "answered like the first.",
              .fields = complete_fields,
              OPERATION_OF(FinishArgs, OPERATION_FLAGS | TOOL_CHANGES_RECORDS) },
    TASK_PARTS(complete, record_output),
    .words = task_id_words,
};

const OperationDef operation_task_fail = {
    .tool = { .name = "task_fail",
              .label = "Fail queue task",
              .summary = "Say that a task could not be done",
              .description = "Gives a task in progress back for another try after a while, or, "
                             "when it has no tries left, ends it as failed. willRetry says which.",
              .fields = fail_fields,
              OPERATION_OF(FinishArgs, OPERATION_FLAGS | TOOL_CHANGES_RECORDS) },
    TASK_PARTS(fail, fail_output),
    .words = task_id_words,
};

const OperationDef operation_task_cancel = {
    .tool = { .name = "task_cancel",
              .label = "Cancel queue task",
              .summary = "Call a task off",
              .description = "Cancels a task that is pending or in progress; its worker learns of "
                             "it at the next heartbeat. Tasks that asked for it are cancelled with "
                             "it.",
              .fields = cancel_fields,
              OPERATION_OF(FinishArgs, OPERATION_FLAGS | TOOL_CHANGES_RECORDS | TOOL_CAN_DESTROY) },
    TASK_PARTS(cancel, record_output),
    .words = task_id_words,
};
