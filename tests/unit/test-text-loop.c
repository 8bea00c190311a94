/*
 * A model that writes the same text over and over is stopped, and asked once more (safety §9.1).
 */
#include "unit.h"

#include "agent/text_loop.h"
#include "model/message.h"
#include "session_fixture.h"

static char *repeat(const char *piece, size_t times)
{
    GString *text = g_string_new("And so I say: ");
    for (size_t i = 0; i < times; i++)
        g_string_append(text, piece);
    return g_string_free(text, FALSE);
}

static bool is_loop(const char *text, size_t step)
{
    g_auto(TextLoop) loop = { 0 };
    text_loop_init(&loop);
    for (const char *at = text; *at;) {
        const char *end = at;
        for (size_t i = 0; i < step && *end; i++)
            end = g_utf8_next_char(end);
        g_autofree char *piece = g_strndup(at, (gsize)(end - at));
        if (text_loop_feed(&loop, piece))
            return true;
        at = end;
    }
    return false;
}

static void test_pieces(void **state G_GNUC_UNUSED)
{
    g_autofree char *longest = g_strnfill(398, 'x'), *too_long = g_strnfill(400, 'x');
    g_autofree char *piece = g_strconcat(longest, " y", NULL);
    g_autofree char *long_piece = g_strconcat(too_long, " ", NULL);
    const struct {
        const char *piece;
        size_t times;
        bool want;
    } cases[] = {
        { "I will look at it. ", 200, true },
        { "I will look at it. ", 40, false },
        { "\xe6\xbd\xae\xe4\xbd\x8e\xe3\x80\x82", 1000, true },
        { piece, 8, true },
        { piece, 5, false },
        { long_piece, 20, false },
        { "0123456789", 1000, false }, // data
        { "0, 0, 1\n", 1000, false },
        { "x", 5000, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = repeat(cases[i].piece, cases[i].times);
        for (size_t step = 1; step < 5000; step = step * 7 + 1) {
            if (is_loop(text, step) != cases[i].want)
                fail_msg("case %zu, step %zu", i, step);
        }
    }
    // a list whose lines differ in a number is none
    g_autoptr(GString) list = g_string_new(NULL);
    for (int i = 0; i < 1000; i++)
        g_string_append_printf(list, "line %d of the table\n", i);
    assert_false(is_loop(list->str, 10));
}

static SessionFixture *fixture_of(const char *settings)
{
    SessionFixture *self = session_fixture_new(settings);
    session_fixture_open(self);
    return self;
}

static void test_run(void **state G_GNUC_UNUSED)
{
    g_autofree char *text = repeat("I will look at it. ", 300);
    SessionFixture *self = fixture_of(NULL);
    sse_server_add_text(self->agent->server, text);
    sse_server_add_text(self->agent->server, "done");
    assert_true(session_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    const json_t *notice = session_fixture_event(self, "notice", 0);
    const json_t *limit = json_get_object(notice, "limit");
    assert_string_equal(json_get_text(limit, "which"), "loop");
    g_autofree char *told = sse_server_conversation(self->agent->server, 1);
    assert_string_equal(told, "user:go");
    g_auto(SessionContext) saved = { 0 }; // what it is resumed with
    session_build_context(self->options.session, &saved);
    assert_int_equal(json_array_size(saved.messages), 2);

    // twice is enough, and the next prompt begins anew
    for (int i = 0; i < 2; i++)
        sse_server_add_text(self->agent->server, text);
    assert_true(session_fixture_prompt(self, "on"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    assert_int_equal(sse_server_request_count(self->agent->server), 4);
    const char *problem = message_error(agent_session_last_answer(self->session));
    assert_string_equal(problem, TEXT_LOOP_PROBLEM);
    session_fixture_free(self);

    self = fixture_of("{\"loop\":{\"enabled\":false}}");
    sse_server_add_text(self->agent->server, text);
    assert_true(session_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    assert_int_equal(sse_server_request_count(self->agent->server), 1);
    session_fixture_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
