/*
 * May this status_change happen, and what happens with it (agent-tools-cli §4.4)? Pure: a loaded
 * RunState and state machines in, a plan or an error out; nothing is changed.
 */
#pragma once

#include "agenttools/emit/run_state.h"

typedef struct StatusChange { // borrowed
    const char *step;         // "design", "task-builder:building"
    const char *unit;         // NULL: the step itself
    StepStatus status;
    bool allows_skip;
    const Workflow *machine; // of the run; NULL: recorded unchecked
    const Workflow *agent;   // of the agent that the step names; NULL: none, or not known
} StatusChange;

typedef struct PlannedEvent { // recorded before the event itself
    char *step;
    StepStatus status;
} PlannedEvent;

typedef struct Transition {
    GArray *before;          // PlannedEvent, in order; of the change's unit when an agent's
    json_t *completed_steps; // ids; empty: none
    json_t *skipped_steps;
} Transition;

void transition_clear(Transition *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Transition, transition_clear)

/* INVALID_TRANSITION with the texts of agent-tools-cli §4.4; from, to, validNextStates in the
 * details. */
bool transition_check(const RunState *run, const StatusChange *change, Transition *ret_transition,
                      GError **error);
/* agent-tools-cli §4.4 rule 8: INVALID_STATE `Run "R" is already terminal (completed)`. */
bool transition_check_open(const RunState *run, GError **error);
