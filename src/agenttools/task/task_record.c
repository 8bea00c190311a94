/*
 * A queue task: from its row, and to the record of an answer (task_record.h).
 */
#include "agenttools/task/task_record.h"

#include "base/timefmt.h"

static const char *const status_names[] = {
    [TASK_PENDING] = "pending", [TASK_IN_PROGRESS] = "in_progress", [TASK_COMPLETED] = "completed",
    [TASK_FAILED] = "failed",   [TASK_CANCELLED] = "cancelled",     [TASK_NO_STATUS] = NULL,
};

const char *task_status_name(TaskStatus status)
{
    return status_names[status];
}

TaskStatus task_status_of(const char *name)
{
    TaskStatus status = TASK_PENDING;
    while (status < TASK_NO_STATUS && g_strcmp0(status_names[status], name) != 0)
        status++;
    return status;
}

void task_free(Task *self)
{
    if (!self)
        return;
    g_free(self->type);
    g_free(self->description);
    g_free(self->payload);
    g_free(self->result);
    g_free(self->project_path);
    g_free(self->error);
    g_free(self->run_id);
    g_free(self->idempotency_key);
    g_free(self->input_digest);
    g_free(self->lease_owner);
    g_free(self->lease_token);
    g_free(self);
}

int task_compare_ids(const void *a, const void *b, void *data)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

typedef struct RowReader {
    TaskRows *rows;
    int column;
} RowReader;

static char *next_text(RowReader *self)
{
    return g_strdup(task_rows_text(self->rows, self->column++));
}

static int64_t next_int(RowReader *self)
{
    return task_rows_int(self->rows, self->column++);
}

Task *task_from_row(TaskRows *rows)
{
    RowReader reader = { .rows = rows };
    Task *self = g_new0(Task, 1);
    self->id = next_int(&reader);
    self->type = next_text(&reader);
    self->description = next_text(&reader);
    self->status = task_status_of(task_rows_text(rows, reader.column++));
    self->payload = next_text(&reader);
    self->result = next_text(&reader);
    self->project_path = next_text(&reader);
    self->error = next_text(&reader);
    self->run_id = next_text(&reader);
    self->idempotency_key = next_text(&reader);
    self->input_digest = next_text(&reader);
    self->priority = next_int(&reader);
    self->attempts = next_int(&reader);
    self->max_attempts = next_int(&reader);
    self->available_at = next_int(&reader);
    self->delayed_until = next_int(&reader);
    self->blockers = next_int(&reader);
    self->is_cancelled_with_dependency =
        g_strcmp0(task_rows_text(rows, reader.column++), "cancel") == 0;
    self->lease_owner = next_text(&reader);
    self->lease_token = next_text(&reader);
    self->lease_expires_at = next_int(&reader);
    self->heartbeat_at = next_int(&reader);
    self->created_at = next_int(&reader);
    self->updated_at = next_int(&reader);
    self->started_at = next_int(&reader);
    self->finished_at = next_int(&reader);
    return self;
}

json_t *task_time_to_json(int64_t at)
{
    if (at == 0)
        return json_null();
    g_autofree char *text = time_format_iso(at);
    return json_text(text);
}

/* Text of our own making; what somebody else wrote there is shown as null. */
static json_t *stored_json(const char *text)
{
    json_t *value = NULL;
    return text && json_parse_text(text, &value, NULL) ? value : json_null();
}

void task_add_dependency(json_t *depends_on, json_t *blocked_by, int64_t id, const char *status)
{
    json_append_take(depends_on, json_integer(id));
    if (status && task_status_of(status) != TASK_COMPLETED)
        json_append_take(blocked_by, json_integer(id));
}

json_t *task_lease_to_json(const Task *self)
{
    if (self->status != TASK_IN_PROGRESS)
        return json_null();
    return json_make("owner:%s? expiresAt:%p heartbeatAt:%p", self->lease_owner,
                     task_time_to_json(self->lease_expires_at),
                     task_time_to_json(self->heartbeat_at));
}

json_t *task_to_json(const Task *self, json_t *depends_on, json_t *blocked_by)
{
    json_t *record = json_object();
    json_set_int(record, "id", self->id);
    json_set_text(record, "type", self->type);
    json_set_text(record, "description", self->description);
    json_set_text(record, "status", task_status_name(self->status));
    json_set_take(record, "payload", stored_json(self->payload));
    json_set_take(record, "projectPath", json_text(self->project_path));
    json_set_take(record, "result", stored_json(self->result));
    json_set_take(record, "error", json_text(self->error));
    json_set_take(record, "createdAt", task_time_to_json(self->created_at));
    json_set_take(record, "updatedAt", task_time_to_json(self->updated_at));
    json_set_int(record, "priority", self->priority);
    json_set_take(record, "runId", json_text(self->run_id));
    json_set_take(record, "dependsOn", depends_on);
    json_set_take(record, "blockedBy", blocked_by);
    json_set_int(record, "attempts", self->attempts);
    json_set_int(record, "maxAttempts", self->max_attempts);
    json_set_take(record, "availableAt", task_time_to_json(self->available_at));
    json_set_take(record, "idempotencyKey", json_text(self->idempotency_key));
    json_set_take(record, "lease", task_lease_to_json(self));
    json_set_take(record, "startedAt", task_time_to_json(self->started_at));
    json_set_take(record, "finishedAt", task_time_to_json(self->finished_at));
    return record;
}

const FieldDef task_lease_fields[] = {
    { "owner", FIELD_STRING, 0, .is_required = true, .help = "Worker that picked it up" },
    { "expiresAt", FIELD_STRING, 0, .help = "Time; null: never" },
    { "heartbeatAt", FIELD_STRING, 0, .is_required = true,
      .help = "Time of the last sign of life" },
    { 0 },
};
