/*
 * Events: what their data must hold (agent-tools-cli §4.2), and appending them to the log of a run
 * (agent-tools-cli §4.1), each row with its row of the feed, inside the caller's transaction.
 */
#pragma once

#include "agenttools/answer.h"
#include "agenttools/emit/run_state.h"

typedef enum {
    EVENT_STATUS_CHANGE,
    EVENT_ARTIFACT_REGISTERED,
    EVENT_ANNOTATION_UPDATED,
    EVENT_WAITING_FOR_USER,
    EVENT_BTW_UPDATE,
    EVENT_SUBFLOW_REGISTERED,
    EVENT_TYPES, // how many there are
} EventType;

#define EVENT_RUN_ENDED "run_ended" // of end-run and --close-run; no one may emit it

extern const char *const event_type_names[];  // NULL-terminated
EventType event_type_parse(const char *name); // of a known name

/* Adds a VALIDATION error for each problem. `step` may be NULL; `data` is an object or NULL. */
void event_check(EventType type, const char *step, const json_t *data, Answer *answer);

/* May it still come after the run's end (agent-tools-cli §4.4, rule 8)? */
bool event_is_allowed_after_end(EventType type);

// ---- the log ----

typedef struct LoggedEvent { // borrowed; NULL: none
    const char *run_id, *type, *step, *unit;
    const json_t *data;
    const char *parent_step_id, *key;
    int64_t now_ms;
} LoggedEvent;

bool event_log_append(Db *db, const LoggedEvent *event, int64_t *ret_id, GError **error);

/* Appends a status_change and applies it to the run in memory. `data` NULL: made of the status. */
bool event_log_status(Db *db, RunState *run, const char *step, const char *unit, StepStatus status,
                      const json_t *data, const char *key, int64_t now_ms, int64_t *ret_id,
                      GError **error);
/* Appends the end of the run, and gives it that outcome. */
bool event_log_end(Db *db, RunState *run, const char *outcome, const char *message, int64_t now_ms,
                   int64_t *ret_id, GError **error);

/* Settles and stores the run; tells the feed when its status or step differ from those given. */
bool event_log_save_run(Db *db, RunState *run, const Workflow *machine, int64_t since_event,
                        const char *old_status, const char *old_step, int64_t now_ms,
                        GError **error);

/* {id, type, step, unit, data, createdAt}. Takes `data` (NULL: JSON null). New reference. */
json_t *event_to_json(int64_t id, const char *type, const char *step, const char *unit,
                      json_t *data, int64_t created_at);
