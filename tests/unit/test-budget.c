/*
 * Budgets: a run stops before the request that would exceed them, with every call answered.
 */
#include "unit.h"

#include "agent_fixture.h"

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

static void add_rounds(AgentFixture *self, int count)
{
    for (int i = 0; i < count; i++) { // no two alike, which would get a note
        g_autofree char *call = g_strdup_printf(
            "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"text\":\"x%d\"}}]", i);
        sse_server_add_calls(self->server, call);
    }
    sse_server_add_text(self->server, "done");
}

static void assert_stopped(AgentFixture *self, const char *text)
{
    assert_int_equal(self->outcome.end, AGENT_BUDGET);
    assert_string_equal(self->outcome.budget_text, text);
    const json_t *notice = agent_fixture_event(self, "notice", 0);
    assert_string_equal(json_get_text(notice, "message"), text);
    assert_string_equal(json_get_text(notice, "level"), "warning");
    g_autofree char *events = agent_fixture_events(self);
    assert_true(g_str_has_suffix(events, "turn_end notice agent_end"));
}

static void test_turns(void **state)
{
    AgentFixture *self = *state;
    self->max_turns = 2;
    add_rounds(self, 3);
    assert_true(agent_fixture_prompt(self, "go"));
    assert_stopped(self, "Stopped: 2 turns (--max-turns)");
    assert_int_equal(sse_server_request_count(self->server), 2);
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "t1:x0/0 t1_2:x1/0"); // the calls of the last turn have theirs

    // another prompt is not even begun
    assert_true(agent_fixture_prompt(self, "more"));
    assert_int_equal(self->outcome.end, AGENT_BUDGET);
    assert_int_equal(sse_server_request_count(self->server), 2);
    g_autofree char *events = agent_fixture_events(self);
    assert_true(g_str_has_suffix(events, "agent_end agent_start notice agent_end"));
}

static void test_turns_that_suffice(void **state)
{
    AgentFixture *self = *state;
    self->max_turns = 2;
    add_rounds(self, 1);
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    assert_null(self->outcome.budget_text);
}

static void test_cost(void **state)
{
    AgentFixture *self = *state;
    self->max_cost = 1.0;
    sse_server_set_usage(self->server, 3400, 7); // 0.34 dollars a request
    add_rounds(self, 5);
    assert_true(agent_fixture_prompt(self, "go"));
    assert_stopped(self, "Stopped: 1.02 USD (--max-cost)");
    assert_int_equal(sse_server_request_count(self->server), 3);
    assert_float_equal(budget_cost(self->options.means.budget), 1.02, 0.0001);
}

/* What was queued is not lost: it is still there when the limit is lifted, so it was not delivered.
 */
static void test_queued_messages_stay(void **state)
{
    AgentFixture *self = *state;
    self->max_turns = 1;
    sse_server_add_calls(self->server,
                         "[{\"id\":\"t1\",\"name\":\"steer\",\"arguments\":{\"text\":\"s\"}},"
                         "{\"id\":\"t2\",\"name\":\"alone\",\"arguments\":{\"text\":\"b\"}}]");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_stopped(self, "Stopped: 1 turns (--max-turns)");
    g_autofree char *events = agent_fixture_events(self);
    assert_null(
        strstr(events, "message_end:user turn")); // only the prompt itself was a user message
    const json_t *end = agent_fixture_event(self, "agent_end", 0);
    assert_int_equal(json_array_size(json_get_array(end, "messages")), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_turns_that_suffice, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cost, setup, teardown),
        cmocka_unit_test_setup_teardown(test_queued_messages_stay, setup, teardown),
    };
    return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
