/*
 * Options and shapes that the operations of `emit` share (emit_options.h).
 */
#include "agenttools/emit/emit_options.h"

#include "agenttools/emit/run_state.h"

const FieldDef emit_state_fields[] = {
    { "current", FIELD_STRING, 0, .help = "The step where the run is; null before the first" },
    { "status", FIELD_STRING, 0, .is_required = true, .help = "What is happening there" },
    { "validNextStates", FIELD_STRING_LIST, 0, .is_required = true, .help = "What may follow" },
    { "units", FIELD_STRING_MAP, 0, .help = "Status of each unit of the step" },
    { 0 },
};

const FieldDef emit_run_fields[] = {
    { "id", FIELD_STRING, 0, .is_required = true, .help = "The run" },
    { "workflow", FIELD_STRING, 0, .is_required = true, .help = "Its state machine" },
    { "featureId", FIELD_STRING, 0, .help = "Its feature" },
    { "projectPath", FIELD_STRING, 0, .help = "Its project's directory" },
    { "workRoot", FIELD_STRING, 0, .help = "Its work directory" },
    { "name", FIELD_STRING, 0, .help = "Its name" },
    { "harness", FIELD_STRING, 0, .help = "What runs it" },
    { "status", FIELD_STRING, 0, .is_required = true, .help = "Its status" },
    { "currentStep", FIELD_STRING, 0, .help = "Where it is" },
    { "createdAt", FIELD_STRING, 0, .is_required = true, .help = "Time of the first event" },
    { "updatedAt", FIELD_STRING, 0, .is_required = true, .help = "Time of the last event" },
    { "endedAt", FIELD_STRING, 0, .help = "When it ended" },
    { 0 },
};

void emit_check_run_id(const char *run_id, Answer *answer)
{
    if (!run_id_is_valid(run_id))
        answer_fail_field(answer, "runId",
                          "Invalid run ID: '%s'. Must be 1 to 128 of A-Z a-z 0-9 . _ : -", run_id);
}

void emit_check_project(const char *project, Answer *answer)
{
    if (project && !g_path_is_absolute(project))
        answer_fail_field(answer, "project", "Project path must be absolute. Received: %s",
                          project);
}

bool emit_open_state(const OperationCall *call, Db **ret_db, Answer *answer, GError **error)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    bool is_open = state_open(NULL, call->cancel, ret_db, warnings, error);
    answer_warn_all(answer, warnings);
    return is_open;
}
