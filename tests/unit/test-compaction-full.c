/*
 * A conversation that seems full, or is, again and again: what is believed of a server's count, and
 * when a compaction is not tried once more.
 */
#include "unit.h"

#include "model/message.h"
#include "session_fixture.h"

static int setup(void **state)
{
    SessionFixture *self = session_fixture_new("{\"retry\":{\"baseDelayMs\":1}}");
    *state = self;
    session_fixture_open(self);
    return !session_fixture_command(self, "set_model",
                                    "{\"provider\":\"lab\",\"modelId\":\"tiny\"}", NULL);
}

static int teardown(void **state)
{
    session_fixture_free(*state);
    return 0;
}

/* A prompt of about 1000 tokens that begins with a name, and its answer. */
static void talk(SessionFixture *self, const char *name)
{
    g_autofree char *filler = g_strnfill(4000, 'x');
    g_autofree char *text = g_strdup_printf("%s %s", name, filler);
    sse_server_add_text(self->agent->server, "fine");
    assert_true(session_fixture_prompt(self, text));
}

static size_t count_requests_with(SessionFixture *self, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < sse_server_request_count(self->agent->server); i++) {
        g_autofree char *told = sse_server_conversation(self->agent->server, i);
        count += g_str_has_suffix(told, text);
    }
    return count;
}

#define GO_ON "Go on where you stopped."

/* A server that finds the conversation full however small it is: the person's money is not spent
   on asking it again and again. */
static void test_always_full(void **state)
{
    SessionFixture *self = *state;
    sse_server_set_usage(self->agent->server, 9000, 10);
    for (int i = 0; i < 40; i++)
        sse_server_add_text_ending(self->agent->server, "and so on", "length");
    assert_true(session_fixture_prompt(self, "hi"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    assert_non_null(session_fixture_event(self, "auto_compaction_start", 0));
    assert_int_equal(count_requests_with(self, GO_ON), 1);
    assert_true(sse_server_request_count(self->agent->server) < 10);
}

static size_t count_compactions(SessionFixture *self)
{
    size_t count = 0;
    while (session_fixture_event(self, "auto_compaction_start", count))
        count++;
    return count;
}

/* The same session once more, as a new process finds it. */
static void reopen(SessionFixture *self)
{
    g_autoptr(json_t) now = agent_session_state(self->session);
    g_autofree char *arguments =
        g_strdup_printf("{\"sessionPath\":\"%s\"}", json_get_text(now, "sessionFile"));
    assert_true(session_fixture_command(self, "new_session", NULL, NULL));
    session_fixture_wait(self);
    assert_true(session_fixture_command(self, "switch_session", arguments, NULL));
    session_fixture_wait(self);
}

/* A server that answers cannot have been sent more than the window holds: its number is of
   something else, and does not cost a summary for each prompt. */
static void test_incredible_usage(void **state)
{
    SessionFixture *self = *state;
    sse_server_set_usage(self->agent->server, 180000, 10);
    for (int i = 0; i < 4; i++) {
        sse_server_add_text(self->agent->server, "fine");
        assert_true(session_fixture_prompt(self, "hi"));
    }
    assert_int_equal(count_compactions(self), 0);
    sse_server_set_usage(self->agent->server, 180000, 10);
    for (int i = 0; i < 20; i++)
        sse_server_add_text(self->agent->server, "fine");
    g_autofree char *filler = g_strnfill(4000, 'x');
    for (int i = 0; i < 6; i++)
        assert_true(session_fixture_prompt(self, filler)); // which do fill it
    assert_int_equal(count_compactions(self), 1);
}

/* Full after a summary: the next would gain as little, also in a session that is opened again. */
static void test_compaction_gains_nothing(void **state)
{
    SessionFixture *self = *state;
    static const char *const names[] = { "one", "two", "three", "four", "five" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        talk(self, names[i]);
    sse_server_set_usage(self->agent->server, 8990, 10);
    for (int i = 0; i < 20; i++)
        sse_server_add_text(self->agent->server, "fine");
    for (int i = 0; i < 6; i++) {
        if (i == 3)
            reopen(self);
        assert_true(session_fixture_prompt(self, "hi"));
    }
    assert_int_equal(count_compactions(self), 1);
}

/* `summaries`: of what was before the turn, and of the turn's beginning where it is cut in two. */
static void add_cut_answer(SessionFixture *self, int summaries)
{
    sse_server_set_usage(self->agent->server, 9000, 10);
    sse_server_add_text_ending(self->agent->server, "and so on", "length");
    sse_server_set_usage(self->agent->server, 10, 5);
    for (int i = 0; i < summaries; i++)
        sse_server_add_text(self->agent->server, "the summary");
    sse_server_add_text(self->agent->server, "in short");
}

/* Cut again and again, with work between: it is gone on with twice, for each prompt. */
static void test_cut_again(void **state)
{
    SessionFixture *self = *state;
    for (size_t prompts = 1; prompts <= 2; prompts++) {
        sse_server_add_text(self->agent->server, "fine"); // there is room again
        assert_true(session_fixture_prompt(self, "hello"));
        for (int i = 0; i < 2; i++) {
            add_cut_answer(self, prompts + (size_t)i == 1 ? 2 : 1);
            sse_server_add_calls(
                self->agent->server,
                "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}]");
        }
        add_cut_answer(self, 1);
        assert_true(session_fixture_prompt(self, "hi"));
        assert_int_equal(self->outcome.end, AGENT_DONE);
        assert_int_equal(count_requests_with(self, GO_ON), 2 * prompts);
    }
}

/* What a good answer was the reason for is not gone on with. */
static void test_good_answer_stands(void **state)
{
    SessionFixture *self = *state;
    for (int i = 0; i < 4; i++)
        talk(self, "word");
    sse_server_set_usage(self->agent->server, 9000, 10);
    sse_server_add_text(self->agent->server, "all done");
    sse_server_add_text(self->agent->server, "the summary");
    sse_server_add_text(self->agent->server, "in short");
    assert_true(session_fixture_prompt(self, "finish it"));
    assert_non_null(session_fixture_event(self, "auto_compaction_end", 0));
    assert_int_equal(sse_server_request_count(self->agent->server), 7);
    assert_int_equal(count_requests_with(self, GO_ON), 0);
    g_autofree char *answer = message_text(agent_session_last_answer(self->session));
    assert_string_equal(answer, "all done");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_good_answer_stands, setup, teardown),
        cmocka_unit_test_setup_teardown(test_always_full, setup, teardown),
        cmocka_unit_test_setup_teardown(test_incredible_usage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compaction_gains_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut_again, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
