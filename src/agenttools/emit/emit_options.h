/*
 * What the operations of `emit` share: options, their checks, the shape of a run's state. Private
 * to this folder.
 */
#pragma once

#include "agenttools/operation.h"
#include "agenttools/state.h"

#define EMIT_RUN_ID                                                                                \
    .is_required = true, .refuses_blank = true, .problem = "--run-id is required",                 \
    .help = "The run; 1 to 128 of A-Z a-z 0-9 . _ : -"
#define EMIT_PROJECT                                                                               \
    .refuses_blank = true, .value_name = "DIR",                                                    \
    .help = "Project's directory, absolute; default that of the working directory"
#define EMIT_PARTS(name, operation)                                                                \
    OPERATION_PARTS(name, "emit", operation, name##_output),                                       \
        .environment = "KEDGE_STATE_DB, RP1_DB: the database; RP1_ROOT, RP1_WORK_ROOT: the "       \
                       "project's directories"

extern const FieldDef emit_state_fields[]; // {current, status, validNextStates, units}
extern const FieldDef emit_run_fields[];   // a run (agent-tools-cli §4.1)

void emit_check_run_id(const char *run_id, Answer *answer);
void emit_check_project(const char *project, Answer *answer); // NULL is good
/* The database; what is to be known about it goes to the answer. */
bool emit_open_state(const OperationCall *call, Db **ret_db, Answer *answer, GError **error);
