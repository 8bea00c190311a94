/*
 * Compaction of a conversation: over the threshold, after an overflow, as a person asks; what a
 * summariser's failure and a stop leave; never twice for one cause.
 */
#include "base/str.h"
#include "unit.h"

#include "model/message.h"
#include "session/session_tree.h"
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

static const json_t *last_of_type(SessionFixture *self, const char *type)
{
    g_autoptr(json_t) tree = agent_session_tree(self->session, NULL);
    const json_t *entries = json_get_array(tree, "entries");
    for (size_t i = json_array_size(entries); i > 0; i--) {
        const json_t *entry = json_array_get(entries, i - 1);
        if (g_str_equal(json_get_text(entry, "type"), type))
            return entry; // the session has it too
    }
    return NULL;
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

/* core-54 */
static void test_threshold(void **state)
{
    SessionFixture *self = *state;
    static const char *const names[] = { "one", "two", "three", "four", "five" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        talk(self, names[i]);
    assert_null(session_fixture_event(self, "auto_compaction_start", 0));
    sse_server_set_usage(self->agent->server, 8990, 10);
    sse_server_add_text(self->agent->server, "fine");
    sse_server_add_text(self->agent->server, "the summary");
    sse_server_add_text(self->agent->server, "in short");
    assert_true(session_fixture_prompt(self, "six"));

    const json_t *start = session_fixture_event(self, "auto_compaction_start", 0);
    assert_string_equal(json_get_text(start, "reason"), "threshold");
    assert_string_equal(json_get_text(start, "action"), "context-full");
    const json_t *end = session_fixture_event(self, "auto_compaction_end", 0);
    const json_t *result = json_get_object(end, "result");
    assert_string_equal(json_get_text(result, "summary"), "the summary");
    assert_string_equal(json_get_text(result, "shortSummary"), "in short");
    assert_int_equal(json_get_int(result, "tokensBefore", 0), 9000);
    assert_non_null(session_fixture_event(self, "compaction_start", 0));
    assert_non_null(session_fixture_event(self, "compaction_end", 0));
    const json_t *entry = last_of_type(self, "compaction");
    assert_string_equal(json_get_text(entry, "summary"), "the summary");
    g_autofree char *asked = sse_server_conversation(self->agent->server, 6);
    assert_non_null(strstr(asked, "[User]: one xxx"));

    sse_server_set_usage(self->agent->server, 10, 5);
    sse_server_add_text(self->agent->server, "fine");
    assert_true(session_fixture_prompt(self, "seven"));
    g_autofree char *told = sse_server_conversation(self->agent->server, 8);
    const char *summary = strstr(told, "the summary");
    assert_true(str_has_prefix(told, "user:Another model began") && summary);
    assert_true(strlen(told) < 3 * 4000 && strlen(told) > 4000);
    assert_non_null(strstr(told, "five xxx"));
    assert_null(strstr(told, "two xxx"));
    assert_int_equal(sse_server_request_count(self->agent->server), 9); // not twice
}

/* core-56: in the middle of a run, which goes on */
static void test_split_turn(void **state)
{
    SessionFixture *self = *state;
    sse_server_set_usage(self->agent->server, 3000, 5);
    static const size_t sizes[] = { 6000, 6000, 8000 }; // the last one is too much
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        g_autofree char *filler = g_strnfill(sizes[i], 'x');
        g_autofree char *calls = g_strdup_printf(
            "[{\"id\":\"t%zu\",\"name\":\"echo\",\"arguments\":{\"text\":\"%s\"}}]", i, filler);
        sse_server_add_calls(self->agent->server, calls);
    }
    sse_server_add_text(self->agent->server, "of the turn");
    sse_server_add_text(self->agent->server, "in short");
    sse_server_add_text(self->agent->server, "all done");
    assert_true(session_fixture_prompt(self, "go"));
    const json_t *end = session_fixture_event(self, "compaction_end", 0);
    assert_non_null(end);
    const json_t *result = json_get_object(end, "result");
    const char *summary = json_get_text(result, "summary");
    assert_non_null(summary);
    assert_string_equal(summary, "No prior history.\n\n---\n\n**Turn Context (split turn):**\n\n"
                                 "of the turn");
    assert_int_equal(self->outcome.end, AGENT_DONE);
    // one run: the turns before and after are told in one agent_end
    assert_null(session_fixture_event(self, "agent_end", 1));
    for (size_t i = 0; i < sse_server_request_count(self->agent->server); i++) {
        g_autofree char *told = sse_server_conversation(self->agent->server, i);
        assert_null(strstr(told, "user:go tool:")); // core-55
    }
}

/* What the summary and its short form took stands before the compaction, which is the leaf. */
static void assert_usages(SessionFixture *self)
{
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_tree", NULL, &reply));
    const json_t *entries = json_get_array(reply.data, "entries");
    size_t count = json_array_size(entries);
    assert_true(count > 3);
    assert_string_equal(json_get_text(json_array_get(entries, count - 1), "type"), "compaction");
    for (size_t i = count - 3; i < count - 1; i++) {
        const json_t *entry = json_array_get(entries, i);
        const json_t *data = json_get_object(entry, "data");
        assert_string_equal(json_get_text(entry, "customType"), "kedge.usage");
        assert_string_equal(json_get_text(data, "purpose"), "compaction");
        assert_int_equal(json_get_int(json_get_object(data, "usage"), "output", 0), 5);
    }
}

/* core-57 */
static void test_manual(void **state)
{
    SessionFixture *self = *state;
    for (int i = 0; i < 4; i++)
        talk(self, "word");
    static const char todos[] = "{\"phases\":[{\"name\":\"Build\",\"tasks\":[{\"content\":\"a "
                                "pier\",\"status\":\"pending\"}]}]}";
    assert_true(session_fixture_command(self, "set_todos", todos, NULL));
    sse_server_add_text(self->agent->server, "the summary");
    sse_server_add_text(self->agent->server, "in short");
    assert_true(
        session_fixture_command(self, "compact", "{\"customInstructions\":\"the API\"}", NULL));
    assert_false(session_fixture_command(self, "compact", NULL, NULL));
    assert_string_equal(self->error->message, "Compaction already in progress");
    session_fixture_wait(self);
    const json_t *data = json_get_object(end_of(self, "compact"), "data");
    assert_string_equal(json_get_text(data, "summary"), "the summary");
    assert_non_null(json_get_text(data, "firstKeptEntryId"));
    assert_null(session_fixture_event(self, "auto_compaction_start", 0));
    g_autofree char *asked = sse_server_conversation(self->agent->server, 4);
    assert_non_null(strstr(asked, "Additional focus: the API"));
    g_autoptr(json_t) state_now = agent_session_state(self->session);
    assert_int_equal(json_array_size(json_get_array(state_now, "todoPhases")), 1); // is kept
    assert_true(session_fixture_command(self, "set_todos", "{\"phases\":[]}", NULL));

    assert_usages(self);
    json_array_clear(self->events);
    assert_true(session_fixture_command(self, "compact", NULL, NULL));
    session_fixture_wait(self);
    assert_string_equal(json_get_text(end_of(self, "compact"), "error"), "Already compacted");

    // a summary that goes on from the one before
    for (int i = 0; i < 4; i++)
        talk(self, "again");
    sse_server_add_text(self->agent->server, "another");
    sse_server_add_text(self->agent->server, "in short");
    json_array_clear(self->events);
    assert_true(session_fixture_command(self, "compact", NULL, NULL));
    session_fixture_wait(self);
    g_autofree char *updated = sse_server_conversation(self->agent->server, 10);
    assert_non_null(strstr(updated, "<previous-summary>\nthe summary\n</previous-summary>"));
    assert_non_null(strstr(updated, "[User]: word xxx")); // kept last time, gone now
}

#define OVERFLOW "This model's maximum context length is 10000 tokens"

static void test_overflow(void **state)
{
    SessionFixture *self = *state;
    for (int i = 0; i < 4; i++)
        talk(self, "word");
    sse_server_add_error(self->agent->server, 400, OVERFLOW);
    sse_server_add_text(self->agent->server, "the summary");
    sse_server_add_text(self->agent->server, "in short");
    sse_server_add_text(self->agent->server, "recovered");
    assert_true(session_fixture_prompt(self, "and now"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    const json_t *end = session_fixture_event(self, "auto_compaction_end", 0);
    assert_true(json_get_bool(end, "willRetry", false));
    g_autofree char *told = sse_server_conversation(self->agent->server, 7);
    assert_true(g_str_has_suffix(told, "user:and now"));
    assert_non_null(strstr(told, "the summary"));
    g_autofree char *answer = message_text(agent_session_last_answer(self->session));
    assert_string_equal(answer, "recovered");
}

/* What compaction cannot cure ends with the server's words, after two tries at most. */
static void test_overflow_without_cure(void **state)
{
    SessionFixture *self = *state;
    for (int i = 0; i < 4; i++)
        talk(self, "word");
    sse_server_add_error(self->agent->server, 400, OVERFLOW);
    sse_server_add_text(self->agent->server, "the summary");
    sse_server_add_text(self->agent->server, "in short");
    for (int i = 0; i < 9; i++)
        sse_server_add_error(self->agent->server, 400, OVERFLOW);
    assert_true(session_fixture_prompt(self, "and now"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    assert_true(sse_server_request_count(self->agent->server) < 4 + 9);
    const char *problem = message_error(agent_session_last_answer(self->session));
    assert_non_null(strstr(problem, OVERFLOW));
}

/* The original error stands, nothing is lost, and the next prompt may try again. */
static void test_summariser_fails(void **state)
{
    SessionFixture *self = *state;
    for (int i = 0; i < 4; i++)
        talk(self, "word");
    sse_server_add_error(self->agent->server, 400, OVERFLOW);
    sse_server_add_error(self->agent->server, 401, "who are you");
    for (int i = 0; i < 3; i++) // other models that may be asked
        sse_server_add_error(self->agent->server, 401, "who are you");
    assert_true(session_fixture_prompt(self, "and now"));
    assert_int_equal(self->outcome.end, AGENT_ERROR);
    const json_t *end = session_fixture_event(self, "auto_compaction_end", 0);
    assert_true(str_has_prefix(json_get_text(end, "errorMessage"),
                               "Context overflow recovery failed: lab/"));
    assert_null(last_of_type(self, "compaction"));
    assert_non_null(strstr(message_error(agent_session_last_answer(self->session)), OVERFLOW));
    const json_t *notice = session_fixture_event(self, "notice", 0);
    assert_non_null(strstr(json_get_text(notice, "message"),
                           "of 10000 tokens. Tried: a summary of what is old, which failed. What "
                           "helps: a new session (/new)"));
}

static SessionFixture *fixture_with(const char *settings)
{
    SessionFixture *self = session_fixture_new(settings);
    session_fixture_open(self);
    return self;
}

static const char *model_asked(SessionFixture *self, size_t index)
{
    return json_get_text(sse_server_request(self->agent->server, index), "model");
}

/* Another model takes over from a summariser that fails. */
static void test_other_summariser(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = fixture_with("{\"modelRoles\":{\"smol\":\"lab/writer\"}}");
    assert_true(session_fixture_command(self, "set_model",
                                        "{\"provider\":\"lab\",\"modelId\":\"tiny\"}", NULL));
    for (int i = 0; i < 4; i++)
        talk(self, "word");
    static const char *const answers[] = { "the summary", "in short" };
    for (size_t i = 0; i < G_N_ELEMENTS(answers); i++) {
        sse_server_add_error(self->agent->server, 401, "who are you");
        sse_server_add_text(self->agent->server, answers[i]);
    }
    assert_true(session_fixture_command(self, "compact", NULL, NULL));
    session_fixture_wait(self);
    const json_t *data = json_get_object(end_of(self, "compact"), "data");
    assert_string_equal(json_get_text(data, "summary"), "the summary");
    assert_string_equal(json_get_text(data, "shortSummary"), "in short");
    assert_string_equal(model_asked(self, 4), "tiny");
    assert_string_equal(model_asked(self, 5), "writer");
    // the conversation stays with its own
    talk(self, "next");
    assert_string_equal(model_asked(self, 8), "tiny");
    session_fixture_free(self);
}

/* Old output goes before anything is summarised, where that is enough; the newest stays. */
static void test_pruned(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = fixture_with("{\"compaction\":{\"thresholdTokens\":70000}}");
    g_autofree char *filler = g_strnfill(45000, 'x');
    for (int i = 0; i < 6; i++) {
        g_autofree char *calls = g_strdup_printf(
            "[{\"id\":\"t%d\",\"name\":\"echo\",\"arguments\":{\"text\":\"%d%s\",\"count\":%d}}]",
            i, i, filler, i == 0 ? ECHO_OF_GITHUB : 1);
        sse_server_add_calls(self->agent->server, calls);
    }
    sse_server_set_usage(self->agent->server, 80000, 10);
    sse_server_add_text(self->agent->server, "done");
    sse_server_set_usage(self->agent->server, 10, 5);
    assert_true(session_fixture_prompt(self, "go"));
    assert_null(session_fixture_event(self, "compaction_start", 0));
    sse_server_add_text(self->agent->server, "on it");
    assert_true(session_fixture_prompt(self, "on"));
    assert_int_equal(sse_server_request_count(self->agent->server), 8);
    g_autofree char *told = sse_server_conversation(self->agent->server, 7);
    assert_non_null(strstr(told, "tool:[Output truncated - 11"));
    assert_non_null(strstr(told, "GitHub: github.com/o/r pull request 9 https://github.com/o/r"));
    assert_non_null(strstr(told, "tool:5xxx"));
    assert_null(strstr(told, "tool:0xxx"));
    g_autoptr(json_t) tree = agent_session_tree(self->session, NULL);
    g_autofree char *text = json_to_text(tree);
    assert_non_null(strstr(text, "\"prunedAt\":"));
    session_fixture_free(self);
}

/* The summary is being written: somebody comes back. */
static void come_back(SessionFixture *self, const json_t *event)
{
    assert_string_equal(json_get_text(event, "reason"), "idle");
    while (sse_server_request_count(self->agent->server) < 5)
        g_usleep(1000);
    sse_server_set_usage(self->agent->server, 10, 5);
    sse_server_add_text(self->agent->server, "at once");
    g_autoptr(json_t) message = message_user("and now");
    bool is_pending = false;
    assert_true(
        agent_session_prompt(self->session, message, NULL, NULL, &is_pending, &self->error));
    assert_true(is_pending);
    loop_quit(self->loop); // who waits goes on waiting
}

static void run_to_end_of_compaction(SessionFixture *self)
{
    if (!session_fixture_event(self, "auto_compaction_end", 0))
        session_fixture_run_to(self, "auto_compaction_end");
    session_fixture_wait(self);
}

/* Nobody uses it for a while; a prompt does not wait for that. */
static void test_idle(void **state G_GNUC_UNUSED)
{
    SessionFixture *self =
        fixture_with("{\"compaction\":{\"idleEnabled\":true,\"idleTimeoutSeconds\":0,"
                     "\"idleThresholdTokens\":500,\"keepRecentTokens\":1000}}");
    for (int i = 0; i < 3; i++)
        talk(self, "word"); // not full
    self->trigger = "auto_compaction_start";
    self->act = come_back;
    sse_server_set_usage(self->agent->server, 600, 5);
    sse_server_add_text(self->agent->server, "fine");
    sse_server_add_hanging(self->agent->server, "half a summ");
    assert_true(session_fixture_prompt(self, "full"));
    while (self->trigger) // the time had not come
        loop_run(self->loop);
    run_to_end_of_compaction(self);
    const json_t *end = session_fixture_event(self, "auto_compaction_end", 0);
    assert_true(json_get_bool(end, "aborted", false));
    assert_null(last_of_type(self, "compaction"));

    sse_server_set_usage(self->agent->server, 600, 5);
    sse_server_add_text(self->agent->server, "fine");
    sse_server_set_usage(self->agent->server, 10, 5);
    sse_server_add_text(self->agent->server, "the summary");
    sse_server_add_text(self->agent->server, "in short");
    json_array_clear(self->events);
    assert_true(session_fixture_prompt(self, "more"));
    run_to_end_of_compaction(self);
    assert_non_null(last_of_type(self, "compaction"));
    assert_null(session_fixture_event(self, "auto_compaction_start", 1));
    session_fixture_free(self);
}

/* The same, for later. */
static void follow_up(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    g_autoptr(json_t) message = message_user("and then");
    assert_true(agent_session_follow_up(self->session, message, &self->error));
    loop_quit(self->loop);
}

/* What is said while nobody had asked for the compaction that is on is answered after it. */
static void test_word_while_idle(void **state G_GNUC_UNUSED)
{
    static const struct {
        int status; // of the summariser
    } cases[] = { { 200 }, { 400 } };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        SessionFixture *self =
            fixture_with("{\"compaction\":{\"idleEnabled\":true,\"idleTimeoutSeconds\":0,"
                         "\"idleThresholdTokens\":500,\"keepRecentTokens\":1000}}");
        for (int j = 0; j < 3; j++)
            talk(self, "word");
        self->trigger = "auto_compaction_start";
        self->act = follow_up;
        sse_server_set_usage(self->agent->server, 600, 5);
        sse_server_add_text(self->agent->server, "fine");
        sse_server_set_usage(self->agent->server, 10, 5);
        if (cases[i].status == 200) {
            sse_server_add_text(self->agent->server, "the summary");
            sse_server_add_text(self->agent->server, "in short");
        } else {
            sse_server_add_error(self->agent->server, cases[i].status, "no summary");
        }
        sse_server_add_text(self->agent->server, "then this");
        assert_true(session_fixture_prompt(self, "full"));
        while (self->trigger)
            loop_run(self->loop);
        run_to_end_of_compaction(self);
        g_autofree char *answer = message_text(agent_session_last_answer(self->session));
        assert_string_equal(answer, "then this");
        g_auto(CommandReply) reply = { 0 };
        assert_true(session_fixture_command(self, "get_state", NULL, &reply));
        assert_int_equal(json_get_int(reply.data, "queuedMessageCount", -1), 0);
        session_fixture_free(self);
    }
}

static void quit_loop(void *loop)
{
    loop_quit(loop);
}

/* A person's command that runs is not stopped for it: the compaction waits for its end. */
static void test_idle_waits_for_command(void **state G_GNUC_UNUSED)
{
    SessionFixture *self =
        session_fixture_new("{\"compaction\":{\"idleEnabled\":true,\"idleTimeoutSeconds\":0,"
                            "\"idleThresholdTokens\":500,\"keepRecentTokens\":1000}}");
    self->options.run_shell = session_fixture_shell;
    session_fixture_open(self);
    for (int j = 0; j < 3; j++)
        talk(self, "word");
    g_autofree char *path = g_build_filename(self->agent->root, "go-on", NULL);
    assert_true(agent_session_bash(self->session, path, false, "mine", &self->error));
    sse_server_set_usage(self->agent->server, 600, 5);
    sse_server_add_text(self->agent->server, "fine");
    sse_server_set_usage(self->agent->server, 10, 5);
    sse_server_add_text(self->agent->server, "the summary");
    sse_server_add_text(self->agent->server, "in short");
    assert_true(session_fixture_prompt(self, "full"));
    loop_add_timer(self->loop, 1, quit_loop, self->loop); // behind the one that must not be there
    loop_run(self->loop);
    assert_true(g_file_set_contents(path, "", 0, NULL));
    run_to_end_of_compaction(self);
    const json_t *end = end_of(self, "bash");
    assert_false(json_get_bool(json_get_object(end, "data"), "cancelled", true));
    assert_non_null(last_of_type(self, "compaction"));
    session_fixture_free(self);
}

static void test_stopped(void **state)
{
    SessionFixture *self = *state;
    for (int i = 0; i < 4; i++)
        talk(self, "word");
    sse_server_add_hanging(self->agent->server, "half a summ");
    assert_true(session_fixture_command(self, "compact", NULL, NULL));
    while (sse_server_request_count(self->agent->server) < 5)
        g_usleep(1000);
    assert_true(session_fixture_command(self, "abort", NULL, NULL));
    session_fixture_wait(self);
    assert_string_equal(json_get_text(end_of(self, "compact"), "error"), "Compaction cancelled");
    const json_t *end = session_fixture_event(self, "compaction_end", 0);
    assert_true(json_get_bool(end, "aborted", false));
    assert_null(last_of_type(self, "compaction"));
    talk(self, "goes on");
    g_autofree char *told = sse_server_conversation(
        self->agent->server, sse_server_request_count(self->agent->server) - 1);
    assert_true(str_has_prefix(told, "user:word xxx"));
}

static void test_switched_off(void **state)
{
    SessionFixture *self = *state;
    assert_true(session_fixture_command(self, "set_auto_compaction", "{\"enabled\":false}", NULL));
    for (int i = 0; i < 4; i++)
        talk(self, "word");
    sse_server_set_usage(self->agent->server, 9000, 10);
    talk(self, "full");
    assert_null(session_fixture_event(self, "compaction_start", 0));
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &reply));
    assert_false(json_get_bool(reply.data, "autoCompactionEnabled", true));
    assert_false(json_get_bool(reply.data, "isCompacting", true));
    // what a resumed session is over is found before its next prompt
    assert_true(session_fixture_command(self, "set_auto_compaction", "{\"enabled\":true}", NULL));
    sse_server_set_usage(self->agent->server, 10, 5);
    sse_server_add_text(self->agent->server, "the summary");
    sse_server_add_text(self->agent->server, "in short");
    talk(self, "next");
    assert_non_null(session_fixture_event(self, "compaction_end", 0));
    g_autofree char *told = sse_server_conversation(self->agent->server, 7);
    assert_true(str_has_prefix(told, "user:Another model began"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_threshold, setup, teardown),
        cmocka_unit_test_setup_teardown(test_split_turn, setup, teardown),
        cmocka_unit_test_setup_teardown(test_manual, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overflow, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overflow_without_cure, setup, teardown),
        cmocka_unit_test_setup_teardown(test_summariser_fails, setup, teardown),
        cmocka_unit_test(test_other_summariser),
        cmocka_unit_test(test_pruned),
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_word_while_idle),
        cmocka_unit_test(test_idle_waits_for_command),
        cmocka_unit_test_setup_teardown(test_stopped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_switched_off, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
