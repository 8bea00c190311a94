/*
 * cmd/cli/columns.c: rows of texts in columns.
 */
#include "unit.h"

#include "cmd/cli/columns.h"

#include <string.h>

static void test_columns(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        const char *const rows[3][4];
        unsigned width;
        const char *want;
    } cases[] = {
        { "padded to the widest",
          { { "a", "bb", "last" }, { "ccc", "d", "x" } },
          0,
          "a    bb  last\nccc  d   x\n" },
        { "nothing behind the end",
          { { "a", "b", "" }, { "ccc", "dd", "x" } },
          0,
          "a    b\nccc  dd  x\n" },
        { "wide characters",
          { { "潮", "b" }, { "ab", "c" }, { "é", "d" } },
          0,
          "潮  b\nab  c\né   d\n" },
        { "no control reaches the terminal",
          { { "a\033[31m", "b\nc" } },
          0,
          "a\\x1b[31m  b\\x0ac\n" },
        { "cut where the line ends",
          { { "name", "a text of just thirty-one cells" } },
          36,
          "name  a text of just thirty-one cel…\n" },
        { "never in the middle of a character",
          { { "name", "潮潮潮潮潮潮潮潮潮潮潮潮潮潮潮潮" } },
          31,
          "name  潮潮潮潮潮潮潮潮潮潮潮潮…\n" },
        { "whole where it fits",
          { { "name", "a text of just thirty-one cells" } },
          37,
          "name  a text of just thirty-one cells\n" },
        { "below, where too little is left",
          { { "a long first column", "of many words that say it" } },
          30,
          "a long first column\n    of many words that say it\n" },
        { "a terminal of no width to speak of", { { "abc", "def" } }, 4, "abc  def\n" },
        { "a first column of any length is cut on a terminal",
          { { "12345678901234567890123456789012345678901234567890123456789012345", "x" },
            { "a", "y" } },
          100,
          "12345678901234567890123456789012345678901234567890123456789…  x\n"
          "a                                                             y\n" },
        { "one column", { { "abc" }, { "d" } }, 0, "abc\nd\n" },
        { "none", { { NULL } }, 0, "\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Columns) columns = columns_new();
        for (size_t k = 0; k < 3 && (k == 0 || cases[i].rows[k][0]); k++)
            columns_add(columns, cases[i].rows[k]);
        g_autofree char *got = columns_text(columns, cases[i].width);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got\n%swant\n%s", cases[i].name, got, cases[i].want);
    }
    g_autoptr(Columns) empty = columns_new();
    g_autofree char *nothing = columns_text(empty, 80);
    assert_string_equal(nothing, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_columns) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
