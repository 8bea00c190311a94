/*
 * Questions to a person: what answers them and what does not (tui §8, common §4.3, safety §10.1).
 */
#include "tui_dialog.h"

// ---- one key ----

static void test_keys(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *question, *key;
        int answer; // -1: none
        const char *text;
    } cases[] = {
        { plain, "y", DIALOG_ALLOWED, NULL },
        { plain, "n", DIALOG_REFUSED, NULL },
        { plain, "enter", DIALOG_REFUSED, NULL },
        { plain, "escape", DIALOG_STOP, NULL },
        { plain, "ctrl+c", DIALOG_STOP, NULL },
        { plain, "Y", -1, NULL },
        { plain, "s", -1, NULL }, // nothing can be allowed for a session
        { longer, "s", DIALOG_ALLOWED_SESSION, NULL },
        { longer, "y", DIALOG_ALLOWED, NULL },
        { longer, "enter", DIALOG_REFUSED, NULL },
        { plain, "a", -1, NULL },
        { plain, "ctrl+y", -1, NULL },
        { plain, "alt+y", -1, NULL },
        { plain, "1", -1, NULL },
        { options, "enter", DIALOG_CHOSEN, "red" },
        { options, "2", DIALOG_CHOSEN, "green" },
        { options, "p", DIALOG_PASSED, NULL },
        { options, "4", -1, NULL },
        { options, "0", -1, NULL },
        { options, "y", -1, NULL },
        { options, "escape", DIALOG_STOP, NULL },
        { text_wanted, "enter", DIALOG_PASSED, NULL },
        { text_wanted, "escape", DIALOG_STOP, NULL },
        { text_wanted, "y", -1, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Asked) asked;
        ask(&asked, cases[i].question);
        PanelResult result = press(&asked, cases[i].key, SHOWN_AT + 400);
        int got = asked.answers > 0 ? (int)asked.answer : -1;
        if (got != cases[i].answer || g_strcmp0(asked.text, cases[i].text) != 0 ||
            (result == PANEL_DONE) != (got >= 0))
            fail_msg("%s to %s: %d '%s'", cases[i].key, cases[i].question, got, asked.text);
    }
}

// ---- protections of tui §8 ----

/* 2, common-S11: for 400 ms, and again after each key that comes too early. */
static void test_early(void **state G_GNUC_UNUSED)
{
    static const char *const keys[] = { "y", "n", "enter", "escape", "tab", "up", "e", "ctrl+c" };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_auto(Asked) asked;
        ask(&asked, plain);
        assert_int_equal(press(&asked, keys[i], SHOWN_AT), PANEL_UNUSED);
        assert_int_equal(press(&asked, keys[i], SHOWN_AT + 399), PANEL_UNUSED);
        assert_int_equal(press(&asked, "y", SHOWN_AT + 798), PANEL_UNUSED);
        assert_int_equal(asked.answers, 0);
        assert_int_equal(press(&asked, "y", SHOWN_AT + 1198), PANEL_DONE);
        assert_int_equal(asked.answer, DIALOG_ALLOWED);
    }
}

/* 3: letters and Enter are the editor's while it holds something, until Tab or Up. */
static void test_draft(void **state G_GNUC_UNUSED)
{
    static const char *const ways[] = { "tab", "up" };
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_auto(Asked) asked;
        ask(&asked, plain);
        asked.is_editor_empty = false;
        assert_int_equal(press(&asked, "y", 9000), PANEL_UNUSED);
        assert_int_equal(press(&asked, "n", 10000), PANEL_UNUSED);
        assert_int_equal(press(&asked, "enter", 11000), PANEL_UNUSED);
        assert_int_equal(press(&asked, "down", 12000), PANEL_UNUSED);
        assert_int_equal(press(&asked, ways[i], 13000), PANEL_CHANGED);
        assert_int_equal(press(&asked, "x", 14000), PANEL_TAKEN); // not typed into the draft
        assert_int_equal(press(&asked, "y", 15000), PANEL_DONE);
        assert_int_equal(asked.answer, DIALOG_ALLOWED);
    }
    g_auto(Asked) asked;
    ask(&asked, plain);
    asked.is_editor_empty = false;
    assert_int_equal(press(&asked, "tab", 13000), PANEL_CHANGED);
    assert_int_equal(press(&asked, "tab", 14000), PANEL_CHANGED); // and back
    assert_int_equal(press(&asked, "y", 15000), PANEL_UNUSED);
    assert_int_equal(press(&asked, "escape", 16000), PANEL_DONE); // stops, whatever is written
    assert_int_equal(asked.answer, DIALOG_STOP);
}

/* An option cannot be chosen by what a person writes, either. */
static void test_draft_and_options(void **state G_GNUC_UNUSED)
{
    static const char *const keys[] = { "1", "t", "p", "enter", "down" };
    g_auto(Asked) asked;
    ask(&asked, options);
    asked.is_editor_empty = false;
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        assert_int_equal(press(&asked, keys[i], 5000 + 1000 * (gint64)i), PANEL_UNUSED);
    assert_int_equal(asked.answers, 0);
    g_auto(Asked) words;
    ask(&words, text_wanted);
    words.is_editor_empty = false;
    assert_int_equal(press(&words, "a", 5000), PANEL_UNUSED);
    assert_int_equal(press(&words, "tab", 6000), PANEL_CHANGED);
    assert_int_equal(press(&words, "a", 7000), PANEL_CHANGED);
    assert_int_equal(press(&words, "enter", 8000), PANEL_DONE);
    assert_string_equal(words.text, "a");
}

/* 5: what the terminal repeats, and the same byte within 40 ms. */
static void test_held(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *key;
        int answer;
    } cases[] = {
        { "y", DIALOG_ALLOWED },
        { "n", DIALOG_REFUSED },
        { "enter", DIALOG_REFUSED },
        { "escape", DIALOG_STOP },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Asked) asked;
        KeyPress key = { 0 };
        ask(&asked, plain);
        assert_true(key_parse(cases[i].key, &key));
        key.is_repeat = true;
        assert_int_equal(press_key(&asked, key, 5000), PANEL_UNUSED);
        key.is_repeat = false;
        assert_int_equal(press_key(&asked, key, 5039), PANEL_UNUSED);
        assert_int_equal(press_key(&asked, key, 5078), PANEL_UNUSED);
        assert_int_equal(asked.answers, 0);
        assert_int_equal(press_key(&asked, key, 5118), PANEL_DONE);
        assert_int_equal(asked.answer, cases[i].answer);
    }
    g_auto(Asked) asked;
    ask(&asked, plain);
    assert_int_equal(press(&asked, "x", 5000), PANEL_UNUSED); // another key does not hold it back
    assert_int_equal(press(&asked, "y", 5010), PANEL_DONE);
}

/* 5: keys before the focus has come back, and those that come right behind it. */
static void test_focus(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    ask(&asked, plain);
    asked.is_unfocused = true;
    assert_int_equal(press(&asked, "y", 5000), PANEL_UNUSED);
    asked.is_unfocused = false;
    dialog_note_focus(asked.panel, 5001);
    assert_int_equal(press(&asked, "y", 5400), PANEL_UNUSED);
    assert_int_equal(asked.answers, 0);
    assert_int_equal(press(&asked, "y", 5800), PANEL_DONE);
}

/* Who writes a reason is not held up by what was written before. */
static void test_focus_while_typing(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    ask(&asked, plain);
    assert_int_equal(press(&asked, "t", 5000), PANEL_CHANGED);
    dialog_note_focus(asked.panel, 6000);
    assert_int_equal(press(&asked, "a", 6100), PANEL_CHANGED);
    assert_int_equal(press(&asked, "enter", 6200), PANEL_TAKEN);
    assert_int_equal(press(&asked, "b", 6350), PANEL_CHANGED);
    assert_int_equal(press(&asked, "enter", 6400), PANEL_DONE);
    assert_string_equal(asked.text, "ab");
}

/* 5: pastes. They go where text is typed. */
static void test_paste(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    ask(&asked, plain);
    assert_int_equal(panel_paste(asked.panel, "y\n", 2, true), PANEL_UNUSED);
    assert_int_equal(press(&asked, "t", 5000), PANEL_CHANGED);
    assert_int_equal(panel_paste(asked.panel, "use git\n", 8, true), PANEL_CHANGED);
    assert_int_equal(asked.answers, 0);
    assert_int_equal(press(&asked, "!", 6000), PANEL_CHANGED);
    assert_int_equal(press(&asked, "enter", 7000), PANEL_DONE);
    assert_int_equal(asked.answer, DIALOG_REFUSED);
    assert_string_equal(asked.text, "use git\n!");
    g_autofree char *huge = g_strnfill(1024 * 1024, 'x');
    g_auto(Asked) other;
    ask(&other, text_wanted);
    assert_int_equal(press(&other, "a", 5000), PANEL_CHANGED);
    assert_int_equal(panel_paste(other.panel, huge, 1024 * 1024, false), PANEL_CHANGED);
    assert_int_equal(panel_paste(other.panel, "y", 1, true), PANEL_CHANGED);
    assert_int_equal(press(&other, "enter", 6000), PANEL_DONE);
    assert_int_equal(strlen(other.text), 1024 * 1024 + 2); // whole, though folded
}

// ---- typing ----

static void test_reason(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    ask(&asked, plain);
    assert_int_equal(press(&asked, "t", 5000), PANEL_CHANGED);
    type(&asked, "yes no", 6000); // letters are text here
    assert_int_equal(press(&asked, "backspace", 7000), PANEL_CHANGED);
    assert_int_equal(press(&asked, "escape", 8000), PANEL_CHANGED); // back to the answers
    assert_int_equal(asked.answers, 0);
    assert_int_equal(press(&asked, "t", 9000), PANEL_CHANGED);
    type(&asked, "w", 10000);
    KeyPress held = { .code = KEY_ENTER, .is_repeat = true };
    assert_int_equal(press_key(&asked, held, 11000), PANEL_TAKEN);
    assert_int_equal(press(&asked, "enter", 12000), PANEL_DONE);
    assert_int_equal(asked.answer, DIALOG_REFUSED);
    assert_string_equal(asked.text, "yes nw");

    g_auto(Asked) blank;
    ask(&blank, plain);
    press(&blank, "t", 5000);
    type(&blank, "  ", 6000);
    assert_int_equal(press(&blank, "enter", 7000), PANEL_DONE);
    assert_int_equal(blank.answer, DIALOG_REFUSED);
    assert_null(blank.text);
}

static void test_own_words(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    ask(&asked, options);
    press(&asked, "t", 5000);
    assert_int_equal(press(&asked, "enter", 6000), PANEL_CHANGED); // nothing: the options again
    assert_int_equal(press(&asked, "t", 7000), PANEL_CHANGED);
    type(&asked, "1 or 2", 8000);
    assert_int_equal(press(&asked, "enter", 9000), PANEL_DONE);
    assert_int_equal(asked.answer, DIALOG_CHOSEN);
    assert_string_equal(asked.text, "1 or 2");

    g_auto(Asked) words;
    ask(&words, text_wanted);
    type(&words, "sea", 5000);
    assert_int_equal(press(&words, "enter", 6000), PANEL_DONE);
    assert_int_equal(words.answer, DIALOG_CHOSEN);
    assert_string_equal(words.text, "sea");
}

/* What the person has asked for is theirs at once. */
static void test_own_question(void **state G_GNUC_UNUSED)
{
    g_auto(Asked) asked;
    ask_at(&asked, "{\"method\":\"editor\",\"title\":\"Name?\",\"prefill\":\"old\"}", 0);
    asked.is_editor_empty = false;
    type(&asked, "er", 1);
    assert_int_equal(press(&asked, "enter", 1000), PANEL_DONE);
    assert_string_equal(asked.text, "older");
}

// ---- moving ----

static void test_marks(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *keys, *want;
    } cases[] = {
        { "down", "green" }, { "down down", "blue" }, { "down down down", "red" },
        { "up", "blue" },    { "tab", "red" },        { "down up", "red" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Asked) asked;
        g_auto(GStrv) keys = g_strsplit(cases[i].keys, " ", -1);
        gint64 at_ms = 5000;
        ask(&asked, options);
        for (size_t k = 0; keys[k]; k++)
            assert_int_equal(press(&asked, keys[k], at_ms += 1000), PANEL_CHANGED);
        assert_int_equal(press(&asked, "enter", at_ms + 1000), PANEL_DONE);
        assert_string_equal(asked.text, cases[i].want);
    }
    g_auto(Asked) marked;
    ask(&marked, "{\"method\":\"select\",\"title\":\"?\",\"marked\":1,\"options\":[\"a\",\"b\"]}");
    press(&marked, "enter", 5000);
    assert_string_equal(marked.text, "b");
}

/* Of more than nine: a digit marks, and answers when no other can follow. */
static void test_many_options(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) question =
        g_string_new("{\"method\":\"select\",\"title\":\"?\",\"options\":[");
    for (int i = 1; i <= 12; i++)
        g_string_append_printf(question, "%s\"o%d\"", i > 1 ? "," : "", i);
    g_string_append(question, "]}");
    static const struct {
        const char *keys, *want;
    } cases[] = {
        { "2", "o2" }, { "1 2", "o12" }, { "1 enter", "o1" }, { "1 5", "o5" }, { "1 x 2", "o2" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Asked) asked;
        g_auto(GStrv) keys = g_strsplit(cases[i].keys, " ", -1);
        gint64 at_ms = 5000;
        ask(&asked, question->str);
        for (size_t k = 0; keys[k]; k++)
            press(&asked, keys[k], at_ms += 1000);
        assert_int_equal(asked.answers, 1);
        assert_string_equal(asked.text, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_early),
        cmocka_unit_test(test_draft),
        cmocka_unit_test(test_draft_and_options),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_focus),
        cmocka_unit_test(test_focus_while_typing),
        cmocka_unit_test(test_paste),
        cmocka_unit_test(test_reason),
        cmocka_unit_test(test_own_words),
        cmocka_unit_test(test_own_question),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_many_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
