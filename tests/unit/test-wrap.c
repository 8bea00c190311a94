/*
 * tui/text/wrap.c: tables, and what holds for every text at every width.
 */
#include "unit.h"

#include "base/limits.h"
#include "tui/text/wrap.h"

#include <string.h>

static const Style plain = { 0 };
static const Style bold = { .attributes = STYLE_BOLD };

/* The rows joined by "|". Caller frees. */
static char *joined(const GPtrArray *rows)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < rows->len; i++)
        g_string_append_printf(out, i > 0 ? "|%s" : "%s", ((Row *)rows->pdata[i])->text);
    return g_string_free(out, FALSE);
}

static const struct {
    const char *name, *text;
    int width;
    const char *first, *rest;
    bool is_code;
    const char *want;
} cases[] = {
    { "fits", "one two", 7, NULL, NULL, false, "one two" },
    { "at a blank", "one two", 6, NULL, NULL, false, "one|two" },
    { "blanks between rows go", "one   two", 4, NULL, NULL, false, "one|two" },
    { "blanks within a row stay", "a  b c", 4, NULL, NULL, false, "a  b|c" },
    { "blanks at the end go", "one  ", 4, NULL, NULL, false, "one" },
    { "nothing is one row", "", 4, NULL, NULL, false, "" },
    { "blanks alone are one row", "      ", 4, NULL, NULL, false, "" },
    { "indentation stays", "  one two", 5, NULL, NULL, false, "  one|two" },
    { "indentation that leaves too little goes", "    one", 5, NULL, NULL, false, "one" },
    { "a long word breaks", "abcdefgh", 3, NULL, NULL, false, "abc|def|gh" },
    { "in rows of its own", "x abcdefgh y", 3, NULL, NULL, false, "x|abc|def|gh|y" },
    { "and words follow it", "abcd e", 3, NULL, NULL, false, "abc|d e" },
    { "wide characters do not straddle", "漢字漢", 5, NULL, NULL, false, "漢字|漢" },
    { "scripts without blanks break anywhere", "ab漢字", 4, NULL, NULL, false, "ab漢|字" },
    { "but before a full stop", "漢字。", 4, NULL, NULL, false, "漢|字。" },
    { "and behind an opening quote", "漢「字", 4, NULL, NULL, false, "漢|「字" },
    { "clusters stay whole", "👍🏽👍🏽", 3, NULL, NULL, false, "👍🏽|👍🏽" },
    { "what rows begin with", "one two three", 6, "- ", "  ", false, "- one|  two|  thre|  e" },
    { "counts, unless no cell is left", "ab", 2, "> ", "> ", false, "ab" },
    { "or not enough for a wide one", "漢a", 3, "> ", "> ", false, "漢a" },
    { "the others narrower", "a bcdef", 6, NULL, "    ", false, "a|    bc|    de|    f" },
    { "the first one narrower", "abcd", 4, "   ", NULL, false, "   a|bcd" },
    { "a single cell", "a漢b", 1, NULL, NULL, false, "a|?|b" },
    { "no cell is one", "ab", 0, NULL, NULL, false, "a|b" },
    { "code breaks anywhere", "if (a) b", 4, NULL, NULL, true, "if (|a) b" },
    { "and keeps blanks", "a    b  ", 3, NULL, NULL, true, "a  |  b|  " },
    { "code with a head", "abc", 4, "1 ", "  ", true, "1 ab|  c" },
    { "empty with a head", "", 4, "- ", NULL, false, "- " },
};

static void wrap_case(size_t i, GPtrArray *out)
{
    g_autoptr(Row) line = row_of(cases[i].text, plain);
    g_autoptr(Row) first = cases[i].first ? row_of(cases[i].first, bold) : NULL;
    g_autoptr(Row) rest = cases[i].rest ? row_of(cases[i].rest, bold) : NULL;
    WrapSpec spec = { cases[i].width, first, rest, cases[i].is_code };
    wrap_row(line, &spec, out);
}

static void test_table(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) rows = rows_new();
        wrap_case(i, rows);
        g_autofree char *got = joined(rows);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got '%s', want '%s'", cases[i].name, got, cases[i].want);
    }
}

static void test_text(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want;
    } texts[] = {
        { "one two\n\nx", "- one|  two|  |  x" },
        { "a\n", "- a" },
        { "", "- " },
        { "\n\n", "- |  " },
    };
    g_autoptr(Row) first = row_of("- ", plain);
    g_autoptr(Row) rest = row_of("  ", plain);
    WrapSpec spec = { .width = 6, .first = first, .rest = rest };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GPtrArray) rows = rows_new();
        wrap_text(texts[i].text, bold, &spec, rows);
        g_autofree char *got = joined(rows);
        assert_string_equal(got, texts[i].want);
    }
}

static void test_runs_and_links(void **state G_GNUC_UNUSED)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, "see ", -1, plain, NULL);
    row_builder_add(builder, "the docs", -1, bold, "https://docs");
    g_autoptr(Row) line = row_builder_take(builder);
    g_autoptr(GPtrArray) rows = rows_new();
    wrap_row(line, &(WrapSpec) { .width = 7 }, rows);
    assert_int_equal(rows->len, 2);
    const Row *a = rows->pdata[0], *b = rows->pdata[1];
    assert_string_equal(a->text, "see the");
    assert_int_equal(a->run_count, 2);
    assert_string_equal(a->runs[1].link, "https://docs");
    assert_string_equal(b->text, "docs");
    assert_string_equal(b->runs[0].link, "https://docs");
    assert_true(style_equal(b->runs[0].style, bold));
    // a mark in place of a wide character looks like it
    row_builder_add(builder, "a", -1, plain, NULL);
    row_builder_add(builder, "漢", -1, bold, NULL);
    g_autoptr(Row) wide = row_builder_take(builder);
    wrap_row(wide, &(WrapSpec) { .width = 1 }, rows);
    assert_int_equal(rows->len, 4);
    assert_true(style_equal(((Row *)rows->pdata[3])->runs[0].style, bold));
}

static const char *const pieces[] = {
    "a",  "b",       "word",         " ",  " ", "   ",       "longer-word", "漢", "字", "。",
    "「", "😀",       "👍🏽",     "🇩🇪", "é", "e\xcc\x81", "\xcc\x81",    "한", "…",  "❤️",
    "x",  "1️⃣", "\xe1\x85\xa1", ")",
};

/* Runs in changing styles. Caller unrefs. */
static Row *random_line(GRand *rand)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    int count = g_rand_int_range(rand, 0, 40);
    for (int i = 0; i < count; i++) {
        const char *piece = pieces[g_rand_int_range(rand, 0, G_N_ELEMENTS(pieces))];
        Style style = { .attributes = (uint8_t)g_rand_int_range(rand, 0, 3) };
        row_builder_add(builder, piece, -1, style, style.attributes == 2 ? "l" : NULL);
    }
    return row_builder_take(builder);
}

static void append_unblank(GString *out, const char *text)
{
    for (; *text; text++)
        if (*text != ' ')
            g_string_append_c(out, *text);
}

static void check_rows(const Row *line, const WrapSpec *spec, const GPtrArray *rows)
{
    g_autoptr(GString) want = g_string_new(NULL);
    g_autoptr(GString) got = g_string_new(NULL);
    append_unblank(want, line->text);
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        if (row->cells > MAX(spec->width, 1))
            fail_msg("'%s' at %d: '%s' has %d cells", line->text, spec->width, row->text,
                     row->cells);
        append_unblank(got, row->text);
    }
    if (spec->width > 1 && strcmp(got->str, want->str) != 0)
        fail_msg("'%s' at %d became '%s'", line->text, spec->width, got->str);
}

/* The rows of each prefix are those of the line, but for its last one. */
static void check_prefixes(const Row *line, const WrapSpec *spec, const GPtrArray *rows)
{
    for (const char *p = line->text; p < line->text + line->size; p = g_utf8_next_char(p)) {
        g_autoptr(Row) prefix = row_part(line, 0, (size_t)(p - line->text));
        g_autoptr(GPtrArray) some = rows_new();
        wrap_row(prefix, spec, some);
        assert_in_range(some->len, 1, rows->len);
        for (guint i = 0; i + 1 < some->len; i++)
            if (!row_equal(some->pdata[i], rows->pdata[i]))
                fail_msg("'%s' at %d: row %u is '%s', of '%s' it is '%s'", line->text, spec->width,
                         i, ((Row *)rows->pdata[i])->text, prefix->text,
                         ((Row *)some->pdata[i])->text);
    }
}

static void test_properties(void **state G_GNUC_UNUSED)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(53);
    g_autoptr(Row) blanks = row_of("   ", plain);
    for (int round = 0; round < rounds_of(1500); round++) {
        g_autoptr(Row) line = random_line(rand);
        WrapSpec spec = {
            .width = g_rand_int_range(rand, 0, 24),
            .first = g_rand_boolean(rand) ? blanks : NULL,
            .rest = g_rand_boolean(rand) ? blanks : NULL,
            .is_code = g_rand_int_range(rand, 0, 4) == 0,
        };
        g_autoptr(GPtrArray) rows = rows_new();
        wrap_row(line, &spec, rows);
        check_rows(line, &spec, rows);
        check_prefixes(line, &spec, rows);
    }
}

/* A megabyte in one line, of which each word is a run: quadratic work would take hours. */
static void test_long_lines(void **state G_GNUC_UNUSED)
{
    static const char *const words[] = { "x", "漢", "word ", "\xcc\x81", " ", "👍🏽" };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        g_autoptr(RowBuilder) builder = row_builder_new();
        for (size_t size = 0, n = 0; size < (size_t)rounds_of(MIB); size += strlen(words[i]), n++)
            row_builder_add(builder, words[i], -1, n % 2 ? bold : plain, NULL);
        g_autoptr(Row) line = row_builder_take(builder);
        for (int width = 1; width <= 80; width += 79) {
            g_autoptr(GPtrArray) rows = rows_new();
            WrapSpec spec = { .width = width };
            wrap_row(line, &spec, rows);
            check_rows(line, &spec, rows);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),          cmocka_unit_test(test_text),
        cmocka_unit_test(test_runs_and_links), cmocka_unit_test(test_properties),
        cmocka_unit_test(test_long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
