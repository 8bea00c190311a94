/*
 * The transcript: which rows events become, in which order, and what is live meanwhile.
 */
#include "base/str.h"
#include "tui_transcript.h"

#include "base/secrets.h"

#define TWO_COMMANDS                                                                               \
    BEGIN END(CALL("1", "bash", "'command':'a'") "," CALL("2", "bash", "'command':'b'"))           \
        START("1", "bash") START("2", "bash")
#define TWO_READS                                                                                  \
    BEGIN END(CALL("1", "read", "'path':'a.c'") "," CALL("2", "read", "'path':'/app/b.c'"))        \
        START("1", "read") START("2", "read") RESULT("1", "1") RESULT("2", "2")

#define FAILED(problem)                                                                            \
    BEGIN "{'type':'message_end','message':{'role':'assistant','content':[],'stopReason':'error'," \
          "'errorMessage':'" problem "'}}\n"
#define RETRY "{'type':'auto_retry_start','attempt':1,'maxAttempts':3,'delayMs':2000}\n"

static const struct {
    const char *name, *events;
    int width;
    const char *rows, *live;
} cases[] = {
    { "prompt and answer",
      USER("hi") BEGIN DELTA("0", "Hel") DELTA("0", "lo.\\n\\nBye") END(SAID("Hello.\\n\\nBye"))
          RUN_END,
      40, "❯ hi\n\nHello.\n\nBye\n", "" },
    { "an answer in the middle", USER("hi") BEGIN DELTA("0", "Hello"), 40, "❯ hi\n", "\nHello\n" },
    { "an answer wider than the live area",
      BEGIN DELTA("0", "one two three four five six seven eight nine ten eleven twelve thirteen"),
      80, "", "one two three four five six seven eight nine ten eleven\ntwelve thirteen\n" },
    { "thinking is not shown",
      BEGIN THOUGHT("0", "hm, well") DELTA("1", "Yes.")
          END("{'type':'thinking','thinking':'hm, well'}," SAID("Yes.")),
      40, "Yes.\n", "" },
    { "a later part waits for the one before it",
      BEGIN DELTA("0", "First") DELTA("1", "Second") DELTA("0", " more") END_OF("0"), 40,
      "First more\n", "\nSecond\n" },
    { "a command",
      BEGIN END(SAID("Running it.") "," CALL("1", "bash", "'command':'make'"))
          START("1", "bash") "@2500\n" RESULT("1", "ok"),
      40, "Running it.\n\n✓ bash make  2.5 s\n  ok\n", "" },
    { "a call that waits", BEGIN END(CALL("1", "bash", "'command':'make'")), 40, "",
      "○ bash make\n" },
    { "a running command",
      BEGIN END(CALL("1", "bash", "'command':'make'")) START("1", "bash")
          PARTIAL("1", "1\\n2\\n3\\n4\\n5\\n6\\n7\\u001b[2J\\n"),
      40, "", "⠙ bash make\n  3\n  4\n  5\n  6\n  7\n" },
    { "a call behind text", BEGIN END(SAID("Now.") "," CALL("1", "bash", "'command':'a'")), 40,
      "Now.\n", "\n○ bash a\n" },
    { "text behind reads that wait", USER("hi") TWO_READS BEGIN DELTA("0", "On"), 40, "❯ hi\n",
      "\n✓ read a.c, b.c\n\nOn\n" },
    { "the second has ended first", TWO_COMMANDS RESULT("2", "two"), 40, "",
      "⠙ bash a\n✓ bash b\n" },
    { "both in the order of the calls", TWO_COMMANDS RESULT("2", "two") RESULT("1", "one"), 40,
      "✓ bash a\n  one\n✓ bash b\n  two\n", "" },
    { "the first has failed", TWO_COMMANDS FAILURE("1", "one"), 40, "✗ bash a\n  one\n",
      "⠙ bash b\n" },
    { "reads wait for something else", TWO_READS, 40, "", "✓ read a.c, b.c\n" },
    { "reads of two answers fold",
      TWO_READS BEGIN END(CALL("3", "read", "'path':'c.c'")) START("3", "read") RESULT("3", "3")
          BEGIN DELTA("0", "Read.\\n\\n"),
      40, "✓ read a.c, b.c, c.c\n\nRead.\n", "" },
    { "reads end with the run", TWO_READS RUN_END, 40, "✓ read a.c, b.c\n", "" },
    { "reads and a command",
      BEGIN END(CALL("1", "read", "'path':'a'") "," CALL("2", "bash", "'command':'b'") "," CALL(
          "3", "read", "'path':'c'")) START("1", "read") START("2", "bash") START("3", "read")
          RESULT("3", "c") RESULT("1", "a") RESULT("2", "b") RUN_END,
      40, "✓ read a\n✓ bash b\n  b\n✓ read c\n", "" },
    { "a read that failed ends the group",
      BEGIN END(CALL("1", "read", "'path':'a'") "," CALL("2", "read", "'path':'b'"))
          RESULT("1", "a") FAILURE("2", "no such file") RUN_END,
      40, "✓ read a\n✗ read b\n  no such file\n", "" },
    { "a notice comes at once",
      USER("hi")
          BEGIN DELTA("0", "Hello.\\n\\nThis is") "{'type':'notice','level':'warning','message':'"
                                                  "disk full'}\n" DELTA("0", " it.")
                                                      END(SAID("Hello.\\n\\nThis is it.")),
      40, "❯ hi\n\nHello.\n\n! disk full\n\nThis is it.\n", "" },
    { "aborted",
      BEGIN DELTA("0", "Half of") "{'type':'message_end','message':{'role':'assistant','content':[{"
                                  "'type':'text','text':"
                                  "'Half of'}],'stopReason':'aborted'}}\n",
      40, "Half of\n\n✗ Operation aborted\n", "" },
    { "retries that failed",
      BEGIN "{'type':'message_end','message':{'role':'assistant','content':[],'stopReason':'error',"
            "'errorMessage':'529'}}\n"
            "{'type':'auto_retry_start','attempt':1,'maxAttempts':1,'delayMs':2000}\n"
            "{'type':'auto_retry_end','success':false,'attempt':1,'finalError':'529'}\n",
      40, "✗ 529\n• Trying again, 1 of 1, in 2 s.\n✗ Retry failed after 1 attempt: 529\n", "" },
    { "the same failure again and again",
      FAILED("529") RETRY FAILED("529") RETRY FAILED("cut")
          RETRY FAILED("cut") "{'type':'auto_retry_end','success':false,'attempt':3,'finalError':'"
                              "cut'}\n" FAILED("cut"),
      40,
      "✗ 529\n• Trying again, 1 of 3, in 2 s.\n• Trying again, 1 of 3, in 2 s.\n✗ cut\n• Trying "
      "again, 1 of 3, in 2 s.\n✗ Retry failed after 3 attempts: cut\n✗ cut\n",
      "" },
    { "a person's command",
      USER("hi") "{'type':'message_start','message':{'role':'bashExecution'}}\n"
                 "{'type':'message_end','message':{'role':'bashExecution','command':'ls','output':'"
                 "a',"
                 "'exitCode':0}}\n" USER("again"),
      40, "❯ hi\n\n✓ ! ls\n  a\n\n❯ again\n", "" },
    { "no pieces came", BEGIN END(SAID("Whole.")), 40, "Whole.\n", "" },
    { "some pieces were missed",
      BEGIN "{'type':'message_update','assistantMessageEvent':{'type':'text_delta','contentIndex':"
            "0,'delta':'One ','length':4}}\n"
            "{'type':'message_update','assistantMessageEvent':{'type':'text_delta','contentIndex':"
            "0,'delta':'three ','length':14}}\n" END_OF("0") END(SAID("One two three four.")),
      40, "One two three four.\n", "" },
    { "thinking that was dropped", BEGIN THOUGHT("0", "hm") DELTA("1", "Yes") END(SAID("Yes.")), 40,
      "Yes.\n", "" },
    { "the beginning of an answer was missed", DELTA("0", "lost") END(SAID("Whole.")), 40,
      "Whole.\n", "" },
    { "the end of a call was missed",
      BEGIN END(
          CALL("1", "bash", "'command':'a'")) "{'type':'message_end','message':{'role':'toolResult'"
                                              ",'toolCallId':'1','toolName':'bash',"
                                              "'content':[{'type':'text','text':'late'}]}}\n",
      40, "✓ bash a\n  late\n", "" },
    { "all of a call but the turn's end was missed",
      BEGIN END(
          CALL("1", "bash", "'command':'a'")) "{'type':'turn_end','toolResults':[{'toolCallId':'1',"
                                              "'isError':true,'content':[{'type':"
                                              "'text','text':'late'}]}]}\n",
      40, "✗ bash a\n  late\n", "" },
    { "a call that never ended", TWO_COMMANDS RESULT("2", "two") BEGIN DELTA("0", "On.\\n\\n"), 40,
      "✗ bash a\n✓ bash b\n  two\n\nOn.\n", "" },
    { "a result of nothing", RESULT("9", "x"), 40, "✓ ?\n  x\n", "" },
    { "a call from nowhere", START("9", "ls") RESULT("9", "x"), 40, "✓ ls\n  x\n", "" },
    { "a second end", TWO_COMMANDS RESULT("2", "two") FAILURE("2", "no") RESULT("1", "one"), 40,
      "✓ bash a\n  one\n✓ bash b\n  two\n", "" },
    { "what is no event", "{}\n{'type':7}\n{'type':'message_end'}\n{'type':'message_update'}\n", 40,
      "", "" },
};

static void test_events(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Transcript) transcript = make(cases[i].width);
        feed(transcript, cases[i].events);
        g_autofree char *rows = take(transcript);
        g_autofree char *live = live_of(transcript, 20);
        assert_text(cases[i].name, rows, cases[i].rows);
        assert_text(cases[i].name, live, cases[i].live);
        g_autofree char *again = take(transcript);
        assert_text(cases[i].name, again, "");
    }
}

/* Taken after each event or at the end: the same rows, each once. */
static void test_taken_at_any_time(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Transcript) transcript = make(cases[i].width);
        g_autoptr(GString) rows = g_string_new(NULL);
        g_auto(GStrv) events = g_strsplit(cases[i].events, "\n", -1);
        for (size_t j = 0; events[j]; j++) {
            feed(transcript, events[j]);
            g_autofree char *some = take(transcript);
            g_string_append(rows, some);
            for (int max_rows = 0; max_rows < 8; max_rows++)
                g_free(live_of(transcript, max_rows));
        }
        assert_text(cases[i].name, rows->str, cases[i].rows);
    }
}

// ---- live ----

static void test_many_calls(void **state G_GNUC_UNUSED)
{
    static const struct {
        int max_rows;
        const char *want;
    } limits[] = {
        { 0, "" },
        { 1, "… 3 more\n" },
        { 2, "⠙ bash a\n… 2 more\n" },
        { 3, "⠙ bash a\n⠙ bash b\n○ bash c\n" },
        { 6, "⠙ bash a\n  2\n⠙ bash b\n○ bash c\n" },
        { 7, "⠙ bash a\n  1\n  2\n⠙ bash b\n○ bash c\n" },
    };
    g_autoptr(Transcript) transcript = make(80);
    feed(transcript, BEGIN END(CALL("1", "bash", "'command':'a'") "," CALL(
                         "2", "bash", "'command':'b'") "," CALL("3", "bash", "'command':'c'"))
                         START("1", "bash") START("2", "bash") PARTIAL("1", "1\\n2"));
    assert_true(transcript_is_running(transcript));
    for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
        g_autofree char *got = live_of(transcript, limits[i].max_rows);
        assert_text("limit", got, limits[i].want);
    }
    feed(transcript, RUN_END);
    assert_false(transcript_is_running(transcript));
}

static void test_still(void **state G_GNUC_UNUSED)
{
    const TranscriptSpec spec = { .tab_width = 4, .is_still = true };
    g_autoptr(Transcript) transcript = transcript_new(&spec);
    feed(transcript, START("1", "bash"));
    for (int step = 0; step < 4; step++) {
        g_autoptr(GPtrArray) rows = rows_new();
        transcript_live_rows(transcript, 80, 5, step, rows);
        assert_string_equal(((Row *)rows->pdata[0])->text, "• bash");
        assert_int_equal(row_style_of(rows->pdata[0], "bash").bg, TOKEN_TOOL_PENDING_BG);
    }
}

// ---- width, thinking, words of ours ----

static void test_changes(void **state G_GNUC_UNUSED)
{
    g_autoptr(Transcript) transcript = make(40);
    feed(transcript, BEGIN DELTA("0", "A first line.\\n\\nA second line that is "));
    transcript_set_width(transcript, 20);
    feed(transcript, DELTA("0", "longer than that.")
                         END(SAID("A first line.\\n\\nA second line that is longer than that.")));
    transcript_show_thinking(transcript, true);
    feed(transcript, BEGIN THOUGHT("0", "hm") END("{'type':'thinking','thinking':'hm'}"));
    transcript_notice(transcript, "one\ntwo\x1b[2J");
    transcript_error(transcript, "no model of that name");
    transcript_rule(transcript, "now at: \"a\x1b]0;b\a\"");
    g_autofree char *got = take(transcript);
    assert_string_equal(got, "A first line.\n\nA second line that\nis longer than that.\n\nhm\n\n"
                             "• one\n  two\n✗ no model of that\n  name\n\n── now at: \"a\" ──\n");
}

/* Another theme while an answer arrives: the one before is not looked at any more. */
static void test_theme(void **state G_GNUC_UNUSED)
{
    const ThemeSpec plain = { .name = "kedge-dark", .symbols = "ascii" };
    const ThemeSpec other = { .name = "kedge-dark", .symbols = "unicode" };
    Theme *first = theme_load(&plain, NULL);
    g_autoptr(Theme) second = theme_load(&other, NULL);
    g_autoptr(Transcript) transcript = make(40);
    transcript_set_theme(transcript, first);
    feed(transcript, USER("hi") BEGIN DELTA("0", "- one\\n- tw"));
    transcript_set_theme(transcript, second);
    theme_free(first);
    feed(transcript, DELTA("0", "o\\n- three\\n") RUN_END USER("on"));
    g_autofree char *got = take(transcript);
    assert_true(str_has_prefix(got, "> hi\n\n"));
    assert_true(g_str_has_suffix(got, "• three\n\n❯ on\n"));
}

/* The first row of each prompt, for terminals that go from one to the next. */
static void test_marks(void **state G_GNUC_UNUSED)
{
    for (int has_marks = 0; has_marks < 2; has_marks++) {
        const TranscriptSpec spec = { .tab_width = 4, .has_marks = has_marks };
        g_autoptr(Transcript) transcript = transcript_new(&spec);
        g_autoptr(GPtrArray) rows = rows_new();
        feed(transcript, USER("one\\ntwo") BEGIN DELTA("0", "three") RUN_END);
        transcript_take_rows(transcript, rows);
        assert_int_equal(rows->len, 4);
        for (unsigned i = 0; i < rows->len; i++)
            assert_true(((Row *)rows->pdata[i])->is_prompt == (has_marks && i == 0));
    }
}

static void test_last_output(void **state G_GNUC_UNUSED)
{
    g_autoptr(Transcript) transcript = make(40);
    assert_null(transcript_last_output(transcript));
    feed(transcript, START("1", "bash") RESULT("1", "one\\ntwo"));
    assert_string_equal(transcript_last_output(transcript), "one\ntwo");
    feed(transcript, "{'type':'message_end','message':{'role':'bashExecution','command':'ls',"
                     "'output':'three'}}");
    assert_string_equal(transcript_last_output(transcript), "three");
    g_autofree char *much = g_strnfill(3 * LIMIT_LAST_OUTPUT_BYTES, 'x');
    g_autoptr(json_t) end =
        json_pack("{s:s, s:s, s:{s:[{s:s, s:s}]}}", "type", "tool_execution_end", "toolCallId", "2",
                  "result", "content", "type", "text", "text", much);
    transcript_event(transcript, end);
    assert_int_equal(strlen(transcript_last_output(transcript)), LIMIT_LAST_OUTPUT_BYTES);
}

/* A person's command is shown once, whether its message or its end is told first. */
static void test_shell(void **state G_GNUC_UNUSED)
{
    static const char *const message =
        "{'type':'message_end','message':{'role':'bashExecution','command':'ls','output':'a'}}";
    g_autoptr(json_t) data = parse_quoted("{'output':'b\\n','exitCode':1,'cancelled':false}");
    g_autoptr(Transcript) transcript = make(40);
    for (int i = 0; i < 2; i++) {
        feed(transcript, message);
        transcript_shell(transcript, data);
    }
    g_autofree char *message_first = take(transcript);
    assert_string_equal(message_first, "✓ ! ls\n  a\n\n✓ ! ls\n  a\n");
    transcript_shell(transcript, data);
    assert_string_equal(transcript_last_output(transcript), "b\n");
    feed(transcript, message);
    transcript_shell(transcript, data);
    g_autofree char *end_first = take(transcript);
    assert_string_equal(end_first, "\n✗ ! …\n  b\n  Exit 1.\n\n✗ ! …\n  b\n  Exit 1.\n");
}

/* A secret in two pieces, and one that the pieces hide. */
static void test_secrets(void **state G_GNUC_UNUSED)
{
    secrets_register("hunter2-hunter2-hunter2");
    g_autoptr(Transcript) transcript = make(40);
    feed(transcript, BEGIN DELTA("0", "Key hunter2-hun") DELTA("0", "ter2-\\u001b[1mhunt"));
    g_autofree char *live = live_of(transcript, 5);
    assert_null(strstr(live, "hunter2"));
    feed(transcript, DELTA("0", "er2 ends") RUN_END);
    g_autofree char *rows = take(transcript);
    assert_string_equal(rows, "Key [REDACTED] ends\n");
}

// ---- anything ----

/* Events in any order: rows stay clean and bounded, and calls come once. */
static void test_any_order(void **state G_GNUC_UNUSED)
{
    static const char *const events[] = {
        USER("u"),
        BEGIN,
        DELTA("0", "text **bold\\n\\n"),
        DELTA("1", "x\\u001b[2J"),
        THOUGHT("0", "t"),
        END_OF("0"),
        END(SAID("text")),
        TWO_COMMANDS,
        TWO_READS,
        START("1", "bash"),
        PARTIAL("1", "a\\nb"),
        RESULT("1", "one"),
        FAILURE("2", "two"),
        "{'type':'turn_end','toolResults':[]}",
        RUN_END,
        "{'type':'notice','level':'info','message':'n'}",
    };
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    for (int round = 0; round < 200; round++) {
        g_autoptr(Transcript) transcript = make(g_rand_int_range(rand, 1, 100));
        for (int i = 0; i < 40; i++) {
            feed(transcript, events[g_rand_int_range(rand, 0, G_N_ELEMENTS(events))]);
            if (g_rand_boolean(rand))
                g_free(take(transcript));
            g_free(live_of(transcript, g_rand_int_range(rand, 0, 9)));
        }
        feed(transcript, RUN_END);
        g_autofree char *live = live_of(transcript, 9);
        assert_string_equal(live, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),     cmocka_unit_test(test_taken_at_any_time),
        cmocka_unit_test(test_many_calls), cmocka_unit_test(test_still),
        cmocka_unit_test(test_changes),    cmocka_unit_test(test_marks),
        cmocka_unit_test(test_theme),      cmocka_unit_test(test_last_output),
        cmocka_unit_test(test_secrets),    cmocka_unit_test(test_shell),
        cmocka_unit_test(test_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
