/*
 * agent-tools emit (agent-tools-cli §4.2): records an event, checked against the state machine of
 * its workflow.
 */
#include "agenttools/agenttools.h"
#include "agenttools/emit/emit_options.h"
#include "agenttools/emit/emit_record.h"
#include "agenttools/emit/run_state.h"

#define MAX_NAME_CHARS 200
#define MAX_STEP_CHARS 256

static const FieldDef emit_fields[] = {
    { "type", FIELD_ENUM, offsetof(EmitEvent, type_name), .is_required = true,
      .values = event_type_names, .missing = "--type is required",
      .problem = "Invalid event type: '{value}'. Must be one of: status_change, "
                 "artifact_registered, annotation_updated, waiting_for_user, btw_update, "
                 "subflow_registered",
      .help = "What happened" },
    { "runId", FIELD_STRING, offsetof(EmitEvent, run_id), EMIT_RUN_ID },
    { "workflow", FIELD_STRING, offsetof(EmitEvent, workflow), .is_required = true,
      .refuses_blank = true, .problem = "--workflow is required",
      .help = "Name of the state machine; unknown: nothing is checked" },
    { "step", FIELD_STRING, offsetof(EmitEvent, step), .refuses_blank = true,
      .max_chars = MAX_STEP_CHARS, .help = "State of the workflow; of an agent AGENT:STATE" },
    { "unit", FIELD_STRING, offsetof(EmitEvent, unit), .refuses_blank = true,
      .max_chars = MAX_STEP_CHARS, .help = "Part of the step that is worked on by itself" },
    { "data", FIELD_OBJECT, offsetof(EmitEvent, data),
      .problem = "--data must be a JSON object (not array or primitive)",
      .help = "What the type needs: status; path and feature; docId and content; prompt; message; "
              "parentStepId and subflowName" },
    { "project", FIELD_STRING, offsetof(EmitEvent, project), EMIT_PROJECT },
    { "name", FIELD_STRING, offsetof(EmitEvent, name), .refuses_blank = true,
      .max_chars = MAX_NAME_CHARS, .help = "Name of the run; the first one stays" },
    { "feature", FIELD_STRING, offsetof(EmitEvent, feature), .refuses_blank = true,
      .max_chars = MAX_NAME_CHARS, .help = "Feature of the run; the first one stays" },
    { "harness", FIELD_STRING, offsetof(EmitEvent, harness), .refuses_blank = true,
      .max_chars = MAX_NAME_CHARS, .help = "Program that runs it; the first one stays" },
    { "closeRun", FIELD_BOOLEAN, offsetof(EmitEvent, closes_run),
      .help = "Complete every open step and unit, and end the run" },
    { "eventKey", FIELD_STRING, offsetof(EmitEvent, event_key), .refuses_blank = true,
      .max_chars = MAX_NAME_CHARS, .help = "A repeat with the same key is answered, not recorded" },
    { "allowSkip", FIELD_BOOLEAN, offsetof(EmitEvent, allows_skip),
      .help = "Record the steps on the way as skipped" },
    { "stamp", FIELD_BOOLEAN, offsetof(EmitEvent, stamps),
      .help = "Write the document id into a Markdown file that has none" },
    { 0 },
};

static const FieldDef emit_output[] = {
    { "eventId", FIELD_INTEGER, 0, .is_required = true, .help = "Ascending over all runs" },
    { "runId", FIELD_STRING, 0, .is_required = true, .help = "The run" },
    { "type", FIELD_ENUM, 0, .is_required = true, .values = event_type_names, .help = "The event" },
    { "docId", FIELD_STRING, 0, .help = "Document id of the artifact" },
    { "completedPredecessors", FIELD_STRING_LIST, 0, .help = "Steps that the event completed" },
    { "skippedSteps", FIELD_STRING_LIST, 0, .help = "Steps that the event skipped" },
    { "runStatus", FIELD_STRING, 0, .is_required = true, .help = "Status of the run" },
    { "state", FIELD_OBJECT, 0, .is_required = true, .item_fields = emit_state_fields,
      .help = "Where the run is" },
    { "duplicate", FIELD_BOOLEAN, 0, .help = "The key was known; nothing was recorded" },
    { 0 },
};

static const OperationExample emit_examples[] = {
    { "kedge agent-tools emit --type status_change --run-id R --workflow build --step design "
      "--data '{\"status\":\"running\"}'",
      "{\"type\":\"status_change\",\"runId\":\"R\",\"workflow\":\"build\",\"step\":\"design\","
      "\"data\":{\"status\":\"running\"}}",
      "{\"eventId\":42,\"runId\":\"R\",\"type\":\"status_change\","
      "\"completedPredecessors\":[\"requirements\"],\"runStatus\":\"running\","
      "\"state\":{\"current\":\"design\",\"status\":\"running\",\"validNextStates\":[\"tasks\"]}"
      "}" },
    { "kedge agent-tools emit --type artifact_registered --run-id R --workflow build --step design "
      "--data '{\"path\":\"features/auth/design.md\",\"feature\":\"auth\"}'",
      "{\"type\":\"artifact_registered\",\"runId\":\"R\",\"workflow\":\"build\","
      "\"step\":\"design\",\"data\":{\"path\":\"features/auth/design.md\",\"feature\":\"auth\"}}",
      "{\"eventId\":43,\"runId\":\"R\",\"type\":\"artifact_registered\","
      "\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\",\"runStatus\":\"running\","
      "\"state\":{\"current\":\"design\",\"status\":\"running\",\"validNextStates\":[\"tasks\"]}"
      "}" },
    { 0 },
};

/* Only --stamp touches anything but kedge's own records. */
static bool emit_judge(ToolCall *call G_GNUC_UNUSED, const void *args_, Judgement *ret_judgement,
                       GError **error G_GNUC_UNUSED)
{
    const EmitEvent *args = args_;
    const char *path = json_get_text(args->data, "path");
    ret_judgement->effect = args->stamps ? EFFECT_WRITE : EFFECT_READ;
    if (args->stamps && path)
        ret_judgement->summary = g_strdup_printf("writes a document id into %s", path);
    return true;
}

/* The machines that the event is checked against. An event that is no status_change goes on without
   one, since it only shows where the run may go. */
static bool find_machines(const EmitEvent *args, EventType type, const EmitPlace *place,
                          GPtrArray *warnings, Workflow **ret_machine, Workflow **ret_agent,
                          GError **error)
{
    bool is_checked = type == EVENT_STATUS_CHANGE;
    bool is_unknown = strcmp(args->workflow, WORKFLOW_UNKNOWN) == 0;
    const WorkflowPlaces places = emit_place_workflows(place);
    g_autoptr(GError) cause = NULL;
    if (!is_unknown && !workflow_find(args->workflow, &places, ret_machine, &cause)) {
        if (is_checked)
            return pass_error(error, &cause);
        g_ptr_array_add(warnings, g_strdup(cause->message));
    }
    size_t agent_length = args->step ? step_agent_length(args->step) : 0;
    if (!is_checked)
        return true;
    if (agent_length == 0)
        return is_unknown || *ret_machine ||
               workflow_fail_not_found(args->workflow, &places, error);
    g_autofree char *agent = g_strndup(args->step, agent_length);
    return !workflow_name_is_valid(agent) || workflow_find(agent, &places, ret_agent, error);
}

static bool emit_do_record(OperationCall *call, const EmitEvent *args, Db *db, GPtrArray *warnings,
                           json_t **ret_data, GError **error)
{
    g_auto(EmitPlace) place = { 0 };
    bool is_known = false;
    if (!emit_place_of_run(db, args->run_id, &place, &is_known, error) ||
        (!is_known &&
         !emit_place_find(call->cwd, args->project, call->cancel, warnings, &place, error)))
        return false;
    EventType type = event_type_parse(args->type_name);
    g_autoptr(Workflow) machine = NULL;
    g_autoptr(Workflow) agent = NULL;
    if (!find_machines(args, type, &place, warnings, &machine, &agent, error))
        return false;
    EmitEvent event = *args;
    event.type = type;
    event.place = &place;
    event.machine = machine;
    event.agent = agent;
    event.now_ms = tool_call_now_ms(call->tool_call);
    return emit_record(db, &event, warnings, ret_data, error);
}

static bool emit_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const EmitEvent *args = args_;
    emit_check_run_id(args->run_id, answer);
    if (!workflow_name_is_valid(args->workflow))
        answer_fail_field(answer, "workflow", "Invalid workflow name: '%s'", args->workflow);
    event_check(event_type_parse(args->type_name), args->step, args->data, answer);
    emit_check_project(args->project, answer);
    if (answer_has_failed(answer))
        return true;

    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Db) db = NULL;
    json_t *data = NULL;
    if (!state_open(NULL, call->cancel, &db, warnings, error) ||
        !emit_do_record(call, args, db, warnings, &data, error))
        return false;
    answer_warn_all(answer, warnings);
    answer_set_data(answer, data);
    return true;
}

const OperationDef operation_emit = {
    .tool = OPERATION_TOOL(
        emit, EmitEvent, TOOL_CHANGES_RECORDS, .name = "emit", .label = "Workflow event",
        .summary = "Record a workflow event, checked against its state machine",
        .description =
            "Records an event of a workflow run: a status change of a step, a registered artifact, "
            "a question to the user, a note. Status changes are checked against the workflow's "
            "state machine; every answer says where the run is and which states may follow.",
        .judge = emit_judge),
    EMIT_PARTS(emit, NULL),
    .changes = "with --stamp: the front matter of the registered file",
};
