/*
 * Recording one event with everything that follows from it, in one transaction (agent-tools-cli
 * §4.4): the run's row, the steps that the event completes or skips, the artifact, the feed. An
 * event that is refused leaves nothing behind.
 */
#pragma once

#include "agenttools/emit/emit_place.h"
#include "agenttools/emit/event_log.h"
#include "agenttools/state.h"

typedef struct EmitEvent { // borrowed; checked by event_check(); NULL: not given
    const char *type_name, *run_id, *workflow, *step, *unit;
    const json_t *data;
    const char *project, *name, *feature, *harness, *event_key;
    bool closes_run, allows_skip, stamps;
    // what follows from these
    EventType type;
    const EmitPlace *place;
    const Workflow *machine; // of the workflow
    const Workflow *agent;   // of the agent that the step names
    int64_t now_ms;
} EmitEvent;

/* *ret_data is the answer's data (agent-tools-cli §4.6). `warnings` is of char *. */
bool emit_record(Db *db, const EmitEvent *event, GPtrArray *warnings, json_t **ret_data,
                 GError **error);
