/*
 * tui/text/row.c: rows, their parts, and the builder.
 */
#include "unit.h"

#include "tui/text/row.h"

#include <string.h>

static const Style plain = { 0 };
static const Style bold = { .attributes = STYLE_BOLD };
static const Style muted = { .fg = TOKEN_MUTED };

/* "see" plain, " the docs" bold and a link, " 漢字" muted. Caller unrefs. */
static Row *sample(void)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, "see", -1, plain, NULL);
    row_builder_add(builder, " the docs", -1, bold, "https://docs");
    row_builder_add(builder, " 漢字", -1, muted, NULL);
    return row_builder_take(builder);
}

static void assert_run(const Row *row, uint32_t index, uint32_t size, Style style, const char *link)
{
    assert_in_range(index, 0, row->run_count - 1);
    assert_int_equal(row->runs[index].size, size);
    assert_true(style_equal(row->runs[index].style, style));
    assert_int_equal(g_strcmp0(row->runs[index].link, link), 0);
}

static void test_build(void **state G_GNUC_UNUSED)
{
    g_autoptr(Row) row = sample();
    assert_string_equal(row->text, "see the docs 漢字");
    assert_int_equal(row->size, strlen(row->text));
    assert_int_equal(row->cells, 17);
    assert_int_equal(row->run_count, 3);
    assert_run(row, 0, 3, plain, NULL);
    assert_run(row, 1, 9, bold, "https://docs");
    assert_run(row, 2, 7, muted, NULL);
}

static void test_runs_join(void **state G_GNUC_UNUSED)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, "ab", 1, bold, "x");
    row_builder_add(builder, "", -1, plain, NULL);
    row_builder_add(builder, "b", -1, bold, "x");
    row_builder_add(builder, "c", -1, bold, "y");
    g_autoptr(Row) row = row_builder_take(builder);
    assert_string_equal(row->text, "abc");
    assert_int_equal(row->run_count, 2);

    // the builder begins anew
    assert_int_equal(row_builder_cells(builder), 0);
    g_autoptr(Row) empty = row_builder_take(builder);
    assert_string_equal(empty->text, "");
    assert_int_equal(empty->cells + (int)empty->run_count, 0);
    assert_false(row_equal(row, empty));
}

static void test_cells_over_runs(void **state G_GNUC_UNUSED)
{
    // what is added joins the cluster before it
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, "ae", -1, plain, NULL);
    assert_int_equal(row_builder_cells(builder), 2);
    row_builder_add(builder, "\xcc\x81", -1, bold, NULL);
    assert_int_equal(row_builder_cells(builder), 2);
    row_builder_add(builder, "🇩", -1, plain, NULL);
    assert_int_equal(row_builder_cells(builder), 3);
    row_builder_add(builder, "🇪", -1, plain, NULL);
    assert_int_equal(row_builder_cells(builder), 4);
    row_builder_fill(builder, 6, muted);
    row_builder_fill(builder, 3, muted);
    g_autoptr(Row) row = row_builder_take(builder);
    assert_int_equal(row->cells, 6);
    assert_string_equal(row->text, "ae\xcc\x81🇩🇪  ");
}

static void test_cut(void **state G_GNUC_UNUSED)
{
    static const struct {
        int cells;
        const char *want;
    } cases[] = {
        { 99, "see the docs 漢字" },
        { 17, "see the docs 漢字" },
        { 16, "see the docs 漢…" },
        { 15, "see the docs …" },
        { 13, "see the docs…" },
        { 6, "see t…" },
        { 3, "se…" },
        { 1, "…" },
        { 0, "" },
    };
    g_autoptr(Row) row = sample();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Row) cut = row_cut(row, cases[i].cells);
        if (strcmp(cut->text, cases[i].want) != 0 || cut->cells > cases[i].cells)
            fail_msg("%d cells: '%s', %d cells", cases[i].cells, cut->text, cut->cells);
    }
    g_autoptr(Row) cut = row_cut(row, 6);
    assert_int_equal(cut->run_count, 3);
    assert_run(cut, 0, 3, plain, NULL);
    assert_run(cut, 1, 2, bold, "https://docs");
    assert_run(cut, 2, 3, bold, NULL);
}

static void test_part(void **state G_GNUC_UNUSED)
{
    g_autoptr(Row) row = sample();
    g_autoptr(Row) part = row_part(row, 2, 5);
    assert_string_equal(part->text, "e the");
    assert_run(part, 0, 1, plain, NULL);
    assert_run(part, 1, 4, bold, "https://docs");
    g_autoptr(Row) none = row_part(row, row->size, 0);
    assert_int_equal(none->size, 0);

    // parts in their order make the whole again
    g_autoptr(RowBuilder) builder = row_builder_new();
    RowPlace place = { 0 };
    for (size_t i = 0; i < row->size; i++)
        row_builder_add_part(builder, row, &place, i, 1);
    g_autoptr(Row) again = row_builder_take(builder);
    assert_true(row_equal(row, again));

    row_builder_add_row(builder, row);
    row_builder_add_row(builder, row);
    g_autoptr(Row) twice = row_builder_take(builder);
    assert_int_equal(twice->cells, 34);
    assert_int_equal(twice->run_count, 6);
}

static void test_equal(void **state G_GNUC_UNUSED)
{
    g_autoptr(Row) a = sample();
    g_autoptr(Row) b = sample();
    g_autoptr(Row) other_style = row_of("x", bold);
    g_autoptr(Row) other_text = row_of("y", plain);
    g_autoptr(Row) x = row_of("x", plain);
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, "x", -1, plain, "l");
    g_autoptr(Row) linked = row_builder_take(builder);
    assert_true(row_equal(a, b) && row_equal(a, a));
    assert_false(row_equal(x, other_style) || row_equal(x, other_text) || row_equal(x, linked));
    g_autoptr(GPtrArray) rows = rows_new();
    g_ptr_array_add(rows, row_ref(a));
    assert_int_equal(a->ref_count, 2);
    row_unref(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build),
        cmocka_unit_test(test_runs_join),
        cmocka_unit_test(test_cells_over_runs),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
