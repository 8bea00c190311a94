/*
 * Tools that are added to a conversation by sources: each replaces and takes away its own.
 */
#include "unit.h"

#include "session_fixture.h"
#include "tool/tool_set.h"

static int setup(void **state)
{
    SessionFixture *self = session_fixture_new(NULL);
    session_fixture_open(self);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    session_fixture_free(*state);
    return 0;
}

static bool run(ToolCall *call, const void *arguments G_GNUC_UNUSED, ToolResult *result,
                GError **error G_GNUC_UNUSED)
{
    tool_result_add_text(result, tool_call_tool(call)->description);
    return true;
}

/* `names`: "one two"; each tool's description is that of the source. */
static bool set_tools(SessionFixture *self, const char *source, const char *names, GError **error)
{
    g_auto(GStrv) each = g_strsplit(names, " ", -1);
    g_autoptr(json_t) schema = json_pack("{s:s, s:{}}", "type", "object", "properties");
    DynamicTool *tools[4] = { NULL };
    size_t count = 0;
    for (size_t i = 0; each[i]; i++) {
        const ToolDef def = {
            .name = each[i],
            .description = source,
            .effect = EFFECT_READ,
            .schema = schema,
            .run = run,
        };
        if (!dynamic_tool_new(&def, NULL, &tools[count++], NULL))
            g_error("%s: no tool", each[i]);
    }
    bool is_done = agent_session_set_extra_tools(self->session, source, tools, count, error);
    for (size_t i = 0; i < count; i++)
        dynamic_tool_unref(tools[i]);
    return is_done;
}

/* What request number `index` offers of the tools that are not the fixture's: "one two". */
static char *offered(SessionFixture *self, size_t index)
{
    const json_t *request = sse_server_request(self->agent->server, index);
    g_autoptr(GString) names = g_string_new(NULL);
    size_t i = 0;
    json_t *tool = NULL;
    json_array_foreach (json_get_array(request, "tools"), i, tool) {
        const char *name = json_get_text(json_get_object(tool, "function"), "name");
        if (!tool_set_find(self->agent->setup.tools, name))
            g_string_append_printf(names, "%s%s", names->len > 0 ? " " : "", name);
    }
    return g_strdup(names->str);
}

static void expect_offered(SessionFixture *self, const char *want)
{
    sse_server_add_text(self->agent->server, "done");
    assert_true(session_fixture_prompt(self, "go"));
    g_autofree char *got = offered(self, sse_server_request_count(self->agent->server) - 1);
    assert_string_equal(got, want);
}

static void test_two_sources(void **state)
{
    static const struct {
        const char *source, *names, *offered;
    } steps[] = {
        { "a", "one two", "one two" },
        { "b", "three", "one two three" },
        { "a", "two four", "three two four" }, // b's stay
        { "b", "", "two four" },
        { "c", "", "two four" }, // it had none
        { "b", "one", "two four one" },
        { "a", "", "one" },
        { "b", "", "" },
    };
    SessionFixture *self = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        assert_true(set_tools(self, steps[i].source, steps[i].names, NULL));
        expect_offered(self, steps[i].offered);
    }
}

static void test_taken_names(void **state)
{
    static const struct {
        const char *source, *names;
    } refused[] = {
        { "b", "three two" }, { "a", "one echo" }, { "b", "three ONE" }, { "c", "x x" }
    };
    SessionFixture *self = *state;
    assert_true(set_tools(self, "a", "one two", NULL));
    assert_true(set_tools(self, "b", "three", NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autoptr(GError) error = NULL;
        assert_false(set_tools(self, refused[i].source, refused[i].names, &error));
        assert_true(error_is(error, KEDGE_ERROR_USAGE));
        expect_offered(self, "one two three");
    }
    // what one source gives up another may have
    assert_true(set_tools(self, "a", "one", NULL));
    assert_true(set_tools(self, "b", "three two", NULL));
    expect_offered(self, "one three two");
}

/* What a person has turned off stays off when another source changes. */
static void test_chosen(void **state)
{
    SessionFixture *self = *state;
    assert_true(set_tools(self, "a", "one two", NULL));
    assert_true(agent_session_set_tools(self->session,
                                        (const char *const[]) { "echo", "two", NULL }, NULL));
    assert_true(set_tools(self, "b", "three", NULL));
    expect_offered(self, "two three");
    assert_true(set_tools(self, "b", "", NULL));
    expect_offered(self, "two");
}

static void take_away(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    assert_true(set_tools(self, "a", "", NULL));
}

/* The turn that is on keeps the tools that it has offered; the next one offers others. */
static void test_during_turn(void **state)
{
    SessionFixture *self = *state;
    assert_true(set_tools(self, "a", "one", NULL));
    assert_true(set_tools(self, "b", "two", NULL));
    sse_server_add_calls(self->agent->server, "[{\"id\":\"t1\",\"name\":\"firm\",\"arguments\":{}},"
                                              "{\"id\":\"t2\",\"name\":\"one\",\"arguments\":{}}]");
    sse_server_add_calls(self->agent->server,
                         "[{\"id\":\"t3\",\"name\":\"one\",\"arguments\":{}}]");
    sse_server_add_text(self->agent->server, "done");
    self->trigger = "tool_execution_start";
    self->act = take_away;
    assert_true(session_fixture_prompt(self, "go"));
    g_autofree char *first = offered(self, 0);
    g_autofree char *second = offered(self, 1);
    assert_string_equal(first, "one two");
    assert_string_equal(second, "two");
    g_autofree char *talk = sse_server_conversation(self->agent->server, 2);
    assert_non_null(strstr(talk, "tool:a ")); // it ran, though its source had gone
    const json_t *last = session_fixture_event(self, "tool_execution_end", 2);
    assert_true(json_get_bool(last, "isError", false)); // the one after did not
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_two_sources, setup, teardown),
        cmocka_unit_test_setup_teardown(test_taken_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_chosen, setup, teardown),
        cmocka_unit_test_setup_teardown(test_during_turn, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
