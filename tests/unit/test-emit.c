/*
 * emit through tool_call(): rows D-01 to D-11, D-14, D-18 and D-19 of agent-tools-cli §10.
 */
#include "unit.h"

#include "emit_fixture.h"

#include <pthread.h>

static void expect_data(const char *name, const json_t *envelope, const char *want)
{
    g_autofree char *got = json_to_text(json_object_get(envelope, "data"));
    g_autofree char *wanted = g_strdelimit(g_strdup(want), "'", '"');
    if (!json_get_bool(envelope, "success", false))
        fail_msg("%s: %s", name, emit_error_of(envelope));
    assert_text(name, got, wanted);
}

static void expect_log(const char *name, const char *want)
{
    g_autofree char *got = emit_log_of("R");
    assert_text(name, got, want);
}

static void test_moves(void **state)
{
    const EmitFixture *fixture = *state;
    g_autoptr(json_t) first = emit_status(fixture, "requirements running", NULL);
    expect_data("cli-D-01: first", first,
                "{'eventId':1,'runId':'R','type':'status_change','runStatus':'running','state':{"
                "'current':'requirements','status':'running','validNextStates':['design']}}");
    g_autoptr(json_t) second = emit_status(fixture, "design running", NULL);
    expect_data("cli-D-01", second,
                "{'eventId':3,'runId':'R','type':'status_change',"
                "'completedPredecessors':['requirements'],'runStatus':'running','state':{"
                "'current':'design','status':'running','validNextStates':['tasks']}}");
    expect_log("cli-D-01", "requirements running, requirements completed, design running");
}

static void test_refusals(void **state)
{
    const EmitFixture *fixture = *state;
    emit_refuse(fixture, "cli-D-02", "design running", "invalid_transition",
                "Invalid initial state 'design'. Runs of \"build\" start in: requirements");
    assert_int_equal(emit_query_int("SELECT count(*) FROM run"), 0);
    emit_do(fixture, "requirements running");
    emit_refuse(fixture, "cli-D-03", "verify running", "invalid_transition",
                "Invalid transition from 'requirements' to 'verify'. Valid next states: design");
    emit_refuse(fixture, "cli-D-05", "verfy running", "invalid_transition",
                "step \"verfy\" is not a valid state in the \"build\" state machine. Valid states: "
                "[requirements, design, tasks, build, verify, archive]. Current state: "
                "\"requirements\". Valid transitions from \"requirements\": [design].");
    g_autoptr(json_t) envelope = emit_status(fixture, "verfy running", NULL);
    assert_string_equal(json_get_text(emit_details_of(envelope), "hint"), "verify");
    expect_log("cli-D-03: nothing is left behind", "requirements running");
    assert_int_equal(emit_query_int("SELECT count(*) FROM feed WHERE type = 'event'"), 1);
}

static void test_skip(void **state)
{
    const EmitFixture *fixture = *state;
    emit_do(fixture, "requirements running");
    g_autoptr(json_t) envelope = emit_status(fixture, "verify running", "'allowSkip':true");
    expect_data("cli-D-04", envelope,
                "{'eventId':6,'runId':'R','type':'status_change',"
                "'completedPredecessors':['requirements'],"
                "'skippedSteps':['design','tasks','build'],'runStatus':'running','state':{"
                "'current':'verify','status':'running','validNextStates':['archive','build']}}");
    expect_log("cli-D-04", "requirements running, requirements completed, design skipped, tasks "
                           "skipped, build skipped, verify running");
}

static void test_rework_and_end(void **state)
{
    const EmitFixture *fixture = *state;
    static const char *const changes[] = {
        "requirements completed", "design completed", "tasks completed", "build completed",
        "verify failed",          "build running",    "verify running",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++)
        emit_do(fixture, changes[i]);
    g_autoptr(json_t) last = emit_status(fixture, "archive completed", NULL);
    expect_data("cli-D-06", last,
                "{'eventId':10,'runId':'R','type':'status_change',"
                "'completedPredecessors':['verify'],'runStatus':'completed','state':{"
                "'current':'archive','status':'completed','validNextStates':[]}}");
    assert_int_equal(emit_query_int("SELECT ended_at FROM run"), fixture->now_ms);

    emit_refuse(fixture, "cli-D-07", "archive completed", "invalid_state",
                "Run \"R\" is already terminal (completed)");
    static const struct {
        const char *name, *call;
        bool is_accepted;
    } cases[] = {
        { "cli-D-07: artifact", "{'type':'artifact_registered','data':{'path':'a','feature':'f'}}",
          true },
        { "cli-D-07: annotation",
          "{'type':'annotation_updated','data':{'docId':'d','content':'c'}}", true },
        { "cli-D-07: note", "{'type':'btw_update','data':{'message':'m'}}", true },
        { "cli-D-07: question", "{'type':'waiting_for_user','data':{'prompt':'p'}}", false },
        { "cli-D-07: subflow",
          "{'type':'subflow_registered','step':'build','data':{'parentStepId':'a','subflowName':"
          "'b'}}",
          false },
        { "cli-D-07: agent",
          "{'type':'status_change','step':'task-builder:building','data':{'status':'running'}}",
          false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) envelope = emit_call(fixture, cases[i].call);
        if (json_get_bool(envelope, "success", false) != cases[i].is_accepted)
            fail_msg("%s: %s", cases[i].name, emit_error_of(envelope));
    }
}

static void test_same_step(void **state)
{
    const EmitFixture *fixture = *state;
    tool_fixture_put(fixture->tools, ".rp1/workflows/loop.mmd",
                     "stateDiagram-v2\n[*] --> a\na --> a : again\na --> b\nb --> [*]\n");
    emit_do(fixture, "requirements completed");
    emit_refuse(fixture, "cli-D-08: without", "requirements running", "invalid_transition",
                "Step 'requirements' is completed and cannot become running");
    static const char *const calls[] = { "completed", "running" };
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autofree char *call = g_strdup_printf("{'type':'status_change','runId':'L','workflow':"
                                                "'loop','step':'a','data':{'status':'%s'}}",
                                                calls[i]);
        g_autoptr(json_t) envelope = emit_call(fixture, call);
        if (!json_get_bool(envelope, "success", false))
            fail_msg("cli-D-08: with: %s", emit_error_of(envelope));
    }
}

static void test_waiting(void **state)
{
    const EmitFixture *fixture = *state;
    emit_do(fixture, "requirements running");
    g_autoptr(json_t) waiting = emit_call(
        fixture, "{'type':'waiting_for_user','step':'requirements','data':{'prompt':'Go on?'}}");
    expect_data("cli-D-09: asked", waiting,
                "{'eventId':2,'runId':'R','type':'waiting_for_user','runStatus':'waiting','state':{"
                "'current':'requirements','status':'running','validNextStates':['design']}}");
    g_autoptr(json_t) note = emit_call(fixture, "{'type':'btw_update','data':{'message':'m'}}");
    assert_string_equal(json_string_value(json_get_path(note, "data.runStatus")), "waiting");
    g_autoptr(json_t) running = emit_status(fixture, "requirements running", NULL);
    assert_string_equal(json_string_value(json_get_path(running, "data.runStatus")), "running");
}

static void test_units(void **state)
{
    const EmitFixture *fixture = *state;
    emit_skip_to(fixture, "build running");
    emit_do(fixture, "build/T2 running");
    emit_do(fixture, "build/T1 completed");
    g_autoptr(json_t) failed = emit_status(fixture, "build/T2 failed", NULL);
    expect_data("cli-D-10", failed,
                "{'eventId':7,'runId':'R','type':'status_change','runStatus':'running','state':{"
                "'current':'build','status':'running','validNextStates':['verify'],"
                "'units':{'T1':'completed','T2':'failed'}}}");
}

static void test_agents(void **state)
{
    const EmitFixture *fixture = *state;
    emit_skip_to(fixture, "build running");
    emit_do(fixture, "task-builder:building running");
    emit_do(fixture, "task-builder:failed failed");
    emit_refuse(fixture, "cli-D-11", "task-builder:building running", "invalid_transition",
                "Invalid transition from 'failed' to 'building'. Valid next states: (none)");
    emit_do(fixture, "helper:anything running"); // no machine of that name
    g_autoptr(json_t) note = emit_call(fixture, "{'type':'btw_update','data':{'message':'m'}}");
    assert_string_equal(json_string_value(json_get_path(note, "data.state.current")), "build");
    assert_string_equal(json_string_value(json_get_path(note, "data.runStatus")), "running");
}

static void test_close_run(void **state)
{
    const EmitFixture *fixture = *state;
    emit_skip_to(fixture, "build running");
    emit_do(fixture, "build/T1 running");
    emit_do(fixture, "build/T2 failed");
    g_autoptr(json_t) closed =
        emit_call(fixture, "{'type':'btw_update','closeRun':true,'data':{'message':'done'}}");
    expect_data("close", closed,
                "{'eventId':7,'runId':'R','type':'btw_update','runStatus':'completed','state':{"
                "'current':'build','status':'completed','validNextStates':[],"
                "'units':{'T1':'completed','T2':'failed'}}}");
    emit_refuse(fixture, "closed", "verify running", "invalid_state",
                "Run \"R\" is already terminal (completed)");

    g_autoptr(json_t) failed = emit_call(
        fixture, "{'type':'status_change','runId':'F','step':'requirements','closeRun':true,"
                 "'data':{'status':'failed'}}");
    assert_string_equal(json_string_value(json_get_path(failed, "data.runStatus")), "failed");
    assert_int_equal(emit_query_int("SELECT ended_at IS NULL FROM run WHERE id = 'F'"), 1);
}

static void test_unknown_workflow(void **state)
{
    const EmitFixture *fixture = *state;
    static const struct {
        const char *step, *status, *want;
    } cases[] = {
        { "any", "completed", "completed" },   { "other", "running", "running" },
        { "any", "failed", "failed" },         { "any", "skipped", "running" },
        { "other", "completed", "completed" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *call = g_strdup_printf("{'type':'status_change','workflow':'unknown',"
                                                "'step':'%s','data':{'status':'%s'}}",
                                                cases[i].step, cases[i].status);
        g_autoptr(json_t) envelope = emit_call(fixture, call);
        if (!json_get_bool(envelope, "success", false))
            fail_msg("case %zu: %s", i, emit_error_of(envelope));
        assert_text(call, json_string_value(json_get_path(envelope, "data.runStatus")),
                    cases[i].want);
    }
}

#define ENUMERATION                                                                                \
    "status_change, artifact_registered, annotation_updated, waiting_for_user, btw_update, "       \
    "subflow_registered"

/* cli-D-14: each text of agent-tools-cli §4.2, by what is given. */
static void test_payloads(void **state)
{
    const EmitFixture *fixture = *state;
    static const struct {
        const char *call, *want; // of several problems the first
    } cases[] = {
        { "{'runId':'R','workflow':'build'}", "--type is required" },
        { "{'type':'x','runId':'R','workflow':'build'}",
          "Invalid event type: 'x'. Must be one of: " ENUMERATION },
        { "{'type':'btw_update','workflow':'build'}", "--run-id is required" },
        { "{'type':'btw_update','runId':' ','workflow':'build'}", "--run-id is required" },
        { "{'type':'btw_update','runId':'a b','workflow':'build','data':{'message':'m'}}",
          "Invalid run ID: 'a b'. Must be 1 to 128 of A-Z a-z 0-9 . _ : -" },
        { "{'type':'btw_update','runId':'R'}", "--workflow is required" },
        { "{'type':'btw_update','runId':'R','workflow':'build','data':[1]}",
          "--data must be a JSON object (not array or primitive)" },
        { "{'type':'btw_update','runId':'R','workflow':'build','data':'x'}",
          "--data must be a JSON object (not array or primitive)" },
        { "{'type':'status_change','runId':'R','workflow':'build','data':{'status':'running'}}",
          "--step is required for 'status_change' events" },
        { "{'type':'status_change','runId':'R','workflow':'build','step':'a'}",
          "status_change events require a 'status' field in data" },
        { "{'type':'status_change','runId':'R','workflow':'build','step':'a','data':{}}",
          "status_change events require a 'status' field in data" },
        { "{'type':'status_change','runId':'R','workflow':'build','step':'a','data':{'status':"
          "'done'}}",
          "Invalid status value: 'done'. Must be one of: not_started, running, waiting, completed, "
          "failed, skipped" },
        { "{'type':'status_change','runId':'R','workflow':'build','step':'a','data':{'status':"
          "5}}",
          "Invalid status value: '5'. Must be one of: not_started, running, waiting, completed, "
          "failed, skipped" },
        { "{'type':'status_change','runId':'R','workflow':'build','step':'a','data':{'status':"
          "'running','message':5}}",
          "'message' of status_change events must be a string" },
        { "{'type':'artifact_registered','runId':'R','workflow':'build','data':{'feature':'f'}}",
          "artifact_registered events require a 'path' field (string) in data" },
        { "{'type':'artifact_registered','runId':'R','workflow':'build','data':{'path':5,"
          "'feature':'f'}}",
          "artifact_registered events require a 'path' field (string) in data" },
        { "{'type':'artifact_registered','runId':'R','workflow':'build','data':{'path':'a'}}",
          "artifact_registered events require a 'feature' field (string) in data" },
        { "{'type':'artifact_registered','runId':'R','workflow':'build','data':{'path':'a',"
          "'feature':'f','type':'x'}}",
          "'type' of artifact_registered events must be one of: markdown, code, diagram, diff, "
          "report, other" },
        { "{'type':'artifact_registered','runId':'R','workflow':'build','data':{'path':'a',"
          "'feature':'f','storageRoot':'x'}}",
          "'storageRoot' of artifact_registered events must be one of: work_dir, project, "
          "absolute" },
        { "{'type':'annotation_updated','runId':'R','workflow':'build','data':{'content':'c'}}",
          "annotation_updated events require a 'docId' field (string) in data" },
        { "{'type':'annotation_updated','runId':'R','workflow':'build','data':{'docId':'d'}}",
          "annotation_updated events require a 'content' field (string) in data" },
        { "{'type':'annotation_updated','runId':'R','workflow':'build','data':{'docId':'d',"
          "'content':'c','parentId':true}}",
          "'parentId' of annotation_updated events must be an id" },
        { "{'type':'waiting_for_user','runId':'R','workflow':'build','data':{'prompt':' '}}",
          "waiting_for_user events require a 'prompt' field (string) in data" },
        { "{'type':'btw_update','runId':'R','workflow':'build'}",
          "btw_update events require a 'message' field (string) in data" },
        { "{'type':'subflow_registered','runId':'R','workflow':'build','data':{'parentStepId':"
          "'a','subflowName':'b'}}",
          "--step is required for 'subflow_registered' events" },
        { "{'type':'subflow_registered','runId':'R','workflow':'build','step':'s','data':{"
          "'subflowName':'b'}}",
          "subflow_registered events require a 'parentStepId' field (string) in data" },
        { "{'type':'subflow_registered','runId':'R','workflow':'build','step':'s','data':{"
          "'parentStepId':'a'}}",
          "subflow_registered events require a 'subflowName' field (string) in data" },
        { "{'type':'subflow_registered','runId':'R','workflow':'build','step':'s','data':{"
          "'parentStepId':'a','subflowName':'b','steps':[1]}}",
          "'steps' of subflow_registered events must be an array of strings" },
        { "{'type':'btw_update','runId':'R','workflow':'build','project':'x','data':{'message':"
          "'m'}}",
          "Project path must be absolute. Received: x" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got =
            operation_error(fixture->tools, &operation_emit, cases[i].call, "validation");
        assert_text(cases[i].call, got, cases[i].want);
    }
    // all problems at once, in order
    g_autoptr(json_t) envelope =
        operation_call(fixture->tools, &operation_emit, json_of("{'step':5}"));
    g_autofree char *errors = json_to_text(json_get_array(envelope, "errors"));
    assert_string_equal(errors, "[\"--type is required\",\"--run-id is required\","
                                "\"--workflow is required\","
                                "\"Validation failed: step must be a non-empty string\"]");
}

/* `--data` as a shell word. */
static void test_data_flag(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *value, *want;
    } cases[] = {
        { "{\"a\":1}", "{\"data\":{\"a\":1}}" },
        { "{a}", "--data must be valid JSON" },
        { "hello", "--data must be valid JSON" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *argv[] = { (char *)"--data", (char *)cases[i].value };
        g_autoptr(json_t) arguments = NULL;
        g_autoptr(GError) error = NULL;
        bool is_read = field_from_argv_raw(operation_emit.tool.fields, 2, argv, &arguments, NULL,
                                           NULL, &error);
        g_autofree char *got = is_read ? json_to_text(arguments) : g_strdup(error->message);
        assert_text("cli-D-14: --data", got, cases[i].want);
    }
}

static void test_run_fields(void **state)
{
    const EmitFixture *fixture = *state;
    static const char *const calls[] = {
        "{'type':'btw_update','name':'One','harness':'h1','data':{'message':'m','feature':'f1'}}",
        "{'type':'btw_update','name':'Two','harness':'h2','feature':'f2','data':{'message':'m'}}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autoptr(json_t) envelope = emit_call(fixture, calls[i]);
        assert_true(json_get_bool(envelope, "success", false));
    }
    g_autoptr(json_t) data =
        operation_data(fixture->tools, &operation_emit_get_run, "{'runId':'R'}");
    const json_t *run = json_get_object(data, "run");
    assert_string_equal(json_get_text(run, "name"), "One");
    assert_string_equal(json_get_text(run, "harness"), "h1");
    assert_string_equal(json_get_text(run, "featureId"), "f1");
    assert_string_equal(json_get_text(run, "projectPath"), fixture->project);

    g_autofree char *other = operation_error(
        fixture->tools, &operation_emit,
        "{'type':'btw_update','runId':'R','workflow':'pr-review','data':{'message':'m'}}",
        "conflict");
    assert_string_equal(other, "Run \"R\" belongs to workflow \"build\", not \"pr-review\"");
}

static void test_event_key(void **state)
{
    const EmitFixture *fixture = *state;
    emit_do_with(fixture, "requirements running", "'eventKey':'k'");
    g_autoptr(json_t) other = emit_call(
        fixture, "{'type':'artifact_registered','eventKey':'a','data':{'path':'x','feature':'f'}}");
    g_autoptr(json_t) again = emit_status(fixture, "requirements running", "'eventKey':'k'");
    expect_data("cli-D-18", again,
                "{'eventId':1,'runId':'R','type':'status_change','runStatus':'running','state':{"
                "'current':'requirements','status':'running','validNextStates':['design']},"
                "'duplicate':true}");
    g_autoptr(json_t) artifact = emit_call(
        fixture, "{'type':'artifact_registered','eventKey':'a','data':{'path':'x','feature':'f'}}");
    assert_true(json_is_true(json_get_path(artifact, "data.duplicate")));
    assert_string_equal(json_string_value(json_get_path(artifact, "data.docId")),
                        json_string_value(json_get_path(other, "data.docId")));
    assert_int_equal(emit_query_int("SELECT count(*) FROM event"), 2);

    static const char *const different[] = {
        "{'type':'status_change','eventKey':'k','step':'requirements','data':{'status':'failed'}}",
        ("{'type':'status_change','eventKey':'k','step':'requirements','unit':'u',"
         "'data':{'status':'running'}}"),
        "{'type':'btw_update','eventKey':'k','data':{'message':'m'}}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(different); i++) {
        g_autoptr(json_t) envelope = emit_call(fixture, different[i]);
        assert_text("cli-D-18: other content", emit_error_of(envelope),
                    "Event key \"k\" was already used for event 1 with different content");
        assert_string_equal(json_get_text(emit_details_of(envelope), "code"), "conflict");
    }
    // the same key in another run is another key; the last event answers a repeat after the end
    g_autoptr(json_t) elsewhere = emit_call(
        fixture, "{'type':'btw_update','runId':'Q','eventKey':'k','data':{'message':'m'}}");
    assert_null(json_get_path(elsewhere, "data.duplicate"));
    emit_end(fixture, "{'runId':'R','outcome':'cancelled'}");
    g_autoptr(json_t) late = emit_status(fixture, "requirements running", "'eventKey':'k'");
    assert_true(json_is_true(json_get_path(late, "data.duplicate")));
}

typedef struct Resumer {
    const EmitFixture *fixture;
    char *run_id;
} Resumer;

#define RESUME "{'feature':'auth','workflow':'build'}"

static void *resume(void *resumer_)
{
    Resumer *resumer = resumer_;
    g_autoptr(json_t) envelope =
        operation_call(resumer->fixture->tools, &operation_emit_resume_run, json_of(RESUME));
    resumer->run_id = g_strdup(json_string_value(json_get_path(envelope, "data.runId")));
    return NULL;
}

static void test_resume_run(void **state)
{
    const EmitFixture *fixture = *state;
    db_close(emit_open_db()); // so that the threads meet a made database
    Resumer resumers[2] = { { fixture, NULL }, { fixture, NULL } };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, resume, &resumers[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    g_autofree char *first = resumers[0].run_id;
    g_autofree char *second = resumers[1].run_id;
    assert_text("cli-D-19: twice at once", first, second);
    assert_int_equal(emit_query_int("SELECT count(*) FROM run"), 1);

    g_autoptr(json_t) again = operation_data(fixture->tools, &operation_emit_resume_run, RESUME);
    g_autofree char *text = json_to_text(again);
    g_autofree char *want = g_strdup_printf(
        "{\"runId\":\"%s\",\"resumed\":true,\"workflow\":\"build\",\"featureId\":\"auth\"}", first);
    assert_text("cli-D-19", text, want);

    g_autofree char *end =
        g_strdup_printf("{'runId':'%s','outcome':'abandoned','message':'new plan'}", first);
    g_autoptr(json_t) ended = operation_data(fixture->tools, &operation_emit_end_run, end);
    assert_string_equal(json_get_text(ended, "runStatus"), "abandoned");
    g_autoptr(json_t) fresh = operation_data(fixture->tools, &operation_emit_resume_run, RESUME);
    assert_false(json_get_bool(fresh, "resumed", true));
    assert_string_not_equal(json_get_text(fresh, "runId"), first);

    g_autofree char *twice =
        operation_error(fixture->tools, &operation_emit_end_run, end, "invalid_state");
    g_autofree char *text_of_end = g_strdup_printf(
        "Run \"%s\" is already terminal (abandoned) and cannot be ended again", first);
    assert_string_equal(twice, text_of_end);
    g_autofree char *unknown =
        operation_error(fixture->tools, &operation_emit_end_run,
                        "{'runId':'none','outcome':'completed'}", "not_found");
    assert_string_equal(unknown, "Run \"none\" was not found");
}

/* A failed run is left behind, one of another project too. */
static void test_resume_which(void **state)
{
    const EmitFixture *fixture = *state;
    g_autoptr(json_t) first = operation_data(fixture->tools, &operation_emit_resume_run, RESUME);
    const char *run_id = json_get_text(first, "runId");
    g_autofree char *fails = g_strdup_printf(
        "{'type':'status_change','runId':'%s','step':'requirements','data':{'status':'failed'}}",
        run_id);
    emit_event(fixture, fails);
    g_autoptr(json_t) second = operation_data(fixture->tools, &operation_emit_resume_run, RESUME);
    assert_string_not_equal(json_get_text(second, "runId"), run_id);

    g_autofree char *elsewhere = g_strdup_printf(
        "{'feature':'auth','workflow':'build','project':'%s'}", fixture->tools->root);
    g_autoptr(json_t) third = operation_data(fixture->tools, &operation_emit_resume_run, elsewhere);
    assert_false(json_get_bool(third, "resumed", true));
    g_autoptr(json_t) fourth = operation_data(fixture->tools, &operation_emit_resume_run, RESUME);
    assert_string_equal(json_get_text(fourth, "runId"), json_get_text(second, "runId"));
}

static void test_feed(void **state)
{
    const EmitFixture *fixture = *state;
    emit_do(fixture, "requirements running");
    emit_do(fixture, "design running");
    emit_do(fixture, "design running");
    emit_event(fixture, "{'type':'artifact_registered','data':{'path':'x','feature':'f'}}");
    g_autoptr(Db) db = emit_open_db();
    g_autoptr(DbQuery) query = NULL;
    GString *got = g_string_new(NULL);
    bool has_row = true;
    assert_true(db_query(db, &query, NULL, "SELECT type FROM feed ORDER BY id", ""));
    while (db_query_step(query, &has_row, NULL) && has_row)
        g_string_append_printf(got, "%s ", db_query_text(query, 0));
    assert_string_equal(got->str, "event run event event run event artifact event ");
    g_string_free(got, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EMIT_TEST(test_moves),      EMIT_TEST(test_refusals),
        EMIT_TEST(test_skip),       EMIT_TEST(test_rework_and_end),
        EMIT_TEST(test_same_step),  EMIT_TEST(test_waiting),
        EMIT_TEST(test_units),      EMIT_TEST(test_agents),
        EMIT_TEST(test_close_run),  EMIT_TEST(test_unknown_workflow),
        EMIT_TEST(test_payloads),   EMIT_TEST(test_data_flag),
        EMIT_TEST(test_run_fields), EMIT_TEST(test_event_key),
        EMIT_TEST(test_resume_run), EMIT_TEST(test_resume_which),
        EMIT_TEST(test_feed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
