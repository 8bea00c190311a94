/*
 * The plain front end's pure parts: what is typed, what is said, how questions are answered.
 */
#include "base/str.h"
#include "unit.h"

#include "base/mask.h"
#include "base/secrets.h"
#include "tui/plain/plain_ask.h"
#include "tui/plain/plain_lines.h"
#include "tui/plain/plain_speech.h"

// ---- lines ----

static char *typed(const char *text)
{
    g_autoptr(PlainLines) lines = plain_lines_new();
    GString *got = g_string_new(NULL);
    for (const char *p = text; *p; p++) { // as slowly as can be
        plain_lines_push(lines, p, 1);
        g_auto(PlainMessage) message = { 0 };
        if (plain_lines_next(lines, &message))
            g_string_append_printf(got, "<%s>", message.text);
    }
    return g_string_free(got, FALSE);
}

static void test_lines(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *typed, *messages;
    } cases[] = {
        { "one\ntwo\n", "<one><two>" },
        { "not yet", "" },
        { "\n\n", "<><>" },
        { "one\\\ntwo\n", "<one\ntwo>" },
        { "a\\\\\nb\n", "<a\\\\><b>" }, // a backslash of its own
        { "a\\\\\\\nb\n", "<a\\\\\nb>" },
        { "\x1b]0;title\a\x01plain\n", "<plain>" },
        { "Gr\xc3\xbc\xc3\x9f\x65\n", "<Gr\xc3\xbc\xc3\x9f\x65>" },
        { "\xff\n", "<\xef\xbf\xbd>" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = typed(cases[i].typed);
        assert_string_equal(got, cases[i].messages);
    }
}

static void test_forgotten_lines(void **state G_GNUC_UNUSED)
{
    g_autoptr(PlainLines) lines = plain_lines_new();
    plain_lines_push(lines, "begun\\\nmore", 11);
    g_auto(PlainMessage) message = { 0 };
    assert_false(plain_lines_next(lines, &message));
    assert_true(plain_lines_goes_on(lines));
    plain_lines_mark_early(lines);
    plain_lines_forget(lines);
    assert_false(plain_lines_goes_on(lines));
    plain_lines_push(lines, "new\n", 4);
    assert_true(plain_lines_next(lines, &message));
    assert_string_equal(message.text, "new");
    assert_false(message.is_early);
}

/* What was begun before a question is told from what was typed behind it. */
static void test_early_lines(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *before, *begun, *behind, *message;
        bool is_early;
    } cases[] = {
        { "ye", "ye", "s\n", "yes", true },
        { "one\\\n", NULL, "y\n", "one\ny", true },
        { "", NULL, "yes\n", "yes", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(PlainLines) lines = plain_lines_new();
        g_auto(PlainMessage) message = { 0 };
        g_auto(PlainMessage) next = { 0 };
        plain_lines_push(lines, cases[i].before, strlen(cases[i].before));
        assert_false(plain_lines_next(lines, &message));
        plain_lines_mark_early(lines);
        g_autofree char *begun = plain_lines_begun(lines);
        assert_true(g_strcmp0(begun, cases[i].begun) == 0);
        plain_lines_push(lines, cases[i].behind, strlen(cases[i].behind));
        plain_lines_push(lines, "y\n", 2);
        assert_true(plain_lines_next(lines, &message));
        assert_string_equal(message.text, cases[i].message);
        assert_true(message.is_early == cases[i].is_early);
        assert_true(plain_lines_next(lines, &next));
        assert_false(next.is_early);
    }
}

/* A terminal keeps 4,095 bytes of a line and drops the rest without a word. */
static void test_cut_lines(void **state G_GNUC_UNUSED)
{
    for (size_t size = 4094; size <= 4096; size++) {
        g_autoptr(PlainLines) lines = plain_lines_new();
        g_autofree char *line = g_strnfill(size, 'x');
        g_auto(PlainMessage) message = { 0 };
        g_auto(PlainMessage) next = { 0 };
        plain_lines_push(lines, line, size);
        plain_lines_push(lines, "\nnext\n", 6);
        assert_true(plain_lines_next(lines, &message));
        assert_true(message.is_cut == (size >= 4095));
        assert_true(plain_lines_next(lines, &next));
        assert_false(next.is_cut);
    }
}

// ---- questions ----

static json_t *value_of(const char *text)
{
    json_t *value = NULL;
    assert_true(json_parse(text, strlen(text), &value, NULL));
    return value;
}

static const char approval[] =
    "{\"id\":\"q1\",\"tool\":\"gh\",\"text\":\"Comments on #8\\u001b[2J\"}";
static const char longer[] =
    "{\"id\":\"q1\",\"tool\":\"gh\",\"text\":\"Merges\",\"allowance\":\"gh pr merge on h/o/r\"}";
static const char choice[] =
    "{\"id\":\"q2\",\"method\":\"select\",\"title\":\"Which?\",\"options\":[\"red\",\"blue\"]}";
static const char editor[] = "{\"id\":\"q3\",\"method\":\"editor\",\"title\":\"Why?\"}";

static void test_answers(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *question, *line;
        PlainAnswer answer;
        const char *text;
    } cases[] = {
        { approval, "y", PLAIN_ALLOWED, NULL },
        { approval, " Yes. ", PLAIN_ALLOWED, NULL },
        { approval, "n", PLAIN_REFUSED, NULL },
        { approval, "no, use the other one", PLAIN_REFUSED, "use the other one" },
        { approval, "N: later", PLAIN_REFUSED, "later" },
        { approval, "", PLAIN_NO_ANSWER, NULL },
        { approval, "yes but not now", PLAIN_NO_ANSWER, NULL }, // not that simply
        { approval, "yy", PLAIN_NO_ANSWER, NULL },
        { approval, "now", PLAIN_NO_ANSWER, NULL },
        { approval, "1", PLAIN_NO_ANSWER, NULL },
        { approval, "s", PLAIN_NO_ANSWER, NULL }, // nothing can be allowed for a session
        { longer, "s", PLAIN_ALLOWED_SESSION, NULL },
        { longer, "Session.", PLAIN_ALLOWED_SESSION, NULL },
        { longer, "y", PLAIN_ALLOWED, NULL },
        { longer, "so what", PLAIN_NO_ANSWER, NULL },
        { longer, "s y", PLAIN_NO_ANSWER, NULL },
        { choice, "1", PLAIN_CHOSEN, "red" },
        { choice, " 2. ", PLAIN_CHOSEN, "blue" },
        { choice, "green", PLAIN_CHOSEN, "green" },
        { choice, "2 of them", PLAIN_CHOSEN, "2 of them" },
        { choice, "3", PLAIN_UNCLEAR, NULL },
        { choice, "0", PLAIN_UNCLEAR, NULL },
        { choice, "99999999999999999999999", PLAIN_UNCLEAR, NULL },
        { choice, "  ", PLAIN_NO_ANSWER, NULL },
        { choice, "/pass", PLAIN_PASSED, NULL },
        { editor, "7", PLAIN_CHOSEN, "7" },
        { editor, "/pass", PLAIN_PASSED, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) asked = value_of(cases[i].question);
        const char *text = NULL;
        assert_int_equal(plain_ask_read(asked, cases[i].line, &text), cases[i].answer);
        if (cases[i].text)
            assert_string_equal(text, cases[i].text);
        else
            assert_null(text);
    }
}

static void test_asking(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *question, *text;
    } cases[] = {
        { approval, "May this run?\nComments on #8\\x1b[2J\n"
                    "Answer y to run it this once, n to refuse, or n and the reason." },
        { longer, "May this run?\nMerges\nFor this session it would be: gh pr merge on h/o/r\n"
                  "Answer y to run it this once, s to allow that for this session, n to refuse, or "
                  "n and the reason." },
        { choice, "Question: Which?\n  1. red\n  2. blue\n"
                  "Answer with a number, or in your own words; /pass for no answer." },
        { editor, "Question: Why?\nAnswer in a line; /pass for no answer." },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) asked = value_of(cases[i].question);
        g_autofree char *text = plain_ask_text(asked);
        assert_string_equal(text, cases[i].text);
    }
}

// ---- speech ----

static void hear(const char *line, void *heard)
{
    g_string_append_printf(heard, "%s\n", line);
}

static void tell(PlainSpeech *speech, const char *event)
{
    g_autoptr(json_t) value = value_of(event);
    plain_speech_event(speech, value);
}

static void tell_delta(PlainSpeech *speech, const char *text, size_t size)
{
    g_autoptr(json_t) event = json_object();
    json_t *part = json_object();
    json_set_text(event, "type", "message_update");
    json_set_text(part, "type", "text_delta");
    json_set_take(part, "delta", json_stringn(text, size));
    json_set_take(event, "assistantMessageEvent", part);
    plain_speech_event(speech, event);
}

static void tell_answer(PlainSpeech *speech, const char *text, size_t step)
{
    tell(speech, "{\"type\":\"message_start\",\"message\":{\"role\":\"assistant\"}}");
    for (size_t i = 0, size = strlen(text); i < size; i += step)
        tell_delta(speech, text + i, MIN(step, size - i));
    tell(speech, "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\","
                 "\"stopReason\":\"stop\",\"content\":[]}}");
}

/* However it comes in pieces, the same lines are said. */
static void test_answer_lines(void **state G_GNUC_UNUSED)
{
    static const char text[] =
        "\n\nThis sentence is not long. But with this one behind it there are more than eighty "
        "letters. The rest.\n"
        "```c\nint a; /* this line of code is longer than eighty letters. It is not cut at all. */"
        "\n```\n\nEnd";
    static const char said[] =
        "kedge: This sentence is not long. But with this one behind it there are more than eighty "
        "letters.\n"
        "The rest.\nCode, c:\n"
        "int a; /* this line of code is longer than eighty letters. It is not cut at all. */\n"
        "End of code.\n\nEnd\n";
    for (size_t step = 1; step <= strlen(text); step++) {
        g_autoptr(GString) heard = g_string_new(NULL);
        g_autoptr(PlainSpeech) speech = plain_speech_new(hear, heard);
        tell_answer(speech, text, step);
        assert_string_equal(heard->str, said);
    }
}

/* Marks are words, or are left out, however the text arrives. */
static void test_markdown(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *said; // after "kedge: "
    } rows[] = {
        { "# The *plan*", "Heading: The plan" },
        { "### Third ###\n#tag", "Heading: Third\n#tag" },
        { "Title\n=====\ntext\n---\nmore", "Title\ntext\nmore" },
        { "It is **bold**, `code_x` and _so on_; 2 * 3 * 4, a_b_c.",
          "It is bold, code_x and so on; 2 * 3 * 4, a_b_c." },
        { "See [the page](https://x.example/y).", "See the page (https://x.example/y)." },
        { "- one\n  - `two`\n* [x] three\n* [ ] four\n1. five\n2) six",
          "one\n  two\nDone: three\nOpen: four\n1. five\n2) six" },
        { "> a\n> b\n\n> c", "Quote: a\nb\n\nQuote: c" },
        { "~~~~\n# no heading\n~~~\n~~~~\nafter", "Code:\n# no heading\n~~~\nEnd of code.\nafter" },
        { "```\nint *a;", "Code:\nint *a;" },
        { "| Name | Size |\n|---|--:|\n| `a.c` | 12 |\n| b\\|c | |\n\nEnd",
          "Name: a.c; Size: 12\nName: b|c\n\nEnd" },
        { "| not | a table |\nText", "not; a table\nText" },
        { "| at | its end |", "at; its end" },
        { "| A |\n|---|\n| A sentence that is long enough to be cut somewhere. And another one, "
          "which stays with it. |",
          "A: A sentence that is long enough to be cut somewhere. And another one, which stays "
          "with "
          "it." },
        { "This is a line with **an emphasis that begins here, goes over the end of a sentence. "
          "And "
          "ends** here. The end is not far.",
          "This is a line with an emphasis that begins here, goes over the end of a sentence. And "
          "ends here.\nThe end is not far." },
        { "<b>html</b> &amp; more", "<b>html</b> & more" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        for (size_t step = 1; step <= strlen(rows[i].text); step += 7) {
            g_autoptr(GString) heard = g_string_new(NULL);
            g_autoptr(PlainSpeech) speech = plain_speech_new(hear, heard);
            g_autofree char *want = g_strconcat("kedge: ", rows[i].said, "\n", NULL);
            tell_answer(speech, rows[i].text, step);
            if (strcmp(heard->str, want) != 0)
                fail_msg("%s\nby %zu: got\n%swant\n%s", rows[i].text, step, heard->str, want);
        }
    }
}

/* A line that does not end is cut between words, or between characters; nothing of it is lost. */
static void test_long_line(void **state G_GNUC_UNUSED)
{
    g_autofree char *letters = g_strnfill(1024 * 1024, 'x');
    g_autoptr(GString) heard = g_string_new(NULL);
    g_autoptr(PlainSpeech) speech = plain_speech_new(hear, heard);
    tell_answer(speech, letters, 5000);
    g_auto(GStrv) lines = g_strsplit(heard->str + strlen("kedge: "), "\n", -1);
    g_autofree char *joined = g_strjoinv("", lines);
    assert_string_equal(joined, letters);
    for (size_t i = 0; lines[i]; i++)
        assert_true(strlen(lines[i]) <= 4096);
}

static void test_hostile_answer(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) heard = g_string_new(NULL);
    g_autoptr(PlainSpeech) speech = plain_speech_new(hear, heard);
    tell_answer(speech, "\x1b]0;evil\a\x1b[2Jtext\rover\n\x1b[31", 3);
    tell(speech,
         "{\"type\":\"tool_execution_start\",\"toolCallId\":\"a\",\"toolName\":\"ba\\u001b[1msh\","
         "\"args\":{\"command\":\"make\\u001b]0;x\\u0007 test\\nmore\"}}");
    tell(speech, "{\"type\":\"notice\",\"level\":\"warning\",\"message\":\"a\\u001b[2Jb\"}");
    assert_string_equal(heard->str, "kedge: textover\nTool bash: make test more\nWarning: ab\n");
}

static void test_calls(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) heard = g_string_new(NULL);
    g_autoptr(PlainSpeech) speech = plain_speech_new(hear, heard);
    assert_null(plain_speech_last_output(speech));
    tell(speech, "{\"type\":\"tool_execution_start\",\"toolCallId\":\"a\",\"toolName\":\"read\","
                 "\"args\":{\"path\":\"a.c\",\"_i\":\"look\"}}");
    tell(speech, "{\"type\":\"tool_execution_start\",\"toolCallId\":\"b\",\"toolName\":\"bash\","
                 "\"args\":{\"command\":\"make\"}}");
    tell(speech, "{\"type\":\"tool_execution_end\",\"toolCallId\":\"a\",\"toolName\":\"read\","
                 "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"1|int\"}]},"
                 "\"isError\":false}");
    assert_string_equal(plain_speech_last_output(speech), "1|int");
    tell(speech, "{\"type\":\"tool_execution_end\",\"toolCallId\":\"b\",\"toolName\":\"bash\","
                 "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"cc\\nexit 2\"}]},"
                 "\"isError\":true}");
    assert_true(g_pattern_match_simple("Tool read: a.c\nTool bash: make\nread: Done in * s.\n"
                                       "Failed in * s: exit 2\n",
                                       heard->str));
}

/* The last lines of what a call gave, where the person wants to hear them. */
static void test_output_lines(void **state G_GNUC_UNUSED)
{
    static const struct {
        int lines;
        const char *said;
    } rows[] = { { 0, "" }, { 1, "three\n" }, { 2, "two\nthree\n" }, { 9, "one\ntwo\nthree\n" } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GString) heard = g_string_new(NULL);
        g_autoptr(PlainSpeech) speech = plain_speech_new(hear, heard);
        plain_speech_set_output_lines(speech, rows[i].lines);
        tell(speech,
             "{\"type\":\"tool_execution_end\",\"toolCallId\":\"a\",\"toolName\":\"bash\","
             "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"one\\ntwo\\nthree\\n\"}]}"
             ",\"isError\":false}");
        const char *after = strchr(heard->str, '\n');
        assert_string_equal(after + 1, rows[i].said);
    }
}

static void test_events(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *event, *said;
    } cases[] = {
        { "{\"type\":\"notice\",\"level\":\"info\",\"message\":\"done\"}", "Note: done\n" },
        { "{\"type\":\"auto_retry_start\",\"attempt\":1,\"maxAttempts\":3,\"delayMs\":2000}",
          "Trying again, 1 of 3, in 2 s.\n" },
        { "{\"type\":\"compaction_end\",\"aborted\":false}", "The summary is in its place.\n" },
        { "{\"type\":\"compaction_end\",\"aborted\":true}", "" },
        { "{\"type\":\"compaction_end\",\"errorMessage\":\"too small\"}", "Error: too small\n" },
        { "{\"type\":\"auto_compaction_start\",\"action\":\"handoff\"}",
          "Going on in a new session, with what a model writes of this one.\n" },
        { "{\"type\":\"auto_compaction_start\",\"action\":\"context-full\"}", "" },
        { "{\"type\":\"auto_compaction_end\",\"action\":\"handoff\",\"errorMessage\":\"no\"}",
          "Error: no\n" },
        { "{\"type\":\"session_info_changed\",\"name\":\"Clocks\"}",
          "This session is called: Clocks\n" },
        { "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"stopReason\":\"error\","
          "\"errorMessage\":\"529 overloaded\"}}",
          "Error: 529 overloaded\n" },
        { "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"stopReason\":\"length\","
          "\"content\":[{\"type\":\"text\",\"text\":\"half\"}]}}",
          "kedge: half\nThe answer was cut at its output limit.\n" }, // its pieces were missed
        { "{\"type\":\"message_end\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}", "" },
        { "{\"type\":\"message_start\"}", "" },
        { "{\"type\":\"turn_start\"}", "" },
        { "{\"no\":\"type\"}", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) heard = g_string_new(NULL);
        g_autoptr(PlainSpeech) speech = plain_speech_new(hear, heard);
        tell(speech, cases[i].event);
        assert_string_equal(heard->str, cases[i].said);
    }
}

static void test_masked(void **state G_GNUC_UNUSED)
{
    secrets_register("hunter2hunter2");
    g_autoptr(GString) heard = g_string_new(NULL);
    g_autoptr(PlainSpeech) speech = plain_speech_new(hear, heard);
    plain_speech_say(speech, "the key is hunter2hunter2");
    assert_string_equal(heard->str, "the key is " MASK_TEXT "\n");
}

static void test_replay(void **state G_GNUC_UNUSED)
{
    static const char first[] = "{\"role\":\"user\",\"content\":\"old\"}";
    g_autoptr(json_t) messages = json_array();
    for (int i = 0; i < 11; i++)
        json_append_take(messages, value_of(first));
    static const char rest[] =
        "[{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"two\\nlines\"},"
        "{\"type\":\"toolCall\",\"id\":\"a\",\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}]"
        "},"
        "{\"role\":\"toolResult\",\"content\":[{\"type\":\"text\",\"text\":\"a.c\"}]}]";
    g_autoptr(json_t) others = value_of(rest);
    json_array_extend(messages, others);
    g_autoptr(GString) heard = g_string_new(NULL);
    g_autoptr(PlainSpeech) speech = plain_speech_new(hear, heard);
    plain_speech_replay(speech, messages);
    assert_true(
        str_has_prefix(heard->str, "1 earlier messages are not repeated here.\nYou: old\n"));
    assert_true(g_str_has_suffix(heard->str, "You: old\nkedge: two\nlines\nTool bash: ls\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),          cmocka_unit_test(test_forgotten_lines),
        cmocka_unit_test(test_early_lines),    cmocka_unit_test(test_cut_lines),
        cmocka_unit_test(test_answers),        cmocka_unit_test(test_asking),
        cmocka_unit_test(test_answer_lines),   cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_hostile_answer), cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_output_lines),   cmocka_unit_test(test_calls),
        cmocka_unit_test(test_events),         cmocka_unit_test(test_masked),
        cmocka_unit_test(test_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
