/*
 * Names that a model gives sessions: asked for once, beside the conversation, which never waits.
 */
#include "unit.h"

#include "base/file.h"
#include "conversation/agent_session_private.h"
#include "model/message.h"
#include "session_fixture.h"

static SessionFixture *fixture_of(const char *settings)
{
    SessionFixture *self = session_fixture_new(settings);
    self->options.wants_title = true;
    session_fixture_open(self);
    return self;
}

static int setup(void **state)
{
    *state = fixture_of("{\"modelRoles\":{\"smol\":\"lab/writer\"}}");
    return 0;
}

static int teardown(void **state)
{
    session_fixture_free(*state);
    return 0;
}

static const char *title_of(SessionFixture *self)
{
    return json_get_text(agent_session_header(self->session), "title");
}

/* The event may have come already. */
static void run_to(SessionFixture *self, const char *type)
{
    if (!session_fixture_event(self, type, 0))
        session_fixture_run_to(self, type);
}

static void quit(void *loop)
{
    loop_quit(loop);
}

/* Until the model's answer is there, or the failure to get one. */
static void end_asking(SessionFixture *self)
{
    while (self->session->title) {
        loop_add_timer(self->loop, 2, quit, self->loop);
        loop_run(self->loop);
    }
}

/* A prompt, its answer, and the model's name for the session. */
static void talk_for_title(SessionFixture *self, const char *title)
{
    sse_server_add_text(self->agent->server, "done");
    sse_server_add_text(self->agent->server, title);
    assert_true(session_fixture_prompt(self, "repair the parser of dates"));
    run_to(self, "session_info_changed");
}

static void test_named(void **state)
{
    SessionFixture *self = *state;
    talk_for_title(self, "\"Repair the date parser.\"\n\nThat is my choice.");
    assert_string_equal(title_of(self), "Repair the date parser");
    const json_t *event = session_fixture_event(self, "session_info_changed", 0);
    assert_string_equal(json_get_text(event, "name"), "Repair the date parser");
    g_autoptr(json_t) told = agent_session_state(self->session);
    assert_string_equal(json_get_text(told, "sessionName"), "Repair the date parser");

    const json_t *asked = sse_server_request(self->agent->server, 1);
    assert_string_equal(json_get_text(asked, "model"), "writer");
    g_autofree char *prompt = sse_server_conversation(self->agent->server, 1);
    assert_non_null(strstr(prompt, "repair the parser of dates"));
    assert_null(strstr(prompt, "done"));

    g_autofree char *text = NULL;
    size_t size = 0;
    assert_true(file_read(json_get_text(told, "sessionFile"), 1 << 20, &text, &size, NULL));
    // what it took is in the session, too
    assert_non_null(strstr(text, "\"customType\":\"kedge.usage\",\"data\":{\"purpose\":\"title\","
                                 "\"provider\":\"lab\",\"model\":\"writer\""));
    text[strcspn(text, "\n")] = '\0';
    assert_non_null(strstr(text, "\"title\":\"Repair the date parser\""));
    assert_non_null(strstr(text, "\"titleSource\":\"auto\""));
}

static void test_asked_once(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_text(self->agent->server, "done");
    sse_server_add_error(self->agent->server, 503, "overloaded");
    assert_true(session_fixture_prompt(self, "one"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    end_asking(self);
    sse_server_add_text(self->agent->server, "done again");
    assert_true(session_fixture_prompt(self, "two"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    assert_null(title_of(self));
    assert_int_equal(sse_server_request_count(self->agent->server), 3);
    assert_null(session_fixture_event(self, "notice", 0));
}

static void test_no_name(void **state)
{
    static const char *const answers[] = {
        "I would be glad to help you with that! First of all, let me have a look at the files you "
        "mean.",
        "\"...\"",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(answers); i++) {
        SessionFixture *self = *state;
        json_array_clear(self->events);
        assert_true(session_fixture_command(self, "new_session", NULL, NULL));
        session_fixture_wait(self);
        sse_server_add_text(self->agent->server, "done");
        sse_server_add_text(self->agent->server, answers[i]);
        assert_true(session_fixture_prompt(self, "hello"));
        end_asking(self);
        assert_null(title_of(self));
    }
}

/* What a person says counts, before and after. */
static void test_persons_name(void **state)
{
    SessionFixture *self = *state;
    assert_true(session_fixture_command(self, "set_session_name", "{\"name\":\"Mine\"}", NULL));
    session_fixture_wait(self);
    sse_server_add_text(self->agent->server, "done");
    assert_true(session_fixture_prompt(self, "hello"));
    assert_int_equal(sse_server_request_count(self->agent->server), 1);

    assert_true(session_fixture_command(self, "new_session", NULL, NULL));
    session_fixture_wait(self);
    json_array_clear(self->events);
    talk_for_title(self, "Of the model");
    assert_true(session_fixture_command(self, "set_session_name", "{\"name\":\"Mine too\"}", NULL));
    session_fixture_wait(self);
    assert_string_equal(title_of(self), "Mine too");
    g_autoptr(json_t) told = agent_session_state(self->session);
    assert_string_equal(json_get_text(told, "sessionName"), "Mine too");
}

/* The conversation neither waits for a name nor gets one that was meant for another. */
static void test_left_behind(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_text(self->agent->server, "done");
    sse_server_add_hanging(self->agent->server, "A name that");
    assert_true(session_fixture_prompt(self, "hello"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    assert_true(session_fixture_command(self, "new_session", NULL, NULL));
    session_fixture_wait(self);
    assert_null(title_of(self));
    assert_null(session_fixture_event(self, "session_info_changed", 0));
}

static void test_unwanted(void **state G_GNUC_UNUSED)
{
    for (int i = 0; i < 2; i++) {
        SessionFixture *self =
            session_fixture_new(i == 0 ? "{\"titles\":{\"enabled\":false}}" : NULL);
        self->options.wants_title = i == 0;
        session_fixture_open(self);
        sse_server_add_text(self->agent->server, "done");
        assert_true(session_fixture_prompt(self, "hello"));
        assert_int_equal(sse_server_request_count(self->agent->server), 1);
        session_fixture_free(self);
    }
}

/* It costs what it costs, and nothing is asked for when there is no money left. */
static void test_costs(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = fixture_of(NULL); // a model with a price
    talk_for_title(self, "A name");
    g_autoptr(json_t) told = agent_session_state(self->session);
    double one = 10 * 100 / 1e6;
    assert_float_equal(json_get_number(told, "cost", 0), 2 * one, one / 100);
    session_fixture_free(self);

    self = session_fixture_new(NULL);
    self->options.wants_title = true;
    self->options.max_turns = 1;
    session_fixture_open(self);
    sse_server_add_text(self->agent->server, "done");
    assert_true(session_fixture_prompt(self, "hello"));
    assert_int_equal(sse_server_request_count(self->agent->server), 1);
    session_fixture_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_named, setup, teardown),
        cmocka_unit_test_setup_teardown(test_asked_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_persons_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_left_behind, setup, teardown),
        cmocka_unit_test(test_unwanted),
        cmocka_unit_test(test_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
