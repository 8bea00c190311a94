/* The editor as rows: wrapping, the window around the cursor, and what a key lays out. */
#include "editor_fixture.h"

#include "base/limits.h"

/* The rows, joined with "|", and where the cursor is. Caller frees. */
static char *drawn(Editor *editor, int width, int max_rows)
{
    g_autoptr(GPtrArray) rows = rows_new();
    g_autoptr(GString) out = g_string_new(NULL);
    int row, column;
    editor_rows(editor, width, max_rows, rows, &row, &column);
    for (guint i = 0; i < rows->len; i++)
        g_string_append_printf(out, "%s|", ((const Row *)rows->pdata[i])->text);
    return g_strdup_printf("%s %d,%d", out->str, row, column);
}

static void expect_rows(const char *name, Editor *editor, int width, int max_rows, const char *want)
{
    g_autofree char *got = drawn(editor, width, max_rows);
    if (strcmp(got, want) != 0)
        fail_msg("%s: got '%s', want '%s'", name, got, want);
}

static void test_wrapping(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text;
        int width;
        const char *want;
    } cases[] = {
        { "nothing", "", 10, "> | 0,2" },
        { "one row", "abc", 10, "> abc| 0,5" },
        { "lines", "a\n\nb", 10, "> a|  |  b| 2,3" },
        { "a row that is full", "abcdefg", 10, "> abcdefg| 0,9" },
        { "by words", "abc defg", 10, "> abc |  defg| 1,6" },
        { "a blank may stand in the cursor's cell", "abcdefg h", 10, "> abcdefg |  h| 1,3" },
        { "a second one may not", "abcdefg  h", 10, "> abcdefg |   h| 1,4" },
        { "a long word", "abcdefghij", 10, "> abcdefg|  hij| 1,5" },
        { "wide characters", "日本語日本", 10, "> 日本語|  日本| 1,6" },
        { "words and wide ones", "abc 日本", 10, "> abc 日|  本| 1,4" },
        { "narrow", "abc", 4, "> a|  b|  c| 2,3" },
        { "too narrow for the mark", "ab", 3, "ab| 0,2" },
        { "one cell", "ab", 1, "a|b| 1,0" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Editor) editor = editor_new(3);
        editor_set_text(editor, cases[i].text);
        expect_rows(cases[i].name, editor, cases[i].width, 10, cases[i].want);
    }
}

static void test_marker_rows(void **state G_GNUC_UNUSED)
{
    g_autoptr(Editor) editor = editor_new(3);
    editor_play(editor, "ab ", 0);
    editor_insert_marker(editor, "[Image #1]", "");
    expect_rows("a marker is one word", editor, 15, 10, "> ab |  [Image #1]| 1,12");
    expect_rows("broken where it must be", editor, 9, 10, "> ab |  [Image|   #1]| 2,6");
    editor_play(editor, "<up>", 0);
    expect_rows("up is before it", editor, 9, 10, "> ab |  [Image|   #1]| 1,2");
    editor_play(editor, "<down>", 0);
    expect_rows("down is behind it", editor, 9, 10, "> ab |  [Image|   #1]| 2,6");
    g_autoptr(GPtrArray) rows = rows_new();
    int row, column;
    editor_rows(editor, 15, 10, rows, &row, &column);
    const Row *marker = rows->pdata[1];
    assert_int_equal(marker->run_count, 2); // blanks in the style of the mode, then the marker
    assert_false(style_equal(marker->runs[0].style, (Style) { 0 }));
}

static void test_rows_on_screen(void **state G_GNUC_UNUSED)
{
    g_autoptr(Editor) editor = editor_new(3);
    editor_set_text(editor, "abcdefghijklmnop");
    expect_rows("three rows", editor, 10, 10, "> abcdefg|  hijklmn|  op| 2,4");
    assert_int_equal(editor_act(editor, ACTION_CURSOR_UP, 0), EDITOR_MOVED);
    editor_expect("by rows, not lines", editor, "abcdefghi|jklmnop");
    assert_int_equal(editor_act(editor, ACTION_CURSOR_UP, 0), EDITOR_MOVED);
    editor_expect("again", editor, "ab|cdefghijklmnop");
    assert_int_equal(editor_act(editor, ACTION_CURSOR_UP, 0), EDITOR_AT_TOP);
    editor_play(editor, "<end>", 0);
    assert_int_equal(editor_act(editor, ACTION_CURSOR_DOWN, 0), EDITOR_AT_BOTTOM);
    editor_play(editor, "<up><end><home><right><right><right><right><right><right><down>", 0);
    editor_expect("the end of a row is not the next one's start", editor, "abcdefghijklm|nop");
}

static void test_window(void **state G_GNUC_UNUSED)
{
    g_autoptr(Editor) editor = editor_new(3);
    editor_set_text(editor, "1\n2\n3\n4\n5\n6\n7");
    expect_rows("the end", editor, 10, 3, "  5|  6|  7| 2,3");
    editor_play(editor, "<up>", 0);
    expect_rows("it stays", editor, 10, 3, "  5|  6|  7| 1,3");
    editor_play(editor, "<up><up>", 0);
    expect_rows("until the cursor leaves it", editor, 10, 3, "  4|  5|  6| 0,3");
    editor_play(editor, "<pageup>", 0);
    expect_rows("a page", editor, 10, 3, "  2|  3|  4| 0,3");
    editor_play(editor, "<pageup><pageup>", 0);
    expect_rows("the top", editor, 10, 3, "> 1|  2|  3| 0,3");
    editor_play(editor, "<pagedown>", 0);
    expect_rows("within it", editor, 10, 3, "> 1|  2|  3| 2,3");
    expect_rows("one row", editor, 10, 1, "  3| 0,3");
    expect_rows("more room than text", editor, 10, 20, "> 1|  2|  3|  4|  5|  6|  7| 2,3");
    editor_clear(editor);
    expect_rows("cleared", editor, 10, 3, "> | 0,2");
}

/* tui §7: a key lays out its own line only. */
static void test_a_key_lays_out_its_line(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 10000; i++)
        g_string_append_printf(text, "line %d\n", i);
    g_autoptr(Editor) editor = editor_new(3);
    editor_set_text(editor, text->str);
    g_free(drawn(editor, 40, 20));
    assert_true(editor_layout_count(editor) <= 20); // what is shown
    static const struct {
        const char *keys;
        unsigned lines; // its own, and one that comes into view
    } cases[] = {
        { "x", 1 }, { "<left>", 0 }, { "<right>", 0 },   { "<back>", 1 }, { "<up>", 0 },
        { "y", 1 }, { "<undo>", 1 }, { "<newline>", 2 }, { "<back>", 2 }, { "<tab>", 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        unsigned before = editor_layout_count(editor);
        editor_play(editor, cases[i].keys, 0);
        g_free(drawn(editor, 40, 20));
        unsigned laid_out = editor_layout_count(editor) - before;
        if (laid_out > cases[i].lines)
            fail_msg("%zu: %s: %u lines, want %u", i, cases[i].keys, laid_out, cases[i].lines);
    }
}

static void change_at_random(Editor *editor, GRand *chance)
{
    static const Action moves[] = { ACTION_CURSOR_LEFT, ACTION_CURSOR_RIGHT, ACTION_WORD_LEFT,
                                    ACTION_WORD_RIGHT,  ACTION_LINE_START,   ACTION_LINE_END,
                                    ACTION_CURSOR_UP,   ACTION_CURSOR_DOWN,  ACTION_PAGE_UP };
    static const Action changes[] = { ACTION_DELETE_BACKWARD, ACTION_DELETE_FORWARD,
                                      ACTION_DELETE_WORD_BACKWARD, ACTION_UNDO };
    static const uint32_t letters[] = { 'a', 'b', 'c', ' ', 0x65e5, 0x301, 0x1f1e9, 0x1f44d };
    int kind = g_rand_int_range(chance, 0, 20);
    for (int i = g_rand_int_range(chance, 1, 6); kind < 6 && i > 0; i--)
        editor_act(editor, moves[g_rand_int_range(chance, 0, G_N_ELEMENTS(moves))], 0);
    for (int i = g_rand_int_range(chance, 1, 12); kind >= 6 && kind < 16 && i > 0; i--)
        editor_type(editor, letters[g_rand_int_range(chance, 0, G_N_ELEMENTS(letters))], i * 2000);
    if (kind >= 16)
        editor_act(editor, changes[g_rand_int_range(chance, 0, G_N_ELEMENTS(changes))], 0);
    if (kind == 19)
        editor_act(editor, g_rand_boolean(chance) ? ACTION_NEW_LINE : ACTION_YANK, 0);
    if (kind == 16)
        editor_insert_marker(editor, "[Image #1 of several]", "");
}

/* What is kept of a line at a change, and wrapped only where it is looked at, is what wrapping all
   of it anew gives. */
static void test_rows_that_are_kept(void **state G_GNUC_UNUSED)
{
    for (guint32 seed = 1; seed <= 40; seed++) {
        GRand *chance = g_rand_new_with_seed(seed);
        g_autoptr(Editor) editor = editor_new(3);
        int width = g_rand_int_range(chance, 2, 24);
        for (int i = 0; i < 150; i++) {
            change_at_random(editor, chance);
            g_free(drawn(editor, width, g_rand_int_range(chance, 1, 5)));
            if (g_rand_int_range(chance, 0, 3) > 0)
                continue;
            g_autofree char *kept = drawn(editor, width, 10000);
            g_free(drawn(editor, width + 1, 1)); // forgets them
            g_autofree char *anew = drawn(editor, width, 10000);
            if (strcmp(kept, anew) != 0)
                fail_msg("seed %u, change %d: '%s', want '%s'", seed, i, kept, anew);
        }
        g_rand_free(chance);
    }
}

/* One of 1 MiB without a blank: keys at its end, in it and at its beginning. */
static void test_a_line_of_megabytes(void **state G_GNUC_UNUSED)
{
    g_autofree char *text = g_strnfill(MIB, 'x');
    g_autoptr(Editor) editor = editor_new(3);
    editor_set_text(editor, text);
    g_free(drawn(editor, 80, 10));
    for (int i = 0; i < 300; i++) {
        if (i == 100)
            editor_act(editor, ACTION_PAGE_UP, 0);
        if (i == 200)
            editor_act(editor, ACTION_LINE_START, 0);
        editor_type(editor, 'y', 0);
        g_free(drawn(editor, 80, 10));
    }
    g_autofree char *shown = drawn(editor, 80, 100), *whole = editor_text(editor);
    assert_non_null(strstr(shown, "|  yyyyyyyyyy"));
    assert_int_equal(strlen(whole), MIB + 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrapping),
        cmocka_unit_test(test_marker_rows),
        cmocka_unit_test(test_rows_on_screen),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_a_key_lays_out_its_line),
        cmocka_unit_test(test_rows_that_are_kept),
        cmocka_unit_test(test_a_line_of_megabytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
