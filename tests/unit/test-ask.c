/* ask: the dialogs that a question becomes, and what is made of their answers. */
#include "tool_fixture.h"

#include "tools/tools.h"

#define OTHER "Other (type your own)"
#define AB    "'options':[{'label':'A'},{'label':'B'}]"
#define MNO   "'options':[{'label':'M'},{'label':'N'},{'label':'O'}],'multi':true"
#define TWO                                                                                        \
    "{'id':'a','question':'1?','options':[{'label':'X'},{'label':'Y'}]},"                          \
    "{'id':'b','question':'2?','options':[{'label':'M'},{'label':'N'}],'multi':true}"

typedef struct Person {
    const char *const *answers; // in order; "" for none, "LATE" for none in time
    GString *shown;             // titles and options of each dialog
    GString *marks; // of each dialog: the marked option, how many are boxes, whether it goes on
} Person;

static bool choose(const ToolChoice *choice, Cancel *cancel G_GNUC_UNUSED, ChoiceEnd *ret_end,
                   char **ret_text, void *person_, GError **error G_GNUC_UNUSED)
{
    Person *person = person_;
    g_autofree char *options = choice->options ? g_strjoinv("|", (char **)choice->options) : NULL;
    g_string_append_printf(person->shown, "%s%s: %s", person->shown->len > 0 ? "; " : "",
                           choice->title, options ? options : "(text)");
    if (person->marks)
        g_string_append_printf(person->marks, "%zu %zu %s; ", choice->marked, choice->checks,
                               choice->is_again ? "again" : "first");
    const char *answer = *person->answers;
    assert_non_null(answer);
    person->answers++;
    *ret_end = g_str_equal(answer, "LATE") ? CHOICE_TIMED_OUT
               : *answer                   ? CHOICE_MADE
                                           : CHOICE_CANCELLED;
    *ret_text = *ret_end == CHOICE_MADE ? g_strdup(answer) : NULL;
    return true;
}

typedef struct Case {
    const char *name, *questions;
    const char *answers[8];
    const char *want;  // of an error that begins with '!': its text
    const char *shown; // NULL: as it may be
} Case;

static void check(const Case *wanted)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(GString) shown = g_string_new(NULL);
    Person person = { wanted->answers, shown, NULL };
    const ToolDoor door = { .kind = DOOR_AGENT, .choose = choose, .user_data = &person };
    g_autofree char *text = g_strdup_printf("{'questions':[%s]}", wanted->questions);
    g_autoptr(json_t) arguments = json_of(text);
    const ToolCallSpec spec = {
        .tool = &tool_ask,
        .arguments = arguments,
        .context = fixture->context,
        .door = &door,
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    g_autofree char *told = tool_result_text(&result);
    bool wants_error = *wanted->want == '!';
    assert_text(wanted->name, told, wanted->want + (wants_error ? 1 : 0));
    assert_int_equal(result.is_error, wants_error);
    if (wanted->shown)
        assert_text(wanted->name, shown->str, wanted->shown);
    assert_null(*person.answers); // all were asked for
}

static void test_answers(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "one",
          "{'id':'q','question':'Which?'," AB "}",
          { "B" },
          "User selected: B",
          "Which?: A|B|" OTHER },
        { "recommended",
          "{'id':'q','question':'Which?'," AB ",'recommended':1}",
          { "B (Recommended)" },
          "User selected: B",
          "Which?: A|B (Recommended)|" OTHER },
        { "recommended is none of them",
          "{'id':'q','question':'Which?'," AB ",'recommended':7}",
          { "A" },
          "User selected: A",
          "Which?: A|B|" OTHER },
        { "by its own name",
          "{'id':'q','question':'Which?'," AB ",'recommended':1}",
          { "B" },
          "User selected: B",
          NULL },
        { "cancelled",
          "{'id':'q','question':'Which?'," AB "}",
          { "" },
          "!Ask tool was cancelled by the user",
          NULL },
        { "other",
          "{'id':'q','question':'Which?'," AB "}",
          { OTHER, "zed" },
          "User provided custom input: zed",
          "Which?: A|B|" OTHER "; Which?: (text)" },
        { "several lines",
          "{'id':'q','question':'Which?'," AB "}",
          { OTHER, "one\ntwo\n" },
          "User provided custom input:\n  one\n  two",
          NULL },
        { "other, but then not",
          "{'id':'q','question':'Which?'," AB "}",
          { OTHER, "" },
          "!Ask input was cancelled",
          NULL },
        { "other, but nothing",
          "{'id':'q','question':'Which?'," AB "}",
          { OTHER, " \n" },
          "!Ask input was cancelled",
          NULL },
        { "words in place of an option",
          "{'id':'q','question':'Which?'," AB "}",
          { "neither of them" },
          "User provided custom input: neither of them",
          NULL },
        { "no options",
          "{'id':'q','question':'What?','options':[]}",
          { OTHER, "x" },
          "User provided custom input: x",
          "What?: " OTHER "; What?: (text)" },
        { "several of them",
          "{'id':'q','question':'Which?'," MNO "}",
          { "☐ N", "☐ M", "☑ N", "✔ Done selecting" },
          "User selected: M",
          "Which?: ☐ M|☐ N|☐ O|" OTHER "; (1 selected) Which?: ☐ M|☑ N|☐ O|✔ Done selecting|" OTHER
          "; (2 selected) Which?: ☑ M|☑ N|☐ O|✔ Done selecting|" OTHER
          "; (1 selected) Which?: ☑ M|☐ N|☐ O|✔ Done selecting|" OTHER },
        { "several, and own words",
          "{'id':'q','question':'Which?'," MNO "}",
          { "O", OTHER, "own" },
          "User selected: O\nUser provided custom input: own",
          NULL },
        { "two questions",
          TWO,
          { OTHER, "zed", "N", "M", "✔ Done selecting" },
          "User answers:\na: \"zed\"\nb: [N, M]",
          "1? (1/2): X|Y|" OTHER "; 1? (1/2): (text); 2? (2/2): ☐ M|☐ N|" OTHER
          "; (1 selected) 2? (2/2): ☐ M|☑ N|✔ Done selecting|" OTHER
          "; (2 selected) 2? (2/2): ☑ M|☑ N|✔ Done selecting|" OTHER },
        { "two questions, with both",
          TWO,
          { "X", "M", "and more" },
          "User answers:\na: X\nb: [M], \"and more\"",
          NULL },
        { "the second is not answered",
          TWO,
          { "X", "" },
          "!Ask tool was cancelled by the user",
          NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);
}

#define LATE_NOTE "\n\n[Nobody answered in time: the recommended or first option was taken]"

static void test_late(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "the first",
          "{'id':'q','question':'Which?'," AB "}",
          { "LATE" },
          "User selected: A" LATE_NOTE,
          NULL },
        { "the recommended",
          "{'id':'q','question':'Which?'," AB ",'recommended':1}",
          { "LATE" },
          "User selected: B" LATE_NOTE,
          NULL },
        { "what was selected",
          "{'id':'q','question':'Which?'," MNO "}",
          { "O", "LATE" },
          "User selected: O" LATE_NOTE,
          NULL },
        { "nothing to take",
          "{'id':'q','question':'What?','options':[]}",
          { "LATE" },
          "User cancelled the selection" LATE_NOTE,
          NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    g_autofree char *word = g_strnfill(501, 'x');
    g_autofree char *long_label =
        g_strdup_printf("{'id':'q','question':'?','options':[{'label':'A'},{'label':'%s'}]}", word);
    const Case cases[] = {
        { "label",
          long_label,
          { NULL },
          "!option 1 of question \"q\" must have 1 to 500 characters",
          "" },
        { "empty label",
          "{'id':'q','question':'?','options':[{'label':''}]}",
          { NULL },
          "!option 0 of question \"q\" must have 1 to 500 characters",
          "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);
}

/* tools-T84 */
static void test_nobody(void **state G_GNUC_UNUSED)
{
    const ToolDoor nobody = { .kind = DOOR_AGENT };
    const ToolDoor somebody = { .kind = DOOR_AGENT, .choose = choose };
    assert_false(tool_door_offers(&nobody, &tool_ask));
    assert_true(tool_door_offers(&somebody, &tool_ask));
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *problem = tool_fixture_error(
        fixture, &tool_ask, json_of("{'questions':[{'id':'q','question':'?'," AB "}]}"));
    assert_string_equal(problem, "Ask tool requires interactive mode");
}

static void test_details(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { "X", "M", "own", NULL };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(GString) shown = g_string_new(NULL);
    Person person = { answers, shown, NULL };
    const ToolDoor door = { .kind = DOOR_AGENT, .choose = choose, .user_data = &person };
    g_autoptr(json_t) arguments = json_of("{'questions':[" TWO "]}");
    const ToolCallSpec spec = {
        .tool = &tool_ask,
        .arguments = arguments,
        .context = fixture->context,
        .door = &door,
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    g_autofree char *details = json_to_text(result.details);
    assert_string_equal(
        details, "{\"results\":[{\"id\":\"a\",\"question\":\"1?\",\"options\":[\"X\",\"Y\"],"
                 "\"multi\":false,\"selectedOptions\":[\"X\"]},{\"id\":\"b\",\"question\":\"2?\","
                 "\"options\":[\"M\",\"N\"],\"multi\":true,\"selectedOptions\":[\"M\"],"
                 "\"customInput\":\"own\"}]}");
}

/* The mark stays where the person is; a text of their own has no boxes. */
static void test_boxes(void **state G_GNUC_UNUSED)
{
    static const char *const answers[] = { "☐ O", "☐ N (Recommended)", "☑ O", OTHER, "own", NULL };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(GString) shown = g_string_new(NULL), marks = g_string_new(NULL);
    Person person = { answers, shown, marks };
    const ToolDoor door = { .kind = DOOR_AGENT, .choose = choose, .user_data = &person };
    g_autoptr(json_t) arguments =
        json_of("{'questions':[{'id':'q','question':'Which?'," MNO ",'recommended':1}]}");
    const ToolCallSpec spec = {
        .tool = &tool_ask,
        .arguments = arguments,
        .context = fixture->context,
        .door = &door,
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    assert_string_equal(marks->str, "1 3 first; 2 3 again; 1 3 again; 2 3 again; 2 0 first; ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers), cmocka_unit_test(test_late),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_details), cmocka_unit_test(test_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
