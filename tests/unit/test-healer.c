/*
 * A conversation that a server refuses as invalid (safety §8.2), and open todo items at the end of
 * a run (agent-core §3.10).
 */
#include "unit.h"

#include "agent/repair_memory.h"
#include "base/file.h"
#include "model/message.h"
#include "session/session_tree.h"
#include "session_fixture.h"

static int setup(void **state)
{
    SessionFixture *self = session_fixture_new("{\"retry\":{\"baseDelayMs\":1}}");
    *state = self;
    session_fixture_open(self);
    return 0;
}

static int teardown(void **state)
{
    session_fixture_free(*state);
    return 0;
}

#define CALL "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}]"

/* safety-R02 */
static void test_poisoned(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_calls(self->agent->server, CALL);
    sse_server_add_text(self->agent->server, "fine");
    assert_true(session_fixture_prompt(self, "go"));

    sse_server_add_error(self->agent->server, 400, "messages.1: tool_use without tool_result");
    sse_server_add_text(self->agent->server, "better");
    assert_true(session_fixture_prompt(self, "again"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    g_autofree char *first = sse_server_conversation(self->agent->server, 3);
    assert_non_null(strstr(first, "[called echo {\"text\":\"x\"}]"));
    assert_non_null(strstr(first, "[result of echo]"));
    const json_t *event = session_fixture_event(self, "session_repair", 0);
    assert_string_equal(json_get_text(event, "strong"), "S1");
    assert_int_equal(json_array_size(json_get_array(event, "entries")), 2); // a call, its result
    assert_int_equal(strlen(json_string_value(json_array_get(json_get_array(event, "entries"), 0))),
                     8);
    // it holds for the next prompt
    sse_server_add_text(self->agent->server, "still");
    assert_true(session_fixture_prompt(self, "more"));
    g_autofree char *next = sse_server_conversation(self->agent->server, 4);
    assert_non_null(strstr(next, "[called echo"));
    assert_null(session_fixture_event(self, "session_repair", 1));
}

static void switch_to(SessionFixture *self, const char *command, const char *path)
{
    g_autofree char *arguments = path ? g_strdup_printf("{\"sessionPath\":\"%s\"}", path) : NULL;
    assert_true(session_fixture_command(self, command, arguments, NULL));
    session_fixture_wait(self);
}

/* What has helped is done again when the session is opened again, to no more than it was about. */
static void test_resumed(void **state)
{
    SessionFixture *self = *state;
    SseServer *server = self->agent->server;
    sse_server_add_calls(server, CALL);
    sse_server_add_text(server, "fine");
    assert_true(session_fixture_prompt(self, "go"));
    sse_server_add_error(server, 400, "messages.1: tool_use without tool_result");
    sse_server_add_calls(server,
                         "[{\"id\":\"t2\",\"name\":\"echo\",\"arguments\":{\"text\":\"y\"}}]");
    sse_server_add_text(server, "better");
    assert_true(session_fixture_prompt(self, "again"));

    g_autoptr(json_t) now = agent_session_state(self->session);
    switch_to(self, "new_session", NULL);
    switch_to(self, "switch_session", json_get_text(now, "sessionFile"));
    json_array_clear(self->events);
    sse_server_add_text(server, "still");
    assert_true(session_fixture_prompt(self, "more"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    assert_int_equal(sse_server_request_count(server), 6);
    assert_null(session_fixture_event(self, "session_repair", 0));
    g_autofree char *told = sse_server_conversation(server, 5);
    assert_non_null(strstr(told, "[called echo {\"text\":\"x\"}]"));
    assert_null(strstr(told, "[called echo {\"text\":\"y\"}]"));
    assert_non_null(strstr(told, "assistant:[calls]"));
}

/* Three requests at most, then the server's words, and the conversation is as it was. */
static void test_incurable(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_calls(self->agent->server, CALL);
    sse_server_add_text(self->agent->server, "fine");
    assert_true(session_fixture_prompt(self, "go"));
    for (int i = 0; i < 2; i++) // without its one exchange it is plain text already
        sse_server_add_error(self->agent->server, 400, "tool_use: no idea");
    assert_true(session_fixture_prompt(self, "again"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    assert_int_equal(sse_server_request_count(self->agent->server), 2 + 2);
    assert_non_null(session_fixture_event(self, "session_repair", 0));
    assert_non_null(strstr(message_error(agent_session_last_answer(self->session)), "no idea"));
    assert_null(session_fixture_event(self, "auto_retry_start", 0));

    g_autoptr(json_t) now = agent_session_state(self->session); // nor is it another one later
    switch_to(self, "new_session", NULL);
    switch_to(self, "switch_session", json_get_text(now, "sessionFile"));
    sse_server_add_text(self->agent->server, "well");
    assert_true(session_fixture_prompt(self, "once more"));
    g_autofree char *told = sse_server_conversation(self->agent->server, 4);
    assert_non_null(strstr(told, "assistant:[calls]"));
}

/* The same where another error ends the try: no answer has shown that it helps. */
static void test_cut_short(void **state)
{
    SessionFixture *self = *state;
    SseServer *server = self->agent->server;
    sse_server_add_calls(server, CALL);
    sse_server_add_text(server, "fine");
    assert_true(session_fixture_prompt(self, "go"));
    sse_server_add_error(server, 400, "messages.1: tool_use without tool_result");
    sse_server_add_error(server, 403, "not today");
    assert_true(session_fixture_prompt(self, "again"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    sse_server_add_text(server, "well");
    assert_true(session_fixture_prompt(self, "once more"));
    g_autofree char *tried = sse_server_conversation(server, 3);
    assert_non_null(strstr(tried, "[called echo"));
    g_autofree char *told = sse_server_conversation(server, 4);
    assert_non_null(strstr(told, "assistant:[calls]"));
}

/* A conversation of plain text has no other form: the refusal stands at once. */
static void test_nothing_to_heal(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_error(self->agent->server, 400, "max_tokens: too many");
    assert_true(session_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    assert_int_equal(sse_server_request_count(self->agent->server), 1);
    assert_null(session_fixture_event(self, "session_repair", 0));
}

/* What was healed is compacted in the same prompt, and refused again: a person's messages that are
   gone cannot be brought back, and the run ends with the server's words. */
static void test_compacted_since(void **state)
{
    SessionFixture *self = *state;
    SseServer *server = self->agent->server;
    assert_true(session_fixture_command(self, "set_model",
                                        "{\"provider\":\"lab\",\"modelId\":\"tiny\"}", NULL));
    for (int i = 0; i < 4; i++) {
        sse_server_add_calls(server, CALL);
        sse_server_add_text(server, "fine");
        assert_true(session_fixture_prompt(self, "go"));
    }
    sse_server_add_error(server, 400, "messages.1: tool_use without tool_result");
    sse_server_set_usage(server, 9000, 10);
    sse_server_add_calls(server, CALL); // full: summarised before the next request
    sse_server_set_usage(server, 10, 5);
    for (int i = 0; i < 3; i++)
        sse_server_add_text(server, "the summary");
    for (int i = 0; i < 3; i++)
        sse_server_add_error(server, 400, "tool_use: no idea");
    assert_true(session_fixture_prompt(self, "again"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    assert_non_null(session_fixture_event(self, "session_repair", 0));
    assert_non_null(session_fixture_event(self, "compaction_end", 0));
    assert_non_null(strstr(message_error(agent_session_last_answer(self->session)), "no idea"));

    sse_server_add_text(server, "well");
    assert_true(session_fixture_prompt(self, "once more"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    size_t last = sse_server_request_count(server) - 1;
    g_autofree char *told = sse_server_conversation(server, last);
    assert_non_null(strstr(told, "the summary"));
    assert_true(g_str_has_suffix(told, "user:once more"));
}

/* safety-8.3: what the requests of an old session need is told once, with the entries that it is
   about, until it is something else. */
static void test_told(void **state)
{
    static const char file[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"told\",\"cwd\":\"/w\",\"timestamp\":"
        "\"2026-01-01T00:00:00.000Z\"}\n"
        "{\"type\":\"message\",\"id\":\"aaaaaaaa\",\"parentId\":null,\"message\":{\"role\":"
        "\"user\",\"content\":\"x\"}}\n"
        "{\"type\":\"message\",\"id\":\"bbbbbbbb\",\"parentId\":\"aaaaaaaa\",\"message\":{"
        "\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\",\"id\":\"a\",\"name\":"
        "\"echo\",\"arguments\":null}]}}\n";
    SessionFixture *self = *state;
    g_autofree char *path = g_build_filename(self->agent->root, "told.jsonl", NULL);
    assert_true(file_write_atomic(path, file, strlen(file), 0600, NULL));
    switch_to(self, "switch_session", path);
    for (int i = 0; i < 2; i++) {
        sse_server_add_text(self->agent->server, "fine");
        assert_true(session_fixture_prompt(self, "go"));
        assert_int_equal(self->outcome.end, AGENT_DONE);
    }
    g_autofree char *text = json_to_text(session_fixture_event(self, "session_repair", 0));
    assert_string_equal(text, "{\"type\":\"session_repair\",\"rules\":{\"R05\":1,\"R11\":1},"
                              "\"entries\":[\"bbbbbbbb\"],\"strong\":null}");
    assert_null(session_fixture_event(self, "session_repair", 1));
}

#define NOTES 20000

/* One entry as a child of the one before. */
static void put_entry(GString *file, const char *id, const char *parent, const char *fields)
{
    g_string_append_printf(file, "{\"id\":\"%s\",\"parentId\":%s%s%s,%s}\n", id, parent ? "\"" : "",
                           parent ? parent : "null", parent ? "\"" : "", fields);
}

/* A session of many such notes by turns; images are the newest of all. */
static char *session_of_notes(void)
{
    static const char *const problems[] = { "image", "thinking" };
    g_autoptr(GString) file = g_string_new(
        "{\"type\":\"session\",\"version\":3,\"id\":\"notes\",\"cwd\":\"/w\",\"timestamp\":"
        "\"2026-01-01T00:00:00.000Z\"}\n");
    put_entry(file, "u1", NULL,
              "\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\","
              "\"text\":\"see\"},{\"type\":\"image\",\"data\":\"AA==\",\"mimeType\":"
              "\"image/png\"}]}");
    put_entry(file, "a1", "u1",
              "\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":"
              "\"thinking\",\"thinking\":\"hm\"},{\"type\":\"text\",\"text\":\"seen\"}]}");
    g_autofree char *last = g_strdup("a1");
    for (int i = NOTES; i > 0; i--) {
        g_autofree char *id = g_strdup_printf("n%d", i);
        g_autofree char *fields = g_strdup_printf(
            "\"type\":\"custom\",\"customType\":\"kedge.repair\",\"data\":{\"strong\":\"S1\","
            "\"problem\":\"HTTP 400: bad %s\",\"upTo\":\"a1\"}",
            problems[i % 2]);
        put_entry(file, id, last, fields);
        g_free(last);
        last = g_steal_pointer(&id);
    }
    put_entry(file, "u2", last,
              "\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"image\""
              ",\"data\":\"AA==\",\"mimeType\":\"image/png\"}]}");
    return g_string_free(g_steal_pointer(&file), FALSE);
}

/* However often it was noted, each form is done once, to as much as it was about. */
static void test_many_notes(void **state)
{
    const SessionFixture *self = *state;
    g_autofree char *path = g_build_filename(self->agent->root, "notes.jsonl", NULL);
    g_autofree char *file = session_of_notes();
    assert_true(file_write_atomic(path, file, strlen(file), 0600, NULL));
    g_autoptr(Session) session = NULL;
    assert_true(session_open(path, "/w", &session, NULL, NULL));
    g_auto(SessionContext) saved = { 0 };
    session_build_context(session, &saved);
    g_autoptr(GPtrArray) path_to_leaf = session_context_path(session);
    g_autoptr(json_t) messages = repair_memory_apply(path_to_leaf, json_incref(saved.messages));
    assert_int_equal(json_array_size(messages), 3);
    g_autofree char *text = json_to_text(messages);
    assert_null(strstr(text, "thinking"));
    assert_non_null(strstr(text, "[image removed"));
    g_autofree char *newest = json_to_text(json_array_get(messages, 2));
    assert_non_null(strstr(newest, "image/png"));
}

static const char todo_list[] =
    "{\"phases\":[{\"name\":\"Build\",\"tasks\":[{\"content\":\"write docs\",\"status\":"
    "\"pending\"},{\"content\":\"done\",\"status\":\"completed\"}]}]}";

/* core-58 */
static void test_todo_reminder(void **state)
{
    SessionFixture *self = *state;
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "set_todos", todo_list, &reply));
    assert_int_equal(json_array_size(json_get_array(reply.data, "todoPhases")), 1);
    for (int i = 0; i < 9; i++)
        sse_server_add_text(self->agent->server, "fine");
    assert_true(session_fixture_prompt(self, "go"));
    assert_int_equal(sse_server_request_count(self->agent->server), 4); // three reminders
    const json_t *event = session_fixture_event(self, "todo_reminder", 0);
    assert_int_equal(json_get_int(event, "attempt", 0), 1);
    assert_int_equal(json_get_int(event, "maxAttempts", 0), 3);
    assert_int_equal(json_array_size(json_get_array(event, "todos")), 1);
    g_autofree char *told = sse_server_conversation(self->agent->server, 1);
    assert_non_null(strstr(told, "You stopped with 1 incomplete todo item(s):\n- Build\n"
                                 "  - write docs\n\n"));
    assert_non_null(strstr(told, "(Reminder 1/3)"));

    // a list that is finished reminds nobody, and the file is there for the next start
    g_auto(CommandReply) before = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &before));
    assert_int_equal(json_array_size(json_get_array(before.data, "todoPhases")), 1);
    assert_true(session_fixture_command(self, "set_todos", "{\"phases\":[]}", NULL));
    assert_true(session_fixture_prompt(self, "go"));
    assert_int_equal(sse_server_request_count(self->agent->server), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_poisoned, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resumed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_incurable, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut_short, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_to_heal, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compacted_since, setup, teardown),
        cmocka_unit_test_setup_teardown(test_told, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_notes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_todo_reminder, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
