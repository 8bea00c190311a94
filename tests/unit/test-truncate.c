/*
 * Truncation to whole lines (agent-tools §2.3, §2.4).
 */
#include "unit.h"

#include "tool/truncate.h"

typedef struct Case {
    const char *name, *in;
    size_t max_lines, max_bytes;
    const char *want;
    size_t lines, bytes, total_lines;
    bool is_truncated, by_lines, first_exceeds, last_partial;
} Case;

static void check(const Case *c, Truncated got)
{
    if (strcmp(got.content, c->want) != 0)
        fail_msg("%s: got '%s', want '%s'", c->name, got.content, c->want);
    if (got.output_lines != c->lines || got.output_bytes != c->bytes ||
        got.total_lines != c->total_lines)
        fail_msg("%s: %zu lines, %zu bytes of %zu lines", c->name, got.output_lines,
                 got.output_bytes, got.total_lines);
    if (got.is_truncated != c->is_truncated || got.by_lines != c->by_lines ||
        got.first_line_exceeds != c->first_exceeds || got.last_line_partial != c->last_partial)
        fail_msg("%s: flags %d %d %d %d", c->name, got.is_truncated, got.by_lines,
                 got.first_line_exceeds, got.last_line_partial);
    assert_int_equal(got.total_bytes, strlen(c->in));
    truncated_clear(&got);
}

static void test_head(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "fits", "a\nb", 2, 3, "a\nb", 2, 3, 2, false, false, false, false },
        { "empty", "", 1, 1, "", 1, 0, 1, false, false, false, false },
        { "tools-T13", "aa\nbb\ncc\n", 9, 7, "aa\nbb", 2, 5, 4, true, false, false, false },
        { "by lines", "a\nb\nc", 2, 100, "a\nb", 2, 3, 3, true, true, false, false },
        { "a final newline is a line", "a\nb\n", 2, 100, "a\nb", 2, 3, 3, true, true, false,
          false },
        { "first line exceeds", "abcdef\ng", 9, 5, "", 0, 0, 2, true, false, true, false },
        { "exactly the bytes", "abcde\ng", 9, 5, "abcde", 1, 5, 2, true, false, false, false },
        { "empty lines count", "\n\n\n", 2, 100, "\n", 2, 1, 4, true, true, false, false },
        { "both limits at once", "aa\nbb\ncc", 2, 5, "aa\nbb", 2, 5, 3, true, true, false, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i], truncate_head(cases[i].in, cases[i].max_lines, cases[i].max_bytes));
}

static void test_tail(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "fits", "a\nb", 2, 3, "a\nb", 2, 3, 2, false, false, false, false },
        { "tools-T13", "aa\nbb\ncc\n", 9, 7, "bb\ncc\n", 3, 6, 4, true, false, false, false },
        { "tools-T14", "ééééé", 9, 5, "éé", 1, 4, 1, true, false, false, true },
        { "by lines", "a\nb\nc", 2, 100, "b\nc", 2, 3, 3, true, true, false, false },
        { "a final newline is an empty line", "a\nb\n", 1, 100, "", 1, 0, 3, true, true, false,
          false },
        { "last line exceeds", "a\nbcdefgh", 9, 3, "fgh", 1, 3, 2, true, false, false, true },
        { "starts with newlines", "\n\na", 2, 100, "\na", 2, 2, 3, true, true, false, false },
        { "first line empty and kept", "\nab\ncd", 9, 5, "ab\ncd", 2, 5, 3, true, false, false,
          false },
        { "no boundary in sight", "\xe2\x82\xac", 9, 1, "", 1, 0, 1, true, false, false, true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i], truncate_tail(cases[i].in, cases[i].max_lines, cases[i].max_bytes));
}

static void test_defaults(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < 3500; i++)
        g_string_append(text, "x\n");
    g_auto(Truncated) head = truncate_head(text->str, 0, 0);
    assert_int_equal(head.output_lines, 3000);
    assert_int_equal(head.max_bytes, 51200);
    assert_true(head.by_lines);

    for (int i = 0; i < 51200; i++)
        g_string_append_c(text, 'y');
    g_auto(Truncated) tail = truncate_tail(text->str, 0, 0);
    assert_int_equal(tail.output_lines, 1);
    assert_int_equal(tail.output_bytes, 51200);
    assert_false(tail.last_line_partial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
