/*
 * The conversation object: commands from the owner's loop, aborts in every state, changes between
 * turns, subscribers of different detail and pace, questions, the end.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "model/message.h"
#include "session_fixture.h"

static int setup(void **state)
{
    *state = session_fixture_new(NULL);
    session_fixture_open(*state);
    return 0;
}

static int teardown(void **state)
{
    session_fixture_free(*state);
    return 0;
}

static void assert_conversation(SessionFixture *self, size_t request, const char *want)
{
    g_autofree char *got = sse_server_conversation(self->agent->server, request);
    assert_string_equal(got, want);
}

#define CALL(name) "[{\"id\":\"t1\",\"name\":\"" name "\",\"arguments\":{\"text\":\"x\"}}]"

#define CALL_PLAIN(name) "[{\"id\":\"t1\",\"name\":\"" name "\",\"arguments\":{}}]"

static void test_prompt(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_calls(self->agent->server, CALL("echo"));
    sse_server_add_text(self->agent->server, "all done");
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "prompt", "{\"message\":\"go\"}", &reply));
    assert_true(reply.is_pending);
    assert_false(agent_session_is_idle(self->session));
    assert_int_equal(json_array_size(self->events), 0); // told by the loop only
    session_fixture_wait(self);
    assert_int_equal(self->outcome.end, AGENT_DONE);
    assert_true(agent_session_is_idle(self->session));

    const json_t *first = json_array_get(self->events, 0);
    assert_string_equal(json_get_text(first, "type"), "agent_start");
    const json_t *last = json_array_get(self->events, json_array_size(self->events) - 1);
    assert_string_equal(json_get_text(last, "type"), "command_end");
    assert_string_equal(json_get_text(last, "id"), "prompt");
    assert_true(json_get_bool(last, "success", false));
    assert_string_equal(json_get_text(json_get_object(last, "data"), "end"), "done");
    g_autofree char *answer = message_text(agent_session_last_answer(self->session));
    assert_string_equal(answer, "all done");
    g_autoptr(json_t) messages = agent_session_messages(self->session);
    assert_int_equal(json_array_size(messages), 4);
}

static void test_table(void **state)
{
    SessionFixture *self = *state;
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "explode", NULL, "Unknown command: explode" },
        { "prompt", "{}", "prompt: \"message\" must be a string" },
        { "set_model", "{\"provider\":\"lab\",\"modelId\":\"no\"}", "Model not found: lab/no" },
        { "set_tools", "{\"names\":[\"zap\"]}", "there is no tool \"zap\"" },
        { "answer", "{\"questionId\":\"q9\",\"approved\":true}",
          "no question \"q9\" is open: it was answered, or its call has ended" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_false(session_fixture_command(self, cases[i].name, cases[i].arguments, NULL));
        assert_string_equal(self->error->message, cases[i].want);
    }
    for (const SessionCommand *command = session_commands(); command->name; command++) {
        assert_non_null(command->help);
        assert_ptr_equal(session_command_find(self->session, command->name), command);
    }
}

static void test_state(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_text(self->agent->server, "fine");
    assert_true(session_fixture_prompt(self, "go"));
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &reply));
    assert_string_equal(json_get_text(json_get_object(reply.data, "model"), "id"), "coder");
    assert_false(json_get_bool(reply.data, "isStreaming", true));
    assert_true(json_get_bool(reply.data, "canAsk", false));
    assert_int_equal(json_get_int(reply.data, "messageCount", 0), 2);
    assert_string_equal(json_get_text(reply.data, "steeringMode"), "one-at-a-time");
    assert_true(file_exists(json_get_text(reply.data, "sessionFile")));
    g_auto(CommandReply) text = { 0 };
    assert_true(session_fixture_command(self, "get_last_assistant_text", NULL, &text));
    assert_string_equal(json_get_text(text.data, "text"), "fine");
}

static void prompt_again(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    assert_false(session_fixture_command(self, "prompt", "{\"message\":\"me too\"}", NULL));
    assert_true(str_has_prefix(self->error->message, "Agent is already processing."));
    g_auto(CommandReply) points = { 0 };
    assert_true(session_fixture_command(self, "get_branch_messages", NULL, &points));
    assert_int_equal(json_array_size(json_get_array(points.data, "messages")), 1);
    assert_true(session_fixture_command(
        self, "prompt", "{\"message\":\"stop\",\"streamingBehavior\":\"steer\"}", NULL));
    assert_true(session_fixture_command(self, "follow_up", "{\"message\":\"later\"}", NULL));
    g_clear_error(&self->error);
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &reply));
    assert_true(json_get_bool(reply.data, "isStreaming", false));
    assert_int_equal(json_get_int(reply.data, "queuedMessageCount", 0), 2);
}

static void test_queues(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_calls(self->agent->server, CALL_PLAIN("firm"));
    for (int i = 0; i < 3; i++)
        sse_server_add_text(self->agent->server, "a");
    self->trigger = "tool_execution_start";
    self->act = prompt_again;
    assert_true(session_fixture_prompt(self, "go"));
    assert_conversation(self, 2,
                        "user:go assistant:[calls] tool:done user:stop assistant:a user:later");
    const json_t *update = session_fixture_event(self, "queue_update", 1);
    assert_string_equal(json_string_value(json_array_get(json_get_array(update, "steering"), 0)),
                        "stop");
    assert_int_equal(json_array_size(json_get_array(update, "followUp")), 1);

    // to an answer that is complete a follow-up is a prompt
    assert_true(session_fixture_command(self, "follow_up", "{\"message\":\"and\"}", NULL));
    session_fixture_wait(self);
    assert_int_equal(sse_server_request_count(self->agent->server), 4);
}

/* What a person takes back is not sent, and all who listen hear of it. Nothing runs, so that no run
   is faster. */
static void test_take_back(void **state)
{
    SessionFixture *self = *state;
    g_autoptr(json_t) first = message_user("first"), second = message_user("second");
    assert_true(agent_session_steer(self->session, first, NULL));
    assert_true(agent_session_steer(self->session, second, NULL));
    g_autoptr(json_t) taken = agent_session_take_back(self->session);
    assert_int_equal(json_array_size(taken), 2);
    g_autofree char *text = message_text(json_array_get(taken, 1));
    assert_string_equal(text, "second");
    sse_server_add_text(self->agent->server, "a");
    assert_true(session_fixture_prompt(self, "go"));
    g_autofree char *told = sse_server_conversation(self->agent->server, 0);
    assert_null(strstr(told, "first"));
    const json_t *update = session_fixture_event(self, "queue_update", 2);
    assert_int_equal(json_array_size(json_get_array(update, "steering")), 0);
}

static void follow_up_late(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    assert_true(session_fixture_command(self, "follow_up", "{\"message\":\"late \"}", NULL));
    assert_true(session_fixture_command(
        self, "prompt", "{\"message\":\"later\",\"streamingBehavior\":\"steer\"}", NULL));
}

/* What comes when the run has looked into its queues for the last time is not left lying. */
static void test_late_messages(void **state)
{
    SessionFixture *self = *state;
    for (int i = 0; i < 3; i++)
        sse_server_add_text(self->agent->server, "a");
    self->trigger = "agent_end";
    self->act = follow_up_late;
    assert_true(session_fixture_prompt(self, "go"));
    size_t last = sse_server_request_count(self->agent->server) - 1; // in one request or in two
    g_autofree char *told = sse_server_conversation(self->agent->server, last);
    assert_non_null(strstr(told, "user:late "));
    assert_non_null(strstr(told, "user:later"));
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &reply));
    assert_int_equal(json_get_int(reply.data, "queuedMessageCount", -1), 0);
}

// ---- aborts ----

static void abort_now(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "abort", NULL, &reply));
    assert_true(reply.is_pending);
}

static void test_abort(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *trigger, *text, *calls;
        int status;
    } cases[] = {
        { "streaming", "message_update", "half an ans", NULL, 0 },
        { "a tool runs", "tool_execution_start", NULL, CALL_PLAIN("hang"), 0 },
        { "waiting to try again", "auto_retry_start", NULL, NULL, 503 },
        { "a question is open", "question", NULL, CALL("risky"), 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        SessionFixture *self = session_fixture_new("{\"retry\":{\"baseDelayMs\":60000}}");
        session_fixture_open(self);
        if (cases[i].text)
            sse_server_add_hanging(self->agent->server, cases[i].text);
        else if (cases[i].calls)
            sse_server_add_calls(self->agent->server, cases[i].calls);
        else
            sse_server_add_error(self->agent->server, cases[i].status, "overloaded");
        self->trigger = cases[i].trigger;
        self->act = abort_now;
        assert_true(session_fixture_prompt(self, "go"));
        if (self->outcome.end != AGENT_ABORTED)
            fail_msg("%s: the run ended with %d", cases[i].name, self->outcome.end);
        const json_t *end = session_fixture_event(self, "command_end", 1);
        assert_string_equal(json_get_text(end, "command"), "abort");

        sse_server_add_text(self->agent->server, "fine");
        assert_true(session_fixture_prompt(self, "again"));
        assert_int_equal(self->outcome.end, AGENT_DONE);
        session_fixture_free(self);
    }
}

static void test_abort_when_idle(void **state)
{
    SessionFixture *self = *state;
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "abort", NULL, &reply));
    assert_false(reply.is_pending);
    session_fixture_wait(self);
    assert_int_equal(json_array_size(self->events), 0);
}

// ---- changes between turns ----

static void change_setup(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    assert_true(session_fixture_command(self, "set_model",
                                        "{\"provider\":\"lab\",\"modelId\":\"writer\"}", NULL));
    assert_true(session_fixture_command(self, "set_tools", "{\"names\":[\"echo\"]}", NULL));
}

static void test_setup_changes_between_turns(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_calls(self->agent->server, CALL_PLAIN("firm"));
    sse_server_add_text(self->agent->server, "done");
    self->trigger = "tool_execution_start";
    self->act = change_setup;
    assert_true(session_fixture_prompt(self, "go"));
    const json_t *first = sse_server_request(self->agent->server, 0);
    const json_t *second = sse_server_request(self->agent->server, 1);
    assert_string_equal(json_get_text(first, "model"), "coder");
    assert_string_equal(json_get_text(second, "model"), "writer");
    assert_int_equal(json_array_size(json_get_array(second, "tools")), 1);

    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &reply));
    g_autofree char *text = NULL;
    assert_true(file_read(json_get_text(reply.data, "sessionFile"), 1000000, &text, NULL, NULL));
    assert_non_null(strstr(text, "\"model\":\"lab/coder\",\"role\":\"default\""));
    assert_non_null(strstr(text, "\"model\":\"lab/writer\",\"role\":\"default\""));
}

// ---- subscribers ----

typedef struct Listener {
    GString *text; // deltas added up
    char *whole;   // of the last update that carried the message
    unsigned updates, events;
    bool is_exact; // every length fitted
} Listener;

static void on_listener_event(json_t *event, void *user_data)
{
    Listener *self = user_data;
    self->events++;
    if (!g_str_equal(json_get_text(event, "type"), "message_update"))
        return;
    self->updates++;
    const char *delta = json_get_text(json_get_object(event, "assistantMessageEvent"), "delta");
    g_string_append(self->text, delta ? delta : "");
    self->is_exact = self->is_exact && json_get_int(event, "length", -1) == (gint64)self->text->len;
    const json_t *message = json_get_object(event, "message");
    if (message) {
        g_free(self->whole);
        self->whole = message_text(message);
    }
}

static Subscription *listen_with(SessionFixture *self, Listener *listener, EventDetail detail)
{
    *listener = (Listener) { .text = g_string_new(NULL), .is_exact = true };
    return agent_session_subscribe(
        self->session, &(SubscriberSpec) { detail, false, on_listener_event, listener });
}

static void listener_clear(Listener *self)
{
    g_string_free(self->text, TRUE);
    g_free(self->whole);
}

static void test_details(void **state)
{
    SessionFixture *self = *state;
    Listener none, deltas, whole;
    listen_with(self, &none, DETAIL_NONE);
    listen_with(self, &deltas, DETAIL_DELTAS);
    listen_with(self, &whole, DETAIL_WHOLE);
    sse_server_add_text(self->agent->server, "all done");
    assert_true(session_fixture_prompt(self, "go"));
    assert_int_equal(none.updates, 0);
    assert_int_equal(none.events, 8); // as many as there are without updates
    assert_string_equal(deltas.text->str, "all done");
    assert_true(deltas.is_exact);
    assert_null(deltas.whole);
    assert_string_equal(whole.whole, "all done");
    assert_string_equal(whole.text->str, "all done");
    listener_clear(&none);
    listener_clear(&deltas);
    listener_clear(&whole);
}

static void test_slow_subscriber(void **state)
{
    SessionFixture *self = *state;
    Listener slow;
    Subscription *subscription = listen_with(self, &slow, DETAIL_DELTAS);
    EventHub *hub = agent_session_events(self->session);
    event_hub_hold(hub, subscription);
    sse_server_add_text(self->agent->server, "all done");
    assert_true(session_fixture_prompt(self, "go")); // it holds nothing up
    assert_int_equal(slow.events, 0);
    event_hub_release(hub, subscription);
    session_fixture_wait(self);
    assert_int_equal(slow.updates, 3); // start, all of the text in one delta, end
    assert_string_equal(slow.text->str, "all done");
    assert_true(slow.is_exact);
    listener_clear(&slow);
}

// ---- questions ----

static void answer_yes(SessionFixture *self, const json_t *event)
{
    g_autofree char *arguments =
        g_strdup_printf("{\"questionId\":\"%s\",\"approved\":true}", json_get_text(event, "id"));
    assert_true(session_fixture_command(self, "answer", arguments, NULL));
    assert_false(session_fixture_command(self, "answer", arguments, NULL)); // once is enough
    assert_true(error_is(self->error, KEDGE_ERROR_NOT_FOUND));
    g_clear_error(&self->error);
}

static void answer_no(SessionFixture *self, const json_t *event)
{
    assert_string_equal(json_get_text(event, "tool"), "risky");
    assert_string_equal(json_get_text(event, "effect"), "destructive");
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &reply));
    assert_int_equal(json_array_size(json_get_array(reply.data, "questions")), 1);
    g_autofree char *arguments =
        g_strdup_printf("{\"questionId\":\"%s\",\"approved\":false}", json_get_text(event, "id"));
    assert_true(session_fixture_command(self, "answer", arguments, NULL));
}

static void test_questions(void **state G_GNUC_UNUSED)
{
    static const struct {
        void (*act)(SessionFixture *self, const json_t *event);
        bool can_ask, runs;
    } cases[] = {
        { answer_yes, true, true },
        { answer_no, true, false },
        { answer_no, false, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        SessionFixture *self = session_fixture_new(NULL);
        self->options.can_ask = cases[i].can_ask;
        session_fixture_open(self);
        sse_server_add_calls(self->agent->server, CALL("risky"));
        sse_server_add_text(self->agent->server, "done");
        self->trigger = "question";
        self->act = cases[i].act;
        assert_true(session_fixture_prompt(self, "go"));
        assert_int_equal(self->outcome.end, AGENT_DONE);
        assert_int_equal(agent_fixture_has_run(self->agent, "x/0"), cases[i].runs);
        const json_t *end = session_fixture_event(self, "tool_execution_end", 0);
        assert_int_equal(json_get_bool(end, "isError", false), !cases[i].runs);
        const json_t *closed = session_fixture_event(self, "question_closed", 0);
        assert_int_equal(closed != NULL, cases[i].can_ask);
        if (closed)
            assert_string_equal(json_get_text(closed, "reason"), "answered");
        session_fixture_free(self);
    }
}

// ---- other session files ----

static void test_sessions(void **state)
{
    SessionFixture *self = *state;
    for (int i = 0; i < 6; i++)
        sse_server_add_text(self->agent->server, "a");
    assert_true(session_fixture_prompt(self, "one"));
    assert_true(session_fixture_prompt(self, "two"));
    g_auto(CommandReply) before = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &before));
    const char *first_file = json_get_text(before.data, "sessionFile");

    g_auto(CommandReply) points = { 0 };
    assert_true(session_fixture_command(self, "get_branch_messages", NULL, &points));
    const json_t *list = json_get_array(points.data, "messages");
    assert_int_equal(json_array_size(list), 2);
    const json_t *second = json_array_get(list, 1);
    assert_string_equal(json_get_text(second, "text"), "two");
    g_autofree char *branch =
        g_strdup_printf("{\"entryId\":\"%s\"}", json_get_text(second, "entryId"));
    assert_true(session_fixture_command(self, "branch", branch, NULL));
    session_fixture_wait(self);
    const json_t *end = session_fixture_event(self, "command_end", 2);
    assert_string_equal(json_get_text(json_get_object(end, "data"), "text"), "two");
    assert_true(session_fixture_prompt(self, "other"));
    assert_conversation(self, 2, "user:one assistant:a user:other");

    assert_true(session_fixture_command(self, "fork", NULL, NULL));
    session_fixture_wait(self);
    assert_true(session_fixture_prompt(self, "copy"));
    assert_conversation(self, 3, "user:one assistant:a user:other assistant:a user:copy");

    // commands go in order: the prompt belongs to the new session
    assert_true(session_fixture_command(self, "new_session", NULL, NULL));
    assert_true(session_fixture_prompt(self, "fresh"));
    assert_conversation(self, 4, "user:fresh");

    g_autofree char *file = g_strdup_printf("{\"sessionPath\":\"%s\"}", first_file);
    assert_true(session_fixture_command(self, "switch_session", file, NULL));
    session_fixture_wait(self);
    g_auto(CommandReply) after = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &after));
    assert_string_equal(json_get_text(after.data, "sessionFile"), first_file);
    assert_int_equal(json_get_int(after.data, "messageCount", 0), 4);

    assert_true(session_fixture_command(self, "branch", "{\"entryId\":\"nope\"}", NULL));
    session_fixture_wait(self);
    size_t count = json_array_size(self->events);
    const json_t *failed = json_array_get(self->events, count - 1);
    assert_false(json_get_bool(failed, "success", true));
    assert_string_equal(json_get_text(failed, "error"), "Invalid entry ID for branching: nope");
}

static void start_new(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    assert_true(session_fixture_command(self, "new_session", NULL, NULL));
}

static void test_new_session_ends_the_run(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_hanging(self->agent->server, "half");
    self->trigger = "message_update";
    self->act = start_new;
    assert_true(session_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_ABORTED);
    g_autoptr(json_t) messages = agent_session_messages(self->session);
    assert_int_equal(json_array_size(messages), 0);
}

// ---- the end ----

static void test_free_while_running(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *trigger, *text, *calls;
    } cases[] = {
        { "message_update", "half an ans", NULL },
        { "tool_execution_start", NULL, CALL_PLAIN("hang") },
        { "question", NULL, CALL("risky") },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        SessionFixture *self = session_fixture_new(NULL);
        session_fixture_open(self);
        if (cases[i].text)
            sse_server_add_hanging(self->agent->server, cases[i].text);
        else
            sse_server_add_calls(self->agent->server, cases[i].calls);
        assert_true(session_fixture_command(self, "prompt", "{\"message\":\"go\"}", NULL));
        assert_true(session_fixture_command(self, "fork", NULL, NULL)); // never begun
        assert_true(session_fixture_command(self, "prompt", "{\"message\":\"more\"}", NULL));
        session_fixture_free(self);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        SessionFixture *self = session_fixture_new(NULL);
        session_fixture_open(self);
        if (cases[i].text)
            sse_server_add_hanging(self->agent->server, cases[i].text);
        else
            sse_server_add_calls(self->agent->server, cases[i].calls);
        assert_true(session_fixture_command(self, "prompt", "{\"message\":\"go\"}", NULL));
        session_fixture_run_to(self, cases[i].trigger);
        session_fixture_free(self);
    }
}

static void test_scope(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_hanging(self->agent->server, "half");
    assert_true(session_fixture_command(self, "prompt", "{\"message\":\"go\"}", NULL));
    session_fixture_run_to(self, "message_update");
    cancel_fire(self->agent->cancel);
    session_fixture_wait(self);
    assert_int_equal(self->outcome.end, AGENT_ABORTED);
}

static AgentSession *open_child(SessionFixture *self)
{
    const AgentSessionOptions options = {
        .parent = self->session,
        .session = session_new(NULL, self->agent->root),
        .place = self->options.place,
        .all_tools = self->options.all_tools,
        .model = self->options.model,
    };
    return agent_session_new(&options, NULL);
}

static void test_children(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    self->options.max_cost = 1.0005; // US dollars; one answer of the child costs 0.001
    session_fixture_open(self);
    AgentSession *child = open_child(self);
    sse_server_set_usage(self->agent->server, 10100, 5);
    sse_server_add_text(self->agent->server, "a child's");
    g_autoptr(json_t) message = message_user("do it");
    bool is_pending = false;
    g_auto(AgentOutcome) outcome = { 0 };
    assert_true(agent_session_prompt(child, message, NULL, NULL, &is_pending, NULL));
    assert_true(agent_session_wait(child, &outcome, NULL));
    g_autofree char *answer = message_text(agent_session_last_answer(child));
    assert_string_equal(answer, "a child's");
    assert_int_equal(json_array_size(self->events), 0); // it is a conversation of its own

    // what the child has spent, the parent has spent
    assert_true(session_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_BUDGET);
    session_fixture_free(self); // and the child with it
}

static void test_no_credential(void **state)
{
    SessionFixture *self = *state;
    g_unsetenv("OPENAI_API_KEY");
    g_unsetenv("ANTHROPIC_API_KEY");
    g_unsetenv("ANTHROPIC_OAUTH_TOKEN");
    assert_false(session_fixture_command(
        self, "set_model", "{\"provider\":\"anthropic\",\"modelId\":\"claude-sonnet-4-5\"}", NULL));
    assert_true(str_has_prefix(self->error->message, "No API key found for anthropic"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_prompt, setup, teardown),
        cmocka_unit_test_setup_teardown(test_table, setup, teardown),
        cmocka_unit_test_setup_teardown(test_state, setup, teardown),
        cmocka_unit_test_setup_teardown(test_queues, setup, teardown),
        cmocka_unit_test_setup_teardown(test_take_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_late_messages, setup, teardown),
        cmocka_unit_test(test_abort),
        cmocka_unit_test_setup_teardown(test_abort_when_idle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_setup_changes_between_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_details, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slow_subscriber, setup, teardown),
        cmocka_unit_test(test_questions),
        cmocka_unit_test_setup_teardown(test_sessions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_new_session_ends_the_run, setup, teardown),
        cmocka_unit_test(test_free_while_running),
        cmocka_unit_test_setup_teardown(test_scope, setup, teardown),
        cmocka_unit_test(test_children),
        cmocka_unit_test_setup_teardown(test_no_credential, setup, teardown),
    };
    return cmocka_run_group_tests_name("agent-session", tests, NULL, NULL);
}
