/* checkpoint and rewind: the tools, what a run does with them, and what a session that is opened
   again knows of them. */
#include "base/str.h"
#include "unit.h"

#include "agent/rewinder.h"
#include "agent_fixture.h"
#include "session/session_tree.h"
#include "tool/model_view.h"
#include "tool/rewind_state.h"
#include "tools/tools.h"

static void offer(AgentFixture *self)
{
    static const ToolDef *const table[] = { &tool_checkpoint, &tool_rewind, &tool_yield, NULL };
    tool_set_unref(self->tools);
    self->tools = tool_set_new(table);
    self->setup.tools = self->tools;
}

static int setup(void **state)
{
    AgentFixture *self = agent_fixture_new("{\"checkpoint\":{\"enabled\":true}}");
    offer(self);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    agent_fixture_free(*state);
    return 0;
}

static void assert_conversation(AgentFixture *self, size_t request, const char *want)
{
    g_autofree char *got = sse_server_conversation(self->server, request);
    assert_string_equal(got, want);
}

#define CREATED                                                                                    \
    "Checkpoint created.\nGoal: look\nRun your investigation, then call rewind with a concise "    \
    "report."
#define CHECKPOINT "[{\"id\":\"c1\",\"name\":\"checkpoint\",\"arguments\":{\"goal\":\"look\"}}]"
#define REWIND(id, report)                                                                         \
    "[{\"id\":\"" id "\",\"name\":\"rewind\",\"arguments\":{\"report\":\"" report "\"}}]"

static bool is_open(const AgentFixture *self)
{
    g_autofree char *entry = rewinder_find(self->session);
    return entry != NULL;
}

/* What followed the checkpoint is not sent any more; the report is. The file keeps all. */
static void test_rewind(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server, CHECKPOINT);
    sse_server_add_calls(self->server, REWIND("r0", " "));
    sse_server_add_calls(self->server, REWIND("r1", "it is the lock"));
    sse_server_add_text(self->server, "done");
    unsigned epoch = model_view_epoch(self->context);
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(model_view_epoch(self->context), epoch + 1); // what it was shown is forgotten
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "c1:" CREATED " r0!:Report cannot be empty. r1:Rewind "
                                 "requested.\nReport captured for context replacement.");
    assert_conversation(self, 1, "user:go assistant:[calls] tool:" CREATED);
    g_autofree char *last = sse_server_conversation(self->server, 3);
    assert_true(str_has_prefix(last, "user:go assistant:[calls] tool:" CREATED " user:"));
    assert_non_null(strstr(last, "it is the lock"));
    assert_non_null(strstr(last, "The conversation is back at the checkpoint."));
    assert_null(strstr(last, "Report captured"));
    assert_false(is_open(self));

    sse_server_add_calls(self->server, REWIND("r2", "again"));
    sse_server_add_text(self->server, "end");
    assert_true(agent_fixture_prompt(self, "more"));
    g_autofree char *all = agent_fixture_results(self);
    assert_true(g_str_has_suffix(all, "r2!:No active checkpoint."));
}

/* Both in one answer: its calls have their results, and the report is there. */
static void test_in_one_answer(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(
        self->server,
        "[{\"id\":\"c1\",\"name\":\"checkpoint\",\"arguments\":{\"goal\":\"look\"}},"
        "{\"id\":\"r1\",\"name\":\"rewind\",\"arguments\":{\"report\":\"nothing\"}}]");
    sse_server_add_text(self->server, "done");
    assert_true(agent_fixture_prompt(self, "go"));
    g_autofree char *last = sse_server_conversation(self->server, 1);
    assert_true(str_has_prefix(last, "user:go assistant:[calls] tool:" CREATED " tool:"));
    assert_non_null(strstr(last, "nothing"));
    assert_null(strstr(last, "Report captured"));
    assert_false(is_open(self));
}

/* An answer that ends with an open checkpoint is asked for its report, but not for ever. */
static void test_warning(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server, CHECKPOINT);
    sse_server_add_calls(
        self->server,
        "[{\"id\":\"c2\",\"name\":\"checkpoint\",\"arguments\":{\"goal\":\"other\"}}]");
    for (int i = 0; i < 4; i++)
        sse_server_add_text(self->server, "no");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_int_equal(sse_server_request_count(self->server), 6);
    g_autofree char *results = agent_fixture_results(self);
    assert_true(g_str_has_suffix(results, "c2!:Checkpoint already active."));
    g_autofree char *last = sse_server_conversation(self->server, 5);
    assert_non_null(strstr(last, "You MUST call rewind"));
    assert_true(is_open(self));
}

/* A conversation that goes on with a session has its checkpoint, and goes back to it. */
static void test_resume(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(self->server, CHECKPOINT);
    for (int i = 0; i < 4; i++)
        sse_server_add_text(self->server, "seen much");
    assert_true(agent_fixture_prompt(self, "go"));
    assert_true(session_flush(self->session, NULL));
    g_autofree char *path = g_strdup(session_path(self->session));

    AgentFixture *next = agent_fixture_new("{\"checkpoint\":{\"enabled\":true}}");
    offer(next);
    session_free(next->session);
    g_autoptr(GError) error = NULL;
    if (!session_open(path, "/w", &next->session, NULL, &error))
        fail_msg("%s", error->message);
    next->options.session = next->session;
    assert_true(is_open(next));
    sse_server_add_calls(next->server, REWIND("r1", "found it"));
    sse_server_add_text(next->server, "done");
    assert_true(agent_fixture_prompt(next, "and now?"));
    g_autofree char *last = sse_server_conversation(next->server, 1);
    assert_true(str_has_prefix(last, "user:go assistant:[calls] tool:" CREATED " user:"));
    assert_non_null(strstr(last, "found it"));
    assert_null(strstr(last, "seen much"));
    assert_non_null(strstr(last, "and now?")); // what a person said is not left out
    assert_false(is_open(next));
    agent_fixture_free(next);
}

static void test_subagent(void **state)
{
    AgentFixture *self = *state;
    rewind_state_forbid(self->context);
    sse_server_add_calls(self->server, CHECKPOINT);
    sse_server_add_text(self->server, "done");
    assert_true(agent_fixture_prompt(self, "go"));
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "c1!:Checkpoint not available in subagents.");
}

/* A result that is handed in ends the run; one that says why there is none does not. */
static void test_yield_ends_run(void **state)
{
    AgentFixture *self = *state;
    sse_server_add_calls(
        self->server,
        "[{\"id\":\"y0\",\"name\":\"yield\",\"arguments\":{\"result\":{\"error\":\"no\"}}}]");
    sse_server_add_calls(
        self->server,
        "[{\"id\":\"y1\",\"name\":\"yield\",\"arguments\":{\"result\":{\"data\":{\"n\":1}}}}]");
    assert_true(agent_fixture_prompt(self, "go"));
    g_autofree char *results = agent_fixture_results(self);
    assert_string_equal(results, "y0:Task aborted: no y1:Result submitted.");
    assert_int_equal(sse_server_request_count(self->server), 2);
    assert_int_equal(self->outcome.end, AGENT_DONE);
    sse_server_add_text(self->server, "on");
    assert_true(agent_fixture_prompt(self, "go on"));
    assert_int_equal(sse_server_request_count(self->server), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rewind, setup, teardown),
        cmocka_unit_test_setup_teardown(test_in_one_answer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_warning, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resume, setup, teardown),
        cmocka_unit_test_setup_teardown(test_subagent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_yield_ends_run, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
