/*
 * agent-tools task get, list (agent-tools-cli §3.5): what the queue holds.
 */
#include "agenttools/agenttools.h"
#include "agenttools/task/task_args.h"
#include "agenttools/task/task_examples.h"
#include "agenttools/task/task_queue.h"

#define MAX_LIST       1000
#define MAX_LIST_BYTES ((size_t)32 * 1024 * 1024) // of payloads and results in one answer
#define MAX_HISTORY    1000

typedef struct GetArgs {
    const char *db;
    int64_t id;
    bool has_history;
} GetArgs;

typedef struct Get {
    const GetArgs *args;
    json_t *data;
} Get;

static json_t *event_to_json(TaskRows *rows)
{
    return json_make("at:%p from:%s? to:%s? worker:%s? note:%s?",
                     task_time_to_json(task_rows_int(rows, 0)), task_rows_text(rows, 1),
                     task_rows_text(rows, 2), task_rows_text(rows, 3), task_rows_text(rows, 4));
}

/* The last MAX_HISTORY moves, the oldest of them first. */
static bool add_history(TaskTx *tx, int64_t id, json_t *record, GError **error)
{
    g_autoptr(TaskRows) rows = NULL;
    if (!task_sql_query(tx->sql, &rows, error,
                        "SELECT at, from_status, to_status, worker, note FROM"
                        " (SELECT * FROM @task_event WHERE task_id = ? ORDER BY id DESC LIMIT ?) e"
                        " ORDER BY e.id",
                        "ii", id, (int64_t)MAX_HISTORY))
        return false;
    json_t *history = json_array();
    json_set_take(record, "history", history);
    bool is_good = false;
    while (task_rows_more(rows, &is_good, error)) {
        json_append_take(history, event_to_json(rows));
    }
    return is_good;
}

static bool get_body(TaskTx *tx, void *data, GError **error)
{
    Get *self = data;
    g_autoptr(Task) task = NULL;
    g_clear_pointer(&self->data, json_decref);
    return task_find(tx, self->args->id, &task, error) &&
           task_record(tx, task, &self->data, error) &&
           (!self->args->has_history || add_history(tx, task->id, self->data, error));
}

static bool get_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const GetArgs *args = args_;
    const TaskQueue queue = { call, args->db, answer };
    Get get = { .args = args };
    bool is_good = task_queue_run(&queue, TASK_READS, get_body, &get, error);
    if (is_good)
        answer_set_data(answer, g_steal_pointer(&get.data));
    json_decref(get.data);
    return is_good;
}

typedef struct ListArgs {
    const char *db, *project_path, *run_id, *order;
    const json_t *statuses, *types;
    bool is_blocked, has_after;
    int64_t limit, after;
} ListArgs;

static const char *const orders[] = { "asc", "desc", NULL };

typedef struct List {
    const ListArgs *args;
    TaskFilter filter; // with the limit as its last value
    const char *order; // SQL
    json_t *data;
    bool is_cut; // at MAX_LIST_BYTES
} List;

static void list_clear(List *self)
{
    task_filter_clear(&self->filter);
    json_decref(self->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(List, list_clear)

static bool prepare_list(List *self, const ListArgs *args, const char *project, GError **error)
{
    unsigned mask = 0;
    if (!task_status_mask(args->statuses, 0, &mask, error))
        return false;
    if (args->limit > MAX_LIST)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Validation failed: limit must be an integer from 1 to %d", MAX_LIST);
    bool is_rising = strcmp(args->order, "asc") == 0;
    self->args = args;
    self->order = is_rising ? "id" : "id DESC";
    task_filter_init(&self->filter);
    if (mask)
        task_filter_add_statuses(&self->filter, mask);
    if (args->is_blocked)
        g_string_append(self->filter.where, " AND status = 'pending' AND blockers > 0");
    task_filter_add_text(&self->filter, " AND project_path = ?", project);
    task_filter_add_types(&self->filter, args->types);
    task_filter_add_text(&self->filter, " AND run_id = ?", args->run_id);
    if (args->has_after)
        task_filter_add_int(&self->filter, is_rising ? " AND id > ?" : " AND id < ?", args->after);
    task_values_add_int(self->filter.values, args->limit);
    return true;
}

static size_t size_of(const Task *task)
{
    return (task->payload ? strlen(task->payload) : 0) + (task->result ? strlen(task->result) : 0);
}

/* The tasks, as records that know no dependencies yet. */
static bool list_tasks(TaskTx *tx, List *self, GError **error)
{
    g_autofree char *sql =
        g_strconcat("SELECT " TASK_COLUMNS " FROM @task WHERE id > 0", self->filter.where->str,
                    " ORDER BY ", self->order, " LIMIT ?", NULL);
    g_autoptr(TaskRows) rows = NULL;
    if (!task_sql_query_values(tx->sql, &rows, error, sql, self->filter.values))
        return false;
    bool is_good = false;
    for (size_t bytes = 0; task_rows_more(rows, &is_good, error);) {
        g_autoptr(Task) task = task_from_row(rows);
        bytes += size_of(task);
        self->is_cut = bytes > MAX_LIST_BYTES && json_array_size(self->data) > 0;
        if (self->is_cut)
            return true;
        json_append_take(self->data, task_to_json(task, json_array(), json_array()));
    }
    return is_good;
}

/* Dependencies of all of them, in one query and the same order. */
static bool list_dependencies(TaskTx *tx, List *self, GError **error)
{
    g_autofree char *sql = g_strconcat(
        "SELECT d.task_id, d.depends_on, t.status FROM @task_dep d"
        " LEFT JOIN @task t ON t.id = d.depends_on WHERE d.task_id IN"
        " (SELECT id FROM @task WHERE id > 0",
        self->filter.where->str, " ORDER BY ", self->order, " LIMIT ?) ORDER BY d.task_id",
        strcmp(self->order, "id") == 0 ? "" : " DESC", ", d.depends_on", NULL);
    g_autoptr(TaskRows) rows = NULL;
    if (!task_sql_query_values(tx->sql, &rows, error, sql, self->filter.values))
        return false;
    for (size_t index = 0; index < json_array_size(self->data);) {
        bool has_row = false;
        if (!task_rows_next(rows, &has_row, error))
            return false;
        if (!has_row)
            return true;
        const json_t *record = json_array_get(self->data, index);
        while (record && json_get_int(record, "id", 0) != task_rows_int(rows, 0))
            record = json_array_get(self->data, ++index);
        if (record)
            task_add_dependency(json_get_array(record, "dependsOn"),
                                json_get_array(record, "blockedBy"), task_rows_int(rows, 1),
                                task_rows_text(rows, 2));
    }
    return true;
}

static bool list_body(TaskTx *tx, void *data, GError **error)
{
    List *self = data;
    json_decref(self->data);
    self->data = json_array();
    return list_tasks(tx, self, error) && list_dependencies(tx, self, error);
}

static bool list_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ListArgs *args = args_;
    const TaskQueue queue = { call, args->db, answer };
    g_autofree char *project = NULL;
    g_auto(List) list = { 0 };
    if (!task_project_path(args->project_path, call->cancel, &project, error) ||
        !prepare_list(&list, args, project, error) ||
        !task_queue_run(&queue, TASK_READS, list_body, &list, error))
        return false;
    size_t count = json_array_size(list.data);
    if (list.is_cut)
        answer_warn(
            answer,
            "Cut after %zu tasks, which hold %zu MiB; go on with after %" JSON_INTEGER_FORMAT,
            count, MAX_LIST_BYTES / (1024 * 1024),
            (json_int_t)json_get_int(json_array_get(list.data, count - 1), "id", 0));
    answer_set_data(answer, g_steal_pointer(&list.data));
    return true;
}

static const FieldDef get_fields[] = {
    TASK_ID_FIELD(GetArgs),
    { "history", FIELD_BOOLEAN, offsetof(GetArgs, has_history),
      .help = "Add its moves from status to status" },
    TASK_DB_FIELD(GetArgs),
    { 0 },
};

static const FieldDef list_fields[] = {
    { "status", FIELD_STRING_OR_LIST, offsetof(ListArgs, statuses),
      .help = "Only tasks of these statuses: " TASK_STATUS_LIST },
    TASK_PROJECT_FIELD(ListArgs, "Only tasks of exactly this project"),
    TASK_TYPES_FIELD(ListArgs, "Only tasks of these types"),
    { "runId", FIELD_STRING, offsetof(ListArgs, run_id), .refuses_blank = true, .max_chars = 200,
      .help = "Only tasks of this workflow run" },
    { "blocked", FIELD_BOOLEAN, offsetof(ListArgs, is_blocked),
      .help = "Only pending tasks that wait for others" },
    { "limit", FIELD_INTEGER, offsetof(ListArgs, limit), .min = 1, .default_text = "100",
      .problem = "Limit must be a positive integer", .help = "At most so many, up to 1000" },
    { "after", FIELD_INTEGER, offsetof(ListArgs, after),
      .has_offset = offsetof(ListArgs, has_after), .value_name = "ID",
      .help = "Go on after this task" },
    { "order", FIELD_ENUM, offsetof(ListArgs, order), .values = orders, .default_text = "\"asc\"",
      .help = "The oldest first, or the newest" },
    TASK_DB_FIELD(ListArgs),
    { 0 },
};

static const FieldDef history_fields[] = {
    { "at", FIELD_STRING, 0, .is_required = true, .help = "Time" },
    { "from", FIELD_STRING, 0, .help = "Status; null: it was created" },
    { "to", FIELD_STRING, 0, .is_required = true, .help = "Status" },
    { "worker", FIELD_STRING, 0, .help = "Who had it" },
    { "note", FIELD_STRING, 0, .help = "Why" },
    { 0 },
};

static const FieldDef get_output[] = {
    TASK_RECORD_FIELDS,
    { "history", FIELD_OBJECT_LIST, 0, .item_fields = history_fields,
      .help = "With --history: its moves, the oldest first" },
    { 0 },
};

static const FieldDef list_output[] = { TASK_RECORD_FIELDS, { 0 } };

static const OperationExample get_examples[] = {
    { "kedge agent-tools task get --id 7 --history", "{\"id\": 7, \"history\": true}",
      TASK_EXAMPLE_PENDING(", \"history\": [{\"at\": \"2026-03-04T05:06:07.089Z\", \"from\": null, "
                           "\"to\": \"pending\", \"worker\": null, \"note\": \"created\"}]") },
    { "kedge agent-tools task get 7", "{\"id\": 7}", TASK_EXAMPLE_HELD("") },
    { 0 },
};

static const OperationExample list_examples[] = {
    { "kedge agent-tools task list --status pending --project /srv/app --limit 2",
      "{\"status\": [\"pending\"], \"projectPath\": \"/srv/app\", \"limit\": 2}",
      "[" TASK_EXAMPLE_PENDING("") "]" },
    { "kedge agent-tools task list --status completed,failed --order desc",
      "{\"status\": [\"completed\", \"failed\"], \"order\": \"desc\"}",
      "[" TASK_EXAMPLE_COMPLETED "]" },
    { 0 },
};

const OperationDef operation_task_get = {
    .tool = OPERATION_TOOL(get, GetArgs, 0, .name = "task_get", .label = "Queue task",
                           .summary = "Show a task of the queue",
                           .description = "Shows one task, with history: true also its moves from "
                                          "status to status and who made them."),
    TASK_PARTS(get, get_output),
    .words = task_id_words,
};

const OperationDef operation_task_list = {
    .tool = OPERATION_TOOL(list, ListArgs, 0, .name = "task_list", .label = "Queue tasks",
                           .summary = "List tasks of the queue",
                           .description =
                               "Lists tasks, the oldest first, by status, project, type or run."),
    TASK_PARTS(list, list_output),
    .shape = OUTPUT_LIST,
};
