/*
 * The state of a run in memory, and its rows (run_state.h).
 */
#include "agenttools/emit/run_state.h"

#define MAX_RUN_ID 128

const char *const step_status_names[] = { "not_started", "running", "waiting", "completed",
                                          "failed",      "skipped", NULL };

bool step_status_parse(const char *name, StepStatus *ret_status)
{
    for (StepStatus status = STEP_NOT_STARTED; name && status < STEP_STATUSES; status++) {
        if (strcmp(step_status_names[status], name) != 0)
            continue;
        *ret_status = status;
        return true;
    }
    return false;
}

bool run_id_is_valid(const char *id)
{
    size_t length =
        strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-");
    return length > 0 && length <= MAX_RUN_ID && id[length] == '\0';
}

static void step_state_free(StepState *step)
{
    g_free(step->step);
    g_free(step->unit);
    g_free(step);
}

RunState *run_state_new(const char *id, const char *workflow)
{
    RunState *self = g_new0(RunState, 1);
    self->id = g_strdup(id);
    self->workflow = g_strdup(workflow);
    self->status = g_strdup(step_status_names[STEP_NOT_STARTED]);
    self->steps = g_ptr_array_new_with_free_func((GDestroyNotify)step_state_free);
    return self;
}

void run_state_free(RunState *self)
{
    if (!self)
        return;
    g_free(self->id);
    g_free(self->workflow);
    g_free(self->feature_id);
    g_free(self->project_path);
    g_free(self->root_path);
    g_free(self->work_root);
    g_free(self->name);
    g_free(self->harness);
    g_free(self->current_step);
    g_free(self->status);
    g_free(self->outcome);
    g_ptr_array_unref(self->steps);
    g_free(self);
}

// ---- rows ----

static void read_run(RunState *self, DbQuery *query)
{
    self->feature_id = g_strdup(db_query_text(query, 1));
    self->project_path = g_strdup(db_query_text(query, 2));
    self->root_path = g_strdup(db_query_text(query, 3));
    self->work_root = g_strdup(db_query_text(query, 4));
    self->name = g_strdup(db_query_text(query, 5));
    self->harness = g_strdup(db_query_text(query, 6));
    self->current_step = g_strdup(db_query_text(query, 7));
    g_free(self->status);
    self->status = g_strdup(db_query_text(query, 8));
    self->outcome = g_strdup(db_query_text(query, 9));
    self->waiting_event = db_query_int(query, 10);
    self->created_at = db_query_int(query, 11);
    self->updated_at = db_query_int(query, 12);
    self->ended_at = db_query_int(query, 13);
}

static bool load_steps(Db *db, RunState *self, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(db, &query, error,
                  "SELECT step, unit, status, event_id FROM step_state WHERE run_id = ? "
                  "ORDER BY step, unit",
                  "s", self->id))
        return false;
    bool is_good = false;
    while (db_query_more(query, &is_good, error)) {
        StepState *step = g_new0(StepState, 1);
        step->step = g_strdup(db_query_text(query, 0));
        step->unit = g_strdup(db_query_text(query, 1));
        step_status_parse(db_query_text(query, 2), &step->status);
        step->event_id = db_query_int(query, 3);
        g_ptr_array_add(self->steps, step);
    }
    return is_good;
}

bool run_state_load(Db *db, const char *id, RunState **ret_run, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error,
                  "SELECT workflow, feature_id, project_path, root_path, work_root, name, harness, "
                  "current_step, status, outcome, waiting_event, created_at, updated_at, ended_at "
                  "FROM run WHERE id = ?",
                  "s", id) ||
        !db_query_step(query, &has_row, error))
        return false;
    if (!has_row) {
        *ret_run = NULL;
        return true;
    }
    g_autoptr(RunState) run = run_state_new(id, db_query_text(query, 0));
    read_run(run, query);
    if (!load_steps(db, run, error))
        return false;
    *ret_run = g_steal_pointer(&run);
    return true;
}

static const int64_t *or_null(const int64_t *number)
{
    return *number != 0 ? number : NULL;
}

bool run_state_store(Db *db, const RunState *self, int64_t since_event, GError **error)
{
    if (!db_run(db, error,
                "INSERT INTO run (id, workflow, feature_id, project_path, root_path, work_root, "
                "name, harness, current_step, status, outcome, waiting_event, created_at, "
                "updated_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET feature_id = excluded.feature_id, "
                "name = excluded.name, harness = excluded.harness, "
                "current_step = excluded.current_step, status = excluded.status, "
                "outcome = excluded.outcome, waiting_event = excluded.waiting_event, "
                "updated_at = excluded.updated_at, ended_at = excluded.ended_at",
                "sssssssssssIiiI", self->id, self->workflow, self->feature_id, self->project_path,
                self->root_path, self->work_root, self->name, self->harness, self->current_step,
                self->status, self->outcome, or_null(&self->waiting_event), self->created_at,
                self->updated_at, or_null(&self->ended_at)))
        return false;
    for (unsigned i = 0; i < self->steps->len; i++) {
        const StepState *step = g_ptr_array_index(self->steps, i);
        if (step->event_id > since_event &&
            !db_run(db, error,
                    "INSERT INTO step_state (run_id, step, unit, status, event_id) "
                    "VALUES (?, ?, ?, ?, ?) ON CONFLICT (run_id, step, unit) DO UPDATE SET "
                    "status = excluded.status, event_id = excluded.event_id",
                    "ssssi", self->id, step->step, step->unit, step_status_names[step->status],
                    step->event_id))
            return false;
    }
    return true;
}

// ---- steps ----

size_t step_agent_length(const char *step)
{
    const char *colon = strchr(step, ':');
    return colon ? (size_t)(colon - step) : 0;
}

const StepState *run_state_step(const RunState *self, const char *step, const char *unit)
{
    for (unsigned i = 0; i < self->steps->len; i++) {
        const StepState *known = g_ptr_array_index(self->steps, i);
        if (strcmp(known->step, step) == 0 && strcmp(known->unit, unit ? unit : "") == 0)
            return known;
    }
    return NULL;
}

const StepState *run_state_of_agent(const RunState *self, const char *agent, const char *unit)
{
    const StepState *newest = NULL;
    size_t length = strlen(agent);
    for (unsigned i = 0; i < self->steps->len; i++) {
        const StepState *known = g_ptr_array_index(self->steps, i);
        if (step_agent_length(known->step) == length && strncmp(known->step, agent, length) == 0 &&
            strcmp(known->unit, unit ? unit : "") == 0 &&
            (!newest || known->event_id > newest->event_id))
            newest = known;
    }
    return newest;
}

static StepState *step_for_change(RunState *self, const char *step, const char *unit)
{
    StepState *known = (StepState *)run_state_step(self, step, unit);
    if (known)
        return known;
    StepState *made = g_new0(StepState, 1);
    made->step = g_strdup(step);
    made->unit = g_strdup(unit ? unit : "");
    g_ptr_array_add(self->steps, made);
    return made;
}

void run_state_apply(RunState *self, const char *step, const char *unit, StepStatus status,
                     int64_t event_id)
{
    StepState *changed = step_for_change(self, step, unit);
    changed->status = status;
    changed->event_id = event_id;
    if (status == STEP_RUNNING || status == STEP_COMPLETED || status == STEP_FAILED)
        self->waiting_event = 0;
    if (changed->unit[0] == '\0' && step_agent_length(step) == 0 &&
        g_strcmp0(self->current_step, step) != 0) {
        g_free(self->current_step);
        self->current_step = g_strdup(step);
    }
}

// ---- status ----

static bool is_step_of_run(const StepState *step)
{
    return step->unit[0] == '\0' && step_agent_length(step->step) == 0;
}

/* Without a machine there is no order of steps: the worst of them counts. */
static const char *status_of_unchecked(const RunState *self)
{
    unsigned counts[STEP_STATUSES] = { 0 };
    unsigned total = 0;
    for (unsigned i = 0; i < self->steps->len; i++) {
        const StepState *step = g_ptr_array_index(self->steps, i);
        if (!is_step_of_run(step))
            continue;
        counts[step->status]++;
        total++;
    }
    static const StepStatus worst_first[] = { STEP_FAILED, STEP_RUNNING, STEP_WAITING };
    for (size_t i = 0; i < G_N_ELEMENTS(worst_first); i++)
        if (counts[worst_first[i]] > 0)
            return step_status_names[worst_first[i]];
    bool is_done = total > 0 && counts[STEP_COMPLETED] + counts[STEP_SKIPPED] == total;
    return step_status_names[is_done ? STEP_COMPLETED : STEP_NOT_STARTED];
}

static bool has_other_steps(const RunState *self)
{
    for (unsigned i = 0; i < self->steps->len; i++) {
        const StepState *step = g_ptr_array_index(self->steps, i);
        if (is_step_of_run(step) && g_strcmp0(step->step, self->current_step) != 0)
            return true;
    }
    return false;
}

static bool is_at_terminal(const RunState *self, const Workflow *machine)
{
    unsigned index = machine ? workflow_state(machine, self->current_step) : WORKFLOW_NONE;
    return index != WORKFLOW_NONE && workflow_state_at(machine, index)->is_terminal;
}

static const char *status_of_current(const RunState *self, const Workflow *machine)
{
    const StepState *current =
        self->current_step ? run_state_step(self, self->current_step, NULL) : NULL;
    if (!current)
        return step_status_names[STEP_NOT_STARTED];
    switch (current->status) {
    case STEP_NOT_STARTED:
        return step_status_names[has_other_steps(self) ? STEP_RUNNING : STEP_NOT_STARTED];
    case STEP_COMPLETED:
    case STEP_SKIPPED:
        if (!machine) // what was known when it was there
            return strcmp(self->status, step_status_names[STEP_COMPLETED]) == 0
                       ? step_status_names[STEP_COMPLETED]
                       : step_status_names[STEP_RUNNING];
        return is_at_terminal(self, machine) || !workflow_has_terminal(machine)
                   ? step_status_names[STEP_COMPLETED]
                   : step_status_names[STEP_RUNNING];
    default:
        return step_status_names[current->status];
    }
}

void run_state_settle(RunState *self, const Workflow *machine, int64_t now_ms)
{
    bool is_unchecked = strcmp(self->workflow, WORKFLOW_UNKNOWN) == 0;
    const char *status = self->outcome             ? self->outcome
                         : self->waiting_event > 0 ? step_status_names[STEP_WAITING]
                         : is_unchecked            ? status_of_unchecked(self)
                                                   : status_of_current(self, machine);
    bool is_completed = strcmp(status, step_status_names[STEP_COMPLETED]) == 0;
    // a machine that has no end can always go on; of one that is gone the log's word stands
    bool is_at_end = machine ? is_at_terminal(self, machine) : self->ended_at > 0;
    bool is_final = self->outcome || (is_completed && is_at_end);
    if (is_final && self->ended_at == 0)
        self->ended_at = now_ms;
    else if (!is_final)
        self->ended_at = 0;
    char *settled = g_strdup(status);
    g_free(self->status);
    self->status = settled;
}

// ---- as JSON ----

json_t *run_state_units(const RunState *self, const char *step)
{
    json_t *units = NULL;
    for (unsigned i = 0; i < self->steps->len; i++) {
        const StepState *known = g_ptr_array_index(self->steps, i);
        if (known->unit[0] == '\0' || strcmp(known->step, step) != 0)
            continue;
        if (!units)
            units = json_object();
        json_set_text(units, known->unit, step_status_names[known->status]);
    }
    return units;
}

json_t *run_state_to_json(const RunState *self, const Workflow *machine)
{
    const StepState *current =
        self->current_step ? run_state_step(self, self->current_step, NULL) : NULL;
    unsigned at = machine ? workflow_state(machine, self->current_step) : WORKFLOW_NONE;
    bool can_go_on =
        machine && self->ended_at == 0 && (self->current_step == NULL || at != WORKFLOW_NONE);
    return json_make("current:%s? status:%s validNextStates:%p units:%p", self->current_step,
                     step_status_names[current ? current->status : STEP_NOT_STARTED],
                     can_go_on ? workflow_next(machine, at) : json_array(),
                     self->current_step ? run_state_units(self, self->current_step) : NULL);
}
