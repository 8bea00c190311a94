/*
 * Runs and their events as the operations and Arcade read them (agent-tools-cli §4.1, §4.5). JSON
 * objects carry the fields of the specification in its order; times are texts.
 */
#pragma once

#include "agenttools/state.h"

/* {id, workflow, featureId, projectPath, workRoot, name, harness, status, currentStep, createdAt,
   updatedAt, endedAt}. NOT_FOUND `Run "R" was not found`. `now_ms` decides about `inactive`. */
bool run_get(Db *db, const char *run_id, int64_t now_ms, json_t **ret_run, GError **error);
bool run_fail_not_found(const char *run_id, GError **error); // that error; false

typedef struct RunFilter { // all borrowed; NULL or 0: any
    const char *status, *project_path;
    const char *text;   // in id, name, workflow or feature
    int64_t limit;      // 0: 100; at most 1,000
    const char *cursor; // as an earlier answer gave it
} RunFilter;

/* Newest activity first; `ret_cursor` is NULL at the end. */
bool run_list(Db *db, const RunFilter *filter, int64_t now_ms, json_t **ret_runs, char **ret_cursor,
              GError **error);

/* [{id, label, status, units?}] in the workflow's order, then what agents did. `cwd` is where the
   definition is looked for when the run does not know its project. */
bool run_steps(Db *db, const char *run_id, const char *cwd, json_t **ret_steps, GError **error);

/* {current, status, validNextStates, units?}: where the run is; `cwd` as above. */
bool run_position(Db *db, const char *run_id, const char *cwd, json_t **ret_position,
                  GError **error);

/* [{id, type, step, unit, data, createdAt}] ascending, those after event id `after`. NOT_FOUND for
   an unknown run. `limit` 0: 100; at most 1,000. */
bool run_events(Db *db, const char *run_id, int64_t after, int64_t limit, json_t **ret_events,
                GError **error);

/* {eventId, prompt, context, answer} of the waiting_for_user event that the run waits for; answer
   is null, or {annotationId, content, createdAt} of what a person answered last. JSON null when it
   does not wait. */
bool run_waiting(Db *db, const char *run_id, json_t **ret_waiting, GError **error);
