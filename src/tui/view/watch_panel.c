/*
 * What is waited for, above the editor (watch_panel.h).
 */
#include "tui/view/watch_panel.h"

#include "tui/text/clean.h"

#define SHOWN_ROWS 8
#define MARK_CELLS 4 // with what stands in front of it, and a blank

static const struct {
    const char *state;
    Symbol symbol;
    ThemeToken token;
} marks[] = {
    { "waiting", SYMBOL_PENDING, TOKEN_DIM }, { "running", SYMBOL_ACTIVE, TOKEN_ACCENT },
    { "failed", SYMBOL_ERROR, TOKEN_ERROR },  { "passed", SYMBOL_SUCCESS, TOKEN_SUCCESS },
    { "skipped", SYMBOL_BULLET, TOKEN_DIM },
};

static size_t kind_of(const json_t *row)
{
    const char *state = json_get_text(row, "state");
    size_t kind = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        if (g_strcmp0(state, marks[i].state) == 0)
            kind = i;
    return kind;
}

static void add_text(RowBuilder *builder, const char *text, int width, Style style)
{
    g_autofree char *clean = clean_line(text ? text : "", MAX(width, 1));
    row_builder_add(builder, clean, -1, style, NULL);
}

static void take_row(RowBuilder *builder, int width, GPtrArray *out)
{
    g_autoptr(Row) row = row_builder_take(builder);
    g_ptr_array_add(out, row_cut(row, width));
}

static void add_title(const json_t *block, int width, GPtrArray *out)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    add_text(builder, json_get_text(block, "title"), width,
             (Style) { .fg = TOKEN_ACCENT, .attributes = STYLE_BOLD });
    take_row(builder, width, out);
}

static void add_row(const json_t *row, const Theme *theme, int width, GPtrArray *out)
{
    const size_t kind = kind_of(row);
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_fill(builder, 2, (Style) { 0 });
    row_builder_add(builder, theme_symbol(theme, marks[kind].symbol), -1,
                    (Style) { .fg = marks[kind].token }, NULL);
    row_builder_fill(builder, MAX(MARK_CELLS, row_builder_cells(builder) + 1), (Style) { 0 });
    add_text(builder, json_get_text(row, "text"), width, (Style) { .fg = TOKEN_TEXT });
    row_builder_fill(builder, row_builder_cells(builder) + 2, (Style) { 0 });
    add_text(builder, json_get_text(row, "detail"), width, (Style) { .fg = TOKEN_DIM });
    take_row(builder, width, out);
}

void watch_panel_rows(const json_t *block, const Theme *theme, int width, GPtrArray *out)
{
    const json_t *rows = json_get_array(block, "rows");
    size_t count = json_array_size(rows), shown = MIN(count, SHOWN_ROWS);
    width = MAX(width, 0);
    if (count == 0)
        return;
    add_title(block, width, out);
    for (size_t i = 0; i < shown; i++)
        add_row(json_array_get(rows, i), theme, width, out);
    if (count == shown)
        return;
    g_autofree char *more = g_strdup_printf("    +%zu more", count - shown);
    g_autoptr(Row) row = row_of(more, (Style) { .fg = TOKEN_DIM });
    g_ptr_array_add(out, row_cut(row, width));
}
