/*
 * Handing a conversation on: a new session begins with what a model wrote of the old one.
 */
#include "unit.h"

#include "base/file.h"
#include "base/secrets.h"
#include "model/message.h"
#include "session_fixture.h"

static SessionFixture *fixture_of(const char *settings)
{
    SessionFixture *self = session_fixture_new(settings);
    session_fixture_open(self);
    return self;
}

static int setup(void **state)
{
    *state =
        fixture_of("{\"retry\":{\"baseDelayMs\":1},\"compaction\":{\"handoffSaveToDisk\":true}}");
    return 0;
}

static int teardown(void **state)
{
    session_fixture_free(*state);
    return 0;
}

static const json_t *end_of(SessionFixture *self, const char *command)
{
    const json_t *event;
    for (size_t i = 0; (event = session_fixture_event(self, "command_end", i)); i++) {
        if (g_str_equal(json_get_text(event, "command"), command))
            return event;
    }
    return NULL;
}

static char *text_of(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    assert_true(file_read(path, 1 << 20, &text, &size, NULL));
    return text;
}

static char *header_text(SessionFixture *self, const char *key)
{
    return g_strdup(json_get_text(agent_session_header(self->session), key));
}

static void talk(SessionFixture *self)
{
    sse_server_add_text(self->agent->server, "the tide is low");
    assert_true(session_fixture_prompt(self, "which tide is it"));
}

static void test_handoff(void **state)
{
    SessionFixture *self = *state;
    talk(self);
    static const char todos[] = "{\"phases\":[{\"name\":\"Build\",\"tasks\":[{\"content\":\"a "
                                "pier\",\"status\":\"pending\"}]}]}";
    assert_true(session_fixture_command(self, "set_todos", todos, NULL));
    g_autofree char *old_id = header_text(self, "id");
    secrets_register("tide-key-4711-0815");
    sse_server_add_text(self->agent->server, "## Goal\nknow the tide with tide-key-4711-0815");
    assert_true(
        session_fixture_command(self, "handoff", "{\"customInstructions\":\"boats\"}", NULL));
    session_fixture_wait(self);

    g_autofree char *asked = sse_server_conversation(self->agent->server, 1);
    assert_non_null(strstr(asked, "[User]: which tide is it"));
    assert_non_null(strstr(asked, "Additional focus: boats"));
    const json_t *data = json_get_object(end_of(self, "handoff"), "data");
    g_autofree char *saved = text_of(json_get_text(data, "savedPath"));
    assert_string_equal(saved, "## Goal\nknow the tide with [REDACTED]");
    g_autofree char *parent = header_text(self, "parentSession"), *id = header_text(self, "id");
    assert_string_equal(parent, old_id);
    assert_string_not_equal(id, old_id);

    // it is there before anybody goes on with it
    g_autoptr(json_t) now = agent_session_state(self->session);
    g_autofree char *file = text_of(json_get_text(now, "sessionFile"));
    assert_non_null(strstr(file, "\"customType\":\"handoff\""));
    assert_non_null(strstr(file, "know the tide"));
    assert_int_equal(json_array_size(json_get_array(now, "todoPhases")), 1);

    assert_true(session_fixture_command(self, "set_todos", "{\"phases\":[]}", NULL));
    sse_server_add_text(self->agent->server, "on it");
    assert_true(session_fixture_prompt(self, "go on"));
    g_autofree char *told = sse_server_conversation(self->agent->server, 2);
    assert_non_null(strstr(told, "<handoff-context>\n## Goal\nknow the tide with "));
    assert_true(g_str_has_suffix(told, "go on"));
    assert_null(strstr(told, "the tide is low"));
}

/* Nothing changes when there is nothing to say, nobody to say it, or no patience. */
static void test_none(void **state)
{
    SessionFixture *self = *state;
    g_autofree char *id = header_text(self, "id");
    assert_true(session_fixture_command(self, "handoff", NULL, NULL));
    session_fixture_wait(self);
    assert_string_equal(json_get_text(end_of(self, "handoff"), "error"),
                        "Nothing to hand off (no messages yet)");
    talk(self);
    sse_server_add_error(self->agent->server, 401, "who are you");
    json_array_clear(self->events);
    assert_true(session_fixture_command(self, "handoff", NULL, NULL));
    session_fixture_wait(self);
    assert_non_null(strstr(json_get_text(end_of(self, "handoff"), "error"), "who are you"));

    size_t count = sse_server_request_count(self->agent->server);
    sse_server_add_hanging(self->agent->server, "half a docu");
    json_array_clear(self->events);
    assert_true(session_fixture_command(self, "handoff", NULL, NULL));
    while (sse_server_request_count(self->agent->server) == count)
        g_usleep(1000);
    assert_true(session_fixture_command(self, "abort", NULL, NULL));
    session_fixture_wait(self);
    const json_t *end = end_of(self, "handoff");
    assert_true(json_get_bool(end, "success", false));
    assert_true(json_is_null(json_object_get(end, "data")));
    g_autofree char *id_now = header_text(self, "id");
    assert_string_equal(id_now, id);
    talk(self);
}

static bool hand_off_at_the_threshold(bool can_ask)
{
    SessionFixture *self = session_fixture_new("{\"compaction\":{\"strategy\":\"handoff\"}}");
    self->options.can_ask = can_ask;
    session_fixture_open(self);
    assert_true(session_fixture_command(self, "set_model",
                                        "{\"provider\":\"lab\",\"modelId\":\"tiny\"}", NULL));
    g_autofree char *id = header_text(self, "id");
    sse_server_set_usage(self->agent->server, 9000, 10);
    sse_server_add_text(self->agent->server, "the tide is low");
    sse_server_add_text(self->agent->server, "the document");
    assert_true(session_fixture_prompt(self, "which tide is it"));
    const json_t *start = session_fixture_event(self, "auto_compaction_start", 0);
    const json_t *end = session_fixture_event(self, "auto_compaction_end", 0);
    if (start) {
        assert_string_equal(json_get_text(start, "reason"), "threshold");
        assert_string_equal(json_get_text(start, "action"), "handoff");
        assert_string_equal(json_get_text(end, "action"), "handoff");
        assert_null(json_get_text(end, "errorMessage"));
    }
    g_autofree char *id_now = header_text(self, "id");
    bool is_handed_off = !g_str_equal(id_now, id);
    session_fixture_free(self);
    return is_handed_off;
}

/* Where nobody is, the answer has to stay. */
static void test_threshold(void **state G_GNUC_UNUSED)
{
    assert_true(hand_off_at_the_threshold(true));
    assert_false(hand_off_at_the_threshold(false));
}

/* A person's command that runs is not stopped for it. */
static void test_threshold_waits_for_command(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new("{\"compaction\":{\"strategy\":\"handoff\"}}");
    self->options.run_shell = session_fixture_shell;
    session_fixture_open(self);
    assert_true(session_fixture_command(self, "set_model",
                                        "{\"provider\":\"lab\",\"modelId\":\"tiny\"}", NULL));
    g_autofree char *id = header_text(self, "id");
    g_autofree char *path = g_build_filename(self->agent->root, "go-on", NULL);
    assert_true(agent_session_bash(self->session, path, false, "mine", &self->error));
    sse_server_set_usage(self->agent->server, 9000, 10);
    sse_server_add_text(self->agent->server, "the tide is low");
    sse_server_add_text(self->agent->server, "the document");
    assert_true(session_fixture_prompt(self, "which tide is it"));
    assert_null(session_fixture_event(self, "auto_compaction_start", 0));
    assert_true(g_file_set_contents(path, "", 0, NULL));
    session_fixture_run_to(self, "auto_compaction_end");
    session_fixture_wait(self);
    const json_t *end = end_of(self, "bash");
    assert_false(json_get_bool(json_get_object(end, "data"), "cancelled", true));
    g_autofree char *id_now = header_text(self, "id");
    assert_string_not_equal(id_now, id);
    session_fixture_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_handoff, setup, teardown),
        cmocka_unit_test_setup_teardown(test_none, setup, teardown),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_threshold_waits_for_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
