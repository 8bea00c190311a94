/*
 * tui/text/clean.c: every case whole, and cut at every place.
 */
#include "unit.h"

#include "base/limits.h"
#include "tui/text/clean.h"
#include "tui/text/row.h"

#include <string.h>

typedef struct Case {
    const char *name, *in;
    const char *want;    // NULL: as it is
    const char *flowing; // NULL: the same
} Case;

static const Case cases[] = {
    { "plain", "a b é 漢 😀\n\nc" },
    { "nothing", "" },
    { "title", "a\x1b]0;evil\x07z", "az" },
    { "title to ST", "a\x1b]2;evil\x1b\\z", "az" },
    { "link", "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "text" },
    { "clipboard", "a\x1b]52;c;ZXZpbA==\x07z", "az" },
    { "colours and moves", "\x1b[31mred\x1b[0m\x1b[2J\x1b[1;1H\x1b[3J.", "red." },
    { "DCS, APC, PM, SOS", "1\x1bPq\x1b\\2\x1b_a\x1b\\3\x1b^b\x1b\\4\x1bXc\x1b\\5", "12345" },
    { "8-bit CSI",
      "a\xc2\x9b"
      "31mz",
      "az" },
    { "8-bit CSI that is no UTF-8",
      "a\x9b"
      "31mz",
      "a�31mz" },
    { "terminal reset",
      "a\x1b"
      "cz",
      "az" },
    { "a sequence that never ends", "a\x1b]0;evil", "a" },
    { "other controls",
      "a\x07\b\x0b\x0c\x7f\x0e"
      "b\xc2\x85"
      "c",
      "abc" },
    { "bidi",
      "a\xe2\x80\xae"
      "b\xe2\x81\xa6"
      "c\xe2\x80\x8f"
      "d\xd8\x9c"
      "e",
      "abcde" },
    { "tags",
      "a\xf3\xa0\x81\x81\xf3\xa0\x81\xbf"
      "b",
      "ab" },
    { "soft hyphen, zero width, BOM",
      "a\xc2\xad\xe2\x80\x8b\xe2\x81\xa0\xef\xbb\xbf"
      "b",
      "ab" },
    { "fillers",
      "a\xe3\x85\xa4\xef\xbe\xa0\xe1\x85\x9f"
      "b",
      "ab" },
    { "annotations, no characters",
      "a\xef\xbf\xb9\xef\xb7\x90\xef\xbf\xbe"
      "b",
      "ab" },
    { "private planes",
      "a\xf3\xb0\x80\x80\xf4\x80\x80\x80"
      "b\xee\x82\xb0",
      "ab\xee\x82\xb0" },
    { "line and paragraph separators",
      "a\xe2\x80\xa8"
      "b\xe2\x80\xa9"
      "c",
      "a\nb\nc" },
    { "an emoji of several", "👨‍👩‍👧 👩🏽‍💻 🏳️‍🌈" },
    { "a joiner between letters",
      "a\xe2\x80\x8d"
      "b\xe2\x80\x8c"
      "c\xe2\x80\x8d",
      "abc" },
    { "a joiner where it is read", "ن\xe2\x80\x8cم क\xe0\xa5\x8d\xe2\x80\x8dष" },
    { "two joiners", "👨\xe2\x80\x8d\xe2\x80\x8d👩", "👨‍👩" },
    { "a joiner before nothing", "👨\xe2\x80\x8d\n👩\xe2\x80\x8d", "👨\n👩" },
    { "a joiner over what is written over", "👨\xe2\x80\x8d\r👩", "👩", "👨\n👩" },
    { "variation of emoji, ideographs, keys",
      "❤️ ❤\xef\xb8\x8e 葛\xf3\xa0\x84\x80 1️⃣" },
    { "variation of nothing",
      "a\xef\xb8\x8f"
      "1\xef\xb8\x8f"
      "b❤\xef\xb8\x8f\xef\xb8\x8f\n\xef\xb8\x8f",
      "a1b❤️\n" },
    { "invalid UTF-8",
      "a\xff"
      "b\xc3"
      "c\xe6\xbc",
      "a�b�c�" },
    { "surrogate and overlong", "\xed\xa0\x80|\xc0\xaf", "���|��" },
    { "tabs", "\ta\tbcd\te\n漢\tx", "    a   bcd e\n漢  x" },
    { "a tab behind what is not seen", "\x1b[1ma\xe2\x80\x8b\tb", "a   b" },
    { "CRLF", "a\r\nb\r\n", "a\nb\n" },
    { "CR CR LF", "a\r\r\nb", "a\nb" },
    { "a lone CR", "10%\r50%\r100%\nx", "100%\nx", "10%\n50%\n100%\nx" },
    { "before what writes nothing", "50%\r\x1b[K\xe2\x80\x8b\n", "50%\n" },
    { "at the end", "50%\r", "50%", "50%\n" },
    { "tabs behind it", "abc\r\tx", "    x", "abc\n    x" },
    { "it breaks a sequence off", "ab\x1b[12\rmx", "mx", "ab\nmx" },
    { "within a title it is nothing", "ab\x1b]0;x\ry\x07z", "abz" },
};

static const char *want_of(const Case *c, bool is_flowing)
{
    if (is_flowing && c->flowing)
        return c->flowing;
    return c->want ? c->want : c->in;
}

/* Cut at `at`. Caller frees. */
static char *clean_cut(Cleaner *cleaner, const char *text, size_t size, size_t at)
{
    GString *out = g_string_new(NULL);
    cleaner_push(cleaner, text, at, out);
    cleaner_push(cleaner, text + at, size - at, out);
    cleaner_finish(cleaner, out);
    return g_string_free(out, FALSE);
}

static void test_cases(void **state G_GNUC_UNUSED)
{
    g_autoptr(Cleaner) lines = cleaner_new(4);
    g_autoptr(Cleaner) flowing = cleaner_new_flowing(4);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Case *c = &cases[i];
        size_t size = strlen(c->in);
        for (size_t at = 0; at <= size; at++) {
            g_autofree char *got = clean_cut(lines, c->in, size, at);
            if (strcmp(got, want_of(c, false)) != 0)
                fail_msg("%s, cut at %zu: got '%s', want '%s'", c->name, at, got,
                         want_of(c, false));
            g_autofree char *flown = clean_cut(flowing, c->in, size, at);
            if (strcmp(flown, want_of(c, true)) != 0)
                fail_msg("%s, flowing, cut at %zu: got '%s', want '%s'", c->name, at, flown,
                         want_of(c, true));
        }
        g_autofree char *whole = clean_text(c->in, 4);
        assert_string_equal(whole, want_of(c, false));
        g_autofree char *again = clean_text(whole, 4);
        assert_string_equal(again, whole);
    }
}

/* All of it in one stream, byte by byte, makes what the lines make each. */
static void test_bytes(void **state G_GNUC_UNUSED)
{
    g_autoptr(Cleaner) cleaner = cleaner_new(4);
    g_autoptr(GString) in = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_string_append_printf(in, "%s\x07\n", cases[i].in); // BEL ends what is open
    g_autofree char *want = clean_text(in->str, 4);
    g_autoptr(GString) got = g_string_new(NULL);
    for (size_t i = 0; i < in->len; i++)
        cleaner_push(cleaner, in->str + i, 1, got);
    cleaner_finish(cleaner, got);
    assert_string_equal(got->str, want);
    assert_true(g_utf8_validate(want, -1, NULL));
    for (const char *p = want; *p; p++)
        assert_true((unsigned char)*p >= 0x20 || *p == '\n');
}

static void test_nul(void **state G_GNUC_UNUSED)
{
    static const char text[] = "a\0b\xc3\0c";
    g_autoptr(Cleaner) cleaner = cleaner_new(4);
    for (size_t at = 0; at < sizeof(text); at++) {
        g_autofree char *got = clean_cut(cleaner, text, sizeof(text) - 1, at);
        assert_string_equal(got, "ab�c");
    }
}

static void test_what_waits(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(Cleaner) lines = cleaner_new(4);
    cleaner_push(lines, "one\ntwo", 7, out);
    assert_string_equal(out->str, "one\n");
    cleaner_push(lines, "\n", 1, out);
    assert_string_equal(out->str, "one\ntwo\n");

    g_string_truncate(out, 0);
    g_autoptr(Cleaner) flowing = cleaner_new_flowing(4);
    cleaner_push(flowing, "one", 3, out);
    cleaner_push(flowing, "\r", 1, out);
    assert_string_equal(out->str, "one");
    cleaner_push(flowing, "\ntwo\x1b[1", 7, out);
    assert_string_equal(out->str, "one\ntwo");
}

/* A line without an end is held up to the limit, wherever it is cut. */
static void test_long_lines(void **state G_GNUC_UNUSED)
{
    size_t size = 3 * LIMIT_OPEN_LINE_BYTES;
    g_autofree char *text = g_malloc(size + 4);
    memset(text, 'x', size);
    memcpy(text + size, "\ryz", 4);
    static const size_t steps[] = { 1, 7, 4096, SIZE_MAX };
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        g_autoptr(Cleaner) cleaner = cleaner_new(4);
        g_autoptr(GString) out = g_string_new(NULL);
        for (size_t at = 0, step; at < size; at += step) {
            step = MIN(steps[i], size - at);
            cleaner_push(cleaner, text + at, step, out);
            assert_true(out->len + LIMIT_OPEN_LINE_BYTES >= at + step);
        }
        cleaner_push(cleaner, text + size, 3, out);
        cleaner_finish(cleaner, out);
        assert_int_equal(out->len, 2 * LIMIT_OPEN_LINE_BYTES + 2);
        assert_true(g_str_has_suffix(out->str, "xyz"));
    }
}

static void test_marks(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new("e");
    for (int i = 0; i < 1000; i++)
        g_string_append(text, "\xcc\x81");
    g_string_append(text, "x\xcc\x81");
    g_autofree char *got = clean_text(text->str, 4);
    assert_int_equal(strlen(got), 1 + 30 * 2 + 3);

    // a joiner does not stay for the sake of a mark that goes
    g_string_assign(text, "क");
    for (int i = 0; i < 30; i++)
        g_string_append(text, "\xe0\xa5\x8d");
    g_autofree char *want = g_strconcat(text->str, "x", NULL);
    g_string_append(text, "\xe2\x80\x8d\xe0\xa5\x8dx");
    g_autofree char *joined = clean_text(text->str, 4);
    assert_string_equal(joined, want);
}

static void test_line(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *in, *want;
        int cells;
    } lines[] = {
        { "main", "main", 10 },
        { "  a \n\n b\tc\r\n", "a b c", 10 },
        { "a\rb", "a b", 10 },
        { "a\xc2\xa0\xe3\x80\x80"
          "b",
          "a b", 10 },
        { "\x1b]0;evil\x07\xe2\x80\xae"
          "feature/漢字",
          "feature/漢…", 11 },
        { "abcd", "ab…", 3 },
        { "abc", "", 0 },
        { " \n ", "", 5 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autofree char *got = clean_line(lines[i].in, lines[i].cells);
        if (strcmp(got, lines[i].want) != 0)
            fail_msg("'%s': got '%s', want '%s'", lines[i].in, got, lines[i].want);
    }
}

/* Only so much is looked at as the line has room for, and it is the line of the whole text. */
static void test_line_of_a_long_text(void **state G_GNUC_UNUSED)
{
    static const char *const pieces[] = { "abcd", " ",         "\t\r\n",
                                          "日本", "e\xcc\x81", "👩\xe2\x80\x8d👩",
                                          "🇩🇪",   "\x1b[31m",  "\x1b]0;evil\x07",
                                          "\xff", "👍🏽" };
    GRand *chance = g_rand_new_with_seed(5);
    for (int i = 0; i < 300; i++) {
        g_autoptr(GString) text = g_string_new(NULL);
        int count = g_rand_int_range(chance, 0, 1500);
        int cells = g_rand_int_range(chance, 1, 1500);
        while (count-- > 0)
            g_string_append(text, pieces[g_rand_int_range(chance, 0, G_N_ELEMENTS(pieces))]);
        g_autofree char *got = clean_line(text->str, cells);
        g_autofree char *whole = clean_line(text->str, INT_MAX);
        g_autoptr(Row) row = row_of(whole, (Style) { 0 });
        g_autoptr(Row) want = row_cut(row, cells);
        if (strcmp(got, want->text) != 0)
            fail_msg("%d cells: got '%s', want '%s'", cells, got, want->text);
    }
    g_rand_free(chance);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),      cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_nul),        cmocka_unit_test(test_what_waits),
        cmocka_unit_test(test_long_lines), cmocka_unit_test(test_marks),
        cmocka_unit_test(test_line),       cmocka_unit_test(test_line_of_a_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
