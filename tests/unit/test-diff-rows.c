/*
 * Diffs as rows (tui/text/diff_rows.h).
 */
#include "unit.h"

#include "tui/text/diff_rows.h"

#include <string.h>

#define UNIFIED                                                                                    \
    "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n\\ No newline at end of file\n"

static void test_rows(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *diff;
        int width, max_rows;
        const char *want;
    } cases[] = {
        { "nothing", "", 20, 0, "" },
        { "unified", UNIFIED, 40, 0, UNIFIED },
        { "numbers end at one column", " 9|one\n-10|two\n+10|TWO\n 11|...\n", 20, 0,
          "  9 one\n-10 two\n+10 TWO\n 11 ...\n" },
        { "anchored", " 9ab|one\n-10--|two\n+10cd|TWO\n...\n 20ef|x", 20, 0,
          "  9ab one\n-10-- two\n+10cd TWO\n...\n 20ef x\n" },
        { "numbered below ranges", "@@ -9,2 +9,2 @@\n 9|a\n-10|b\n\\ No newline at end of file\n",
          40, 0, "@@ -9,2 +9,2 @@\n  9 a\n-10 b\n\\ No newline at end of file\n" },
        { "bars in a unified diff", "@@ -1 +1 @@\n-1|a\n b\n", 20, 0, "@@ -1 +1 @@\n-1|a\n b\n" },
        { "a long line goes on, indented", "@@ -1 +1 @@\n+abcdefgh\n", 5, 0,
          "@@ -1\n  +1 \n @@\n+abcd\n efgh\n" },
        { "a long numbered line", "+1|abcdefgh\n", 7, 0, "+1 abcd\n   efgh\n" },
        { "bars in the text", "+1|a|b\n", 9, 0, "+1 a|b\n" },
        { "as many rows as there are", "+1|a\n+2|b\n", 20, 2, "+1 a\n+2 b\n" },
        { "more rows", "+1|a\n+2|b\n+3|c\n", 20, 2, "+1 a\n… 2 more lines\n" },
        { "in the middle of a line", "+1|abcd\n", 4, 2, "+1 a\n… 1…\n" },
        { "one row", "+1|a\n+2|b\n", 20, 1, "… 2 more lines\n" },
        { "empty lines", "@@ -1 +1 @@\n\n+\n", 20, 0, "@@ -1 +1 @@\n\n+\n" },
        { "no room for numbers", "+100|ab\n", 2, 0, "ab\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) rows = rows_new();
        diff_rows(cases[i].diff, cases[i].width, cases[i].max_rows, rows);
        g_autoptr(GString) got = g_string_new(NULL);
        for (unsigned j = 0; j < rows->len; j++)
            g_string_append_printf(got, "%s\n", ((Row *)rows->pdata[j])->text);
        if (strcmp(got->str, cases[i].want) != 0)
            fail_msg("%s:\n got '%s'\nwant '%s'", cases[i].name, got->str, cases[i].want);
    }
}

static void test_colours(void **state G_GNUC_UNUSED)
{
    static const ThemeToken unified[] = { TOKEN_MUTED,        TOKEN_MUTED,        TOKEN_ACCENT,
                                          TOKEN_DIFF_CONTEXT, TOKEN_DIFF_REMOVED, TOKEN_DIFF_ADDED,
                                          TOKEN_MUTED };
    g_autoptr(GPtrArray) rows = rows_new();
    diff_rows(UNIFIED, 40, 0, rows);
    assert_int_equal(rows->len, G_N_ELEMENTS(unified));
    for (unsigned i = 0; i < rows->len; i++)
        assert_int_equal(((Row *)rows->pdata[i])->runs[0].style.fg, unified[i]);
    g_ptr_array_set_size(rows, 0);
    diff_rows("--1|- --- x\n+1|@@ y\n", 40, 0, rows);
    diff_rows("-1|--- x\n+1|@@ y\n 2|z\n", 40, 0, rows);
    assert_int_equal(((Row *)rows->pdata[2])->runs[0].style.fg, TOKEN_DIFF_REMOVED);
    assert_int_equal(((Row *)rows->pdata[3])->runs[0].style.fg, TOKEN_DIFF_ADDED);
    assert_int_equal(((Row *)rows->pdata[4])->runs[0].style.fg, TOKEN_DIFF_CONTEXT);
}

static void test_no_row_is_wider(void **state G_GNUC_UNUSED)
{
    for (int width = 1; width < 30; width++)
        for (int max_rows = 0; max_rows < 8; max_rows++) {
            g_autoptr(GPtrArray) rows = rows_new();
            diff_rows(" 1|one\n-2|\xe6\xbc\xa2\xe5\xad\x97 two three\n+20|x\n", width, max_rows,
                      rows);
            assert_true(max_rows == 0 || rows->len <= (unsigned)max_rows);
            for (unsigned i = 0; i < rows->len; i++)
                assert_true(((Row *)rows->pdata[i])->cells <= width);
        }
}

static void test_long_line_costs_little(void **state G_GNUC_UNUSED)
{
    g_autofree char *line = g_strnfill(4 * 1024 * 1024, 'x');
    g_autofree char *diff = g_strdup_printf("+1|%s\n+2|y\n", line);
    g_autoptr(GPtrArray) rows = rows_new();
    diff_rows(diff, 80, 5, rows);
    assert_int_equal(rows->len, 5);
    assert_string_equal(((Row *)rows->pdata[4])->text, "… 2 more lines");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_no_row_is_wider),
        cmocka_unit_test(test_long_line_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
