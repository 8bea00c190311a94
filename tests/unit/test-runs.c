/*
 * Runs and their events as they are read: runs.h, and emit get-run, list-runs, events, export.
 */
#include "unit.h"

#include "emit_fixture.h"

#include "agenttools/emit/runs.h"

#define HOUR_MS ((int64_t)60 * 60 * 1000)

/* A run of that id with one step in that status, recorded at that many hours after the beginning.
 */
static void make_run(EmitFixture *fixture, const char *run_id, const char *status, int hours)
{
    int64_t then = fixture->now_ms;
    fixture->now_ms += hours * HOUR_MS;
    g_autofree char *call = g_strdup_printf(
        "{'type':'status_change','runId':'%s','name':'Run %s','step':'requirements',"
        "'data':{'status':'%s'}}",
        run_id, run_id, status);
    g_autoptr(json_t) envelope = emit_call(fixture, call);
    if (!json_get_bool(envelope, "success", false))
        fail_msg("%s: %s", run_id, emit_error_of(envelope));
    fixture->now_ms = then;
}

/* Ids joined with blanks. Caller frees. */
static char *ids_of(const json_t *runs)
{
    GString *text = g_string_new(NULL);
    size_t index;
    json_t *run;
    json_array_foreach ((json_t *)runs, index, run)
        g_string_append_printf(text, "%s%s", index > 0 ? " " : "", json_get_text(run, "id"));
    return g_string_free(text, FALSE);
}

static void test_get(void **state)
{
    EmitFixture *fixture = *state;
    make_run(fixture, "R", "running", 0);
    g_autoptr(Db) db = emit_open_db();
    g_autoptr(json_t) run = NULL;
    assert_true(run_get(db, "R", fixture->now_ms, &run, NULL));
    g_autofree char *got = json_to_text(run);
    g_autofree char *want = g_strdup_printf(
        "{\"id\":\"R\",\"workflow\":\"build\",\"featureId\":null,\"projectPath\":\"%s\","
        "\"workRoot\":\"%s/.rp1/work\",\"name\":\"Run R\",\"harness\":null,\"status\":\"running\","
        "\"currentStep\":\"requirements\",\"createdAt\":\"2026-03-04T05:06:07.089Z\","
        "\"updatedAt\":\"2026-03-04T05:06:07.089Z\",\"endedAt\":null}",
        fixture->project, fixture->project);
    assert_text("run", got, want);

    // inactive is what time makes of running; nothing is written
    g_autoptr(json_t) later = NULL;
    assert_true(run_get(db, "R", fixture->now_ms + 24 * HOUR_MS + 1, &later, NULL));
    assert_string_equal(json_get_text(later, "status"), "inactive");
    g_autoptr(json_t) before = NULL;
    assert_true(run_get(db, "R", fixture->now_ms + 24 * HOUR_MS, &before, NULL));
    assert_string_equal(json_get_text(before, "status"), "running");

    g_autoptr(json_t) none = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(run_get(db, "none", 0, &none, &error));
    assert_true(answer_error_is(error, ANSWER_NOT_FOUND));
    assert_string_equal(error->message, "Run \"none\" was not found");
}

static void test_list(void **state)
{
    EmitFixture *fixture = *state;
    make_run(fixture, "old", "running", -30);
    make_run(fixture, "b", "running", 1);
    make_run(fixture, "a", "failed", 1);
    make_run(fixture, "c_x", "completed", 2);
    make_run(fixture, "new", "waiting", 3);
    g_autoptr(Db) db = emit_open_db();
    const struct {
        const char *name;
        RunFilter filter;
        const char *want;
    } cases[] = {
        { "all, newest first", { 0 }, "new c_x a b old" },
        { "running", { .status = "running" }, "c_x b" },
        { "inactive", { .status = "inactive" }, "old" },
        { "failed", { .status = "failed" }, "a" },
        { "waiting", { .status = "waiting" }, "new" },
        { "project", { .project_path = fixture->project }, "new c_x a b old" },
        { "another project", { .project_path = "/x" }, "" },
        { "text of a name", { .text = "run A" }, "a" },
        { "text of an id", { .text = "ne" }, "new" },
        { "text that looks like a pattern", { .text = "c_" }, "c_x" },
        { "text of nothing", { .text = "%" }, "" },
        { "a page", { .limit = 2 }, "new c_x" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) runs = NULL;
        g_autofree char *cursor = NULL;
        assert_true(run_list(db, &cases[i].filter, fixture->now_ms, &runs, &cursor, NULL));
        g_autofree char *got = ids_of(runs);
        assert_text(cases[i].name, got, cases[i].want);
    }

    GString *all = g_string_new(NULL);
    g_autofree char *cursor = NULL;
    int pages = 0;
    do {
        const RunFilter filter = { .limit = 2, .cursor = cursor };
        g_autoptr(json_t) runs = NULL;
        char *next = NULL;
        assert_true(run_list(db, &filter, fixture->now_ms, &runs, &next, NULL));
        g_free(cursor);
        cursor = next;
        g_autofree char *ids = ids_of(runs);
        g_string_append_printf(all, "[%s]", ids);
    } while (cursor && ++pages < 10);
    assert_string_equal(all->str, "[new c_x][a b][old]");
    g_string_free(all, TRUE);

    const RunFilter wrong = { .cursor = "nonsense" };
    g_autoptr(json_t) runs = NULL;
    char *next = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(run_list(db, &wrong, 0, &runs, &next, &error));
    assert_true(answer_error_is(error, ANSWER_VALIDATION));
}

static void test_steps(void **state)
{
    const EmitFixture *fixture = *state;
    emit_skip_to(fixture, "build running");
    emit_do(fixture, "task-builder:building/T1 running");
    emit_do(fixture, "build/T1 running");
    g_autoptr(Db) db = emit_open_db();
    g_autoptr(json_t) steps = NULL;
    assert_true(run_steps(db, "R", "/", &steps, NULL));
    g_autofree char *got = json_to_text(steps);
    assert_text("build", got,
                "[{\"id\":\"requirements\",\"label\":\"requirements\",\"status\":\"skipped\"},"
                "{\"id\":\"design\",\"label\":\"design\",\"status\":\"skipped\"},"
                "{\"id\":\"tasks\",\"label\":\"tasks\",\"status\":\"skipped\"},"
                "{\"id\":\"build\",\"label\":\"build\",\"status\":\"running\","
                "\"units\":{\"T1\":\"running\"}},"
                "{\"id\":\"verify\",\"label\":\"verify\",\"status\":\"not_started\"},"
                "{\"id\":\"archive\",\"label\":\"archive\",\"status\":\"not_started\"},"
                "{\"id\":\"task-builder:building\",\"label\":\"task-builder:building\","
                "\"status\":\"running\",\"units\":{\"T1\":\"running\"}}]");

    // without a machine: what happened, in order
    static const char *const calls[] = { "z", "a" };
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autofree char *call =
            g_strdup_printf("{'type':'status_change','runId':'U','workflow':'unknown','step':'%s',"
                            "'data':{'status':'running'}}",
                            calls[i]);
        emit_event(fixture, call);
    }
    g_autoptr(json_t) unchecked = NULL;
    assert_true(run_steps(db, "U", "/", &unchecked, NULL));
    g_autofree char *ids = ids_of(unchecked);
    assert_string_equal(ids, "z a");

    g_autoptr(json_t) none = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(run_steps(db, "none", "/", &none, &error));
    assert_true(answer_error_is(error, ANSWER_NOT_FOUND));
}

static void test_waiting(void **state)
{
    const EmitFixture *fixture = *state;
    emit_do(fixture, "requirements running");
    g_autoptr(Db) db = emit_open_db();
    g_autoptr(json_t) before = NULL;
    assert_true(run_waiting(db, "R", &before, NULL));
    assert_true(json_is_null(before));
    emit_event(fixture, "{'type':'waiting_for_user','data':{'prompt':'Go on?','context':{'a':1}}}");
    g_autoptr(json_t) waiting = NULL;
    assert_true(run_waiting(db, "R", &waiting, NULL));
    g_autofree char *got = json_to_text(waiting);
    assert_string_equal(
        got, "{\"eventId\":2,\"prompt\":\"Go on?\",\"context\":{\"a\":1},\"answer\":null}");
    emit_end(fixture, "{'runId':'R','outcome':'cancelled'}");
    g_autoptr(json_t) after = NULL;
    assert_true(run_waiting(db, "R", &after, NULL));
    assert_true(json_is_null(after));
}

static void test_events(void **state)
{
    const EmitFixture *fixture = *state;
    emit_do(fixture, "requirements running");
    emit_do(fixture, "design running");
    emit_do(fixture, "design/U completed");
    g_autoptr(json_t) data =
        operation_data(fixture->tools, &operation_emit_events, "{'runId':'R','after':2,'limit':2}");
    g_autofree char *got = json_to_text(data);
    assert_text("events", got,
                "{\"runId\":\"R\",\"events\":[{\"id\":3,\"type\":\"status_change\","
                "\"step\":\"design\",\"unit\":null,\"data\":{\"status\":\"running\"},"
                "\"createdAt\":\"2026-03-04T05:06:07.089Z\"},{\"id\":4,\"type\":\"status_change\","
                "\"step\":\"design\",\"unit\":\"U\",\"data\":{\"status\":\"completed\"},"
                "\"createdAt\":\"2026-03-04T05:06:07.089Z\"}],\"nextAfter\":4}");
    g_autoptr(json_t) end =
        operation_data(fixture->tools, &operation_emit_events, "{'runId':'R','after':4}");
    g_autofree char *none = json_to_text(end);
    assert_string_equal(none, "{\"runId\":\"R\",\"events\":[],\"nextAfter\":4}");

    static const struct {
        const char *arguments, *code, *want;
    } cases[] = {
        { "{'runId':'none'}", "not_found", "Run \"none\" was not found" },
        { "{}", "validation", "--run-id is required" },
        { "{'runId':'R','limit':0}", "validation", "limit must be " },
        { "{'runId':'R','after':-1}", "validation", "after must be " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *error = operation_error(fixture->tools, &operation_emit_events,
                                                 cases[i].arguments, cases[i].code);
        assert_contains(cases[i].arguments, error, cases[i].want);
    }
}

/* The log is never changed, whoever tries. */
static void test_append_only(void **state)
{
    emit_do(*state, "requirements running");
    g_autoptr(Db) db = emit_open_db();
    assert_false(db_exec(db, "UPDATE event SET step = 'x'", NULL));
    assert_false(db_exec(db, "DELETE FROM event", NULL));
}

static void test_get_run(void **state)
{
    const EmitFixture *fixture = *state;
    emit_do(fixture, "requirements running");
    g_autoptr(json_t) data =
        operation_data(fixture->tools, &operation_emit_get_run, "{'runId':'R'}");
    assert_string_equal(json_string_value(json_get_path(data, "run.status")), "running");
    g_autofree char *position = json_to_text(json_get_object(data, "state"));
    assert_string_equal(position, "{\"current\":\"requirements\",\"status\":\"running\","
                                  "\"validNextStates\":[\"design\"]}");
    assert_true(json_is_null(json_object_get(data, "waiting")));
    g_autofree char *error =
        operation_error(fixture->tools, &operation_emit_get_run, "{'runId':'none'}", "not_found");
    assert_string_equal(error, "Run \"none\" was not found");
}

static void test_list_runs(void **state)
{
    EmitFixture *fixture = *state;
    make_run(fixture, "one", "running", 0);
    make_run(fixture, "two", "failed", 1);
    static const struct {
        const char *arguments, *want;
    } cases[] = {
        { "{}", "two one" },
        { "{'status':'failed'}", "two" },
        { "{'limit':1}", "two" },
        { "{'project':'/nowhere'}", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) data =
            operation_data(fixture->tools, &operation_emit_list_runs, cases[i].arguments);
        g_autofree char *got = ids_of(json_get_array(data, "runs"));
        assert_text(cases[i].arguments, got, cases[i].want);
        assert_int_equal(json_get_text(data, "nextCursor") != NULL, i == 2);
    }
    g_autofree char *error =
        operation_error(fixture->tools, &operation_emit_list_runs, "{'project':'x'}", "validation");
    assert_string_equal(error, "Project path must be absolute. Received: x");
}

static void test_export(void **state)
{
    const EmitFixture *fixture = *state;
    emit_do(fixture, "requirements running");
    emit_event(fixture, "{'type':'artifact_registered','data':{'path':'a.md','feature':'f'}}");
    g_autoptr(Db) db = emit_open_db();
    for (int i = 0; i < 1100; i++) // more than a page
        assert_true(db_run(db, NULL,
                           "INSERT INTO event (run_id, type, created_at) VALUES ('R', 'x', ?)", "i",
                           (int64_t)i));
    g_autoptr(json_t) data =
        operation_data(fixture->tools, &operation_emit_export, "{'runId':'R','format':'jsonl'}");
    g_auto(GStrv) lines = g_strsplit(json_get_text(data, "content"), "\n", -1);
    assert_int_equal(g_strv_length(lines), 1104 + 1); // and what follows the last newline
    assert_int_equal(json_get_int(data, "lines", 0), 1104);
    static const char *const starts[] = {
        "{\"kind\":\"run\",\"run\":{\"id\":\"R\"",
        "{\"kind\":\"artifact\",\"artifact\":{\"docId\":",
        "{\"kind\":\"event\",\"event\":{\"id\":1,\"type\":\"status_change\"",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++)
        assert_contains("line", lines[i], starts[i]);
    g_autoptr(json_t) last = NULL;
    assert_true(json_parse_text(lines[1103], &last, NULL));
    assert_int_equal(json_integer_value(json_get_path(last, "event.id")), 1102);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EMIT_TEST(test_get),     EMIT_TEST(test_list),      EMIT_TEST(test_steps),
        EMIT_TEST(test_waiting), EMIT_TEST(test_events),    EMIT_TEST(test_append_only),
        EMIT_TEST(test_get_run), EMIT_TEST(test_list_runs), EMIT_TEST(test_export),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
