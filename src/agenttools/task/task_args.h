/*
 * Arguments that several operations of the queue share: their fields, their checks, and how a
 * request is refused (agent-tools-cli §3.6).
 */
#pragma once

#include "agenttools/operation.h"
#include "agenttools/task/task_record.h"

#define TASK_MAX_JSON_BYTES   ((size_t)1024 * 1024) // payload, result, error: of one task
#define TASK_MAX_TYPES        20                    // in one filter
#define TASK_MAX_DEPENDENCIES 1000

// clang-format off
#define TASK_DB_FIELD(Args)                                                                        \
    { "db", FIELD_STRING, offsetof(Args, db), .refuses_blank = true, .value_name = "STORE",        \
      .help = "Store of the queue: a path, sqlite:/path or postgres://…; default: "                \
              "KEDGE_TASK_DB, the setting agentTools.taskDb, the agent-tools database" }
#define TASK_ID_FIELD(Args)                                                                        \
    { "id", FIELD_INTEGER, offsetof(Args, id), .is_required = true, .min = 1,                      \
      .problem = "Task ID must be a positive integer", .help = "The task" }
#define TASK_TOKEN_FIELD(Args, Required)                                                           \
    { "leaseToken", FIELD_STRING, offsetof(Args, lease_token), .is_required = (Required),          \
      .refuses_blank = true, .max_chars = 200, .help = "The leaseToken that pickup answered" }
#define TASK_PROJECT_FIELD(Args, Help)                                                             \
    { "projectPath", FIELD_STRING, offsetof(Args, project_path), .max_chars = 4096,                \
      .flag = "project", .value_name = "PATH",                                                     \
      .problem = "Project path must be an absolute path", .help = Help }
#define TASK_TYPES_FIELD(Args, Help)                                                               \
    { "type", FIELD_STRING_OR_LIST, offsetof(Args, types), .max_items = TASK_MAX_TYPES,            \
      .refuses_blank = true, .max_chars = 100, .help = Help }
// clang-format on
#define TASK_LEASE_SECONDS_MAX 86400

#define TASK_PARTS(name, output)                                                                   \
    OPERATION_PARTS(name, "task", #name, output),                                                  \
        .environment = "KEDGE_TASK_DB: the store, a path or a URL. KEDGE_STATE_DB, RP1_DB: the "   \
                       "agent-tools database"

/* The positional argument of operations about one task. */
extern const char *const task_id_words[];

/* The path as it is stored and compared: absolute, without . and .., and for one in a linked
   worktree the main repository's. NULL gives NULL. Caller frees. VALIDATION. */
bool task_project_path(const char *given, Cancel *cancel, char **ret_path, GError **error);

/* Its JSON text (NULL for NULL), refused beyond TASK_MAX_JSON_BYTES. Caller frees. */
bool task_json_text(const char *field, const json_t *value, char **ret_text, GError **error);
bool task_check_size(const char *field, const char *text, GError **error);

/* Names, also several in one text with commas between, as statuses; `ret_mask` has a bit for each
   of TaskStatus. NULL and [] give `otherwise`. VALIDATION `Invalid status filter 'done'. …` */
bool task_status_mask(const json_t *names, unsigned otherwise, unsigned *ret_mask, GError **error);

/* `Task 7 is completed; only in_progress tasks can be failed`. Returns false. */
bool task_fail_state(const Task *task, const char *only, const char *done, GError **error);
/* When a token is given it is that of the lease, or `Lease lost: …`. */
bool task_check_token(const Task *task, const char *token, GError **error);

/* The condition of a query and its parameters, put together. Values are borrowed. */
typedef struct TaskFilter {
    GString *where; // begins with an AND
    TaskValues *values;
} TaskFilter;

void task_filter_init(TaskFilter *self);
void task_filter_clear(TaskFilter *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TaskFilter, task_filter_clear)

/* " AND priority > ?"; `condition` has one parameter, `value` may be NULL: nothing is added. */
void task_filter_add_text(TaskFilter *self, const char *condition, const char *value);
void task_filter_add_int(TaskFilter *self, const char *condition, int64_t value);
void task_filter_add_statuses(TaskFilter *self, unsigned mask);
/* One type by the index, several by going through in order. NULL and []: any. */
void task_filter_add_types(TaskFilter *self, const json_t *types);
