/*
 * agent-tools emit resume-run, end-run, get-run, list-runs, events (agent-tools-cli §4.6).
 */
#include "agenttools/agenttools.h"
#include "agenttools/emit/emit_options.h"
#include "agenttools/emit/emit_place.h"
#include "agenttools/emit/event_log.h"
#include "agenttools/emit/runs.h"

#define MAX_PAGE 1000

// ---- resume-run ----

typedef struct ResumeArgs {
    const char *feature, *workflow, *project;
} ResumeArgs;

static const FieldDef resume_fields[] = {
    { "feature", FIELD_STRING, offsetof(ResumeArgs, feature), .is_required = true,
      .refuses_blank = true, .max_chars = 200, .missing = "--feature is required",
      .help = "Feature that the run is for" },
    { "workflow", FIELD_STRING, offsetof(ResumeArgs, workflow), .is_required = true,
      .refuses_blank = true, .missing = "--workflow is required",
      .help = "Name of its state machine" },
    { "project", FIELD_STRING, offsetof(ResumeArgs, project), EMIT_PROJECT },
    { 0 },
};

static const FieldDef resume_output[] = {
    { "runId", FIELD_STRING, 0, .is_required = true, .help = "The run to go on with" },
    { "resumed", FIELD_BOOLEAN, 0, .is_required = true, .help = "false: the run is new" },
    { "workflow", FIELD_STRING, 0, .is_required = true, .help = "Its state machine" },
    { "featureId", FIELD_STRING, 0, .is_required = true, .help = "Its feature" },
    { 0 },
};

static const OperationExample resume_examples[] = {
    { "kedge agent-tools emit resume-run --feature auth --workflow build",
      "{\"feature\":\"auth\",\"workflow\":\"build\"}",
      "{\"runId\":\"R\",\"resumed\":true,\"workflow\":\"build\",\"featureId\":\"auth\"}" },
    { "kedge agent-tools emit resume-run --feature auth --workflow build --project /srv/app",
      "{\"feature\":\"auth\",\"workflow\":\"build\",\"project\":\"/srv/app\"}",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"resumed\":false,"
      "\"workflow\":\"build\",\"featureId\":\"auth\"}" },
    { 0 },
};

typedef struct Resuming {
    const ResumeArgs *args;
    const EmitPlace *place;
    int64_t now_ms;
    char *run_id; // the answer
    bool is_resumed;
} Resuming;

static bool find_open_run(Db *db, Resuming *self, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(db, &query, error,
                  "SELECT id FROM run WHERE feature_id = ? AND workflow = ? AND project_path = ? "
                  "AND status NOT IN ('completed', 'cancelled', 'abandoned', 'failed') "
                  "ORDER BY created_at DESC, rowid DESC LIMIT 1",
                  "sss", self->args->feature, self->args->workflow, self->place->project) ||
        !db_query_step(query, &self->is_resumed, error))
        return false;
    if (self->is_resumed)
        self->run_id = g_strdup(db_query_text(query, 0));
    return true;
}

/* One transaction, so that two calls at once agree. */
static bool resume_in(Db *db, void *resuming_, GError **error)
{
    Resuming *self = resuming_;
    if (!find_open_run(db, self, error))
        return false;
    if (self->is_resumed)
        return true;
    self->run_id = g_uuid_string_random();
    g_autoptr(RunState) run = run_state_new(self->run_id, self->args->workflow);
    run->feature_id = g_strdup(self->args->feature);
    run->project_path = g_strdup(self->place->project);
    run->root_path = g_strdup(self->place->root);
    run->work_root = g_strdup(self->place->work_root);
    run->created_at = self->now_ms;
    return event_log_save_run(db, run, NULL, 0, NULL, NULL, self->now_ms, error);
}

static bool resume_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ResumeArgs *args = args_;
    emit_check_project(args->project, answer);
    if (!workflow_name_is_valid(args->workflow))
        answer_fail_field(answer, "workflow", "Invalid workflow name: '%s'", args->workflow);
    if (answer_has_failed(answer))
        return true;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Db) db = NULL;
    g_auto(EmitPlace) place = { 0 };
    if (!emit_place_find(call->cwd, args->project, call->cancel, warnings, &place, error) ||
        !emit_open_state(call, &db, answer, error))
        return false;
    Resuming resuming = { .args = args,
                          .place = &place,
                          .now_ms = tool_call_now_ms(call->tool_call) };
    bool is_done = db_transaction(db, resume_in, &resuming, error);
    g_autofree char *run_id = resuming.run_id;
    if (!is_done)
        return false;
    answer_warn_all(answer, warnings);
    answer_set_data(answer, json_make("runId:%s resumed:%i workflow:%s featureId:%s", run_id,
                                      resuming.is_resumed, args->workflow, args->feature));
    return true;
}

const OperationDef operation_emit_resume_run = {
    .tool = OPERATION_TOOL(resume, ResumeArgs, TOOL_CHANGES_RECORDS, .name = "emit_resume_run",
                           .label = "Resume run",
                           .summary = "Find the run of a feature that can go on, or begin one"),
    EMIT_PARTS(resume, "resume-run"),
};

// ---- end-run ----

typedef struct EndArgs {
    const char *run_id, *outcome, *message;
} EndArgs;

static const char *const outcomes[] = { "cancelled", "abandoned", "completed", NULL };

static const FieldDef end_fields[] = {
    { "runId", FIELD_STRING, offsetof(EndArgs, run_id), EMIT_RUN_ID },
    { "outcome", FIELD_ENUM, offsetof(EndArgs, outcome), .is_required = true, .values = outcomes,
      .help = "How it ends" },
    { "message", FIELD_STRING, offsetof(EndArgs, message), .max_chars = 10000, .help = "Why" },
    { 0 },
};

static const FieldDef end_output[] = {
    { "runId", FIELD_STRING, 0, .is_required = true, .help = "The run" },
    { "eventId", FIELD_INTEGER, 0, .is_required = true, .help = "The event that says so" },
    { "runStatus", FIELD_ENUM, 0, .is_required = true, .values = outcomes, .help = "Its status" },
    { 0 },
};

static const OperationExample end_examples[] = {
    { "kedge agent-tools emit end-run --run-id R --outcome abandoned --message \"new plan\"",
      "{\"runId\":\"R\",\"outcome\":\"abandoned\",\"message\":\"new plan\"}",
      "{\"runId\":\"R\",\"eventId\":48,\"runStatus\":\"abandoned\"}" },
    { "kedge agent-tools emit end-run --run-id R --outcome completed",
      "{\"runId\":\"R\",\"outcome\":\"completed\"}",
      "{\"runId\":\"R\",\"eventId\":49,\"runStatus\":\"completed\"}" },
    { 0 },
};

typedef struct Ending {
    const EndArgs *args;
    int64_t now_ms;
    int64_t event_id; // the answer
} Ending;

static bool end_in(Db *db, void *ending_, GError **error)
{
    Ending *self = ending_;
    const EndArgs *args = self->args;
    g_autoptr(RunState) run = NULL;
    if (!run_state_load(db, args->run_id, &run, error))
        return false;
    if (!run)
        return run_fail_not_found(args->run_id, error);
    if (run->ended_at > 0)
        return answer_error(error, ANSWER_INVALID_STATE, json_make("status:%s", run->status),
                            "Run \"%s\" is already terminal (%s) and cannot be ended again",
                            run->id, run->status);
    g_autofree char *old_status = g_strdup(run->status);
    return event_log_end(db, run, args->outcome, args->message, self->now_ms, &self->event_id,
                         error) &&
           event_log_save_run(db, run, NULL, self->event_id, old_status, run->current_step,
                              self->now_ms, error);
}

static bool end_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const EndArgs *args = args_;
    g_autoptr(Db) db = NULL;
    Ending ending = { .args = args, .now_ms = tool_call_now_ms(call->tool_call) };
    if (!emit_open_state(call, &db, answer, error) || !db_transaction(db, end_in, &ending, error))
        return false;
    answer_set_data(answer, json_make("runId:%s eventId:%jd runStatus:%s", args->run_id,
                                      ending.event_id, args->outcome));
    return true;
}

const OperationDef operation_emit_end_run = {
    .tool = OPERATION_TOOL(end, EndArgs, TOOL_CHANGES_RECORDS, .name = "emit_end_run",
                           .label = "End run", .summary = "End a workflow run"),
    EMIT_PARTS(end, "end-run"),
};

// ---- get-run ----

typedef struct GetArgs {
    const char *run_id;
} GetArgs;

static const FieldDef get_fields[] = {
    { "runId", FIELD_STRING, offsetof(GetArgs, run_id), EMIT_RUN_ID },
    { 0 },
};

static const FieldDef get_output[] = {
    { "run", FIELD_OBJECT, 0, .is_required = true, .item_fields = emit_run_fields,
      .help = "The run" },
    { "state", FIELD_OBJECT, 0, .is_required = true, .item_fields = emit_state_fields,
      .help = "Where it is" },
    { "waiting", FIELD_JSON, 0,
      .help = "What it asked the user and waits for: eventId, prompt, context, and the answer that "
              "was given in Arcade, or null" },
    { 0 },
};

#define EXAMPLE_RUN                                                                                \
    "{\"id\":\"R\",\"workflow\":\"build\",\"featureId\":\"auth\",\"projectPath\":\"/srv/app\","    \
    "\"workRoot\":\"/srv/app/.rp1/work\",\"name\":null,\"harness\":null,\"status\":\"running\","   \
    "\"currentStep\":\"design\",\"createdAt\":\"2026-03-04T05:06:07.089Z\","                       \
    "\"updatedAt\":\"2026-03-04T05:06:07.089Z\",\"endedAt\":null}"

static const OperationExample get_examples[] = {
    { "kedge agent-tools emit get-run --run-id R", "{\"runId\":\"R\"}",
      "{\"run\":" EXAMPLE_RUN ",\"state\":{\"current\":\"design\",\"status\":\"running\","
      "\"validNextStates\":[\"tasks\"]},\"waiting\":null}" },
    { "echo '{\"runId\":\"R\"}' | kedge agent-tools emit get-run --compact", "{\"runId\":\"R\"}",
      "{\"run\":" EXAMPLE_RUN ",\"state\":{\"current\":\"design\",\"status\":\"running\","
      "\"validNextStates\":[\"tasks\"]},\"waiting\":{\"eventId\":7,\"prompt\":\"Approve the "
      "design?\","
      "\"answer\":{\"annotationId\":44,\"content\":\"Yes.\","
      "\"createdAt\":\"2026-03-04T05:10:00.000Z\"}}}" },
    { 0 },
};

static bool get_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const GetArgs *args = args_;
    g_autoptr(Db) db = NULL;
    g_autoptr(json_t) run = NULL;
    g_autoptr(json_t) state = NULL;
    g_autoptr(json_t) waiting = NULL;
    if (!emit_open_state(call, &db, answer, error) ||
        !run_get(db, args->run_id, tool_call_now_ms(call->tool_call), &run, error) ||
        !run_position(db, args->run_id, call->cwd, &state, error) ||
        !run_waiting(db, args->run_id, &waiting, error))
        return false;
    answer_set_data(answer, json_make("run:%p state:%p waiting:%p", g_steal_pointer(&run),
                                      g_steal_pointer(&state), g_steal_pointer(&waiting)));
    return true;
}

const OperationDef operation_emit_get_run = {
    .tool = OPERATION_TOOL(get, GetArgs, 0, .name = "emit_get_run", .label = "Show run",
                           .summary = "Show a workflow run and where it is"),
    EMIT_PARTS(get, "get-run"),
};

// ---- list-runs ----

typedef struct ListArgs {
    const char *status, *project, *cursor;
    int64_t limit;
} ListArgs;

static const char *const run_statuses[] = { "not_started", "running",  "waiting",
                                            "completed",   "failed",   "cancelled",
                                            "abandoned",   "inactive", NULL };

static const FieldDef list_fields[] = {
    { "status", FIELD_ENUM, offsetof(ListArgs, status), .values = run_statuses,
      .help = "Only runs of that status" },
    { "project", FIELD_STRING, offsetof(ListArgs, project), .refuses_blank = true,
      .value_name = "DIR", .help = "Only runs of that project, an absolute path" },
    { "limit", FIELD_INTEGER, offsetof(ListArgs, limit), .min = 1, .max = MAX_PAGE,
      .default_text = "100", .help = "At most so many" },
    { "cursor", FIELD_STRING, offsetof(ListArgs, cursor), .help = "nextCursor of the page before" },
    { 0 },
};

static const FieldDef list_output[] = {
    { "runs", FIELD_OBJECT_LIST, 0, .is_required = true, .item_fields = emit_run_fields,
      .help = "Newest activity first" },
    { "nextCursor", FIELD_STRING, 0, .help = "Of the next page; null at the end" },
    { 0 },
};

static const OperationExample list_examples[] = {
    { "kedge agent-tools emit list-runs --status running --limit 20",
      "{\"status\":\"running\",\"limit\":20}", "{\"runs\":[" EXAMPLE_RUN "],\"nextCursor\":null}" },
    { "kedge agent-tools emit list-runs --project /srv/app", "{\"project\":\"/srv/app\"}",
      "{\"runs\":[],\"nextCursor\":null}" },
    { 0 },
};

static bool list_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ListArgs *args = args_;
    g_autofree char *project = NULL;
    g_autoptr(Db) db = NULL;
    if (!emit_project_filter(args->project, call->cancel, &project, error) ||
        !emit_open_state(call, &db, answer, error))
        return false;
    const RunFilter filter = {
        .status = args->status,
        .project_path = project,
        .limit = args->limit,
        .cursor = args->cursor,
    };
    json_t *runs = NULL;
    g_autofree char *next = NULL;
    if (!run_list(db, &filter, tool_call_now_ms(call->tool_call), &runs, &next, error))
        return false;
    answer_set_data(answer, json_make("runs:%p nextCursor:%s?", runs, next));
    return true;
}

const OperationDef operation_emit_list_runs = {
    .tool = OPERATION_TOOL(list, ListArgs, 0, .name = "emit_list_runs", .label = "List runs",
                           .summary = "List workflow runs, newest activity first"),
    EMIT_PARTS(list, "list-runs"),
};
