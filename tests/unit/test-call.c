/*
 * tool_call(): decoding, run, what leaves it (common §5, agent-tools §1). The gate: test-gate.c.
 */
#include "base/str.h"
#include "tool_probe.h"

#include "base/limits.h"
#include "base/worker.h"

static void test_argument_errors(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    static const struct {
        const char *name;
        const ToolDef *tool;
        const char *arguments, *want; // the whole text
    } cases[] = {
        { "tools-T7, core-44: a required field is missing", &probe, "{'count':2}",
          "Validation failed for tool \"probe\":\n  - path: must have required property 'path'\n\n"
          "Received arguments:\n{\n  \"count\": 2\n}" },
        { "exact tools coerce nothing", &probe_exact, "{'path':'a','count':'5'}",
          "Validation failed for tool \"probe\":\n  - count: must be integer\n\nReceived "
          "arguments:\n"
          "{\n  \"path\": \"a\",\n  \"count\": \"5\"\n}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        seen.runs = 0;
        g_auto(ToolResult) result = { 0 };
        const Setup setup = { cases[i].tool, cases[i].arguments, { .kind = DOOR_AGENT } };
        call(fixture, &setup, &result);
        g_autofree char *text = tool_result_text(&result);
        assert_text(cases[i].name, text, cases[i].want);
        assert_true(result.is_error);
        assert_int_equal(result.failure, KEDGE_ERROR_USAGE);
        assert_int_equal(seen.runs, 0);
    }
}

/* Unknown arguments: common §5. */
static void test_unknown_arguments(void **state G_GNUC_UNUSED)
{
    static const char refused[] =
        "Validation failed for tool \"probe\":\n  - coun: unknown field; did you mean "
        "\"count\"?\n\nReceived arguments:\n{";
    static const ToolDef github = { PROBE, .flags = TOOL_GITHUB };
    static const struct {
        const char *name;
        const ToolDef *tool;
        const char *arguments;
        ToolDoor door;
        const char *want;
    } cases[] = {
        { "a model's are ignored and said",
          &probe,
          "{'path':'a','coun':2,'wat':{},'null':null}",
          { .kind = DOOR_AGENT },
          "a\n\n[Ignored unknown arguments: coun, wat]" },
        { "those of an MCP client too",
          &probe,
          "{'path':'a','coun':2}",
          { .kind = DOOR_DIRECT, .serves_model = true },
          "a\n\n[Ignored unknown arguments: coun]" },
        { "when the call fails, too",
          &probe,
          "{'path':'a','fails':true,'coun':2}",
          { .kind = DOOR_AGENT },
          "too slow\n\n[Ignored unknown arguments: coun]" },
        { "a person's are refused",
          &probe,
          "{'path':'a','coun':2}",
          { .kind = DOOR_DIRECT },
          refused },
        { "of a call that destroys",
          &probe,
          "{'path':'a','mode':'destructive','coun':2}",
          { .kind = DOOR_AGENT },
          refused },
        { "of a tool that can write to GitHub",
          &github,
          "{'path':'a','coun':2}",
          { .kind = DOOR_AGENT },
          refused },
        { "arguments in a string",
          &probe,
          "'{\\\"path\\\":\\\"a\\\",\\\"coun\\\":2}'",
          { .kind = DOOR_AGENT },
          "a\n\n[Ignored unknown arguments: coun]" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ToolResult) result = { 0 };
        const Setup setup = { cases[i].tool, cases[i].arguments, cases[i].door };
        call(fixture, &setup, &result);
        g_autofree char *text = tool_result_text(&result);
        if (!str_has_prefix(text, cases[i].want))
            assert_text(cases[i].name, text, cases[i].want);
        if (cases[i].want == refused)
            assert_int_equal(result.failure, KEDGE_ERROR_USAGE);
    }
}

static void test_lenient_arguments(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    static const struct {
        const char *name;
        const ToolDef *tool;
        const char *arguments, *want;
    } cases[] = {
        { "core-45: a number as text", &probe, "{'path':'a','count':'2'}", "a\na" },
        { "core-45: null is absent", &probe, "{'path':'a','count':null,'list':null,'what':null}",
          "a" },
        { "a default", &probe, "{'path':'a'}", "a" },
        { "true as text", &probe, "{'path':'a','fails':'false'}", "a" },
        { "exact: null is absent too", &probe_exact, "{'path':'a','count':null}", "a" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ToolResult) result = { 0 };
        const Setup setup = { cases[i].tool, cases[i].arguments, { .kind = DOOR_AGENT } };
        call(fixture, &setup, &result);
        g_autofree char *text = tool_result_text(&result);
        assert_text(cases[i].name, text, cases[i].want);
        assert_false(result.is_error);
    }
    // no arguments at all are an empty object
    g_auto(ToolResult) result = { 0 };
    const ToolCallSpec spec = { .tool = &probe, .context = fixture->context, .door = &agent_door };
    tool_call(&spec, &result);
    g_autofree char *text = tool_result_text(&result);
    assert_contains("no arguments", text, "must have required property 'path'");
}

static void test_errors_become_text(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    static const struct {
        const char *name, *arguments, *want;
        KedgeError failure;
    } cases[] = {
        { "run", "{'path':'x','fails':true}", "too slow", KEDGE_ERROR_TIMEOUT },
        { "judge", "{'path':'unjudgeable'}", "cannot tell", KEDGE_ERROR_NOT_FOUND },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(ToolResult) result = { 0 };
        const Setup setup = { &probe, cases[i].arguments, { .kind = DOOR_AGENT } };
        call(fixture, &setup, &result);
        g_autofree char *text = tool_result_text(&result);
        assert_text(cases[i].name, text, cases[i].want); // nothing of what was put together before
        assert_int_equal(result.failure, cases[i].failure);
    }
}

static bool silent_run(ToolCall *call_, const void *args, ToolResult *result, GError **error)
{
    result->is_error = str_has_prefix(((const ProbeArgs *)args)->path, "bad");
    return true;
}

static void test_result_is_always_whole(void **state G_GNUC_UNUSED)
{
    ToolDef tool = probe;
    tool.run = silent_run;
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_auto(ToolResult) good = { 0 };
    tool_fixture_call(fixture, &tool, json_of("{'path':'good'}"), &good);
    assert_true(json_is_array(good.content));
    assert_null(good.details); // tools-T11
    g_auto(ToolResult) bad = { 0 };
    tool_fixture_call(fixture, &tool, json_of("{'path':'bad'}"), &bad);
    assert_true(bad.is_error);
    assert_int_equal(bad.failure, KEDGE_ERROR_FAILED);
}

static void test_controls_are_stripped(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        const ToolDef *tool;
        const char *path, *want;
    } cases[] = {
        { "escapes and CR", &probe, "a\\u001b[31mb\\u0007\\r\\tc", "ab\tc" },
        { "a tool that keeps its text keeps CR", &probe_keeps, "a\\u001b[31mb\\r\\u0007c\\r",
          "ab\rc\r" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *arguments = g_strdup_printf("{'path':'%s'}", cases[i].path);
        g_autofree char *text = tool_fixture_text(fixture, cases[i].tool, json_of(arguments));
        assert_text(cases[i].name, text, cases[i].want);
    }
}

static void test_spill(void **state G_GNUC_UNUSED)
{
    g_autofree char *line = g_strnfill(1023, 'x');
    g_autofree char *arguments = g_strdup_printf("{'path':'%s','count':60}", line); // 60 KiB
    static const struct {
        const char *name;
        const ToolDef *tool;
        bool has_artifacts, wants_whole;
        const char *end; // NULL: as it was
    } cases[] = {
        { "tools-T19", &probe, true, false,
          "x\n\n[Showing lines 41-60 of 60 (20.0KB limit). Read artifact://0 for full output]" },
        { "tools-T20", &probe, false, false, "x\n\n[Showing lines 41-60 of 60 (20.0KB limit)]" },
        { "a command prints all of it", &probe, true, true, NULL },
        { "limits of its own", &probe_keeps, true, false, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, cases[i].has_artifacts);
        const Setup setup = { cases[i].tool,
                              arguments,
                              { .kind = DOOR_AGENT, .wants_whole_text = cases[i].wants_whole } };
        g_auto(ToolResult) result = { 0 };
        call(fixture, &setup, &result);
        g_autofree char *text = tool_result_text(&result);
        bool is_cut =
            cases[i].end && g_str_has_suffix(text, cases[i].end) && strlen(text) < 21 * KIB;
        if (cases[i].end ? !is_cut : strlen(text) != 60 * KIB - 1)
            fail_msg("%s: %zu bytes, ends %s", cases[i].name, strlen(text),
                     text + strlen(text) - MIN(strlen(text), 100));
        g_autofree char *saved = g_build_filename(fixture->root, "session", "0.probe.log", NULL);
        assert_int_equal(file_exists(saved), strstr(text, "artifact://") != NULL);
    }
}

static void test_errors_are_bounded(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(json_t) arguments = json_object();
    g_autofree char *big = g_strnfill(300 * KIB, 'x');
    json_set_text(arguments, "unknown", big); // quoted in full by the message
    g_autofree char *text = tool_fixture_error(fixture, &probe_keeps, json_incref(arguments));
    assert_true(strlen(text) < 21 * KIB);

    // a tool's own error of a size it answers for is left alone
    g_autofree char *fair = g_strnfill(60 * KIB, 'x');
    json_set_text(arguments, "unknown", fair);
    g_autofree char *kept = tool_fixture_error(fixture, &probe, json_incref(arguments));
    assert_true(str_has_prefix(kept, "Validation failed"));
}

static int64_t fixed_now(void *user_data)
{
    return *(int64_t *)user_data;
}

static bool quick_sleep(void *user_data, int64_t duration_ms, Cancel *cancel, GError **error)
{
    *(int64_t *)user_data += duration_ms;
    return true;
}

static bool sleeping_run(ToolCall *call_, const void *args, ToolResult *result, GError **error)
{
    if (!tool_call_sleep(call_, 3600 * 1000, error))
        return false;
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, tool_call_now_ms(call_));
    tool_result_add_text(result, text);
    return true;
}

static void test_clock_can_be_replaced(void **state G_GNUC_UNUSED)
{
    ToolDef tool = probe;
    tool.run = sleeping_run;
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    int64_t now = 1000;
    const ToolClock clock = { .now_ms = fixed_now, .sleep = quick_sleep, .user_data = &now };
    tool_context_set_clock(fixture->context, &clock);
    g_autofree char *text = tool_fixture_text(fixture, &tool, json_of("{'path':'x'}"));
    assert_string_equal(text, "3601000");
}

static bool updating_run(ToolCall *call_, const void *args, ToolResult *result, GError **error)
{
    g_autoptr(json_t) details = json_pack("{s:i}", "step", 1);
    tool_call_update(call_, "half \x1b[1mway", details);
    tool_result_add_text(result, "done");
    return true;
}

static void take_update(const char *text, const json_t *details, void *user_data)
{
    g_string_append_printf(user_data, "%s/%d", text, (int)json_get_int(details, "step", 0));
}

static void test_updates(void **state G_GNUC_UNUSED)
{
    ToolDef tool = probe;
    tool.run = updating_run;
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(json_t) arguments = json_of("{'path':'x'}");
    g_autoptr(GString) updates = g_string_new(NULL);
    ToolCallSpec spec = {
        .tool = &tool,
        .arguments = arguments,
        .context = fixture->context,
        .door = &agent_door,
        .on_update = take_update,
        .user_data = updates,
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    assert_string_equal(updates->str, "half way/1");
    g_autofree char *text = tool_result_text(&result);
    assert_string_equal(text, "done");

    spec.on_update = NULL; // nobody listens
    g_auto(ToolResult) second = { 0 };
    tool_call(&spec, &second);
    assert_false(second.is_error);
}

static int states_made, states_freed;

static void *make_state(void)
{
    states_made++;
    return g_strdup("state");
}

static void free_state(void *state)
{
    states_freed++;
    g_free(state);
}

static void ask_for_state(void *context)
{
    assert_non_null(tool_context_state(context, "a", make_state, free_state));
}

static void test_context_keeps_state(void **state G_GNUC_UNUSED)
{
    states_made = states_freed = 0;
    ToolFixture *fixture = tool_fixture_new(NULL, false);
    Worker *workers[4];
    for (size_t i = 0; i < G_N_ELEMENTS(workers); i++)
        workers[i] = worker_start("test", ask_for_state, fixture->context);
    for (size_t i = 0; i < G_N_ELEMENTS(workers); i++)
        worker_join(workers[i]);
    void *first = tool_context_state(fixture->context, "a", make_state, free_state);
    assert_ptr_equal(tool_context_state(fixture->context, "a", make_state, free_state), first);
    assert_int_equal(states_made, 1);
    assert_ptr_not_equal(tool_context_state(fixture->context, "b", make_state, free_state), first);
    tool_fixture_free(fixture);
    assert_int_equal(states_freed, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_argument_errors),
        cmocka_unit_test(test_unknown_arguments),
        cmocka_unit_test(test_lenient_arguments),
        cmocka_unit_test(test_errors_become_text),
        cmocka_unit_test(test_result_is_always_whole),
        cmocka_unit_test(test_controls_are_stripped),
        cmocka_unit_test(test_spill),
        cmocka_unit_test(test_errors_are_bounded),
        cmocka_unit_test(test_clock_can_be_replaced),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_context_keeps_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
