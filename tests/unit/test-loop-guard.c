/*
 * When a model goes round in circles (safety §9.1), and when it does not.
 */
#include "unit.h"

#include "agent/loop_guard.h"
#include "session_fixture.h"

/* `calls`: a word for each call, "tool/argument/result", an error with a `!` before the result. */
static LoopGuard *play(const char *calls, char **ret_note)
{
    LoopGuard *guard = loop_guard_new();
    g_auto(GStrv) words = g_strsplit(calls, " ", -1);
    *ret_note = NULL;
    for (size_t i = 0; words[i]; i++) {
        g_auto(GStrv) parts = g_strsplit(words[i], "/", 3);
        g_autoptr(json_t) arguments = json_pack("{s:s}", "op", parts[1]);
        bool is_error = parts[2][0] == '!';
        g_free(*ret_note);
        loop_guard_next_answer(guard);
        *ret_note = loop_guard_see(guard, parts[0], arguments, parts[2], is_error);
    }
    return guard;
}

static void test_table(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *calls, *note, *stop;
    } cases[] = {
        { "once", "a/x/r", NULL, NULL },
        { "twice", "a/x/r a/x/r", "as 1 time before", NULL },
        { "three times", "a/x/r a/x/r a/x/r", "as 2 times before", NULL },
        { "four times", "a/x/r a/x/r a/x/r a/x/r", "as 3 times before", "call of a had the same" },
        { "numbers aside", "a/x/pid:41 a/x/pid:42 a/x/pid:43 a/x/pid:44", "before",
          "call of a had the same" },
        { "times aside", "a/x/at:12:01 a/x/at:12:02:03 a/x/at:12:03 a/x/at:12:04", "before",
          "call of a had the same" },
        { "durations aside", "a/x/0.5s a/x/12s a/x/3.25s a/x/1s", "before",
          "call of a had the same" },
        { "other durations aside", "a/x/5ms,1min a/x/17ms,2min a/x/1.5ms,3min a/x/9ms,4min",
          "before", "call of a had the same" },
        { "shares aside", "a/x/10% a/x/20% a/x/99.5% a/x/100%", "before",
          "call of a had the same" },
        { "addresses aside", "a/x/0x7fA1 a/x/0x7fb2 a/x/0x1 a/x/0x22", "before",
          "call of a had the same" },
        { "process ids aside", "a/x/PID=4 a/x/PID=51 a/x/PID=6 a/x/PID=7", "before",
          "call of a had the same" },
        { "polling", "a/x/3-of-9 a/x/4-of-9 a/x/5-of-9 a/x/6-of-9", NULL, NULL },
        { "versions", "a/x/v1.2 a/x/v1.3 a/x/v1.4 a/x/v1.5", NULL, NULL },
        { "names with numbers", "a/x/f1sh a/x/f2sh a/x/f3sh a/x/f4sh", NULL, NULL },
        { "lines of a file", "a/x/a.c:10:x a/x/a.c:11:x a/x/a.c:12:x a/x/a.c:13:x", NULL, NULL },
        { "other units", "a/x/1GiB a/x/2GiB a/x/3steps a/x/4steps", NULL, NULL },
        { "something between", "a/x/r b/y/s a/x/r", NULL, NULL },
        { "another result", "a/x/r a/x/s", NULL, NULL },
        { "another argument", "a/x/r a/y/r", NULL, NULL },
        { "two in turn", "a/x/r b/y/s a/x/r b/y/s a/x/r b/y/s a/x/r b/y/s", NULL,
          "the same 2 calls" },
        { "two in turn, three times", "a/x/r b/y/s a/x/r b/y/s a/x/r b/y/s", NULL, NULL },
        { "tests after edits", "a/x/r e/1/k a/x/s e/2/k a/x/r e/3/k a/x/s e/4/k a/x/r", NULL,
          NULL },
        { "errors", "a/1/!no a/2/!no a/3/!no a/4/!no a/5/!no", "a has failed", NULL },
        { "more errors", "a/1/!no a/2/!no a/3/!no a/4/!no a/5/!no a/6/!no a/7/!no a/8/!no",
          "a has failed", "a failed 8 times" },
        { "different errors", "a/1/!no a/2/!never a/3/!no a/4/!never a/5/!no", NULL, NULL },
        { "waiting", "github/run_watch/r github/run_watch/r github/run_watch/r github/run_watch/r",
          NULL, NULL },
        { "waiting for nothing",
          "zap/run_watch/!no zap/run_watch/!no zap/run_watch/!no zap/run_watch/!no", "before",
          "call of zap had the same" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *note = NULL;
        g_autoptr(LoopGuard) guard = play(cases[i].calls, &note);
        const char *stop = loop_guard_stop_text(guard);
        if (!note != !cases[i].note || (note && !strstr(note, cases[i].note)))
            fail_msg("%s: note %s", cases[i].name, note);
        if (!stop != !cases[i].stop || (stop && !strstr(stop, cases[i].stop)))
            fail_msg("%s: stop %s", cases[i].name, stop);
    }
}

/* Two kinds of failures by turns, or as many as one likes: no row of one reason, and yet no end. */
static void test_failures_by_turns(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        int reasons, success_at; // so many reasons; this answer's call is well
        bool is_loop;
    } cases[] = {
        { "two kinds", 2, -1, true },
        { "always another one", 100, -1, true },
        { "one success", 2, 12, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(LoopGuard) guard = loop_guard_new();
        for (int k = 0; k < 24; k++) {
            g_autofree char *tool = g_strdup_printf("tool%c", 'a' + k % 2);
            g_autofree char *reason = g_strdup_printf("no %d", k % cases[i].reasons);
            g_autoptr(json_t) arguments = json_pack("{s:i}", "n", k);
            loop_guard_next_answer(guard);
            assert_null(loop_guard_stop_text(guard));
            g_free(loop_guard_see(guard, tool, arguments, reason, k != cases[i].success_at));
        }
        if (!loop_guard_stop_text(guard) == cases[i].is_loop)
            fail_msg("%s: stop %s", cases[i].name, loop_guard_stop_text(guard));
    }
}

/* Names that a program makes up are the same name; those in the rest of the line are not. */
static void test_temp_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *texts[4];
        bool is_loop;
    } cases[] = {
        { "temp names",
          { "see /tmp/tmp.aB3x/log", "see /tmp/tmp.Zy9q/log", "see /tmp/tmp.q2/log",
            "see /tmp/tmp.77/log" },
          true },
        { "behind a temp name",
          { "/tmp/a: 1 left", "/tmp/a: 2 left", "/tmp/a: 3 left", "/tmp/a: 4 left" },
          false },
        { "seconds with a blank", { "took 1 s", "took 2 s", "took 3 s", "took 4 s" }, true },
        { "a count", { "1 skipped", "2 skipped", "3 skipped", "4 skipped" }, false },
        { "process ids", { "pid 1 ran", "pid 2 ran", "pid 3 ran", "pid 4 ran" }, true },
        { "rapid", { "rapid 1", "rapid 2", "rapid 3", "rapid 4" }, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(LoopGuard) guard = loop_guard_new();
        for (size_t k = 0; k < G_N_ELEMENTS(cases[i].texts); k++) {
            loop_guard_next_answer(guard);
            g_free(loop_guard_see(guard, "a", NULL, cases[i].texts[k], false));
        }
        if (!loop_guard_stop_text(guard) == cases[i].is_loop)
            fail_msg("%s: stop %s", cases[i].name, loop_guard_stop_text(guard));
    }
}

/* What fails beside each other in one answer has been seen by no model yet. */
static void test_errors_of_one_answer(void **state G_GNUC_UNUSED)
{
    g_autoptr(LoopGuard) guard = loop_guard_new();
    for (int answer = 0; answer < 8; answer++) {
        assert_null(loop_guard_stop_text(guard));
        loop_guard_next_answer(guard);
        for (int i = 0; i < 9; i++) {
            g_autoptr(json_t) arguments = json_pack("{s:i}", "n", answer * 10 + i);
            g_free(loop_guard_see(guard, "a", arguments, "no such file", true));
        }
    }
    assert_non_null(strstr(loop_guard_stop_text(guard), "a failed 8 times in a row"));

    // a search that finds nothing fails and says nothing: that is no reason
    static const char *const silent[] = { "", " \n", "(no output)\n\nCommand exited with code 1" };
    for (size_t k = 0; k < G_N_ELEMENTS(silent); k++) {
        g_autoptr(LoopGuard) other = loop_guard_new();
        for (int i = 0; i < 9; i++) {
            g_autoptr(json_t) arguments = json_pack("{s:i}", "n", i);
            loop_guard_next_answer(other);
            assert_null(loop_guard_see(other, "a", arguments, silent[k], true));
        }
        assert_null(loop_guard_stop_text(other));
    }
}

/* Whatever else the arguments are, what is wrong with them is the same. */
static void test_bad_arguments(void **state G_GNUC_UNUSED)
{
    g_autoptr(LoopGuard) guard = loop_guard_new();
    for (int i = 0; i < 8; i++) {
        assert_null(loop_guard_stop_text(guard));
        g_autoptr(json_t) arguments = json_pack("{s:i}", "n", i);
        g_autofree char *text = g_strdup_printf(
            "Validation failed for tool \"a\":\n- path: missing\nReceived arguments:\nn %d", i * 7);
        loop_guard_next_answer(guard);
        g_free(loop_guard_see(guard, "a", arguments, text, true));
    }
    assert_non_null(loop_guard_stop_text(guard));
}

static void test_many_of_one(void **state G_GNUC_UNUSED)
{
    g_autoptr(LoopGuard) guard = loop_guard_new();
    for (int i = 0; i < 21; i++) {
        assert_null(loop_guard_stop_text(guard));
        loop_guard_next_answer(guard);
        g_autofree char *text = g_strnfill((gsize)i + 1, 'x'); // another result each time
        g_autofree char *note = loop_guard_see(guard, "a", NULL, text, false);
        assert_null(note);
    }
    assert_non_null(loop_guard_stop_text(guard));

    g_autoptr(LoopGuard) once = loop_guard_new();
    for (int i = 0; i < 10; i++)
        assert_null(loop_guard_see(once, "a", NULL, "r", false)); // all in one answer
    assert_null(loop_guard_stop_text(once));
}

static char *refuse(LoopGuard *guard, const char *verb, const char *target, const char *repo)
{
    g_auto(Judgement) judgement = { 0 };
    judgement_add_action(&judgement, verb, target, NULL, repo);
    return loop_guard_see_refusal(guard, judgement.actions);
}

static bool was_refused(LoopGuard *guard, const char *verb, const char *target, const char *repo)
{
    g_auto(Judgement) judgement = { 0 };
    judgement_add_action(&judgement, "other", "x", NULL, NULL);
    judgement_add_action(&judgement, verb, target, NULL, repo);
    g_autofree char *earlier = NULL;
    Likeness likeness = loop_guard_was_refused(guard, judgement.actions, &earlier);
    assert_int_equal(earlier != NULL, likeness == LIKENESS_POSSIBLE);
    return likeness == LIKENESS_SAME;
}

static void assert_may_be(LoopGuard *guard, const char *target, const char *want)
{
    g_auto(Judgement) judgement = { 0 };
    judgement_add_action(&judgement, "push", target, NULL, NULL);
    g_autofree char *earlier = NULL;
    assert_int_equal(loop_guard_was_refused(guard, judgement.actions, &earlier), LIKENESS_POSSIBLE);
    assert_string_equal(earlier, want);
}

/* Where one of them names no branch it is not sure: a person can say, and no try is counted. */
static void test_refused_unnamed(void **state G_GNUC_UNUSED)
{
    g_autoptr(LoopGuard) guard = loop_guard_new();
    loop_guard_next_answer(guard);
    assert_null(refuse(guard, "push", "main", NULL));
    assert_false(was_refused(guard, "push", NULL, NULL));
    loop_guard_next_answer(guard);
    assert_may_be(guard, NULL, "push main");
    assert_null(refuse(guard, "push", NULL, NULL));
    assert_may_be(guard, NULL, "push main"); // beside it, in the same answer
    loop_guard_next_answer(guard);
    assert_may_be(guard, NULL, "push");
    assert_may_be(guard, "topic", "push");
    assert_true(was_refused(guard, "push", "main", NULL));
    assert_null(loop_guard_stop_text(guard));
}

/* What was refused in an earlier answer is known in another spelling, and the third time is the
   last; what is refused twice in one answer was not tried again (L03). */
static void test_refused(void **state G_GNUC_UNUSED)
{
    g_autoptr(LoopGuard) guard = loop_guard_new();
    loop_guard_next_answer(guard);
    assert_false(was_refused(guard, "push", "main", NULL));
    assert_null(refuse(guard, "push", "main", "o/r"));
    assert_false(was_refused(guard, "push", "main", NULL));
    assert_null(refuse(guard, "push", "main", NULL));

    loop_guard_next_answer(guard);
    assert_true(was_refused(guard, "push", "main", NULL));
    assert_false(was_refused(guard, "push", "topic", NULL));
    assert_false(was_refused(guard, "push", "main", "o/other"));
    assert_false(was_refused(guard, "pr merge", "main", NULL));
    g_autofree char *second = refuse(guard, "push", "main", NULL);
    assert_non_null(strstr(second, "The refusal of this is final: push main."));
    assert_null(loop_guard_stop_text(guard));

    loop_guard_next_answer(guard);
    g_autofree char *third = refuse(guard, "push", "main", "o/r");
    assert_non_null(strstr(third, "final"));
    assert_string_equal(loop_guard_stop_text(guard),
                        "Stopped: push main in o/r was refused, and tried again 2 times");

    loop_guard_reset(guard); // somebody has said something
    loop_guard_next_answer(guard);
    assert_false(was_refused(guard, "push", "main", NULL));
    for (int i = 0; i < 100; i++) { // what is remembered is bounded
        g_autofree char *target = g_strdup_printf("b%d", i);
        assert_null(refuse(guard, "push", target, NULL));
    }
    loop_guard_next_answer(guard);
    assert_true(was_refused(guard, "push", "b99", NULL));
    assert_false(was_refused(guard, "push", "b0", NULL));
}

#define ONE_CALL "[{\"id\":\"t\",\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}]"

static void answer(SessionFixture *self, const json_t *event, bool is_approved)
{
    assert_string_equal(json_get_text(event, "tool"), "loop");
    assert_string_equal(json_get_text(event, "effect"), "unknown"); // no client says yes unseen
    assert_non_null(strstr(json_get_text(event, "text"), "the same call of echo"));
    g_autofree char *arguments =
        g_strdup_printf("{\"questionId\":\"%s\",\"approved\":%s}", json_get_text(event, "id"),
                        is_approved ? "true" : "false");
    assert_true(session_fixture_command(self, "answer", arguments, NULL));
}

static void say_yes(SessionFixture *self, const json_t *event)
{
    answer(self, event, true);
}

static void say_no(SessionFixture *self, const json_t *event)
{
    answer(self, event, false);
}

static void say_words(SessionFixture *self, const json_t *event)
{
    assert_true(session_fixture_command(self, "steer", "{\"message\":\"another way\"}", NULL));
    answer(self, event, false);
}

static void give_up(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    assert_true(session_fixture_command(self, "abort", NULL, NULL));
}

/* Somebody who can answer is asked (L01): to go on, with words or without, or not. */
static void test_question(void **state G_GNUC_UNUSED)
{
    static const struct {
        void (*act)(SessionFixture *self, const json_t *event);
        AgentEnd end;
        size_t requests;
        const char *told; // in the last request
    } cases[] = {
        { say_yes, AGENT_DONE, 5, NULL },
        { say_no, AGENT_LOOP, 4, NULL },
        { say_words, AGENT_DONE, 5, "another way" },
        { give_up, AGENT_ABORTED, 4, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        SessionFixture *self = session_fixture_new(NULL);
        session_fixture_open(self);
        for (int k = 0; k < 4; k++)
            sse_server_add_calls(self->agent->server, ONE_CALL);
        sse_server_add_text(self->agent->server, "done");
        self->trigger = "question";
        self->act = cases[i].act;
        assert_true(session_fixture_prompt(self, "go"));
        assert_int_equal(self->outcome.end, cases[i].end);
        assert_int_equal(sse_server_request_count(self->agent->server), cases[i].requests);
        g_autofree char *last = sse_server_conversation(self->agent->server, cases[i].requests - 1);
        if (cases[i].told)
            assert_non_null(strstr(last, cases[i].told));
        session_fixture_free(self);
    }
}

/* Nobody is there: a run ends, with the reason; the next prompt begins anew. */
static void test_run(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    self->options.can_ask = false;
    session_fixture_open(self);
    for (int i = 0; i < 6; i++)
        sse_server_add_calls(self->agent->server, ONE_CALL);
    assert_true(session_fixture_prompt(self, "go"));
    assert_int_equal(self->outcome.end, AGENT_LOOP);
    assert_int_equal(sse_server_request_count(self->agent->server), 4);
    assert_non_null(strstr(self->outcome.budget_text, "the same call of echo"));
    const json_t *notice = session_fixture_event(self, "notice", 0);
    const json_t *limit = json_get_object(notice, "limit");
    assert_string_equal(json_get_text(limit, "which"), "loop");
    g_autofree char *told = sse_server_conversation(self->agent->server, 2);
    assert_non_null(strstr(told, "This is the same call with the same result as 1 time before."));
    session_fixture_free(self);

    // a server that fails in between, and is asked again, makes it no other run
    SessionFixture *busy = session_fixture_new("{\"retry\":{\"baseDelayMs\":1}}");
    busy->options.can_ask = false;
    session_fixture_open(busy);
    for (int i = 0; i < 9; i++) {
        sse_server_add_calls(busy->agent->server, ONE_CALL);
        sse_server_add_error(busy->agent->server, 503, "overloaded");
    }
    assert_true(session_fixture_prompt(busy, "go"));
    assert_int_equal(busy->outcome.end, AGENT_LOOP);
    assert_int_equal(sse_server_request_count(busy->agent->server), 7);
    session_fixture_free(busy);

    SessionFixture *other = session_fixture_new("{\"loop\":{\"enabled\":false}}");
    session_fixture_open(other);
    for (int i = 0; i < 6; i++)
        sse_server_add_calls(other->agent->server, ONE_CALL);
    sse_server_add_text(other->agent->server, "done");
    assert_true(session_fixture_prompt(other, "go"));
    assert_int_equal(other->outcome.end, AGENT_DONE);
    session_fixture_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),         cmocka_unit_test(test_failures_by_turns),
        cmocka_unit_test(test_temp_names),    cmocka_unit_test(test_errors_of_one_answer),
        cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_many_of_one),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_refused_unnamed),
        cmocka_unit_test(test_question),      cmocka_unit_test(test_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
