/*
 * The agent: order of events, what goes to the model, queues, aborts, what the session holds.
 */
#include "unit.h"

#include "agent_fixture.h"
#include "base/file.h"
#include "base/worker.h"
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

static void assert_conversation(AgentFixture *self, size_t request, const char *want)
{
    g_autofree char *got = sse_server_conversation(self->server, request);
    assert_string_equal(got, want);
}

static void assert_events(AgentFixture *self, const char *want)
{
    g_autofree char *got = agent_fixture_events(self);
    assert_string_equal(got, want);
}

#define ONE_CALL "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}]"
#define USER     "message_start:user message_end:user"
#define ANSWER   "message_start:assistant message_end:assistant"
#define RESULT                                                                                     \
    "tool_execution_start tool_execution_end message_start:toolResult message_end:toolResult"

/* core-42 */
static void test_event_order(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server, ONE_CALL);
    sse_server_add_text(self->server, "all done");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    assert_events(self, "agent_start turn_start " USER " " ANSWER " " RESULT
                        " turn_end turn_start " ANSWER " turn_end agent_end");
    assert_conversation(self, 1, "user:go assistant:[calls] tool:x/0");

    const json_t *turn_end = agent_fixture_event(self, "turn_end", 0);
    assert_int_equal(json_array_size(json_get_array(turn_end, "toolResults")), 1);
    const json_t *end = agent_fixture_event(self, "agent_end", 0);
    assert_int_equal(json_array_size(json_get_array(end, "messages")), 4);
    g_autofree char *answer = message_text(agent_last_message(self->agent));
    assert_string_equal(answer, "all done");
}

/* core-60, through the agent */
static void test_session(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server, ONE_CALL);
    sse_server_add_text(self->server, "done");
    assert_true(agent_fixture_prompt(self, "go"));

    g_autofree char *text = NULL;
    assert_true(file_read(session_path(self->session), 1000000, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) roles = g_string_new(NULL);
    for (size_t i = 0; *lines[i]; i++) {
        g_autoptr(json_t) entry = NULL;
        assert_true(json_parse_text(lines[i], &entry, NULL));
        const char *role = json_get_text(json_get_object(entry, "message"), "role");
        g_string_append_printf(roles, "%s ", role ? role : json_get_text(entry, "type"));
    }
    assert_string_equal(roles->str, "session model_change thinking_level_change user "
                                    "assistant toolResult assistant ");
}

static void test_goes_on_with_a_session(void **state)
{
    AgentFixture *self = *state;
    g_autoptr(json_t) question = message_user("before");
    session_append_message(self->session, question);
    g_autoptr(json_t) answer = NULL;
    assert_true(json_parse_text(
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"yes\"}],"
        "\"stopReason\":\"stop\"}",
        &answer, NULL));
    session_append_message(self->session, answer);
    sse_server_add_text(self->server, "ok");
    assert_true(agent_fixture_prompt(self, "now"));
    assert_conversation(self, 0, "user:before assistant:yes user:now");
}

/* core-47 */
static void test_steering_interrupts(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server,
                         "[{\"id\":\"t1\",\"name\":\"steer\",\"arguments\":{\"text\":\"stop it\"}},"
                         "{\"id\":\"t2\",\"name\":\"alone\",\"arguments\":{\"text\":\"b\"}},"
                         "{\"id\":\"t3\",\"name\":\"alone\",\"arguments\":{\"text\":\"c\"}}]");
    sse_server_add_text(self->server, "done");
    assert_true(agent_fixture_prompt(self, "go"));
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "t1:steered t2!:Skipped due to queued user message. "
                                 "t3!:Skipped due to queued user message.");
    assert_string_equal(self->runs->str, "steer");
    assert_conversation(
        self, 1,
        "user:go assistant:[calls] tool:steered tool:Skipped due to queued user message. "
        "tool:Skipped due to queued user message. user:stop it");
}

static void test_steering_stops_running_tools(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server,
                         "[{\"id\":\"t1\",\"name\":\"hang\",\"arguments\":{}},"
                         "{\"id\":\"t3\",\"name\":\"echo\",\"arguments\":{\"text\":\"c\"}}]");
    sse_server_add_text(self->server, "one");
    sse_server_add_text(self->server, "two");
    agent_fixture_make_agent(self);
    agent_fixture_push(self->steering, "first");  // taken at the start of the run
    agent_fixture_push(self->steering, "second"); // found when echo is done
    assert_true(agent_fixture_prompt(self, "go"));
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "t3:c/0 t1!:Skipped due to queued user message.");
    g_autofree char *second = sse_server_conversation(self->server, 1);
    assert_true(g_str_has_suffix(second, "user:second"));
}

/* core-48 */
static void test_steering_waits(void **state)
{
    (void)state;
    AgentFixture *self = agent_fixture_new("{\"interruptMode\":\"wait\"}");
    sse_server_add_calls(self->server,
                         "[{\"id\":\"t1\",\"name\":\"steer\",\"arguments\":{\"text\":\"s\"}},"
                         "{\"id\":\"t2\",\"name\":\"alone\",\"arguments\":{\"text\":\"b\"}},"
                         "{\"id\":\"t3\",\"name\":\"alone\",\"arguments\":{\"text\":\"c\"}}]");
    sse_server_add_text(self->server, "done");
    assert_true(agent_fixture_prompt(self, "go"));
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "t1:steered t2:b t3:c");
    assert_conversation(self, 1, "user:go assistant:[calls] tool:steered tool:b tool:c user:s");
    agent_fixture_free(self);
}

/* core-49 */
static void test_queue_modes(void **state)
{
    (void)state;
    AgentFixture *one = agent_fixture_new(NULL);
    sse_server_add_calls(
        one->server,
        "[{\"id\":\"t1\",\"name\":\"steer\",\"arguments\":{\"text\":\"s\",\"count\":3}}]");
    for (int i = 0; i < 3; i++)
        sse_server_add_text(one->server, "a");
    assert_true(agent_fixture_prompt(one, "go"));
    assert_int_equal(sse_server_request_count(one->server), 4);
    assert_conversation(one, 1, "user:go assistant:[calls] tool:steered user:s1");
    assert_conversation(one, 3,
                        "user:go assistant:[calls] tool:steered user:s1 assistant:a user:s2 "
                        "assistant:a user:s3");
    agent_fixture_free(one);

    AgentFixture *all = agent_fixture_new("{\"steeringMode\":\"all\"}");
    sse_server_add_calls(
        all->server,
        "[{\"id\":\"t1\",\"name\":\"steer\",\"arguments\":{\"text\":\"s\",\"count\":3}}]");
    sse_server_add_text(all->server, "a");
    assert_true(agent_fixture_prompt(all, "go"));
    assert_int_equal(sse_server_request_count(all->server), 2);
    assert_conversation(all, 1, "user:go assistant:[calls] tool:steered user:s1 user:s2 user:s3");
    agent_fixture_free(all);
}

/* core-50 */
static void test_follow_up(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server, ONE_CALL);
    sse_server_add_text(self->server, "a");
    sse_server_add_text(self->server, "b");
    agent_fixture_make_agent(self);
    agent_fixture_push(self->follow_ups, "later");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_conversation(self, 1, "user:go assistant:[calls] tool:x/0");
    assert_conversation(self, 2, "user:go assistant:[calls] tool:x/0 assistant:a user:later");
    assert_null(agent_fixture_event(self, "agent_end", 1));
}

#define REMINDER "user:This is a preview. Call the resolve tool to apply or discard these changes."
#define STAGED   "user:go assistant:[calls] tool:staged " REMINDER

/* A model is told of a preview that waits, when it does not listen again, but not for ever. */
static void test_preview_reminder(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server, "[{\"id\":\"t1\",\"name\":\"stage\",\"arguments\":{}}]");
    sse_server_add_text(self->server, "a");
    sse_server_add_calls(self->server, "[{\"id\":\"t2\",\"name\":\"resolve\",\"arguments\":{}}]");
    sse_server_add_text(self->server, "done");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_conversation(self, 1, STAGED);
    assert_conversation(self, 3,
                        STAGED " assistant:a " REMINDER " assistant:[calls] tool:resolved");
    assert_int_equal(sse_server_request_count(self->server), 4);

    sse_server_add_calls(self->server, "[{\"id\":\"t3\",\"name\":\"stage\",\"arguments\":{}}]");
    for (int i = 0; i < 3; i++)
        sse_server_add_text(self->server, "no");
    assert_true(agent_fixture_prompt(self, "again"));
    assert_int_equal(sse_server_request_count(self->server), 8);
}

typedef struct Aborter {
    AgentFixture *fixture;
    size_t after_requests;
} Aborter;

static void abort_when_asked(void *data)
{
    Aborter *self = data;
    while (sse_server_request_count(self->fixture->server) < self->after_requests)
        g_usleep(1000);
    g_usleep(30000); // some text should have come
    cancel_fire(self->fixture->cancel);
}

static void test_abort_while_streaming(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_hanging(self->server, "half an ans");
    Aborter aborter = { self, 1 };
    Worker *worker = worker_start("aborter", abort_when_asked, &aborter);
    assert_true(agent_fixture_prompt(self, "go"));
    worker_join(worker);
    assert_int_equal(self->outcome.end, AGENT_ABORTED);
    assert_events(self, "agent_start turn_start " USER " " ANSWER " turn_end agent_end");
    const json_t *last = agent_last_message(self->agent);
    assert_string_equal(message_stop_reason(last), "aborted");
    g_autofree char *text = message_text(last);
    assert_string_equal(text, "half an ans");
    assert_true(file_exists(session_path(self->session)));

    // a new prompt is accepted at once, with a token of its own
    cancel_unref(self->cancel);
    self->cancel = cancel_new(NULL);
    sse_server_add_text(self->server, "fine");
    assert_true(agent_fixture_prompt(self, "again"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
}

static void test_abort_while_tools_run(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server,
                         "[{\"id\":\"t1\",\"name\":\"fire\",\"arguments\":{}},"
                         "{\"id\":\"t2\",\"name\":\"echo\",\"arguments\":{\"text\":\"b\"}}]");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_ABORTED);
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "t1:fired t2!:Tool execution was aborted");
    assert_string_equal(self->runs->str, "");
    assert_events(self, "agent_start turn_start " USER " " ANSWER " " RESULT " " RESULT
                        " turn_end turn_start " ANSWER " turn_end agent_end");
    const json_t *last = agent_last_message(self->agent);
    assert_string_equal(message_stop_reason(last), "aborted");
    assert_int_equal(json_array_size(json_get_array(last, "content")), 0);
    assert_int_equal(sse_server_request_count(self->server), 1);
}

static void abort_when_firm(void *data)
{
    AgentFixture *self = data;
    while (!agent_fixture_has_run(self, "firm"))
        g_usleep(1000);
    cancel_fire(self->cancel);
}

static void test_abort_waits_for_what_cannot_be_aborted(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server, "[{\"id\":\"t1\",\"name\":\"firm\",\"arguments\":{}}]");
    Worker *worker = worker_start("aborter", abort_when_firm, self);
    assert_true(agent_fixture_prompt(self, "go"));
    worker_join(worker);
    assert_int_equal(self->outcome.end, AGENT_ABORTED);
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "t1:done");
}

static void test_abort_of_a_running_tool(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server, "[{\"id\":\"t1\",\"name\":\"hang\",\"arguments\":{}}]");
    Aborter aborter = { self, 1 };
    Worker *worker = worker_start("aborter", abort_when_asked, &aborter);
    assert_true(agent_fixture_prompt(self, "go"));
    worker_join(worker);
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "t1!:Tool execution was aborted");
}

static void test_no_credential(void **state)
{
    AgentFixture *self = *state;
    g_unsetenv("OPENAI_API_KEY");
    g_unsetenv("ANTHROPIC_API_KEY");
    g_unsetenv("ANTHROPIC_OAUTH_TOKEN");
    ModelChoice choice = { 0 };
    assert_true(
        model_registry_select(self->registry, "anthropic/claude-sonnet-4-5", NULL, &choice, NULL));
    self->setup.model = choice.model;
    assert_false(agent_fixture_prompt(self, "go"));
    assert_string_equal(self->error->message,
                        "No API key found for anthropic. Set ANTHROPIC_OAUTH_TOKEN or "
                        "ANTHROPIC_API_KEY in the environment, or apiKey of that provider in "
                        "models.yml, or use --api-key, or store a key with `kedge login "
                        "anthropic`.");
    assert_int_equal(json_array_size(self->events), 0);
    assert_false(file_exists(self->dir)); // core-59
}

static void test_final_error(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_error(self->server, 400, "prompt is too long: 300000 tokens");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    assert_non_null(strstr(message_error(agent_last_message(self->agent)), "prompt is too long"));
    assert_null(agent_fixture_event(self, "auto_retry_start", 0));
    assert_events(self, "agent_start turn_start " USER " " ANSWER " turn_end notice agent_end");
}

static void prompt_again(json_t *event, void *user_data)
{
    AgentFixture *self = user_data;
    json_array_append(self->events, event);
    if (self->error || !g_str_equal(json_get_text(event, "type"), "turn_start"))
        return;
    g_autoptr(json_t) message = message_user("me too");
    AgentOutcome outcome = { 0 };
    assert_false(agent_prompt(self->agent, message, NULL, &outcome, &self->error));
}

static void test_one_prompt_at_a_time(void **state)
{
    AgentFixture *self = *state;
    self->options.events.func = prompt_again;
    sse_server_add_text(self->server, "ok");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_string_equal(
        self->error->message,
        "Agent is already processing. Use steer() or followUp() to queue messages, or wait "
        "for completion.");
}

static void test_nobody_listens(void **state)
{
    AgentFixture *self = *state;
    self->options.events.func = NULL;
    sse_server_add_calls(self->server, "[{\"id\":\"t1\",\"name\":\"noisy\",\"arguments\":{}}]");
    sse_server_add_text(self->server, "ok");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_conversation(self, 1, "user:go assistant:[calls] tool:one two three");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_event_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_session, setup, teardown),
        cmocka_unit_test_setup_teardown(test_goes_on_with_a_session, setup, teardown),
        cmocka_unit_test_setup_teardown(test_steering_interrupts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_steering_stops_running_tools, setup, teardown),
        cmocka_unit_test(test_steering_waits),
        cmocka_unit_test(test_queue_modes),
        cmocka_unit_test_setup_teardown(test_follow_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_preview_reminder, setup, teardown),
        cmocka_unit_test_setup_teardown(test_abort_while_streaming, setup, teardown),
        cmocka_unit_test_setup_teardown(test_abort_while_tools_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_abort_of_a_running_tool, setup, teardown),
        cmocka_unit_test_setup_teardown(test_abort_waits_for_what_cannot_be_aborted, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_no_credential, setup, teardown),
        cmocka_unit_test_setup_teardown(test_final_error, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_prompt_at_a_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nobody_listens, setup, teardown),
    };
    return cmocka_run_group_tests_name("agent", tests, NULL, NULL);
}
