/* The editor: steps, cuts, undo, pastes, rows; agent-core §7.4. */
#include "editor_fixture.h"

#include "tui/edit/kill_ring.h"
#include "tui/edit/undo.h"

static void test_keys(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *keys, *want;
    } cases[] = {
        { "typing", "abc", "abc|" },
        { "in the middle", "ac<left>b", "ab|c" },
        { "the ends hold", "a<left><left><left>b<right><right><right>c", "bac|" },
        { "erase", "abc<back><left><del>", "a|" },
        { "erase nothing", "<back><del>", "|" },
        { "line start and end", "ab<newline>cd<home>x<end>y", "ab\nxcdy|" },
        { "words back", "foo bar-baz<wordleft>", "foo bar-|baz" },
        { "words back over signs", "foo bar--<wordleft>", "foo |bar--" },
        { "words forward", "foo bar<home><wordright>", "foo| bar" },
        { "words forward over signs", "foo --bar<home><wordright><wordright>", "foo --bar|" },
        { "an underscore parts words", "a_b<wordleft>", "a_|b" },
        { "words of other letters", "naïve über<wordleft><wordleft>", "|naïve über" },
        { "Han: one each", "日本語<wordleft>", "日本|語" },
        { "kana: one each", "かな<home><wordright>", "か|な" },
        { "Hangul is written with blanks", "한국 사람<wordleft>", "한국 |사람" },
        { "letters, then Han", "ab日本<wordleft><wordleft>", "ab|日本" },
        { "cut a word", "foo bar<wordback>", "foo |" },
        { "cut a word at a line's start", "a<newline><wordback>", "a|" },
        { "cut a word leaves the line before", "a<newline>--<wordback>", "a\n|" },
        { "cut the next word", "foo bar<home><worddel>", "| bar" },
        { "cut the next word at a line's end", "a<newline>b<up><end><worddel>", "a|b" },
        { "cut to the start", "ab<newline>cde<left><cutstart>", "ab\n|e" },
        { "cut to the start, at it", "ab<newline>c<home><cutstart>", "ab|c" },
        { "cut to the end", "abc<left><left><cutend>", "a|" },
        { "cut to the end, at it", "a<newline>b<up><cutend>", "a|b" },
        { "yank", "foo bar<wordback><yank><yank>", "foo barbar|" },
        { "cuts in a row are one", "foo bar<wordback><wordback><yank>", "foo bar|" },
        { "cuts on both sides", "ab cd<wordleft><wordback><cutend><yank>", "ab cd|" },
        { "a move between cuts", "a b<wordback><left><right><cutstart><yank>", "a |" },
        { "yank of before", "a<cutstart>b<cutstart><yank><yankpop>", "a|" },
        { "yank around the ring", "a<cutstart>b<cutstart><yank><yankpop><yankpop>", "b|" },
        { "yankpop alone does nothing", "a<cutstart>b<yankpop>", "b|" },
        { "yank without anything", "a<yank>", "a|" },
        { "jump", "abcabc<home><jump>c", "ab|cabc" },
        { "jump to the next one", "abcabc<home><jump>c<jump>c", "abcab|c" },
        { "jump to another line", "ab<newline>cd<up><home><jump>d", "ab\nc|d" },
        { "jump back", "abcabc<jumpback>a", "abc|abc" },
        { "jump to what is not there", "abc<home><jump>x", "|abc" },
        { "jump is over after another key", "abc<home><jump><end>x", "abcx|" },
        { "jump finds no part of a cluster", "ae\u0301e<home><jump>\u0301", "|ae\u0301e" },
        { "jump finds what begins so", "ae\u0301<home><jump>e", "a|e\u0301" },
        { "undo of typing", "abc<undo>", "|" },
        { "undo, in parts that a move ends", "abc<left>d<undo>", "ab|c" },
        { "undo of all", "abc<left>d<undo><undo><undo>", "|" },
        { "undo of erasing", "abc<back><back><undo>", "abc|" },
        { "undo of erasing forward", "abc<home><del><del><undo>", "|abc" },
        { "undo of erasing both ways", "abc<left><back><del><undo>", "ab|c" },
        { "undo of a cut", "foo bar<wordback><undo>", "foo bar|" },
        { "undo of a yank", "foo bar<wordback><yank><undo>", "foo |" },
        { "a lone \\ before Enter", "ab\\<enter>", "ab\n|" },
        { "in the middle", "ab\\cd<left><left><enter>", "ab\n|cd" },
        { "two of them are themselves", "ab\\\\<enter>", "ab\\\\|" },
        { "up and down keep the column", "abcd<newline>x<newline>abcd<up><up>", "abcd|\nx\nabcd" },
        { "until a move", "abcd<newline>x<newline>abcd<up><left><up>", "|abcd\nx\nabcd" },
        { "and back", "abcd<newline>x<newline>abcd<up><down>", "abcd\nx\nabcd|" },
        { "down into a wide character", "abc<newline>日本<up><home><right><down>", "abc\n|日本" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Editor) editor = editor_new(3);
        editor_play(editor, cases[i].keys, 0);
        editor_expect(cases[i].name, editor, cases[i].want);
    }
}

/* agent-core row 103: by what a person sees as one character. */
static void test_clusters(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *cluster;
    } cases[] = {
        { "Han", "語" },
        { "Hangul syllable", "각" },
        { "Hangul of parts", "\u1100\u1161\u11a8" },
        { "accent of its own", "e\u0301" },
        { "many accents", "a\u0300\u0301\u0302" },
        { "emoji", "😀" },
        { "skin tone", "👍🏽" },
        { "family", "👨‍👩‍👧" },
        { "flag", "🇩🇪" },
        { "keycap", "1️⃣" },
        { "heart in colour", "❤️" },
        { "Devanagari", "नि" },
        { "Thai", "กำ" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *name = cases[i].name, *cluster = cases[i].cluster;
        g_autofree char *text = g_strdup_printf("a%sb", cluster);
        g_autofree char *before = g_strdup_printf("a|%sb", cluster);
        g_autofree char *behind = g_strdup_printf("a%s|b", cluster);
        g_autofree char *typed = g_strdup_printf("a%s|", cluster);
        g_autoptr(Editor) editor = editor_new(3);
        editor_play(editor, text, 0);
        editor_play(editor, "<left>", 0);
        editor_expect(name, editor, behind);
        editor_play(editor, "<left>", 0);
        editor_expect(name, editor, before);
        editor_play(editor, "<right>", 0);
        editor_expect(name, editor, behind);
        editor_play(editor, "<back>", 0);
        editor_expect(name, editor, "a|b");
        editor_play(editor, "<undo><left><del>", 0);
        editor_expect(name, editor, "a|b");
        editor_play(editor, "<del>", 0);
        editor_play(editor, cluster, 0);
        editor_expect(name, editor, typed);
    }
}

static void test_joined_halves(void **state G_GNUC_UNUSED)
{
    g_autoptr(Editor) editor = editor_new(3);
    editor_play(editor, "🇩x🇪<left><back>", 0);
    editor_expect("what was apart is one cluster", editor, "🇩🇪|");
    editor_play(editor, "<left>", 0);
    editor_expect("and is passed as one", editor, "|🇩🇪");
}

static void test_results(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *keys;
        EditorResult want;
    } cases[] = {
        { "typing", "a", EDITOR_CHANGED },
        { "a move", "a<left>", EDITOR_MOVED },
        { "a move that is none", "<left>", EDITOR_MOVED },
        { "nothing to erase", "<back>", EDITOR_MOVED },
        { "nothing to undo", "<undo>", EDITOR_MOVED },
        { "Enter", "a<enter>", EDITOR_SUBMITTED },
        { "Enter in an empty one", "<enter>", EDITOR_SUBMITTED },
        { "Enter behind \\", "a\\<enter>", EDITOR_CHANGED },
        { "up at the top", "a<up>", EDITOR_AT_TOP },
        { "up", "a<newline>b<up>", EDITOR_MOVED },
        { "up, then at the top", "a<newline>b<up><up>", EDITOR_AT_TOP },
        { "down at the bottom", "a<newline>b<down>", EDITOR_AT_BOTTOM },
        { "page up", "a<pageup>", EDITOR_MOVED },
        { "another's action", "a<tab>", EDITOR_UNUSED },
        { "a control character", "a\x01", EDITOR_UNUSED },
        { "a line end that is typed", "a\n", EDITOR_UNUSED },
        { "delete", "a\x7f", EDITOR_UNUSED },
        { "of the second set", "a\xc2\x85", EDITOR_UNUSED },
        { "what turns the direction", "a\u202e", EDITOR_UNUSED },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Editor) editor = editor_new(3);
        EditorResult got = editor_play(editor, cases[i].keys, 0);
        if (got != cases[i].want)
            fail_msg("%s: got %d, want %d", cases[i].name, got, cases[i].want);
        g_autofree char *text = editor_text(editor);
        if (cases[i].want == EDITOR_UNUSED && strcmp(text, "a") != 0)
            fail_msg("%s: took '%s'", cases[i].name, text);
    }
}

static void test_undo_by_time(void **state G_GNUC_UNUSED)
{
    g_autoptr(Editor) editor = editor_new(3);
    editor_play(editor, "ab", 1000);
    editor_play(editor, "c", 1999);
    editor_play(editor, "d", 2999); // a second later
    editor_play(editor, "<undo>", 3000);
    editor_expect("the last group", editor, "abc|");
    editor_play(editor, "<undo>", 3000);
    editor_expect("the first group", editor, "|");
}

static void test_undo_is_bounded(void **state G_GNUC_UNUSED)
{
    g_autoptr(UndoList) list = undo_list_new();
    for (int i = 0; i < UNDO_MAX_CHANGES + 5; i++) {
        const UndoChange change = { .inserted = (size_t)i, .removed = piece_new("x", 1) };
        undo_list_add(list, &change);
    }
    UndoChange change = { 0 };
    int left = 0;
    for (; undo_list_take(list, &change); left++)
        piece_free(change.removed);
    assert_int_equal(left, UNDO_MAX_CHANGES);
    assert_int_equal(change.inserted, 5); // the oldest went

    size_t large = UNDO_MAX_BYTES / 2 + 1;
    g_autofree char *text = g_malloc0(large);
    for (int i = 0; i < 3; i++) {
        const UndoChange next = { .removed = piece_new(text, large) };
        undo_list_add(list, &next);
    }
    for (left = 0; undo_list_take(list, &change); left++)
        piece_free(change.removed);
    assert_int_equal(left, 1);
}

static void test_kill_ring_is_bounded(void **state G_GNUC_UNUSED)
{
    g_autoptr(KillRing) ring = kill_ring_new();
    assert_null(kill_ring_newest(ring));
    assert_null(kill_ring_older(ring));
    for (int i = 0; i < KILL_RING_MAX + 3; i++) {
        g_autofree char *text = g_strdup_printf("%d", i);
        kill_ring_add(ring, piece_new(text, strlen(text)), KILL_APART);
    }
    assert_string_equal(kill_ring_newest(ring)->text, "62");
    const Piece *piece = NULL;
    for (int i = 0; i < KILL_RING_MAX - 1; i++)
        piece = kill_ring_older(ring);
    assert_string_equal(piece->text, "3");
    assert_string_equal(kill_ring_older(ring)->text, "62");

    g_autofree char *text = g_malloc0(KILL_RING_MAX_BYTES);
    kill_ring_add(ring, piece_new(text, KILL_RING_MAX_BYTES), KILL_APART);
    assert_ptr_equal(kill_ring_older(ring), kill_ring_newest(ring)); // alone
}

// ---- pastes ----

static char *numbered_lines(int count, const char *end)
{
    GString *text = g_string_new(NULL);
    for (int i = 1; i <= count; i++)
        g_string_append_printf(text, "line %d%s", i, i < count ? "\n" : end);
    return g_string_free(text, FALSE);
}

/* agent-core row 94. */
static void test_folded_paste(void **state G_GNUC_UNUSED)
{
    g_autoptr(Editor) editor = editor_new(3);
    g_autofree char *paste = numbered_lines(20, "");
    editor_play(editor, "see <left>", 0);
    assert_int_equal(editor_paste(editor, paste, 50, false), EDITOR_MOVED);
    assert_int_equal(editor_paste(editor, paste + 50, strlen(paste) - 50, true), EDITOR_CHANGED);
    editor_expect("folded", editor, "see[paste #1 +20 lines]| ");
    g_autofree char *text = editor_text(editor);
    g_autofree char *want = g_strdup_printf("see%s ", paste);
    assert_string_equal(text, want);
    editor_play(editor, "<left>", 0);
    editor_expect("one step back", editor, "see|[paste #1 +20 lines] ");
    editor_play(editor, "<wordright>", 0);
    editor_expect("one word", editor, "see[paste #1 +20 lines]| ");
    editor_play(editor, "<back>", 0);
    editor_expect("erased whole", editor, "see| ");
    editor_play(editor, "<undo>", 0);
    g_autofree char *back = editor_text(editor);
    assert_string_equal(back, want);
    g_autofree char *line = editor_line(editor);
    assert_string_equal(line, want);
}

static void test_paste_table(void **state G_GNUC_UNUSED)
{
    g_autofree char *ten = numbered_lines(10, "\n");
    g_autofree char *eleven = numbered_lines(11, "\n");
    g_autofree char *chars = g_strnfill(1001, 'x');
    g_autofree char *fits = g_strnfill(1000, 'x');
    g_autofree char *ten_shown = g_strconcat(ten, "|", NULL);
    g_autofree char *fits_shown = g_strconcat(fits, "|", NULL);
    const struct {
        const char *name, *paste, *want;
    } cases[] = {
        { "short", "a b", "a b|" },
        { "ten lines", ten, ten_shown },
        { "eleven lines", eleven, "[paste #1 +11 lines]|" },
        { "1,000 characters", fits, fits_shown },
        { "1,001 characters", chars, "[paste #1 1001 chars]|" },
        { "line ends and tabs", "a\r\n\tb", "a\n   b|" },
        { "control characters (agent-core row 95)", "a\x01\x7f\x1b[201~b\x1b]0;x\x07", "ab|" },
        { "nothing", "", "|" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Editor) editor = editor_new(3);
        editor_paste(editor, cases[i].paste, strlen(cases[i].paste), true);
        editor_expect(cases[i].name, editor, cases[i].want);
    }
}

static void test_markers(void **state G_GNUC_UNUSED)
{
    g_autofree char *paste = numbered_lines(12, "");
    g_autoptr(Editor) editor = editor_new(3);
    editor_paste(editor, paste, strlen(paste), true);
    editor_paste(editor, paste, strlen(paste), true);
    editor_expect("numbered", editor, "[paste #1 +12 lines][paste #2 +12 lines]|");
    editor_play(editor, "<left><cutstart>", 0);
    editor_expect("cut", editor, "|[paste #2 +12 lines]");
    editor_play(editor, "<end><yank>", 0);
    editor_expect("yanked", editor, "[paste #2 +12 lines][paste #1 +12 lines]|");
    g_autofree char *text = editor_text(editor), *want = g_strconcat(paste, paste, NULL);
    assert_string_equal(text, want);
    editor_clear(editor);
    editor_insert_marker(editor, "[Image #1]", "");
    editor_play(editor, "\u0301!<left><left><jumpback>I", 0);
    editor_expect("an accent is not the marker's", editor, "[Image #1]|\u0301!");
    g_autofree char *image = editor_text(editor);
    assert_string_equal(image, "\u0301!");
    editor_clear(editor);
    editor_play(editor, "[paste #1 +12 lines]<left>", 0);
    editor_expect("what is typed so is text", editor, "[paste #1 +12 lines|]");
}

static void test_marker_makes_no_command(void **state G_GNUC_UNUSED)
{
    g_autoptr(Editor) editor = editor_new(3);
    g_autofree char *paste = g_strnfill(2000, '!');
    editor_paste(editor, paste, strlen(paste), true);
    assert_int_equal(editor_mode(editor), EDITOR_MESSAGE);
}

static void test_limit(void **state G_GNUC_UNUSED)
{
    g_autoptr(Editor) editor = editor_new(3);
    g_autofree char *most = g_strnfill(LIMIT_EDITOR_BYTES - 1, 'x');
    assert_int_equal(editor_paste(editor, most, strlen(most), true), EDITOR_CHANGED);
    assert_int_equal(editor_type(editor, 0xe9, 0), EDITOR_FULL);
    assert_int_equal(editor_type(editor, 'a', 0), EDITOR_CHANGED);
    assert_int_equal(editor_type(editor, 'a', 0), EDITOR_FULL);
    assert_int_equal(editor_act(editor, ACTION_NEW_LINE, 0), EDITOR_FULL);
    assert_int_equal(editor_insert(editor, "a"), EDITOR_FULL);
    assert_int_equal(editor_paste(editor, "a", 1, true), EDITOR_FULL);
    editor_expect("nothing came in", editor, "[paste #1 16777215 chars]a|");
    editor_clear(editor);
    assert_int_equal(editor_paste(editor, most, strlen(most), false), EDITOR_MOVED);
    assert_int_equal(editor_paste(editor, most, strlen(most), false), EDITOR_MOVED);
    assert_int_equal(editor_paste(editor, "a", 1, true), EDITOR_FULL);
    editor_expect("nor a paste that is too large", editor, "|");
}

static void test_whole_text(void **state G_GNUC_UNUSED)
{
    g_autoptr(Editor) editor = editor_new(3);
    assert_true(editor_is_empty(editor));
    editor_set_text(editor, "a\tb\x1b[0m\nc");
    editor_expect("set", editor, "a  b\nc|");
    editor_play(editor, "<undo>", 0);
    assert_true(editor_is_empty(editor));
    editor_play(editor, "see @sr now<wordleft><left>", 0);
    editor_replace(editor, 4, "@src/main.c");
    editor_expect("replaced", editor, "see @src/main.c| now");
    editor_play(editor, "<undo>", 0);
    editor_expect("and back", editor, "see @sr| now");
    editor_clear(editor);
    assert_true(editor_is_empty(editor));
    editor_play(editor, "<yank>", 0);
    editor_expect("cleared text is in the kill ring", editor, "see @sr now|");
    editor_play(editor, "<undo><undo>", 0);
    editor_expect("and in the undo list", editor, "see @sr| now");
    g_autofree char *line = editor_line(editor);
    assert_string_equal(line, "see @sr now");
}

static void test_modes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        EditorMode want;
    } cases[] = {
        { "", EDITOR_MESSAGE },    { "a!", EDITOR_MESSAGE },         { "!ls", EDITOR_BASH },
        { "!", EDITOR_BASH },      { "!!ls", EDITOR_BASH_PRIVATE },  { " !ls", EDITOR_MESSAGE },
        { "$1", EDITOR_PYTHON },   { "$$1", EDITOR_PYTHON_PRIVATE }, { "!$", EDITOR_BASH },
        { "\n!", EDITOR_MESSAGE },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Editor) editor = editor_new(3);
        editor_set_text(editor, cases[i].text);
        if (editor_mode(editor) != cases[i].want)
            fail_msg("'%s': got %d", cases[i].text, editor_mode(editor));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_joined_halves),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_undo_by_time),
        cmocka_unit_test(test_undo_is_bounded),
        cmocka_unit_test(test_kill_ring_is_bounded),
        cmocka_unit_test(test_folded_paste),
        cmocka_unit_test(test_paste_table),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_marker_makes_no_command),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_whole_text),
        cmocka_unit_test(test_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
