/* The numbered diff: its form, and that it is a shortest one. */
#include "unit.h"

#include "tools/file/diff.h"

static void test_form(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *before, *after, *want;
        size_t first_changed;
    } cases[] = {
        { "equal", "a\nb\n", "a\nb\n", "", 0 },
        { "replaced", "a\nb\nc\n", "a\nB\nc\n", " 1|a\n-2|b\n+2|B\n 3|c", 2 },
        { "deletions first", "a\nb\nc\n", "x\ny\nc\n", "-1|a\n-2|b\n+1|x\n+2|y\n 3|c", 1 },
        { "added at the end", "a\n", "a\nb\n", " 1|a\n+2|b", 2 },
        { "added at the top", "1\n2\n3\n4\n5\n6\n", "0\n1\n2\n3\n4\n5\n6\n",
          "+1|0\n 1|1\n 2|2\n 3|3\n 4|4\n 5|...", 1 },
        { "deleted at the end", "a\nb\n", "a\n", " 1|a\n-2|b", 2 },
        { "from nothing", "", "a\n", "+1|a", 1 },
        { "to nothing", "a\n", "", "-1|a", 1 },
        { "only the last newline", "a\nb", "a\nb\n", " 1|a\n-2|b\n+2|b", 2 },
        { "old numbers for context, new ones for added lines", "1\n2\n3\n4\n", "0\n1\n2\n3\n5\n",
          "+1|0\n 1|1\n 2|2\n 3|3\n-4|4\n+5|5", 1 },
        { "gaps", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n",
          "1\n2\n3\n4\n5\nX\n7\n8\n9\n10\n11\n12\n13\n14\n15\nY\n17\n18\n19\n20\n",
          " 1|...\n 2|2\n 3|3\n 4|4\n 5|5\n-6|6\n+6|X\n 7|7\n 8|8\n 9|9\n 10|10\n 11|...\n 12|12\n "
          "13|13\n"
          " 14|14\n 15|15\n-16|16\n+16|Y\n 17|17\n 18|18\n 19|19\n 20|20",
          6 },
        { "a gap at the end", "X\n1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n",
          "-1|X\n 2|1\n 3|2\n 4|3\n 5|4\n 6|...", 1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t first_changed = 99;
        g_autofree char *got = diff_numbered(cases[i].before, cases[i].after, &first_changed);
        if (strcmp(got, cases[i].want) != 0 || first_changed != cases[i].first_changed)
            fail_msg("%s: first %zu, got\n%s", cases[i].name, first_changed, got);
    }
}

static void test_ranges(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *before, *after, *want;
        size_t first_changed;
    } cases[] = {
        { "equal", "a\n", "a\n", "", 0 },
        { "one line", "a\n", "b\n", "@@ -1,1 +1,1 @@\n-1|a\n+1|b", 1 },
        { "from nothing", "", "a\n", "@@ -0,0 +1,1 @@\n+1|a", 1 },
        { "to nothing", "a\n", "", "@@ -1,1 +0,0 @@\n-1|a", 1 },
        { "no newline at the end", "a\nb", "a\nc",
          "@@ -1,2 +1,2 @@\n 1|a\n-2|b\n\\ No newline at end of file\n+2|c\n"
          "\\ No newline at end of file",
          2 },
        { "two ranges", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n10\n",
          "@@ -1,3 +1,4 @@\n+1|0\n 1|1\n 2|2\n 3|3\n@@ -6,5 +7,4 @@\n 6|6\n 7|7\n 8|8\n-9|9\n"
          " 10|10",
          1 },
        { "lines that look like headers", "@@ -1 +1 @@\n-- a\n", "@@ -1 +1 @@\n++ b\n",
          "@@ -1,2 +1,2 @@\n 1|@@ -1 +1 @@\n-2|-- a\n+2|++ b", 2 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        size_t first_changed = 99;
        g_autofree char *got = diff_ranges(cases[i].before, cases[i].after, &first_changed);
        if (strcmp(got, cases[i].want) != 0 || first_changed != cases[i].first_changed)
            fail_msg("%s: first %zu, got\n%s", cases[i].name, first_changed, got);
    }
}

/* The number of lines that two texts of one-letter lines have in common, in order. */
static int common_lines(const char *a, int a_count, const char *b, int b_count)
{
    int table[40][40] = { { 0 } };
    for (int i = 1; i <= a_count; i++) {
        for (int j = 1; j <= b_count; j++)
            table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                               : MAX(table[i - 1][j], table[i][j - 1]);
    }
    return table[a_count][b_count];
}

static char *as_lines(const char *letters, int count)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < count; i++)
        g_string_append_printf(text, "%c\n", letters[i]);
    return g_string_free(text, FALSE);
}

static void test_shortest(void **state G_GNUC_UNUSED)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    for (int round = 0; round < 20000; round++) {
        char a[40], b[40];
        int a_count = g_rand_int_range(random, 0, 30), b_count = g_rand_int_range(random, 0, 30);
        int letters = g_rand_int_range(random, 1, 8);
        for (int i = 0; i < 40; i++) {
            a[i] = (char)('a' + g_rand_int_range(random, 0, letters));
            b[i] = (char)('a' + g_rand_int_range(random, 0, letters));
        }
        g_autofree char *before = as_lines(a, a_count);
        g_autofree char *after = as_lines(b, b_count);
        g_autofree char *diff = diff_numbered(before, after, NULL);
        int deleted = 0, added = 0;
        g_auto(GStrv) lines = g_strsplit(diff, "\n", -1);
        for (char **line = lines; *line; line++) {
            int number = (int)g_ascii_strtoll(*line ? *line + (**line != '\0') : "", NULL, 10);
            const char *text = strchr(*line, '|');
            bool is_old = **line == '-' || (**line == ' ' && strcmp(text, "|...") != 0);
            deleted += **line == '-';
            added += **line == '+';
            if ((is_old && a[number - 1] != text[1]) || (**line == '+' && b[number - 1] != text[1]))
                fail_msg("wrong line '%s' between\n%s\nand\n%s", *line, before, after);
        }
        int common = common_lines(a, a_count, b, b_count);
        if (deleted != a_count - common || added != b_count - common)
            fail_msg("%d deleted, %d added, %d in common, between\n%s\nand\n%s", deleted, added,
                     common, before, after);
    }
}

static void test_large(void **state G_GNUC_UNUSED)
{
    GString *before = g_string_new(NULL), *after = g_string_new(NULL);
    for (int i = 0; i < 20000; i++) {
        g_string_append_printf(before, "line %d\n", i);
        g_string_append_printf(after, i % 100 == 50 ? "other %d\n" : "line %d\n", i);
    }
    size_t first_changed = 0;
    g_autofree char *some = diff_numbered(before->str, after->str, &first_changed);
    assert_int_equal(first_changed, 51);
    assert_non_null(strstr(some, "\n-19951|line 19950\n+19951|other 19950\n"));

    // nothing in common: bounded in time and in size
    for (char *p = after->str; *p; p++)
        *p = *p == 'l' ? 'L' : *p;
    g_string_append(after, "end\n");
    g_autofree char *all = diff_numbered(before->str, after->str, NULL);
    assert_true(strlen(all) < 300 * 1024);
    assert_non_null(strstr(all, "|...\0"));
    g_string_free(before, TRUE);
    g_string_free(after, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_shortest),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
