/*
 * A queue task as the store holds it, and the record that operations answer with
 * (agent-tools-cli §3.2).
 */
#pragma once

#include "agenttools/task/task_sql.h"
#include "base/json.h"

typedef enum {
    TASK_PENDING,
    TASK_IN_PROGRESS,
    TASK_COMPLETED,
    TASK_FAILED,
    TASK_CANCELLED,
    TASK_NO_STATUS, // of a task before it was made
} TaskStatus;

#define TASK_STATUS_LIST "pending, in_progress, completed, failed, cancelled"

const char *task_status_name(TaskStatus status); // NULL for TASK_NO_STATUS
TaskStatus task_status_of(const char *name);     // TASK_NO_STATUS for any other text

typedef struct Task { // times in milliseconds; 0: none
    int64_t id;
    char *type, *description;
    TaskStatus status;
    char *payload, *result; // JSON text or NULL
    char *project_path, *error, *run_id, *idempotency_key, *input_digest;
    int64_t priority, attempts, max_attempts;
    int64_t available_at;
    int64_t delayed_until;             // available_at of a pending task, unless that has passed
    int64_t blockers;                  // dependencies that are not completed
    bool is_cancelled_with_dependency; // and not left blocked
    char *lease_owner, *lease_token;   // of the last who picked it up, but for pending tasks
    int64_t lease_expires_at;          // while in progress; 0: never
    int64_t heartbeat_at;
    int64_t created_at, updated_at, started_at, finished_at;
} Task;

void task_free(Task *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Task, task_free)

/* Of two int64_t, for sorting; `data` is not used. */
int task_compare_ids(const void *a, const void *b, void *data);

/* What task_from_row() reads, in this order. */
#define TASK_COLUMNS                                                                               \
    "id, type, description, status, payload, result, project_path, error, run_id, "                \
    "idempotency_key, input_digest, priority, attempts, max_attempts, available_at, "              \
    "delayed_until, blockers, on_dependency_failure, lease_owner, lease_token, "                   \
    "lease_expires_at, heartbeat_at, created_at, updated_at, started_at, finished_at"

/* The current row. Caller frees. */
Task *task_from_row(TaskRows *rows);

/* The TaskRecord; takes `depends_on` and `blocked_by`, arrays of ids. New reference. */
json_t *task_to_json(const Task *self, json_t *depends_on, json_t *blocked_by);
/* Adds one dependency to them; `status` is its text, NULL when it was completed and pruned. */
void task_add_dependency(json_t *depends_on, json_t *blocked_by, int64_t id, const char *status);
/* {owner, expiresAt, heartbeatAt}; JSON null when no one has the task. New reference. */
json_t *task_lease_to_json(const Task *self);
json_t *task_time_to_json(int64_t at); // JSON null for 0

/* The record's fields, for OperationDef.output. */
extern const FieldDef task_lease_fields[];
#define TASK_RECORD_FIELDS                                                                         \
    { "id", FIELD_INTEGER, 0, .is_required = true, .help = "Ascending, never used again" },        \
        { "type", FIELD_STRING, 0, .is_required = true, .help = "Kind of work" },                  \
        { "description", FIELD_STRING, 0, .is_required = true, .help = "What is to be done" },     \
        { "status", FIELD_STRING, 0, .is_required = true, .help = TASK_STATUS_LIST },              \
        { "payload", FIELD_JSON, 0, .help = "Data for the worker" },                               \
        { "projectPath", FIELD_STRING, 0, .help = "Project; null: global" },                       \
        { "result", FIELD_JSON, 0, .help = "What complete was given" },                            \
        { "error", FIELD_STRING, 0, .help = "What went wrong last" },                              \
        { "createdAt", FIELD_STRING, 0, .is_required = true, .help = "Time" },                     \
        { "updatedAt", FIELD_STRING, 0, .is_required = true, .help = "Time" },                     \
        { "priority", FIELD_INTEGER, 0, .is_required = true, .help = "Higher goes first" },        \
        { "runId", FIELD_STRING, 0, .help = "Workflow run it belongs to" },                        \
        { "dependsOn", FIELD_INTEGER_LIST, 0, .is_required = true,                                 \
          .help = "Tasks that must be completed before" },                                         \
        { "blockedBy", FIELD_INTEGER_LIST, 0, .is_required = true,                                 \
          .help = "Those of dependsOn that are not completed yet" },                               \
        { "attempts", FIELD_INTEGER, 0, .is_required = true, .help = "Times it was picked up" },   \
        { "maxAttempts", FIELD_INTEGER, 0, .is_required = true,                                    \
          .help = "Times it may be picked up" },                                                   \
        { "availableAt", FIELD_STRING, 0, .is_required = true,                                     \
          .help = "Time before which no worker gets it" },                                         \
        { "idempotencyKey", FIELD_STRING, 0, .help = "Key it was created with" },                  \
        { "lease", FIELD_OBJECT, 0, .item_fields = task_lease_fields,                              \
          .help = "Who works on it; null unless in_progress" },                                    \
        { "startedAt", FIELD_STRING, 0, .help = "Time of the last pickup; null while pending" },   \
    {                                                                                              \
        "finishedAt", FIELD_STRING, 0, .help = "Time; null unless completed, failed or cancelled"  \
    }
