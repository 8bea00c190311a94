/*
 * The calls of one answer: what runs side by side, what alone, and that each call gets one result.
 */
#include "base/str.h"
#include "unit.h"

#include "agent_fixture.h"
#include "base/limits.h"
#include "model/message.h"

static int setup(void **state)
{
    *state = agent_fixture_new(NULL);
    return 0;
}

static int teardown(void **state)
{
    agent_fixture_free(*state);
    return 0;
}

static void run_calls(AgentFixture *self, const char *calls)
{
    sse_server_add_calls(self->server, calls);
    sse_server_add_text(self->server, "done");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
}

static void assert_results(AgentFixture *self, const char *want)
{
    g_autofree char *got = agent_fixture_results(self);
    assert_string_equal(got, want);
}

/* core-43 */
static void test_unknown_tool(void **state)
{
    AgentFixture *self = *state;
    run_calls(self, "[{\"id\":\"t1\",\"name\":\"zap\",\"arguments\":{}},"
                    "{\"id\":\"t2\",\"name\":\"echo\",\"arguments\":{\"text\":\"b\"}}]");
    assert_results(self, "t1!:Tool zap not found t2:b/0");
    g_autofree char *conversation = sse_server_conversation(self->server, 1);
    assert_string_equal(conversation, "user:go assistant:[calls] tool:Tool zap not found tool:b/0");
}

/* core-44 */
static void test_missing_argument(void **state)
{
    AgentFixture *self = *state;
    run_calls(self, "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"count\":2}}]");
    g_autofree char *results = agent_fixture_results(self);
    assert_true(str_has_prefix(results, "t1!:Validation failed for tool \"echo\":\n  - text: "));
    assert_string_equal(self->runs->str, "");
}

/* Calls that never come to a tool end a run as others do, however they are spelt. */
static void test_unknown_tools_are_a_loop(void **state)
{
    AgentFixture *self = *state;
    for (int i = 0; i < 8; i++) {
        g_autofree char *calls = g_strdup_printf(
            "[{\"id\":\"t%d\",\"name\":\"zap%d\",\"arguments\":{\"n\":%d}}]", i, i, i);
        sse_server_add_calls(self->server, calls);
    }
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_LOOP);
}

static void test_more_calls_than_an_answer_makes(void **state)
{
    AgentFixture *self = *state;
    g_autoptr(GString) calls = g_string_new("[");
    for (int i = 0; i < LIMIT_ANSWER_CALLS + 2; i++)
        g_string_append_printf(
            calls, "%s{\"id\":\"c%d\",\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}}",
            i > 0 ? "," : "", i);
    g_string_append_c(calls, ']');
    run_calls(self, calls->str);
    g_autofree char *results = agent_fixture_results(self);
    assert_non_null(strstr(results, "c255:a/0"));
    assert_non_null(strstr(results, "c256!:Not run: an answer makes at most 256 calls"));
    assert_non_null(strstr(results, "c257!:Not run"));
}

/* core-45 */
static void test_coercion(void **state)
{
    AgentFixture *self = *state;
    run_calls(self,
              "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"text\":\"a\",\"count\":\"5\"}},"
              "{\"id\":\"t2\",\"name\":\"alone\",\"arguments\":{\"text\":\"b\",\"count\":null}}]");
    assert_results(self, "t1:a/5 t2:b");
}

/* core-46: the pair meets only when both run at once; the exclusive call starts after them. */
static void test_shared_and_exclusive(void **state)
{
    AgentFixture *self = *state;
    run_calls(self, "[{\"id\":\"t1\",\"name\":\"pair\",\"arguments\":{}},"
                    "{\"id\":\"t2\",\"name\":\"pair\",\"arguments\":{}},"
                    "{\"id\":\"t3\",\"name\":\"alone\",\"arguments\":{\"text\":\"c\"}},"
                    "{\"id\":\"t4\",\"name\":\"alone\",\"arguments\":{\"text\":\"d\"}},"
                    "{\"id\":\"t5\",\"name\":\"echo\",\"arguments\":{\"text\":\"e\"}}]");
    assert_string_equal(self->runs->str, "pair pair <c c> <d d> e/0");
    g_autofree char *results = agent_fixture_results(self);
    assert_true(g_str_has_suffix(results, "t3:c t4:d t5:e/0"));
}

#define MAX_CHATTER 10000 // after the other call has run: without end, as far as a test goes

/* A listener that is slower than the chatty call: there is always one more update to emit. */
static void on_event_slowly(json_t *event, void *user_data)
{
    AgentFixture *self = user_data;
    const char *type = json_get_text(event, "type");
    bool is_chatter = g_str_equal(type, "tool_execution_update");
    if (!is_chatter)
        json_array_append(self->events, event);
    if (g_str_equal(type, "tool_execution_end"))
        g_atomic_int_set(&self->is_quiet, true);
    if (!is_chatter || g_atomic_int_get(&self->is_quiet))
        return;
    static int patience = MAX_CHATTER;
    if (agent_fixture_has_run(self, "b/0") && --patience <= 0)
        g_atomic_int_set(&self->is_quiet, true);
    int seen = g_atomic_int_get(&self->chatter);
    while (g_atomic_int_get(&self->chatter) == seen && !g_atomic_int_get(&self->is_quiet))
        g_usleep(1);
}

/* One noisy call does not keep the others' results from being heard. */
static void test_fairness(void **state)
{
    AgentFixture *self = *state;
    self->options.events.func = on_event_slowly;
    run_calls(self, "[{\"id\":\"t1\",\"name\":\"chatty\",\"arguments\":{}},"
                    "{\"id\":\"t2\",\"name\":\"echo\",\"arguments\":{\"text\":\"b\"}}]");
    assert_results(self, "t2:b/0 t1:quiet");
}

/* More calls than may run at once, all of them answered. */
static void test_many_calls(void **state)
{
    AgentFixture *self = *state;
    g_autoptr(GString) calls = g_string_new("[");
    for (int i = 0; i < 40; i++)
        g_string_append_printf(
            calls, "%s{\"id\":\"t%d\",\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}",
            i ? "," : "", i);
    g_string_append_c(calls, ']');
    run_calls(self, calls->str);
    const json_t *turn_end = agent_fixture_event(self, "turn_end", 0);
    const json_t *results = json_get_array(turn_end, "toolResults");
    assert_int_equal(json_array_size(results), 40);
    g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < 40; i++)
        g_hash_table_add(ids, (gpointer)json_get_text(json_array_get(results, i), "toolCallId"));
    assert_int_equal(g_hash_table_size(ids), 40);
}

static void test_updates_and_details(void **state)
{
    AgentFixture *self = *state;
    run_calls(self, "[{\"id\":\"t1\",\"name\":\"noisy\",\"arguments\":{}}]");
    const json_t *update = NULL;
    for (size_t i = 0; agent_fixture_event(self, "tool_execution_update", i); i++)
        update = agent_fixture_event(self, "tool_execution_update", i);
    // an update may replace the one before it, but the last one always comes
    g_autofree char *text = message_text(json_get_object(update, "partialResult"));
    assert_string_equal(text, "one two");
    assert_string_equal(json_get_text(update, "toolCallId"), "t1");
    assert_string_equal(json_get_text(update, "toolName"), "noisy");
    assert_non_null(json_get_object(update, "args"));

    const json_t *end = agent_fixture_event(self, "tool_execution_end", 0);
    assert_string_equal(json_get_text(json_get_path(end, "result.details"), "kind"), "noise");
    const json_t *stored =
        json_array_get(json_get_array(agent_fixture_event(self, "turn_end", 0), "toolResults"), 0);
    assert_string_equal(json_get_text(json_get_path(stored, "details"), "kind"), "noise");
}

static void test_intent(void **state)
{
    AgentFixture *self = *state;
    run_calls(
        self,
        "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"_i\":\"say it\",\"text\":\"a\"}}]");
    assert_results(self, "t1:a/0");
    const json_t *start = agent_fixture_event(self, "tool_execution_start", 0);
    assert_string_equal(json_get_text(start, "intent"), "say it");
    assert_null(json_get_path(start, "args._i"));

    const json_t *answer = agent_fixture_event(self, "message_end", 1);
    const json_t *call = json_array_get(json_get_path(answer, "message.content"), 0);
    assert_string_equal(json_get_text(call, "intent"), "say it");
    assert_null(json_get_path(call, "arguments._i"));

    const json_t *tool =
        json_array_get(json_get_array(sse_server_request(self->server, 0), "tools"), 0);
    json_t *properties = json_get_path(tool, "function.parameters.properties");
    assert_string_equal(json_object_iter_key(json_object_iter(properties)), "_i");
    assert_int_equal(json_array_size(json_get_path(tool, "function.parameters.required")), 1);
}

static void test_intent_off(void **state)
{
    (void)state;
    AgentFixture *self = agent_fixture_new("{\"tools\":{\"intentTracing\":false}}");
    run_calls(self,
              "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"_i\":\"x\",\"text\":\"a\"}}]");
    g_autofree char *results = agent_fixture_results(self);
    // a field like any other
    assert_string_equal(results, "t1:a/0\n\n[Ignored unknown arguments: _i]");
    const json_t *tool =
        json_array_get(json_get_array(sse_server_request(self->server, 0), "tools"), 0);
    assert_null(json_get_path(tool, "function.parameters.properties._i"));
    agent_fixture_free(self);
}

/* core-110: what arrived whole runs, half a call does not, whatever the server says of the end. */
static void test_cut_call(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *finish_reason, *text;
    } cases[] = {
        { "length", "t2!:The arguments of this call were cut off because the answer reached" },
        { "tool_calls", "t2!:The arguments of this call ended before their JSON was complete" },
        { "stop", "t2!:The arguments of this call ended before their JSON was complete" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        AgentFixture *self = agent_fixture_new(NULL);
        sse_server_add_calls_ending(
            self->server,
            "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}},"
            "{\"id\":\"t2\",\"name\":\"alone\",\"arguments\":\"{\\\"text\\\":\\\"hal\"},"
            "{\"id\":\"t3\",\"name\":\"echo\",\"arguments\":{\"text\":\"c\"}}]",
            cases[i].finish_reason);
        sse_server_add_text(self->server, "done");
        assert_true(agent_fixture_prompt(self, "go"));
        g_autofree char *results = agent_fixture_results(self);
        assert_non_null(strstr(results, "t1:a/0"));
        assert_non_null(strstr(results, cases[i].text));
        assert_non_null(strstr(results, "t3:c/0"));
        assert_null(strstr(self->runs->str, "hal"));
        agent_fixture_free(self);
    }
}

/* core-110: the length limit struck before the first byte of the arguments. */
static void test_call_without_arguments_at_the_limit(void **state)
{
    AgentFixture *self = *state;
    static const char calls[] = "[{\"id\":\"t1\",\"name\":\"fire\",\"arguments\":\"\"}]";
    sse_server_add_calls_ending(self->server, calls, "length");
    sse_server_add_text(self->server, "done");
    assert_true(agent_fixture_prompt(self, "go"));
    g_autofree char *results = agent_fixture_results(self);
    assert_true(str_has_prefix(results, "t1!:The arguments of this call were cut off"));
}

/* core-110: the connection broke in the middle of a call. */
static void test_broken_stream(void **state G_GNUC_UNUSED)
{
    AgentFixture *self = agent_fixture_new("{\"retry\":{\"enabled\":false}}");
    sse_server_add_calls_ending(
        self->server,
        "[{\"id\":\"t1\",\"name\":\"alone\",\"arguments\":\"{\\\"text\\\":\\\"hal\"}]", NULL);
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    g_autofree char *results = agent_fixture_results(self);
    assert_true(str_has_prefix(results, "t1!:Tool execution failed due to an error: "));
    assert_string_equal(self->runs->str, "");
    const json_t *message = json_get_object(agent_fixture_event(self, "message_end", 1), "message");
    const json_t *call = json_array_get(json_get_array(message, "content"), 0);
    assert_true(json_get_bool(call, "incomplete", false));
    agent_fixture_free(self);
}

/* core-111 */
static void test_repaired_arguments(void **state)
{
    AgentFixture *self = *state;
    run_calls(
        self,
        "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":\"{\\\"text\\\":\\\"a\\nb\\\\d\\\"}\"}]");
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "t1:a\nb\\d/0");
}

/* core-114: every call and its result have an id of their own, in events, session and requests. */
static void test_ids(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server,
                         "[{\"id\":\"call_0\",\"name\":\"alone\",\"arguments\":{\"text\":\"a\"}},"
                         "{\"name\":\"alone\",\"arguments\":{\"text\":\"b\"}}]");
    sse_server_add_calls(self->server,
                         "[{\"id\":\"call_0\",\"name\":\"alone\",\"arguments\":{\"text\":\"c\"}}]");
    sse_server_add_text(self->server, "done");
    assert_true(agent_fixture_prompt(self, "go"));
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "call_0:a call_2:b call_0_2:c");
    const json_t *messages = json_get_array(sse_server_request(self->server, 2), "messages");
    const json_t *last = json_array_get(messages, json_array_size(messages) - 1);
    assert_string_equal(json_get_text(last, "tool_call_id"), "call_0_2");
    g_auto(SessionContext) context = { 0 };
    session_build_context(self->session, &context);
    g_autofree char *stored = json_to_text(context.messages);
    assert_non_null(strstr(stored, "\"call_2\""));
    assert_non_null(strstr(stored, "\"toolCallId\":\"call_0_2\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unknown_tool, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown_tools_are_a_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_more_calls_than_an_answer_makes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_missing_argument, setup, teardown),
        cmocka_unit_test_setup_teardown(test_coercion, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shared_and_exclusive, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fairness, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_updates_and_details, setup, teardown),
        cmocka_unit_test_setup_teardown(test_intent, setup, teardown),
        cmocka_unit_test(test_intent_off),
        cmocka_unit_test(test_cut_call),
        cmocka_unit_test_setup_teardown(test_call_without_arguments_at_the_limit, setup, teardown),
        cmocka_unit_test(test_broken_stream),
        cmocka_unit_test_setup_teardown(test_repaired_arguments, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ids, setup, teardown),
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
