/*
 * Events and what their `data` must hold (agent-tools-cli §4.2). Pure.
 */
#pragma once

#include "agenttools/answer.h"

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
