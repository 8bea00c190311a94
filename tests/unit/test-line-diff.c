/* The line diff: which lines changed, the unified form, and that large texts stay quick. */
#include "unit.h"

#include "base/line_diff.h"

#include <string.h>

static void test_unified(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *before, *after, *want;
    } cases[] = {
        { "equal", "a\nb\n", "a\nb\n", "" },
        { "both empty", "", "", "" },
        { "one line replaced", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
          "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n" },
        { "a single line has no count", "a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n" },
        { "from nothing", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n" },
        { "to nothing", "a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n" },
        { "inserted between", "a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nX\ne\nf\ng\nh\n",
          "@@ -2,6 +2,7 @@\n b\n c\n d\n+X\n e\n f\n g\n" },
        { "six kept lines join", "1\na\nb\nc\nd\ne\nf\n2\n", "x\na\nb\nc\nd\ne\nf\ny\n",
          "@@ -1,8 +1,8 @@\n-1\n+x\n a\n b\n c\n d\n e\n f\n-2\n+y\n" },
        { "seven kept lines part", "1\na\nb\nc\nd\ne\nf\ng\n2\n", "x\na\nb\nc\nd\ne\nf\ng\ny\n",
          "@@ -1,4 +1,4 @@\n-1\n+x\n a\n b\n c\n@@ -6,4 +6,4 @@\n e\n f\n g\n-2\n+y\n" },
        { "the old last newline is missing", "a\nb", "a\nb\n",
          "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n" },
        { "the new last newline is missing", "a\nb\n", "a\nb",
          "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n" },
        { "both are missing", "x\nb", "a\nb",
          "@@ -1,2 +1,2 @@\n-x\n+a\n b\n\\ No newline at end of file\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = line_diff_unified(cases[i].before, cases[i].after, "dir/f.md");
        g_autofree char *want = g_strconcat(
            *cases[i].want ? "--- a/dir/f.md\n+++ b/dir/f.md\n" : "", cases[i].want, NULL);
        if (strcmp(got, want) != 0)
            fail_msg("%s: got\n%s", cases[i].name, got);
    }
    g_autofree char *quoted = line_diff_unified("a\n", "b\n", "a\"\nb");
    assert_string_equal(quoted, "--- \"a/a\\\"\\nb\"\n+++ \"b/a\\\"\\nb\"\n@@ -1 +1 @@\n-a\n+b\n");
}

static char *random_text(GRand *random)
{
    GString *text = g_string_new(NULL);
    int letters = g_rand_int_range(random, 1, 8);
    for (int i = g_rand_int_range(random, 0, 40); i > 0; i--)
        g_string_append_printf(text, "%c\n", 'a' + g_rand_int_range(random, 0, letters));
    if (text->len > 0 && g_rand_boolean(random))
        g_string_truncate(text, text->len - 1);
    return g_string_free(text, FALSE);
}

static void append(GString *out, const DiffLine *line)
{
    g_string_append_len(out, line->text, (gssize)line->size);
    if (line->has_newline)
        g_string_append_c(out, '\n');
}

/* The changes, applied to the old text, give the new one. */
static void check_changes(const LineDiff *diff, const char *before, const char *after)
{
    g_autoptr(GString) made = g_string_new(NULL);
    LineChange change = { 0 };
    size_t kept = 0;
    bool has_change;
    do {
        has_change = line_diff_next(diff, &change);
        for (; kept < change.before; kept++)
            append(made, &diff->before[kept]);
        for (size_t i = 0; i < change.added; i++)
            append(made, &diff->after[change.after + i]);
        kept += change.deleted;
    } while (has_change);
    assert_int_equal(change.before, diff->before_count);
    assert_int_equal(change.after, diff->after_count);
    if (strcmp(made->str, after) != 0)
        fail_msg("from\n%s\nto\n%s\ncame\n%s", before, after, made->str);
}

static void test_changes_lead_to_the_new_text(void **state G_GNUC_UNUSED)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    for (int round = 0; round < rounds_of(20000); round++) {
        g_autofree char *before = random_text(random);
        g_autofree char *after = random_text(random);
        g_autoptr(LineDiff) diff = line_diff_new(before, after);
        check_changes(diff, before, after);
    }
}

/* `lines` lines made of the two words, one of them chosen by chance. */
static char *coin_lines(guint32 seed, int lines, const char *heads, const char *tails)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    GString *text = g_string_new(NULL);
    for (int i = 0; i < lines; i++)
        g_string_append(text, g_rand_boolean(random) ? heads : tails);
    return g_string_free(text, FALSE);
}

/* Without a bound on the work these would take minutes. */
static void test_large(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *old_heads, *old_tails, *new_heads, *new_tails;
        int lines;
    } cases[] = {
        { "everything is another line", "a\n", "b\n", "c\n", "d\n", 1000000 },
        { "the same few lines in another order", "a\n", "b\n", "b\n", "a\n", 500000 },
        { "blank lines between", "\n", "old\n", "\n", "\n", 1000000 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int lines = rounds_of(cases[i].lines);
        g_autofree char *before = coin_lines(1, lines, cases[i].old_heads, cases[i].old_tails);
        g_autofree char *after = coin_lines(2, lines, cases[i].new_heads, cases[i].new_tails);
        g_autoptr(LineDiff) diff = line_diff_new(before, after);
        check_changes(diff, before, after);
    }
}

/* A change at each end does not make the middle one. */
static void test_far_apart(void **state G_GNUC_UNUSED)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < 300000; i++)
        g_string_append_printf(text, "line %d\n", i);
    g_autofree char *before = g_strconcat("old\n", text->str, "end\n", NULL);
    g_autofree char *after = g_strconcat("new\n", text->str, "END", NULL);
    g_string_free(text, TRUE);
    g_autofree char *diff = line_diff_unified(before, after, "f");
    assert_string_equal(diff,
                        "--- a/f\n+++ b/f\n"
                        "@@ -1,4 +1,4 @@\n-old\n+new\n line 0\n line 1\n line 2\n"
                        "@@ -299999,4 +299999,4 @@\n line 299997\n line 299998\n line 299999\n"
                        "-end\n+END\n\\ No newline at end of file\n");
}

static void test_hunk_heads(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *line;
        HunkHead head; // all 0: it is none
    } heads[] = {
        { "@@ -1,2 +3,4 @@", { 1, 2, 3, 4 } },
        { "@@ -1 +3 @@ int f(void)\n+++ x", { 1, 1, 3, 1 } },
        { "@@ -0,0 +1,5 @@\n", { 0, 0, 1, 5 } },
        { "@@ -1,2 +3,4", { 0 } },
        { "@@ -1,2 + 3,4 @@", { 0 } },
        { "@@ -1, +3,4 @@", { 0 } },
        { "@@ --1,2 +3,4 @@", { 0 } },
        { "@@ -x +3 @@", { 0 } },
        { "@@ -", { 0 } },
        { "@@@ -1,2 -1,2 +3,4 @@@", { 0 } },
        { "-@@ -1,2 +3,4 @@", { 0 } },
        { "", { 0 } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) {
        HunkHead got = { 0 };
        hunk_head_read(heads[i].line, &got);
        if (memcmp(&got, &heads[i].head, sizeof(got)) != 0)
            fail_msg("%s", heads[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unified),    cmocka_unit_test(test_changes_lead_to_the_new_text),
        cmocka_unit_test(test_large),      cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_hunk_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
