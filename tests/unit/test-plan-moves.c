/*
 * Plan mode on the way to other sessions, and what can come between a plan and its approval.
 */
#include "plan_fixture.h"

static void hand_in(Planner *self)
{
    sse_server_add_calls(server_of(self), WRITE("PLAN.md"));
    sse_server_add_calls(server_of(self), SUBMIT(TITLED));
}

/* The new session plans on, with the plan so far. */
static void test_handoff(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    g_autoptr(Planner) self = planner_new(NULL, none);
    sse_server_add_calls(server_of(self), WRITE("PLAN.md"));
    sse_server_add_text(server_of(self), "What else?");
    sse_server_add_text(server_of(self), "## Goal\nto begin");
    plan(self, "go");
    g_autofree char *old_path = session_path_of(self);
    assert_true(session_fixture_command(self->fixture, "handoff", NULL, NULL));
    session_fixture_wait(self->fixture);
    g_autofree char *path = session_path_of(self);
    assert_string_not_equal(path, old_path);
    assert_mode(self, "plan");
    g_autofree char *modes = modes_of_file(path);
    assert_string_equal(modes, "plan=local://PLAN.md");
    g_autofree char *plan_path = local_path(path, "PLAN.md");
    g_autofree char *text = NULL;
    assert_true(file_read(plan_path, 100, &text, NULL, NULL));
    assert_string_equal(text, "1. Do it.\n");
}

static void test_fork(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    g_autoptr(Planner) self = planner_new(NULL, none);
    sse_server_add_text(server_of(self), "What else?");
    plan(self, "go");
    assert_true(session_fixture_command(self->fixture, "fork", NULL, NULL));
    session_fixture_wait(self->fixture);
    assert_mode(self, "plan");
    g_autofree char *tools = tools_of(self);
    assert_string_equal(tools, "read ask grep write edit resolve");
    assert_null(session_fixture_event(self->fixture, "mode_changed", 1)); // nothing new
}

/* Elsewhere in the session the mode is as it was there. */
static void test_navigate(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    g_autoptr(Planner) self = planner_new(NULL, none);
    sse_server_add_text(server_of(self), "first");
    sse_server_add_text(server_of(self), "What else?");
    assert_true(session_fixture_prompt(self->fixture, "begin"));
    g_autoptr(json_t) before = agent_session_tree(self->fixture->session, NULL);
    plan(self, "go");
    g_autofree char *back = g_strdup_printf("{\"targetId\":\"%s\",\"summarize\":false}",
                                            json_get_text(before, "leafId"));
    assert_true(session_fixture_command(self->fixture, "navigate_tree", back, NULL));
    session_fixture_wait(self->fixture);
    assert_mode(self, "none");
    assert_string_equal(
        json_get_text(session_fixture_event(self->fixture, "mode_changed", 1), "mode"), "none");
}

static void turn_off(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    assert_true(session_fixture_command(self, "set_plan_mode", "{\"enabled\":false}", NULL));
}

/* While the person reads the plan they turn plan mode off: approval comes too late. */
static void test_off_meanwhile(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { KEEP, NULL };
    g_autoptr(Planner) self = planner_new(NULL, answers);
    hand_in(self);
    sse_server_add_text(server_of(self), "fine");
    self->fixture->trigger = "question"; // this listener comes before the one that answers
    self->fixture->act = turn_off;
    plan(self, "go");
    const json_t *result = json_get_path(
        session_fixture_event(self->fixture, "tool_execution_end", 1), "result.content");
    g_autofree char *text = message_blocks_text(result);
    assert_string_equal(text, "Plan mode is not active.");
    assert_mode(self, "plan_paused");
    g_autofree char *path = session_path_of(self);
    g_autofree char *plan_path = local_path(path, "PLAN.md");
    assert_true(file_exists(plan_path));
}

static void steer(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    assert_true(session_fixture_command(self, "follow_up", "{\"message\":\"and test it\"}", NULL));
}

/* What a person says meanwhile is not lost in the fresh context. */
static void test_queue_is_kept(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { FRESH, NULL };
    g_autoptr(Planner) self = planner_new(NULL, answers);
    hand_in(self);
    sse_server_add_text(server_of(self), "carried out");
    sse_server_add_text(server_of(self), "tested");
    self->fixture->trigger = "question";
    self->fixture->act = steer;
    plan(self, "go");
    g_autofree char *last = sse_server_conversation(server_of(self), 3);
    assert_true(g_str_has_suffix(last, "assistant:carried out user:and test it"));
}

/* The name was free when the plan was handed in, and is taken when it is approved. */
static void take_name(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    g_autoptr(json_t) state = agent_session_state(self->session);
    g_autofree char *path = local_path(json_get_text(state, "sessionFile"), "do-it.md");
    assert_true(file_write_atomic(path, "mine", 4, 0600, NULL));
}

static void test_name_is_taken(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { FRESH, NULL };
    g_autoptr(Planner) self = planner_new(NULL, answers);
    hand_in(self);
    self->fixture->trigger = "question";
    self->fixture->act = take_name;
    plan(self, "go");
    assert_mode(self, "plan"); // as before, and the plan is there to be handed in again
    assert_int_equal(sse_server_request_count(server_of(self)), 2);
    const json_t *notice = session_fixture_event(self->fixture, "notice", 0);
    assert_string_equal(json_get_text(notice, "message"),
                        "The plan is approved, but cannot be carried out: local://do-it.md exists "
                        "already");
    sse_server_add_calls(server_of(self), SUBMIT(TITLED));
    sse_server_add_text(server_of(self), "Which name?");
    assert_true(session_fixture_prompt(self->fixture, "again"));
    const json_t *result = json_get_path(
        session_fixture_event(self->fixture, "tool_execution_end", 2), "result.content");
    g_autofree char *text = message_blocks_text(result);
    assert_string_equal(
        text, "Plan destination already exists at local://do-it.md. Choose another title.");
}

static void change_plan(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    g_autoptr(json_t) state = agent_session_state(self->session);
    g_autofree char *path = local_path(json_get_text(state, "sessionFile"), "PLAN.md");
    assert_true(file_write_atomic(path, "2. More.\n", 9, 0600, NULL));
}

/* What is carried out is what the person has read. */
static void test_another_plan(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { KEEP, NULL };
    g_autoptr(Planner) self = planner_new(NULL, answers);
    hand_in(self);
    self->fixture->trigger = "question";
    self->fixture->act = change_plan;
    plan(self, "go");
    assert_mode(self, "plan");
    assert_int_equal(sse_server_request_count(server_of(self)), 2);
    const json_t *notice = session_fixture_event(self->fixture, "notice", 0);
    assert_non_null(strstr(json_get_text(notice, "message"),
                           "local://PLAN.md has changed since it was approved"));
}

static void stop(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    bool is_pending = false;
    agent_session_abort(self->session, NULL, &is_pending);
}

static void test_abort(void **state G_GNUC_UNUSED)
{
    g_autoptr(Planner) self = planner_new(NULL, (const char *const[]) { KEEP, NULL });
    hand_in(self);
    self->fixture->trigger = "question";
    self->fixture->act = stop;
    plan(self, "go");
    assert_int_equal(self->fixture->outcome.end, AGENT_ABORTED);
    assert_int_equal(sse_server_request_count(server_of(self)), 2);
    assert_mode(self, "plan");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handoff),       cmocka_unit_test(test_fork),
        cmocka_unit_test(test_navigate),      cmocka_unit_test(test_off_meanwhile),
        cmocka_unit_test(test_queue_is_kept), cmocka_unit_test(test_name_is_taken),
        cmocka_unit_test(test_abort),         cmocka_unit_test(test_another_plan),
    };
    return cmocka_run_group_tests_name("plan-moves", tests, NULL, NULL);
}
