/*
 * What a server teaches by refusing: how many bytes it takes, and that roles go by turns. The
 * conversation goes on, and the session remembers it.
 */
#include "base/str.h"
#include "unit.h"

#include "agent/server_facts.h"
#include "model/message.h"
#include "session_fixture.h"

// a GIF of one pixel, behind which anything may come
#define GIF_PIXEL "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

#define LIMIT_BYTES 400000
#define SHOT_CHARS  108000 // a screenshot of 80 kB

static int setup(void **state)
{
    SessionFixture *self = session_fixture_new("{\"retry\":{\"baseDelayMs\":1}}");
    *state = self;
    session_fixture_open(self);
    return !session_fixture_command(self, "set_model", "{\"provider\":\"lab\",\"modelId\":\"eye\"}",
                                    NULL);
}

static int teardown(void **state)
{
    session_fixture_free(*state);
    return 0;
}

static json_t *image_of(size_t chars)
{
    g_autofree char *padding = g_strnfill(chars - strlen(GIF_PIXEL), 'A');
    g_autofree char *data = g_strconcat(GIF_PIXEL, padding, NULL);
    return json_make("type:%s data:%s mimeType:%s", "image", data, "image/gif");
}

/* A prompt with an image of so many characters (0: none), and its answer. */
static bool show(SessionFixture *self, const char *text, size_t chars)
{
    json_t *content = json_array();
    json_append_take(content, message_text_block(text));
    if (chars > 0)
        json_append_take(content, image_of(chars));
    g_autoptr(json_t) message = message_user_blocks(content);
    bool is_pending = false;
    g_clear_error(&self->error);
    assert_true(
        agent_session_prompt(self->session, message, NULL, NULL, &is_pending, &self->error));
    session_fixture_wait(self);
    return self->outcome.end == AGENT_DONE;
}

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

static size_t count_in(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* How many images the newest request had, and notes in the place of one. */
static void assert_images(SessionFixture *self, size_t images, size_t notes)
{
    SseServer *server = self->agent->server;
    g_autofree char *text =
        json_to_text(sse_server_request(server, sse_server_request_count(server) - 1));
    assert_int_equal(count_in(text, GIF_PIXEL), images);
    assert_int_equal(count_in(text, "[image removed: to fit the request]"), notes);
}

static bool has_notice(SessionFixture *self, const char *text)
{
    const json_t *event;
    for (size_t i = 0; (event = session_fixture_event(self, "notice", i)); i++) {
        if (strstr(json_get_text(event, "message"), text))
            return true;
    }
    return false;
}

/* Each prompt is one run for whoever follows. */
static void assert_one_run(SessionFixture *self)
{
    assert_non_null(session_fixture_event(self, "agent_end", 0));
    assert_null(session_fixture_event(self, "agent_start", 1));
    assert_null(session_fixture_event(self, "agent_end", 1));
}

/* Few tokens, many bytes: the oldest images give way, which is said, and the limit is known from
   then on, also when the session is opened again. */
static void test_images_give_way(void **state)
{
    SessionFixture *self = *state;
    SseServer *server = self->agent->server;
    sse_server_set_demands(server, (SseDemands) { .max_bytes = LIMIT_BYTES });
    for (int i = 0; i < 9; i++)
        sse_server_add_text(server, "fine");
    for (size_t i = 1; i <= 3; i++)
        assert_true(show(self, "look", SHOT_CHARS));
    assert_int_equal(sse_server_request_count(server), 3);
    json_array_clear(self->events);
    assert_true(show(self, "look at the fourth", SHOT_CHARS)); // too large: asked again
    assert_int_equal(sse_server_request_count(server), 5);
    assert_images(self, 2, 2);
    assert_true(has_notice(self, "2 images of this conversation are left out of requests"));
    assert_one_run(self);
    assert_null(session_fixture_event(self, "compaction_start", 0));

    assert_true(show(self, "and the fifth", SHOT_CHARS)); // it is known by now
    assert_int_equal(sse_server_request_count(server), 6);
    assert_images(self, 2, 3);
    reopen(self);
    assert_true(show(self, "and words", 0));
    assert_int_equal(sse_server_request_count(server), 7);
    assert_images(self, 2, 3);
}

/* What was answered in a session that is opened again says what is taken, nearly. The newest image
   goes last. */
static void test_opened_again(void **state)
{
    SessionFixture *self = *state;
    SseServer *server = self->agent->server;
    for (int i = 0; i < 9; i++)
        sse_server_add_text(server, "fine");
    for (size_t i = 1; i <= 4; i++)
        assert_true(show(self, "look", SHOT_CHARS));
    reopen(self);
    sse_server_set_demands(server, (SseDemands) { .max_bytes = LIMIT_BYTES });
    assert_true(show(self, "look", SHOT_CHARS));
    assert_images(self, 3, 2);
    assert_int_equal(sse_server_request_count(server), 6);
    assert_true(show(self, "look", 3 * SHOT_CHARS)); // it has no room beside others
    assert_images(self, 1, 5);
    assert_true(show(self, "look", LIMIT_BYTES + 4)); // nor this one at all
    assert_images(self, 0, 7);
}

/* Words alone are too many bytes: they are summarised, in a request that fits, too. */
static void test_words_are_summarised(void **state)
{
    SessionFixture *self = *state;
    SseServer *server = self->agent->server;
    g_autofree char *filler = g_strnfill(60000, 'x');
    sse_server_set_demands(server, (SseDemands) { .max_bytes = LIMIT_BYTES });
    for (int i = 0; i < 9; i++)
        sse_server_add_text(server, "fine");
    for (int i = 0; i < 7; i++)
        assert_true(show(self, filler, 0));
    assert_non_null(session_fixture_event(self, "compaction_end", 0));
    size_t count = sse_server_request_count(server);
    assert_int_equal(count, 6 + 1 + 2 + 1); // refused, summary and its short form, answered
}

/* What no one can cure ends after two tries, with the server's words, what was tried and what
   helps; the next prompt is asked all the same. */
static void test_too_large_for_all(void **state)
{
    SessionFixture *self = *state;
    SseServer *server = self->agent->server;
    g_autofree char *filler = g_strnfill(LIMIT_BYTES, 'x');
    sse_server_set_demands(server, (SseDemands) { .max_bytes = LIMIT_BYTES });
    assert_false(show(self, filler, SHOT_CHARS));
    assert_true(sse_server_request_count(server) <= 3);
    const char *problem = message_error(agent_session_last_answer(self->session));
    assert_true(str_has_prefix(problem, "HTTP 413"));
    assert_true(has_notice(self, "Tried: what is old was left out. What helps: a new session"));
    assert_one_run(self);
}

/* What a limit is taken to be, after each refusal. */
static void test_limits(void **state)
{
    SessionFixture *self = *state;
    static const struct {
        size_t bytes; // of the request
        bool is_answered;
        const char *problem;
        size_t limit;
    } steps[] = {
        { 500000, false, "HTTP 413 (no body)", 375000 },
        { 300000, true, NULL, 375000 },
        { 370000, false, "HTTP 413 (no body)", 300000 }, // below the guess: what was answered
        { 600000, false, "HTTP 413 (no body)", 300000 }, // it could not be made smaller
        { 600000, false, "HTTP 413: limit: 310000 bytes", 310000 },
        { 600000, false, "HTTP 413: limit: 10000 bytes", 310000 }, // more was answered
        { 290000, false, "HTTP 413 (no body)", 36250 },            // and no longer is
        { 20000, false, "HTTP 413 (no body)", 0 },                 // there is no room to talk
    };
    ModelChoice choice = { 0 };
    assert_true(model_registry_select(self->agent->registry, "lab/eye", NULL, &choice, NULL));
    g_autoptr(ServerFacts) facts = server_facts_new();
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        if (steps[i].is_answered)
            server_facts_answered(facts, choice.model, steps[i].bytes, self->agent->session);
        else
            server_facts_refused(facts, choice.model, steps[i].bytes, 0, steps[i].problem);
        size_t limit = server_facts_max_bytes(facts, choice.model);
        if (limit != steps[i].limit)
            fail_msg("step %zu: %zu", i, limit);
        const Model *model = server_facts_model(facts, choice.model);
        assert_int_equal(json_get_int(model->compat, "maxRequestBytes", 0), limit);
    }
}

typedef struct Turns {
    const char *name;
    int status;       // of the refusal
    size_t shot;      // characters of an image in the second prompt
    const char *call; // the first answer calls that before it fails
    const char *want; // the conversation of the request that is answered
} Turns;

static void check_turns(const Turns *row)
{
    SessionFixture *self = session_fixture_new("{\"retry\":{\"baseDelayMs\":1}}");
    SseServer *server = self->agent->server;
    session_fixture_open(self);
    assert_true(session_fixture_command(self, "set_model",
                                        "{\"provider\":\"lab\",\"modelId\":\"eye\"}", NULL));
    if (row->call)
        sse_server_add_calls(server, row->call);
    sse_server_add_error(server, 403, "not today");
    assert_false(show(self, "one", 0));
    sse_server_set_demands(server, (SseDemands) { .by_turns_status = row->status });
    json_array_clear(self->events);
    for (int i = 0; i < 3; i++)
        sse_server_add_text(server, "fine");
    size_t before = sse_server_request_count(server);
    bool is_answered = show(self, "two", row->shot);
    size_t count = sse_server_request_count(server);
    g_autofree char *told = sse_server_conversation(server, count - 1);
    if (!is_answered || count != before + 2 || !g_str_equal(told, row->want))
        fail_msg("%s: %zu requests: %s", row->name, count - before, told);
    assert_one_run(self);
    assert_null(session_fixture_event(self, "auto_retry_start", 0));
    assert_true(has_notice(self, "by turns only"));
    // it is known from now on, and not said again
    json_array_clear(self->events);
    assert_true(show(self, "three", 0));
    reopen(self);
    assert_true(show(self, "four", 0));
    assert_int_equal(sse_server_request_count(server), before + 4);
    assert_false(has_notice(self, "by turns only"));
    session_fixture_free(self);
}

/* safety-8.2: two messages of the user in a row, since one was not answered. */
static void test_roles_by_turns(void **state G_GNUC_UNUSED)
{
    static const char call[] = "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}]";
    static const Turns rows[] = {
        { "as many servers say it", 400, 0, NULL, "user:one\n\ntwo" },
        { "as llama.cpp says it", 500, 0, NULL, "user:one\n\ntwo" },
        { "text and an image", 500, SHOT_CHARS, NULL, "user:one assistant:(no answer) user:two[]" },
        { "after results", 400, 0, call,
          "user:one assistant:[calls] tool:x/0 assistant:I have processed the tool results. "
          "user:two" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        check_turns(&rows[i]);
}

/* A server that says so whatever it is sent: as many requests as for other refusals, and nothing of
   it stays. */
static void test_roles_never_right(void **state)
{
    SessionFixture *self = *state;
    SseServer *server = self->agent->server;
    for (int i = 0; i < 9; i++)
        sse_server_add_error(server, 500, "roles must alternate user/assistant");
    assert_false(show(self, "one", 0));
    assert_true(sse_server_request_count(server) <= 3);
    assert_one_run(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_images_give_way, setup, teardown),
        cmocka_unit_test_setup_teardown(test_opened_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words_are_summarised, setup, teardown),
        cmocka_unit_test_setup_teardown(test_too_large_for_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
        cmocka_unit_test(test_roles_by_turns),
        cmocka_unit_test_setup_teardown(test_roles_never_right, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
