/*
 * What the log of a run says now (agent-tools-cli §4.1, §4.5): its row, and the last status of each
 * step and unit. Loaded, changed in memory, and stored by the one transaction of an emit call.
 *
 * One thread at a time. Statuses of steps are an enumeration, those of runs texts, since a run has
 * more of them.
 */
#pragma once

#include "agenttools/emit/workflow.h"
#include "agenttools/state.h"

typedef enum {
    STEP_NOT_STARTED,
    STEP_RUNNING,
    STEP_WAITING,
    STEP_COMPLETED,
    STEP_FAILED,
    STEP_SKIPPED,
    STEP_STATUSES, // how many there are
} StepStatus;

extern const char *const step_status_names[]; // NULL-terminated
bool step_status_parse(const char *name, StepStatus *ret_status);

typedef struct StepState {
    char *step; // "design"; of an agent "task-builder:building"
    char *unit; // "": the step itself
    StepStatus status;
    int64_t event_id; // of its last status_change
} StepState;

typedef struct RunState {
    char *id, *workflow, *feature_id, *project_path, *root_path, *work_root, *name, *harness;
    char *current_step;    // NULL: none yet
    char *status;          // as stored
    char *outcome;         // NULL: not ended by end-run or --close-run
    int64_t waiting_event; // id of the waiting_for_user that nothing followed; 0: none
    int64_t created_at, updated_at;
    int64_t ended_at; // 0: it can go on
    GPtrArray *steps; // StepState *
} RunState;

RunState *run_state_new(const char *id, const char *workflow); // not in the database
void run_state_free(RunState *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunState, run_state_free)

/* *ret_run is NULL when there is no such run. */
bool run_state_load(Db *db, const char *id, RunState **ret_run, GError **error);
/* Inserts or updates the row, and the steps whose event is newer than `since_event`. */
bool run_state_store(Db *db, const RunState *self, int64_t since_event, GError **error);

/* NULL when the log has nothing of it. `unit` NULL or "": the step itself. Borrowed. */
const StepState *run_state_step(const RunState *self, const char *step, const char *unit);
/* Where an agent's unit is: the newest of its steps. */
const StepState *run_state_of_agent(const RunState *self, const char *agent, const char *unit);
/* Length of "task-builder" in "task-builder:building"; 0 for a step of the workflow itself. */
size_t step_agent_length(const char *step);

/* What one status_change does: the step's state, whether the run waits, where the run is. */
void run_state_apply(RunState *self, const char *step, const char *unit, StepStatus status,
                     int64_t event_id);
/* Works out status and ended_at (agent-tools-cli §4.5). `machine` NULL: it cannot be found. */
void run_state_settle(RunState *self, const Workflow *machine, int64_t now_ms);

/* {current, status, validNextStates, units?}. New reference. */
json_t *run_state_to_json(const RunState *self, const Workflow *machine);
/* {"T1": "completed"} of one step; NULL when it has none. New reference. */
json_t *run_state_units(const RunState *self, const char *step);

bool run_id_is_valid(const char *id); // [A-Za-z0-9._:-]{1,128}
