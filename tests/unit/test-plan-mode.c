/*
 * Plan mode of a conversation: what is kept out, how a plan is handed in and approved, and what the
 * session keeps of it.
 */
#include "plan_fixture.h"
#include "tool/plan_file.h"
#include "tool/plan_mode.h"

/* The text of the result number `index`, and whether it is an error. Caller frees. */
static char *result_of(const Planner *self, size_t index, bool *ret_is_error)
{
    const json_t *event = session_fixture_event(self->fixture, "tool_execution_end", index);
    assert_non_null(event);
    if (ret_is_error)
        *ret_is_error = json_get_bool(event, "isError", false);
    return message_blocks_text(
        json_get_array(json_get_object((json_t *)event, "result"), "content"));
}

// ---- on and off ----

static void test_tools(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    g_autoptr(Planner) self = planner_new(NULL, none);
    set_plan_mode(self, true);
    g_autofree char *planning = tools_of(self);
    assert_string_equal(planning, "read ask grep write edit resolve");
    // what is chosen meanwhile is restricted, too
    assert_true(session_fixture_command(self->fixture, "set_tools",
                                        "{\"names\":[\"bash\",\"read\"]}", NULL));
    g_autofree char *chosen = tools_of(self);
    assert_string_equal(chosen, "read write edit ask resolve");
    set_plan_mode(self, false);
    g_autofree char *after = tools_of(self);
    assert_string_equal(after, "bash read");
    assert_mode(self, "plan_paused");
    assert_string_equal(
        json_get_text(session_fixture_event(self->fixture, "mode_changed", 0), "planFilePath"),
        "local://PLAN.md");
}

static void test_context_message(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    g_autoptr(Planner) self = planner_new(NULL, none);
    sse_server_add_text(server_of(self), "What is it for?");
    sse_server_add_text(server_of(self), "fine");
    plan(self, "add login");
    const json_t *asked = json_get_array(sse_server_request(server_of(self), 0), "messages");
    g_autofree char *context = message_text(json_array_get(asked, 1));
    assert_non_null(strstr(context, "Plan mode is on."));
    assert_non_null(strstr(context, "local://PLAN.md"));
    g_autofree char *prompt = message_text(json_array_get(asked, 2));
    assert_string_equal(prompt, "add login");
    g_autoptr(json_t) messages = agent_session_messages(self->fixture->session);
    assert_false(json_get_bool(json_array_get(messages, 0), "display", true));
    // a question ends the turn: nothing is to be reminded of
    assert_int_equal(sse_server_request_count(server_of(self)), 1);
    set_plan_mode(self, false);
    assert_true(session_fixture_prompt(self->fixture, "now"));
    g_autofree char *later = sse_server_conversation(server_of(self), 1);
    assert_true(g_str_has_suffix(
        later, "assistant:What is it for? user:Plan mode is off: what was said of it "
               "no longer holds. user:now"));
    sse_server_add_text(server_of(self), "fine");
    assert_true(session_fixture_prompt(self->fixture, "then")); // it is said once
    g_autofree char *last = sse_server_conversation(server_of(self), 2);
    assert_true(g_str_has_suffix(last, "user:now assistant:fine user:then"));
}

static void test_reminder(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    g_autoptr(Planner) self = planner_new(NULL, none);
    sse_server_add_text(server_of(self), "I have looked.");
    sse_server_add_text(server_of(self), "Still looking.");
    plan(self, "go");
    assert_int_equal(sse_server_request_count(server_of(self)), 2); // once
    g_autofree char *asked = sse_server_conversation(server_of(self), 1);
    assert_non_null(strstr(asked, "Plan mode is still on"));
}

static void test_role_model(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    g_autoptr(Planner) self = planner_new("{\"modelRoles\":{\"plan\":\"lab/writer\"}}", none);
    sse_server_add_text(server_of(self), "Which one?");
    sse_server_add_text(server_of(self), "done");
    plan(self, "go");
    assert_string_equal(json_get_text(sse_server_request(server_of(self), 0), "model"), "writer");
    set_plan_mode(self, false);
    assert_true(session_fixture_prompt(self->fixture, "now"));
    assert_string_equal(json_get_text(sse_server_request(server_of(self), 1), "model"), "coder");
    // a session that is opened again does not take the model of the role for its own
    g_auto(SessionContext) saved = { 0 };
    g_autofree char *path = session_path_of(self);
    g_autoptr(Session) session = NULL;
    assert_true(session_open(path, self->fixture->agent->root, &session, NULL, NULL));
    session_build_context(session, &saved);
    assert_string_equal(json_get_text(saved.models, "default"), "lab/coder");
    // what a person chooses meanwhile stays
    set_plan_mode(self, true);
    assert_true(session_fixture_command(self->fixture, "set_model",
                                        "{\"provider\":\"lab\",\"modelId\":\"tiny\"}", NULL));
    set_plan_mode(self, false);
    g_autoptr(json_t) now = state_of(self);
    assert_string_equal(json_get_text(json_get_object(now, "model"), "id"), "tiny");
}

static void enter_now(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    assert_true(session_fixture_command(self, "set_plan_mode", "{\"enabled\":true}", NULL));
}

/* During a run the guard holds at once, the model comes with the run's end. */
static void test_while_running(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { "a", NULL };
    g_autoptr(Planner) self = planner_new("{\"modelRoles\":{\"plan\":\"lab/writer\"}}", answers);
    sse_server_add_calls(server_of(self), CALL("q1", "ask",
                                               "{\"questions\":[{\"id\":\"q\",\"question\":\"Which?"
                                               "\",\"options\":[{\"label\":\"a\"}]}]}"));
    sse_server_add_calls(server_of(self), CALL("b1", "bash", "{\"command\":\"touch made\"}"));
    sse_server_add_text(server_of(self), "Shall I?");
    self->fixture->trigger = "question"; // this listener comes before the one that answers
    self->fixture->act = enter_now;
    assert_true(session_fixture_prompt(self->fixture, "go"));
    g_autofree char *made = g_build_filename(self->fixture->agent->root, "made", NULL);
    assert_false(file_exists(made));
    assert_string_equal(json_get_text(sse_server_request(server_of(self), 2), "model"), "coder");
    g_autoptr(json_t) now = state_of(self);
    assert_string_equal(json_get_text(json_get_object(now, "model"), "id"), "writer");
    g_autofree char *path = session_path_of(self);
    g_autofree char *modes = modes_of_file(path);
    assert_string_equal(modes, "plan=local://PLAN.md");
}

static void test_refusals(void **state G_GNUC_UNUSED)
{
    g_autoptr(Planner) self = planner_new("{\"plan\":{\"enabled\":false}}", NULL);
    assert_false(
        session_fixture_command(self->fixture, "set_plan_mode", "{\"enabled\":true}", NULL));
    assert_string_equal(self->fixture->error->message,
                        "plan mode is turned off by the setting plan.enabled");
    assert_false(session_fixture_command(self->fixture, "set_plan_mode",
                                         "{\"enabled\":false,\"prompt\":\"x\"}", NULL));
    assert_mode(self, "none");
}

// ---- what is kept out ----

/* tools-T38 */
static void test_guard(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    static const struct {
        const char *settings, *calls, *want; // NULL: it is the plan that is written
    } cases[] = {
        { NULL, WRITE("src/a.c"), ONLY_PLAN },
        { NULL, WRITE("../PLAN.md.txt"), ONLY_PLAN },
        { NULL, WRITE("a.db:users"), ONLY_PLAN },
        { NULL, WRITE("PLAN.md/x.zip:y"), ONLY_PLAN },
        { NULL, WRITE("conflict://1"), ONLY_PLAN },
        { NULL, WRITE("local://other.md"), ONLY_PLAN },
        { NULL, WRITE("PLAN.md"), NULL },
        { NULL, WRITE("./docs/PLAN.md"), NULL },
        { NULL, WRITE("/etc/PLAN.md"), NULL },
        { NULL, WRITE("local://PLAN.md"), NULL },
        { NULL, WRITE("plan://PLAN.md"), NULL },
        { NULL, CALL("b1", "bash", "{\"command\":\"touch a\"}"), "Tool bash not found" },
        { NULL, CALL("t1", "todo_write", "{\"ops\":[]}"), "Tool todo_write not found" },
        { "{\"edit\":{\"mode\":\"replace\"}}",
          CALL("e1", "edit",
               "{\"path\":\"a.c\",\"edits\":[{\"old_text\":\"x\",\"new_text\":"
               "\"y\"}]}"),
          ONLY_PLAN },
        { "{\"edit\":{\"mode\":\"patch\"}}",
          CALL("e1", "edit", "{\"path\":\"PLAN.md\",\"edits\":[{\"op\":\"delete\"}]}"),
          "Plan mode: deleting files is not allowed." },
        { "{\"edit\":{\"mode\":\"patch\"}}",
          CALL("e1", "edit",
               "{\"path\":\"PLAN.md\",\"edits\":[{\"op\":\"update\",\"rename\":"
               "\"src/a.c\",\"diff\":\"@@\\n-x\\n+y\"}]}"),
          "Plan mode: renaming files is not allowed." },
        { "{\"edit\":{\"mode\":\"patch\"}}",
          CALL("e1", "edit", "{\"path\":\"a.c\",\"edits\":[{\"op\":\"create\",\"diff\":\"x\"}]}"),
          ONLY_PLAN },
        { "{\"edit\":{\"mode\":\"hashline\"}}",
          CALL("e1", "edit", "{\"input\":\"@@ a.c\\n+ EOF\\n~x\\n\"}"), ONLY_PLAN },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Planner) self = planner_new(cases[i].settings, none);
        sse_server_add_calls(server_of(self), cases[i].calls);
        sse_server_add_text(server_of(self), "What now?");
        plan(self, "go");
        bool is_error = false;
        g_autofree char *text = result_of(self, 0, &is_error);
        g_autofree char *path = session_path_of(self);
        g_autofree char *plan_path = local_path(path, "PLAN.md");
        if (is_error != (cases[i].want != NULL) || (cases[i].want && !strstr(text, cases[i].want)))
            fail_msg("%s: %s", cases[i].calls, text);
        if (file_exists(plan_path) != (cases[i].want == NULL))
            fail_msg("%s: the plan file is %s there", cases[i].calls, cases[i].want ? "" : "not");
    }
}

// ---- handing in ----

static void test_bad_submissions(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    static const struct {
        const char *calls, *want;
    } cases[] = {
        { SUBMIT(""), "Title is required and must not be empty." },
        { SUBMIT(",\"extra\":{\"title\":\" \"}"), "Title is required and must not be empty." },
        { SUBMIT(",\"extra\":{\"title\":\"../x\"}"),
          "Title must not contain path separators or '..'." },
        { SUBMIT(",\"extra\":{\"title\":\"a:b\"}"),
          "Title may only contain letters, numbers, underscores, or hyphens." },
        { SUBMIT(TITLED), "Plan file not found at local://PLAN.md. Write the finalized plan to "
                          "local://PLAN.md before calling exit_plan_mode." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Planner) self = planner_new(NULL, none);
        sse_server_add_calls(server_of(self), cases[i].calls);
        sse_server_add_text(server_of(self), "What now?");
        plan(self, "go");
        bool is_error = false;
        g_autofree char *text = result_of(self, 0, &is_error);
        assert_true(is_error);
        assert_string_equal(text, cases[i].want);
        assert_int_equal(self->asked, 0);
        assert_mode(self, "plan");
    }
}

/* Without plan mode. */
static void test_no_plan_mode(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    g_autoptr(Planner) self = planner_new(NULL, none);
    assert_true(
        session_fixture_command(self->fixture, "set_tools", "{\"names\":[\"resolve\"]}", NULL));
    sse_server_add_calls(server_of(self), SUBMIT(TITLED));
    sse_server_add_text(server_of(self), "What now?");
    assert_true(session_fixture_prompt(self->fixture, "go"));
    g_autofree char *text = result_of(self, 0, NULL);
    assert_string_equal(text, "No pending action to resolve. Nothing to apply or discard.");
}

static void hand_in(Planner *self)
{
    sse_server_add_calls(server_of(self), WRITE("PLAN.md"));
    sse_server_add_calls(server_of(self), SUBMIT(",\"extra\":{\"title\":\" do  it\"}")); // do-it
}

/* core-101 */
static void test_approve_and_keep(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { KEEP, NULL };
    g_autoptr(Planner) self = planner_new("{\"modelRoles\":{\"plan\":\"lab/writer\"}}", answers);
    g_autofree char *before = tools_of(self);
    sse_server_add_calls(server_of(self), WRITE("src/a.c"));
    hand_in(self);
    sse_server_add_text(server_of(self), "carried out");
    plan(self, "add login");

    bool is_error = false;
    g_autofree char *refused = result_of(self, 0, &is_error);
    assert_true(is_error);
    assert_string_equal(refused, ONLY_PLAN);
    g_autofree char *ready = result_of(self, 2, &is_error);
    assert_false(is_error);
    assert_string_equal(ready, "Plan ready for approval.");
    const json_t *details = json_get_path(
        session_fixture_event(self->fixture, "tool_execution_end", 2), "result.details");
    assert_string_equal(json_get_text(details, "planFilePath"), "local://PLAN.md");
    assert_string_equal(json_get_text(details, "finalPlanFilePath"), "local://do-it.md");

    // the run ended with the approval; what follows has the plan, all tools and the model of before
    assert_int_equal(sse_server_request_count(server_of(self)), 4);
    g_autofree char *last = sse_server_conversation(server_of(self), 3);
    assert_non_null(strstr(last, "user:add login"));
    assert_non_null(strstr(last, "<plan>\n1. Do it.\n\n</plan>"));
    assert_string_equal(json_get_text(sse_server_request(server_of(self), 3), "model"), "coder");
    g_autofree char *after = tools_of(self);
    assert_string_equal(after, before);
    assert_mode(self, "none");

    g_autofree char *path = session_path_of(self);
    g_autofree char *modes = modes_of_file(path);
    assert_string_equal(modes, "plan=local://PLAN.md none");
    g_autofree char *final_path = local_path(path, "do-it.md");
    g_autofree char *plan_path = local_path(path, "PLAN.md");
    assert_true(file_exists(final_path));
    assert_false(file_exists(plan_path));
}

static void test_approve_afresh(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { FRESH, NULL };
    g_autoptr(Planner) self = planner_new(NULL, answers);
    hand_in(self);
    sse_server_add_text(server_of(self), "carried out");
    set_plan_mode(self, true);
    g_autofree char *old_path = session_path_of(self);
    plan(self, "add login");
    g_autofree char *path = session_path_of(self);
    assert_string_not_equal(path, old_path);
    g_autofree char *last = sse_server_conversation(server_of(self), 2);
    assert_null(strstr(last, "add login"));
    assert_non_null(strstr(last, "<plan>\n1. Do it.\n\n</plan>"));
    g_autofree char *old_modes = modes_of_file(old_path);
    assert_string_equal(old_modes, "plan=local://PLAN.md none");
    g_autofree char *modes = modes_of_file(path);
    assert_string_equal(modes, "");
    g_autofree char *final_path = local_path(path, "do-it.md");
    assert_true(file_exists(final_path));
    assert_mode(self, "none");
}

static void test_feedback(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { "Keep planning", "smaller steps", KEEP, NULL };
    g_autoptr(Planner) self = planner_new(NULL, answers);
    hand_in(self);
    sse_server_add_calls(server_of(self), SUBMIT(TITLED));
    sse_server_add_text(server_of(self), "carried out");
    plan(self, "go");
    assert_int_equal(self->asked, 3);
    g_autofree char *text = result_of(self, 1, NULL);
    assert_non_null(strstr(text, "The user wants it changed: smaller steps"));
    assert_mode(self, "none");
}

/* Nothing is said of what is to be different: the run ends, and plan mode stays. */
static void test_keep_planning(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { "Keep planning", NULL };
    g_autoptr(Planner) self = planner_new(NULL, answers);
    hand_in(self);
    plan(self, "go");
    assert_int_equal(sse_server_request_count(server_of(self)), 2);
    assert_int_equal(self->fixture->outcome.end, AGENT_DONE);
    assert_mode(self, "plan");
}

static void test_nobody_there(void **state G_GNUC_UNUSED)
{
    g_autoptr(Planner) self = planner_new(NULL, NULL);
    hand_in(self);
    sse_server_add_text(server_of(self), "The plan is ready.");
    plan(self, "go");
    bool is_error = false;
    g_autofree char *text = result_of(self, 1, &is_error);
    assert_true(is_error);
    assert_non_null(strstr(text, "the plan in local://PLAN.md is not approved: nobody can be "
                                 "asked here."));
    assert_mode(self, "plan");
    assert_int_equal(sse_server_request_count(server_of(self)), 3); // no reminder
}

// ---- what a session is left with ----

static void test_resumed(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    g_autoptr(Planner) self = planner_new(NULL, none);
    g_autofree char *before = tools_of(self);
    sse_server_add_text(server_of(self), "Which one?");
    plan(self, "go");
    g_autofree char *path = session_path_of(self);
    assert_true(session_fixture_command(self->fixture, "new_session", NULL, NULL));
    session_fixture_wait(self->fixture);
    assert_mode(self, "none");
    g_autofree char *fresh = tools_of(self);
    assert_string_equal(fresh, before);

    g_autofree char *back = g_strdup_printf("{\"sessionPath\":\"%s\"}", path);
    assert_true(session_fixture_command(self->fixture, "switch_session", back, NULL));
    session_fixture_wait(self->fixture);
    assert_mode(self, "plan");
    g_autofree char *planning = tools_of(self);
    assert_null(strstr(planning, "bash"));

    set_plan_mode(self, false);
    g_autofree char *modes = modes_of_file(path);
    assert_string_equal(modes, "plan=local://PLAN.md plan_paused=local://PLAN.md");
    assert_true(session_fixture_command(self->fixture, "new_session", NULL, NULL));
    assert_true(session_fixture_command(self->fixture, "switch_session", back, NULL));
    session_fixture_wait(self->fixture);
    assert_mode(self, "plan_paused");
}

/* A session file names what it likes. */
static void test_file_url(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url;
        bool want;
    } cases[] = {
        { NULL, false },
        { "local://PLAN.md", true },
        { "local://a_b-3.md", true },
        { "local://.md", false },
        { "local://../PLAN.md", false },
        { "local://a/PLAN.md", false },
        { "local://%2e%2e.md", false },
        { "local://a.md?x.md", false },
        { "plan://PLAN.md", false },
        { "/etc/passwd.md", false },
        { "src/main.md", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (plan_file_is_url(cases[i].url) != cases[i].want)
            fail_msg("%s", cases[i].url);
}

/* tools-T129: a child of one that plans reads, and writes not even the plan. */
static void test_child(void **state G_GNUC_UNUSED)
{
    static const char *const none[] = { NULL };
    g_autoptr(Planner) self = planner_new(NULL, none);
    set_plan_mode(self, true);
    AgentSessionOptions options = self->fixture->options;
    options.parent = self->fixture->session;
    options.registry = NULL;
    options.settings = NULL;
    options.tools = self->tools;
    options.session = session_new(self->fixture->agent->dir, self->fixture->agent->root);
    g_autoptr(AgentSession) child = agent_session_new(&options, NULL);
    g_autoptr(json_t) child_state = agent_session_state(child);
    const json_t *offered = json_get_array(child_state, "dumpTools");
    assert_int_equal(json_array_size(offered), 3);
    assert_string_equal(json_get_text(json_array_get(offered, 0), "name"), "read");
    assert_string_equal(json_get_text(json_array_get(offered, 1), "name"), "grep");
    assert_string_equal(json_get_text(json_array_get(offered, 2), "name"), "resolve");
    agent_session_free(g_steal_pointer(&child));

    g_autoptr(PlanMode) parent = plan_mode_new(NULL, true);
    g_autoptr(PlanMode) own = plan_mode_new(parent, true);
    plan_mode_enter(parent, PLAN_FILE_URL);
    assert_true(plan_mode_is_on(own));
    assert_false(plan_mode_may_write(own));
    plan_mode_leave(parent);
    assert_false(plan_mode_is_on(own));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tools),          cmocka_unit_test(test_context_message),
        cmocka_unit_test(test_reminder),       cmocka_unit_test(test_role_model),
        cmocka_unit_test(test_while_running),  cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_guard),          cmocka_unit_test(test_bad_submissions),
        cmocka_unit_test(test_no_plan_mode),   cmocka_unit_test(test_approve_and_keep),
        cmocka_unit_test(test_approve_afresh), cmocka_unit_test(test_feedback),
        cmocka_unit_test(test_keep_planning),  cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_resumed),        cmocka_unit_test(test_file_url),
        cmocka_unit_test(test_child),
    };
    return cmocka_run_group_tests_name("plan-mode", tests, NULL, NULL);
}
