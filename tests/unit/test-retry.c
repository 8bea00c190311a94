/*
 * Auto-retry: which errors, how often, how long, and what is sent and stored meanwhile.
 */
#include "base/str.h"
#include "unit.h"

#include "agent_fixture.h"
#include "base/file.h"
#include "base/worker.h"

#define QUICK "{\"retry\":{\"baseDelayMs\":10}}"

static char *retry_events(const AgentFixture *self)
{
    g_autofree char *all = agent_fixture_events(self);
    GString *out = g_string_new(NULL);
    g_auto(GStrv) words = g_strsplit(all, " ", -1);
    size_t starts = 0, ends = 0;
    for (size_t i = 0; words[i]; i++) {
        const json_t *event = NULL;
        if (g_str_equal(words[i], "auto_retry_start")) {
            event = agent_fixture_event(self, words[i], starts++);
            g_string_append_printf(out, "start %d/%d %dms ", (int)json_get_int(event, "attempt", 0),
                                   (int)json_get_int(event, "maxAttempts", 0),
                                   (int)json_get_int(event, "delayMs", -1));
        } else if (g_str_equal(words[i], "auto_retry_end")) {
            event = agent_fixture_event(self, words[i], ends++);
            const char *final_error = json_get_text(event, "finalError");
            g_string_append_printf(out, "end %d %s %s", (int)json_get_int(event, "attempt", 0),
                                   json_get_bool(event, "success", false) ? "yes" : "no",
                                   final_error ? final_error : "");
        }
    }
    return g_string_free(out, FALSE);
}

/* core-51 */
static void test_passes(void **state G_GNUC_UNUSED)
{
    AgentFixture *self = agent_fixture_new(QUICK);
    sse_server_add_error(self->server, 503, "first overload");
    sse_server_add_error(self->server, 503, "second overload");
    sse_server_add_text(self->server, "fine");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    g_autofree char *events = retry_events(self);
    assert_string_equal(events, "start 1/3 10ms start 2/3 20ms end 2 yes ");
    assert_non_null(agent_fixture_event(self, "turn_start", 2)); // each attempt is a turn
    g_autofree char *order = agent_fixture_events(self);
    assert_true(str_has_prefix(order, "agent_start ") && g_str_has_suffix(order, " agent_end"));
    assert_null(agent_fixture_event(self, "agent_end", 1)); // and all of them are one run

    g_autofree char *conversation = sse_server_conversation(self->server, 2);
    assert_string_equal(conversation, "user:go");
    g_autofree char *stored = NULL;
    assert_true(file_read(session_path(self->session), 1000000, &stored, NULL, NULL));
    assert_non_null(strstr(stored, "first overload"));
    assert_non_null(strstr(stored, "second overload"));
    agent_fixture_free(self);
}

/* core-52 */
static void test_gives_up(void **state G_GNUC_UNUSED)
{
    AgentFixture *self = agent_fixture_new("{\"retry\":{\"baseDelayMs\":1,\"maxRetries\":2}}");
    for (int i = 0; i < 3; i++)
        sse_server_add_error(self->server, 503, "overloaded");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    assert_int_equal(sse_server_request_count(self->server), 3);
    g_autofree char *events = retry_events(self);
    assert_true(str_has_prefix(events, "start 1/2 1ms start 2/2 2ms end 2 no "));
    assert_non_null(strstr(events, "overloaded"));
    agent_fixture_free(self);
}

static void cancel_when_waiting(void *data)
{
    AgentFixture *self = data;
    while (sse_server_request_count(self->server) == 0)
        g_usleep(1000);
    g_usleep(50000);
    cancel_fire(self->cancel);
}

/* core-53 */
static void test_cancelled(void **state G_GNUC_UNUSED)
{
    AgentFixture *self = agent_fixture_new("{\"retry\":{\"baseDelayMs\":30000}}");
    sse_server_add_error(self->server, 503, "overloaded");
    Worker *worker = worker_start("canceller", cancel_when_waiting, self);
    assert_true(agent_fixture_prompt(self, "go"));
    worker_join(worker);
    assert_int_equal(self->outcome.end, AGENT_ABORTED);
    g_autofree char *events = retry_events(self);
    assert_string_equal(events, "start 1/3 30000ms end 1 no Retry cancelled");
    agent_fixture_free(self);
}

static void test_not_retried(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *settings, *message;
        int status;
    } cases[] = {
        { "a bad request", QUICK, "no such model", 400 },
        { "an overflow", QUICK, "prompt is too long", 400 },
        { "core-119, an hour", QUICK, "busy retry-after-ms=3600000", 503 },
        { "core-119, above maxWait", "{\"retry\":{\"baseDelayMs\":10,\"maxWait\":10}}",
          "busy retry-after-ms=11000", 429 },
        { "switched off", "{\"retry\":{\"enabled\":false}}", "overloaded", 503 },
        { "no attempts", "{\"retry\":{\"maxRetries\":0}}", "overloaded", 503 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        AgentFixture *self = agent_fixture_new(cases[i].settings);
        sse_server_add_error(self->server, cases[i].status, cases[i].message);
        assert_true(agent_fixture_prompt(self, "go"));
        g_autofree char *events = retry_events(self);
        if (self->outcome.end != AGENT_ERROR || *events != '\0' ||
            sse_server_request_count(self->server) != 1)
            fail_msg("%s: %s", cases[i].name, events);
        agent_fixture_free(self);
    }
}

/* A second error of another kind ends the attempt that was under way. */
static void test_another_error_ends_it(void **state G_GNUC_UNUSED)
{
    AgentFixture *self = agent_fixture_new(QUICK);
    sse_server_add_error(self->server, 503, "overloaded");
    sse_server_add_error(self->server, 400, "no such model");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    g_autofree char *events = retry_events(self);
    assert_true(str_has_prefix(events, "start 1/3 10ms end 1 no "));
    assert_non_null(strstr(events, "no such model"));
    agent_fixture_free(self);
}

#define CHAIN "\"fallbackChains\":{\"default\":[\"lab/writer\"]}"

/* A fallback that nobody would ask is none. */
static void test_no_fallback_without_attempts(void **state G_GNUC_UNUSED)
{
    static const char *const settings[] = {
        "{\"retry\":{\"maxRetries\":0," CHAIN "}}",
        "{\"retry\":{\"enabled\":false," CHAIN "}}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        AgentFixture *self = agent_fixture_new(settings[i]);
        sse_server_add_error(self->server, 503, "overloaded");
        assert_true(agent_fixture_prompt(self, "go"));
        assert_int_equal(self->outcome.end, AGENT_ERROR);
        assert_null(agent_fixture_event(self, "retry_fallback_applied", 0));
        g_autoptr(TurnSetup) setup = setup_slot_get(self->options.setup);
        assert_string_equal(setup->model->id, "coder");
        agent_fixture_free(self);
    }
    // one attempt is enough for it
    AgentFixture *self =
        agent_fixture_new("{\"retry\":{\"maxRetries\":1,\"baseDelayMs\":1," CHAIN "}}");
    sse_server_add_error(self->server, 503, "overloaded");
    sse_server_add_text(self->server, "fine");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    assert_non_null(agent_fixture_event(self, "retry_fallback_succeeded", 0));
    agent_fixture_free(self);
}

/* The stand-in gave no answer, and the chosen model is back before anybody does: the next answer is
   nobody's proof. The chain may be another one by then. */
static void test_reverted_without_proof(void **state G_GNUC_UNUSED)
{
    AgentFixture *self =
        agent_fixture_new("{\"retry\":{\"maxRetries\":1,\"baseDelayMs\":1," CHAIN "}}");
    sse_server_add_error(self->server, 503, "overloaded retry-after-ms=1");
    sse_server_add_error(self->server, 403, "the stand-in may not");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    assert_non_null(agent_fixture_event(self, "retry_fallback_applied", 0));

    assert_true(cancel_sleep(self->cancel, 20, NULL)); // until the chosen one has rested
    g_autoptr(Settings) no_chain = settings_new(NULL);
    tool_context_set_settings(self->context, no_chain);
    agent_take_settings(self->agent);
    sse_server_add_text(self->server, "fine");
    assert_true(agent_fixture_prompt(self, "again"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    const json_t *request = sse_server_request(self->server, 2);
    assert_string_equal(json_get_text(request, "model"), "coder");
    assert_null(agent_fixture_event(self, "retry_fallback_succeeded", 0));
    agent_fixture_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_not_retried),
        cmocka_unit_test(test_another_error_ends_it),
        cmocka_unit_test(test_no_fallback_without_attempts),
        cmocka_unit_test(test_reverted_without_proof),
    };
    return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
