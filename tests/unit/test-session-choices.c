/*
 * conversation/session_choices.c: which model comes next.
 */
#include "unit.h"

#include "session_fixture.h"

#include "model/message.h"

static void expect_next(SessionFixture *self, bool is_backward, const json_t *model)
{
    const char *role = NULL;
    assert_true(agent_session_cycle_model(self->session, is_backward, &role));
    assert_null(role);
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &reply));
    assert_string_equal(json_get_text(json_get_object(reply.data, "model"), "id"),
                        json_get_text(model, "id"));
}

/* The one before is the last of a list that it is not in. */
static void test_cycle_backward_from_elsewhere(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    Model stray = *self->agent->setup.model;
    char id[] = "stray";
    stray.id = id;
    self->options.model = &stray;
    g_setenv("ANTHROPIC_API_KEY", "key-0123456789", TRUE);
    session_fixture_open(self);
    g_autoptr(json_t) models = agent_session_available_models(self->session);
    expect_next(self, true, json_array_get(models, json_array_size(models) - 1));
    g_unsetenv("ANTHROPIC_API_KEY");
    session_fixture_free(self);
}

/* From a model that is in no list, as --model can name one, the first of the list comes. */
static void test_cycle_from_elsewhere(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    Model stray = *self->agent->setup.model;
    char id[] = "stray";
    stray.id = id;
    self->options.model = &stray;
    g_setenv("ANTHROPIC_API_KEY", "key-0123456789", TRUE); // whose models are the first of all
    session_fixture_open(self);
    g_autoptr(json_t) models = agent_session_available_models(self->session);
    assert_true(json_array_size(models) > 1);
    size_t count = json_array_size(models);
    for (size_t i = 0; i <= count; i++) // all of them, and round
        expect_next(self, false, json_array_get(models, i % count));
    for (size_t i = 1; i <= count; i++) // and back again
        expect_next(self, true, json_array_get(models, count - i));
    g_unsetenv("ANTHROPIC_API_KEY");
    session_fixture_free(self);
}

/* Where a person has chosen models for roles, the next one is that of the next role. */
static void test_cycle_roles(void **state G_GNUC_UNUSED)
{
    static const char *const want[][2] = {
        { "tiny", "slow" }, { "writer", "smol" }, { "coder", "default" }, { "tiny", "slow" }
    };
    SessionFixture *self =
        session_fixture_new("{\"modelRoles\":{\"smol\":\"lab/writer\",\"default\":\"lab/"
                            "coder\",\"slow\":\"lab/tiny\"}}");
    session_fixture_open(self);
    for (size_t i = 0; i < G_N_ELEMENTS(want); i++) {
        g_auto(CommandReply) reply = { 0 };
        assert_true(session_fixture_command(self, "cycle_model", NULL, &reply));
        assert_string_equal(json_get_text(json_get_object(reply.data, "model"), "id"), want[i][0]);
        assert_string_equal(json_get_text(reply.data, "role"), want[i][1]);
        assert_false(json_get_bool(reply.data, "isScoped", true));
    }
    session_fixture_free(self);
}

/* What is said of a session that was opened is the same before and after its messages were read. */
static void test_figures_of_what_waits(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    static const char answer[] =
        "{\"role\":\"assistant\",\"provider\":\"lab\",\"model\":\"writer\",\"stopReason\":\"stop\","
        "\"timestamp\":5,\"content\":[{\"type\":\"toolCall\",\"id\":\"c1\",\"name\":\"read\","
        "\"arguments\":{}},{\"type\":\"text\",\"text\":\"so it is\"}],\"usage\":{\"input\":7,"
        "\"output\":3,\"cacheRead\":2,\"cacheWrite\":1,\"totalTokens\":13,\"cost\":{\"total\":0.5}}"
        "}";
    static const char result[] =
        "{\"role\":\"toolResult\",\"toolCallId\":\"c1\",\"toolName\":\"read\",\"timestamp\":6,"
        "\"isError\":false,\"content\":[{\"type\":\"text\",\"text\":\"abcdefgh\"}]}";
    self->options.session = session_new(self->agent->dir, self->agent->root);
    for (int i = 0; i < 3; i++) {
        g_autoptr(json_t) asked = message_user("why?"), said = json_loads(answer, 0, NULL);
        g_autoptr(json_t) told = json_loads(result, 0, NULL);
        g_autofree char *id = g_strdup_printf("c%d", i);
        json_set_text(json_array_get(json_get_array(said, "content"), 0), "id", id);
        json_set_text(told, "toolCallId", id);
        session_append_message(self->options.session, asked);
        session_append_message(self->options.session, said);
        session_append_message(self->options.session, told);
    }
    session_fixture_open(self);
    size_t before = 0;
    g_autoptr(json_t) stats = agent_session_stats(self->session);
    g_autoptr(json_t) state_now = agent_session_state(self->session);
    g_autoptr(json_t) newest = agent_session_newest_messages(self->session, 2, &before);
    g_autoptr(json_t) last = json_copy((json_t *)agent_session_last_answer(self->session));
    assert_int_equal(before, 7);
    assert_int_equal(json_get_int(stats, "totalMessages", 0), 9);
    assert_int_equal(json_get_int(stats, "toolCalls", 0), 3);
    assert_int_equal(json_get_int(json_get_object(stats, "tokens"), "total", 0), 39);
    assert_true(json_get_number(stats, "cost", 0) == 1.5);
    assert_int_equal(json_get_int(json_get_object(state_now, "contextUsage"), "tokens", 0), 19);

    g_autoptr(json_t) messages = agent_session_messages(self->session); // now they are read
    g_autoptr(json_t) stats_then = agent_session_stats(self->session);
    g_autoptr(json_t) state_then = agent_session_state(self->session);
    g_autoptr(json_t) newest_then = agent_session_newest_messages(self->session, 2, &before);
    assert_int_equal(json_array_size(messages), 9);
    assert_true(json_equal(stats_then, stats));
    assert_true(json_equal(state_then, state_now));
    assert_true(json_equal(newest_then, newest));
    assert_true(json_equal(agent_session_last_answer(self->session), last));
    session_fixture_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycle_from_elsewhere),
        cmocka_unit_test(test_cycle_backward_from_elsewhere),
        cmocka_unit_test(test_cycle_roles),
        cmocka_unit_test(test_figures_of_what_waits),
    };
    return cmocka_run_group_tests_name("session-choices", tests, NULL, NULL);
}
