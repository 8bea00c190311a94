/*
 * tui/edit/vim*.c: what keys make of a text. Each line of tests/data/vim.tsv has a text with its
 * cursor as "|", keys, and what vim itself makes of them (tests/differential/vim.py asks it). The
 * tables here have what only kedge has.
 */
#include "base/str.h"
#include "unit.h"

#include "tui/edit/vim.h"

#include <string.h>

enum { LINE_CASES = 836, REDO = 0x12 };

/* By hand, from INSERT, as a person goes there. */
static void vim_test_set(Editor *editor, const char *text)
{
    const char *cursor = strchr(text, '|');
    g_autofree char *whole = g_strdup_printf("%.*s%s", (int)(cursor - text), text, cursor + 1);
    editor_set_text(editor, whole);
    size_t at = 0;
    while (editor_shown(editor, &at) && at > (size_t)(cursor - text))
        editor_act(editor, ACTION_CURSOR_LEFT, 0);
}

static EditorResult vim_test_press(Vim *vim, Editor *editor, const char *keys)
{
    EditorResult result = EDITOR_UNUSED;
    for (const char *p = keys; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        KeyPress key = { .code = c == 0x1b ? KEY_ESCAPE : c == '\r' ? KEY_ENTER : c };
        if (c == REDO)
            key = (KeyPress) { .code = 'r', .mods = MOD_CTRL };
        result = vim_press(vim, key, false, 0);
        if (result != EDITOR_UNUSED)
            continue;
        if (key.code == KEY_ENTER)
            editor_act(editor, ACTION_NEW_LINE, 0);
        else
            editor_type(editor, c, 0);
    }
    return result;
}

static char *vim_test_result(Editor *editor)
{
    size_t cursor = 0;
    const char *text = editor_shown(editor, &cursor);
    return g_strdup_printf("%.*s|%s", (int)cursor, text, text + cursor);
}

/* In normal mode, with the cursor where the text says. */
static Vim *vim_test_open(Editor *editor, const char *text)
{
    size_t want = strcspn(text, "|");
    vim_test_set(editor, text);
    Vim *vim = vim_new(editor);
    if (text[want + 1] != '\n' && text[want + 1] != '\0')
        editor_act(editor, ACTION_CURSOR_RIGHT, 0); // Escape goes one back
    vim_test_press(vim, editor, "\x1b");
    return vim;
}

static char *unescape(const char *text)
{
    GString *out = g_string_new(NULL);
    for (; *text; text++) {
        static const char names[] = "nre\\R", bytes[] = "\n\r\x1b\\\x12";
        const char *name = *text == '\\' ? strchr(names, *++text) : NULL;
        g_string_append_c(out, name ? bytes[name - names] : *text);
    }
    return g_string_free(out, FALSE);
}

static void test_as_vim(void **state)
{
    g_autofree char *data = NULL;
    g_autofree char *path = g_build_filename(TEST_DATA_DIR, "vim.tsv", NULL);
    int count = 0, failed = 0;
    assert_true(g_file_get_contents(path, &data, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(g_strchomp(data), "\n", -1);
    for (; lines[count]; count++) {
        g_auto(GStrv) fields = g_strsplit(lines[count], "\t", 3);
        g_autofree char *text = unescape(fields[0]), *keys = unescape(fields[1]);
        g_autofree char *want = unescape(fields[2]);
        g_autoptr(Editor) editor = editor_new(3);
        g_autoptr(Vim) vim = vim_test_open(editor, text);
        vim_test_press(vim, editor, keys);
        g_autofree char *got = vim_test_result(editor);
        if (strcmp(got, want) != 0)
            print_error("line %d: %s: got '%s'\n", count + 1, lines[count], got);
        failed += strcmp(got, want) != 0;
    }
    assert_int_equal(failed, 0);
    assert_int_equal(count, LINE_CASES);
}

static void test_labels(void **state)
{
    static const struct {
        const char *keys, *want;
    } cases[] = {
        { "", "NORMAL" },
        { "i", "INSERT" },
        { "v", "VISUAL" },
        { "V", "V-LINE" },
        { "2", "NORMAL 2" },
        { "2d", "NORMAL 2d" },
        { "2d3", "NORMAL 2d3" },
        { "\"a", "NORMAL \"a" },
        { "\"add", "NORMAL" },
        { "2d\x1b", "NORMAL" },
        { "v\x1b", "NORMAL" },
        { "vv", "NORMAL" },
        { "vV", "V-LINE" },
        { "vi", "VISUAL i" },
        { "gU", "NORMAL gU" },
        { "dz", "NORMAL" },
        { "\"%", "NORMAL" },
        { "z", "NORMAL" },
        { "f", "NORMAL f" },
        { "r", "NORMAL r" },
        { "cw", "INSERT" },
        { "vc", "INSERT" },
        { "o", "INSERT" },
        { "99999999999", "NORMAL 999999999999" },
        { "99999999999x", "NORMAL" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Editor) editor = editor_new(3);
        g_autoptr(Vim) vim = vim_test_open(editor, "one |two three");
        vim_test_press(vim, editor, cases[i].keys);
        if (!str_has_prefix(cases[i].want, vim_label(vim)))
            fail_msg("%s: got '%s', want '%s'", cases[i].keys, vim_label(vim), cases[i].want);
    }
}

/* Escape is vim's as long as it has something to end; then it is the program's. */
static void test_escape(void **state)
{
    const KeyPress escape = { .code = KEY_ESCAPE };
    static const struct {
        const char *keys;
        bool is_taken;
    } cases[] = { { "", false },   { "i", true },       { "2", true },      { "d", true },
                  { "v", true },   { "V", true },       { "\"", true },     { "f", true },
                  { "dd", false }, { "ix\x1b", false }, { "v\x1b", false }, { "2\x1b", false } };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Editor) editor = editor_new(3);
        g_autoptr(Vim) vim = vim_test_open(editor, "one |two");
        vim_test_press(vim, editor, cases[i].keys);
        bool is_taken = vim_press(vim, escape, false, 0) != EDITOR_UNUSED;
        if (is_taken != cases[i].is_taken)
            fail_msg("after %s", cases[i].keys);
    }
}

/* Alt with a key that means nothing is Escape and that key, which came together. */
static void test_alt(void **state)
{
    g_autoptr(Editor) editor = editor_new(3);
    vim_test_set(editor, "one two|");
    g_autoptr(Vim) vim = vim_new(editor);
    assert_int_equal(vim_press(vim, (KeyPress) { 'b', MOD_ALT, false }, true, 0), EDITOR_UNUSED);
    assert_true(vim_is_inserting(vim));
    vim_press(vim, (KeyPress) { 'x', MOD_ALT, false }, false, 0);
    g_autofree char *got = vim_test_result(editor);
    assert_string_equal(got, "one t|w");
    assert_string_equal(vim_label(vim), "NORMAL");
}

/* Keys that stay the editor's and the program's. */
static void test_other_keys(void **state)
{
    static const KeyPress keys[] = {
        { 'c', MOD_CTRL, false }, { 'p', MOD_CTRL, false },      { 'a', MOD_CTRL, false },
        { KEY_ENTER, 0, false },  { KEY_TAB, 0, false },         { KEY_UP, 0, false },
        { KEY_DOWN, 0, false },   { KEY_LEFT, MOD_CTRL, false }, { 'b', MOD_ALT, false },
        { KEY_F1, 0, false },     { KEY_PAGE_UP, 0, false },
    };
    g_autoptr(Editor) editor = editor_new(3);
    g_autoptr(Vim) vim = vim_test_open(editor, "one |two");
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        if (vim_press(vim, keys[i], true, 0) != EDITOR_UNUSED)
            fail_msg("key %zu", i);
    assert_int_equal(vim_test_press(vim, editor, "k"), EDITOR_AT_TOP); // what was asked before
    assert_int_equal(vim_test_press(vim, editor, "j"), EDITOR_AT_BOTTOM);
    assert_int_equal(vim_test_press(vim, editor, "dk"), EDITOR_MOVED);
    editor_set_text(editor, "");
    assert_int_equal(vim_test_press(vim, editor, "/"), EDITOR_UNUSED); // begins a command
    assert_true(vim_is_inserting(vim));
}

/* A folded paste is one character, and goes through registers whole. */
static void test_folded_paste(void **state)
{
    g_autoptr(Editor) editor = editor_new(3);
    g_autofree char *lines = g_strnfill(40, '\n');
    g_autoptr(Vim) vim = vim_test_open(editor, "one |two");
    vim_test_press(vim, editor, "i");
    editor_paste(editor, lines, strlen(lines), true);
    vim_test_press(vim, editor,
                   "\x1b"
                   "x0P");
    g_autofree char *got = vim_test_result(editor);
    assert_string_equal(got, "|[paste #1 +40 lines]one two");
    g_autofree char *meant = editor_text(editor);
    assert_int_equal(strlen(meant), 40 + strlen("one two"));
    vim_test_press(vim, editor, "u");
    g_autofree char *before = editor_text(editor);
    assert_string_equal(before, "one two");
    vim_test_press(vim, editor, "uu");
    g_autofree char *first = editor_text(editor);
    assert_string_equal(first, "one two");
}

/* A recalled prompt, a completion and the like are a change that is taken back, too. */
static void test_changes_of_others(void **state)
{
    g_autoptr(Editor) editor = editor_new(3);
    g_autoptr(Vim) vim = vim_test_open(editor, "one |two");
    editor_set_text(editor, "recalled");
    vim_test_press(vim, editor, "xu");
    g_autofree char *got = editor_text(editor);
    assert_string_equal(got, "recalled");
    vim_test_press(vim, editor, "u");
    g_autofree char *first = editor_text(editor);
    assert_string_equal(first, "one two");
    vim_test_press(vim, editor, "dw");
    vim_begin(vim);
    assert_true(vim_is_inserting(vim));
    editor_set_text(editor, "new");
    vim_test_press(vim, editor, "\x1bP");
    g_autofree char *put = editor_text(editor);
    assert_string_equal(put, "netwow"); // the register is kept
}

/* Counts and registers do not grow beyond what an editor holds. */
static void test_bounds(void **state)
{
    g_autoptr(Editor) editor = editor_new(3);
    g_autoptr(Vim) vim = vim_test_open(editor, "one |two");
    vim_test_press(vim, editor, "yy9999pggyG9999p"); // the second is too much
    g_autofree char *text = editor_text(editor);
    assert_int_equal(strlen(text), 10000 * strlen("one two\n") - 1);
    for (int i = 0; i < 20; i++)
        vim_test_press(vim, editor, i == 0 ? "ggVG\"ayG9999\"Ap" : "VG\"Ay9999u");
    vim_test_press(vim, editor, "ggdG9999ix\x1b");
    g_autofree char *inserted = editor_text(editor);
    assert_int_equal(strlen(inserted), 9999);
}

/* No keys, however they come, lead out of the text or beyond the bounds. */
static void test_noise(void **state)
{
    static const char keys[] = "hjklwbeWBEG$0^{}%;,fFtTgvVdcyxXDCsSYpPJ~r.ua\x1b\x1b\x1b\x1b\x1b"
                               "iIaAoO\"123456789<>uUq([{)}]'\x12";
    g_autoptr(GRand) dice = g_rand_new_with_seed(26);
    for (int round = 0; round < 60; round++) {
        g_autoptr(Editor) editor = editor_new(3);
        g_autoptr(Vim) vim = vim_test_open(editor, "one (|two) \"three\"\n\n  漢字 e\u0301 four\n");
        editor_insert_marker(editor, "[Image #1]", "picture");
        for (int i = 0; i < 200; i++) {
            const char key[2] = { keys[g_rand_int_range(dice, 0, sizeof(keys) - 1)] };
            vim_test_press(vim, editor, key);
            size_t cursor = 0;
            const char *text = editor_shown(editor, &cursor);
            assert_true(g_utf8_validate(text, -1, NULL));
            assert_true(cursor <= strlen(text));
            if (strlen(text) > 100 * 1000)
                editor_set_text(editor, "again");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_vim),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_escape),
        cmocka_unit_test(test_alt),
        cmocka_unit_test(test_other_keys),
        cmocka_unit_test(test_folded_paste),
        cmocka_unit_test(test_changes_of_others),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests_name("vim", tests, NULL, NULL);
}
