/* See runs.h. */
#include "agenttools/emit/runs.h"

#include "agenttools/answer.h"
#include "agenttools/emit/emit_place.h"
#include "agenttools/emit/event_log.h"
#include "base/str.h"

#define INACTIVE_MS   ((int64_t)24 * 60 * 60 * 1000)
#define DEFAULT_LIMIT 100
#define MAX_LIMIT     1000

bool run_fail_not_found(const char *run_id, GError **error)
{
    return answer_error(error, ANSWER_NOT_FOUND, json_make("runId:%s", run_id),
                        "Run \"%s\" was not found", run_id);
}

static int64_t limit_of(int64_t given)
{
    return given <= 0 ? DEFAULT_LIMIT : MIN(given, MAX_LIMIT);
}

// ---- runs ----

/* Statuses of runs are stored but for `inactive`, which only time makes (agent-tools-cli §4.5). */
#define SHOWN_STATUS                                                                               \
    "CASE WHEN status = 'running' AND updated_at < ?1 THEN 'inactive' ELSE status END"
#define SELECT_RUN                                                                                 \
    "SELECT id, workflow, feature_id, project_path, work_root, name, harness, " SHOWN_STATUS       \
    ", current_step, created_at, updated_at, ended_at FROM run "

static json_t *run_from_row(DbQuery *query)
{
    static const char *const names[] = { "id",   "workflow", "featureId", "projectPath", "workRoot",
                                         "name", "harness",  "status",    "currentStep" };
    json_t *run = json_object();
    int column = 0;
    for (; column < (int)G_N_ELEMENTS(names); column++)
        json_set_take(run, names[column], state_text(query, column));
    json_set_take(run, "createdAt", state_time(query, column));
    json_set_take(run, "updatedAt", state_time(query, column + 1));
    json_set_take(run, "endedAt", state_time(query, column + 2));
    return run;
}

bool run_get(Db *db, const char *run_id, int64_t now_ms, json_t **ret_run, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error, SELECT_RUN "WHERE id = ?2", "is", now_ms - INACTIVE_MS,
                  run_id) ||
        !db_query_step(query, &has_row, error))
        return false;
    if (!has_row)
        return run_fail_not_found(run_id, error);
    *ret_run = run_from_row(query);
    return true;
}

typedef struct Cursor { // the last run of the page before
    int64_t updated_at; // G_MAXINT64: none
    const char *id;
} Cursor;

static bool parse_cursor(const char *text, Cursor *ret_cursor, GError **error)
{
    *ret_cursor = (Cursor) { G_MAXINT64, "" };
    if (str_is_empty(text))
        return true;
    const char *colon = strchr(text, ':');
    g_autofree char *number = colon ? g_strndup(text, (size_t)(colon - text)) : NULL;
    if (!number || !str_parse_int(number, &ret_cursor->updated_at))
        return answer_error(error, ANSWER_VALIDATION, NULL, "Invalid cursor: '%s'", text);
    ret_cursor->id = colon + 1;
    return true;
}

/* `text` as a pattern of LIKE … ESCAPE '\', or NULL. */
static char *like_pattern(const char *text)
{
    if (str_is_empty(text))
        return NULL;
    GString *pattern = g_string_new("%");
    for (const char *c = text; *c != '\0'; c++) {
        if (strchr("%_\\", *c))
            g_string_append_c(pattern, '\\');
        g_string_append_c(pattern, *c);
    }
    g_string_append_c(pattern, '%');
    return g_string_free(pattern, FALSE);
}

bool run_list(Db *db, const RunFilter *filter, int64_t now_ms, json_t **ret_runs, char **ret_cursor,
              GError **error)
{
    Cursor cursor;
    if (!parse_cursor(filter->cursor, &cursor, error))
        return false;
    g_autofree char *pattern = like_pattern(filter->text);
    int64_t limit = limit_of(filter->limit);
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(db, &query, error,
                  SELECT_RUN
                  "WHERE (?2 IS NULL OR " SHOWN_STATUS " = ?2) "
                  "AND (?3 IS NULL OR project_path = ?3) "
                  "AND (?4 IS NULL OR id LIKE ?4 ESCAPE '\\' OR name LIKE ?4 ESCAPE '\\' "
                  "OR workflow LIKE ?4 ESCAPE '\\' OR feature_id LIKE ?4 ESCAPE '\\') "
                  "AND (updated_at < ?5 OR (updated_at = ?5 AND id > ?6)) "
                  "ORDER BY updated_at DESC, id LIMIT ?7",
                  "isssisi", now_ms - INACTIVE_MS, filter->status, filter->project_path, pattern,
                  cursor.updated_at, cursor.id, limit + 1))
        return false;

    g_autoptr(json_t) runs = json_array();
    g_autofree char *next = NULL;
    for (;;) {
        bool has_row = false;
        if (!db_query_step(query, &has_row, error))
            return false;
        if (!has_row) { // the page is not full, or just so
            g_clear_pointer(&next, g_free);
            break;
        }
        if ((int64_t)json_array_size(runs) == limit)
            break;
        json_append_take(runs, run_from_row(query));
        g_free(next);
        next = g_strdup_printf("%" G_GINT64_FORMAT ":%s", db_query_int(query, 10),
                               db_query_text(query, 0));
    }
    *ret_runs = g_steal_pointer(&runs);
    *ret_cursor = g_steal_pointer(&next);
    return true;
}

// ---- steps ----

/* The machine of the run, or NULL when there is none, or it cannot be read. */
static bool find_machine(Db *db, const RunState *run, const char *cwd, Workflow **ret_machine,
                         GError **error)
{
    *ret_machine = NULL;
    g_auto(EmitPlace) place = { 0 };
    bool is_known = false;
    if (!emit_place_of_run(db, run->id, &place, &is_known, error))
        return false;
    if (strcmp(run->workflow, WORKFLOW_UNKNOWN) == 0 ||
        (!is_known && !emit_place_find(cwd, NULL, NULL, NULL, &place, NULL)))
        return true;
    const WorkflowPlaces places = emit_place_workflows(&place);
    workflow_find(run->workflow, &places, ret_machine, NULL);
    return true;
}

static const StepState *newest_of_step(const RunState *run, const char *step)
{
    const StepState *newest = run_state_step(run, step, NULL);
    bool is_own = newest != NULL;
    for (unsigned i = 0; !is_own && i < run->steps->len; i++) {
        const StepState *known = g_ptr_array_index(run->steps, i);
        if (strcmp(known->step, step) == 0 && (!newest || known->event_id > newest->event_id))
            newest = known;
    }
    return newest;
}

static void append_step(json_t *steps, const RunState *run, const char *id, const char *label)
{
    const StepState *known = newest_of_step(run, id);
    json_append_take(steps, json_make("id:%s label:%s status:%s units:%p", id, label ? label : id,
                                      step_status_names[known ? known->status : STEP_NOT_STARTED],
                                      run_state_units(run, id)));
}

static bool has_step(const json_t *steps, const char *id)
{
    json_each ((json_t *)steps, index, step)
        if (strcmp(json_get_text(step, "id"), id) == 0)
            return true;
    return false;
}

static void append_machine(json_t *steps, const RunState *run, const Workflow *machine)
{
    g_autoptr(GArray) order = workflow_order(machine);
    for (unsigned i = 0; i < order->len; i++) {
        const WorkflowState *state = workflow_state_at(machine, g_array_index(order, unsigned, i));
        append_step(steps, run, state->id, state->label);
    }
}

static int compare_events(const void *a, const void *b)
{
    int64_t first = (*(const StepState *const *)a)->event_id;
    int64_t second = (*(const StepState *const *)b)->event_id;
    return (first > second) - (first < second);
}

/* NOT_FOUND for an unknown run; *ret_machine may become NULL. */
static bool runs_load(Db *db, const char *run_id, const char *cwd, RunState **ret_run,
                      Workflow **ret_machine, GError **error)
{
    if (!run_state_load(db, run_id, ret_run, error))
        return false;
    return *ret_run ? find_machine(db, *ret_run, cwd, ret_machine, error)
                    : run_fail_not_found(run_id, error);
}

bool run_position(Db *db, const char *run_id, const char *cwd, json_t **ret_position,
                  GError **error)
{
    g_autoptr(RunState) run = NULL;
    g_autoptr(Workflow) machine = NULL;
    if (!runs_load(db, run_id, cwd, &run, &machine, error))
        return false;
    *ret_position = run_state_to_json(run, machine);
    return true;
}

bool run_steps(Db *db, const char *run_id, const char *cwd, json_t **ret_steps, GError **error)
{
    g_autoptr(RunState) run = NULL;
    g_autoptr(Workflow) machine = NULL;
    if (!runs_load(db, run_id, cwd, &run, &machine, error))
        return false;

    json_t *steps = json_array();
    if (machine)
        append_machine(steps, run, machine);
    // what agents did, and what no machine knows, in order of time
    g_ptr_array_sort(run->steps, compare_events);
    for (unsigned i = 0; i < run->steps->len; i++) {
        const StepState *step = g_ptr_array_index(run->steps, i);
        if (!has_step(steps, step->step))
            append_step(steps, run, step->step, NULL);
    }
    *ret_steps = steps;
    return true;
}

// ---- events ----

static bool check_exists(Db *db, const char *run_id, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    return db_query(db, &query, error, "SELECT 1 FROM run WHERE id = ?", "s", run_id) &&
           db_query_step(query, &has_row, error) && (has_row || run_fail_not_found(run_id, error));
}

bool run_events(Db *db, const char *run_id, int64_t after, int64_t limit, json_t **ret_events,
                GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    if (!check_exists(db, run_id, error) ||
        !db_query(db, &query, error,
                  "SELECT id, type, step, unit, data, created_at FROM event "
                  "WHERE run_id = ? AND id > ? ORDER BY id LIMIT ?",
                  "sii", run_id, after, limit_of(limit)))
        return false;
    g_autoptr(json_t) events = json_array();
    bool is_good = false;
    while (db_query_more(query, &is_good, error)) {
        json_append_take(events, event_to_json(db_query_int(query, 0), db_query_text(query, 1),
                                               db_query_text(query, 2), db_query_text(query, 3),
                                               state_json(query, 4), db_query_int(query, 5)));
    }
    if (!is_good)
        return false;
    *ret_events = g_steal_pointer(&events);
    return true;
}

/* {annotationId, content, createdAt} of the newest that a person answered; JSON null: none. */
static bool read_answer(Db *db, int64_t event_id, json_t **ret_answer, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error,
                  "SELECT id, content, created_at FROM annotation WHERE answer_to = ?"
                  " ORDER BY id DESC LIMIT 1",
                  "i", event_id) ||
        !db_query_step(query, &has_row, error))
        return false;
    json_t *answer = has_row ? json_object() : json_null();
    if (has_row) {
        json_set_int(answer, "annotationId", db_query_int(query, 0));
        json_set_take(answer, "content", state_text(query, 1));
        json_set_take(answer, "createdAt", state_time(query, 2));
    }
    *ret_answer = answer;
    return true;
}

bool run_waiting(Db *db, const char *run_id, json_t **ret_waiting, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!check_exists(db, run_id, error) ||
        !db_query(db, &query, error,
                  "SELECT e.id, e.data FROM run r JOIN event e ON e.id = r.waiting_event "
                  "WHERE r.id = ? AND r.status = 'waiting'",
                  "s", run_id) ||
        !db_query_step(query, &has_row, error))
        return false;
    if (!has_row) {
        *ret_waiting = json_null();
        return true;
    }
    int64_t event_id = db_query_int(query, 0);
    g_autoptr(json_t) data = state_json(query, 1);
    json_t *answer = NULL;
    if (!read_answer(db, event_id, &answer, error))
        return false;
    json_t *waiting = json_make("eventId:%jd", event_id);
    if (json_is_object(data))
        json_object_update_missing(waiting, data);
    json_set_take(waiting, "answer", answer);
    *ret_waiting = waiting;
    return true;
}
