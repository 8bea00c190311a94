/*
 * conversation/session_choices.c: which model comes next.
 */
#include "unit.h"

#include "session_fixture.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycle_from_elsewhere),
        cmocka_unit_test(test_cycle_backward_from_elsewhere),
        cmocka_unit_test(test_cycle_roles),
    };
    return cmocka_run_group_tests_name("session-choices", tests, NULL, NULL);
}
