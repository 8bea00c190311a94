/*
 * The status line and the rule above the editor (status.h): which segments there is room for.
 */
#include "tui/text/clean.h"
#include "tui/text/width.h"
#include "tui/view/status_private.h"

#define MAX_RULE_CELLS 60 // tui §1, decision 3
#define MIN_GAP        2  // blanks between the sides
#define MIN_CUT_CELLS  8  // of a segment that is cut

typedef struct Side { // what is shown of it
    Row *rows[MAX_SEGMENTS + 1];
    size_t count;
    const char *mark; // between two
    int cells;
} Side;

static void side_clear(Side *self)
{
    for (size_t i = 0; i < self->count; i++)
        row_unref(self->rows[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Side, side_clear)

static int between_cells(const Side *self)
{
    return 2 + text_cells(self->mark, strlen(self->mark)); // a blank on either side
}

/* Takes the row; NULL is none. */
static void side_add(Side *self, Row *row)
{
    if (!row)
        return;
    self->cells += row->cells + (self->count > 0 ? between_cells(self) : 0);
    self->rows[self->count++] = row;
}

static void side_drop_last(Side *self)
{
    Row *row = self->rows[--self->count];
    self->cells -= row->cells + (self->count > 0 ? between_cells(self) : 0);
    row_unref(row);
}

static void side_fill(Side *self, const StatusSide *wanted, const StatusFacts *facts,
                      const Theme *theme)
{
    for (size_t i = 0; i < wanted->count; i++)
        side_add(self, status_segment_row(wanted->segments[i], facts, theme, TOKEN_STATUS_LINE_BG));
}

static void side_draw(const Side *self, RowBuilder *out)
{
    const Style style = { .fg = TOKEN_STATUS_SEP, .bg = TOKEN_STATUS_LINE_BG };
    g_autofree char *between = g_strdup_printf(" %s ", self->mark);
    for (size_t i = 0; i < self->count; i++) {
        if (i > 0)
            row_builder_add(out, between, -1, style, NULL);
        row_builder_add_row(out, self->rows[i]);
    }
}

static Row *notice_row(const char *notice, int width)
{
    const Style style = { .fg = TOKEN_WARNING,
                          .bg = TOKEN_STATUS_LINE_BG,
                          .attributes = STYLE_BOLD };
    g_autofree char *clean = notice ? clean_line(notice, width) : NULL;
    return clean && *clean ? row_of(clean, style) : NULL;
}

static int needed_cells(const Side *left, const Side *right)
{
    int gap = left->count > 0 && right->count > 0 ? MIN_GAP : 0;
    return left->cells + gap + right->cells;
}

/* The last two are better cut than left out: the first one alone may be the program's name. */
static bool side_cut_second(Side *self, int width)
{
    Row *row = self->rows[1];
    int cells = row->cells - (self->cells - width);
    if (self->count != 2 || cells < MIN_CUT_CELLS)
        return false;
    self->rows[1] = row_cut(row, cells);
    self->cells += self->rows[1]->cells - row->cells;
    row_unref(row);
    return true;
}

/* What stands furthest right goes first, of the right side before the left one. */
static void make_room(Side *left, Side *right, int width)
{
    while (needed_cells(left, right) > width && right->count > 0)
        side_drop_last(right);
    while (needed_cells(left, right) > width && left->count > 1) {
        if (!side_cut_second(left, width))
            side_drop_last(left);
    }
}

static const char *mark_of(const StatusSide *side, const Theme *theme)
{
    return side->mark ? side->mark : theme_symbol(theme, SYMBOL_SEPARATOR);
}

Row *status_row(const StatusLayout *self, const StatusFacts *facts, const Theme *theme, int width)
{
    g_auto(Side) left = { .mark = mark_of(&self->left, theme) };
    g_auto(Side) right = { .mark = mark_of(&self->right, theme) };
    g_autoptr(RowBuilder) builder = row_builder_new();
    width = MAX(width, 0);
    side_add(&left, notice_row(facts->notice, width));
    side_fill(&left, &self->left, facts, theme);
    side_fill(&right, &self->right, facts, theme);
    make_room(&left, &right, width);
    side_draw(&left, builder);
    if (right.count > 0)
        row_builder_fill(builder, width - right.cells, (Style) { 0 });
    side_draw(&right, builder);
    g_autoptr(Row) row = row_builder_take(builder);
    return row_cut(row, width);
}

static void fill_rule(RowBuilder *out, const char *symbol, int cells, Style style)
{
    int each = MAX(text_cells(symbol, strlen(symbol)), 1);
    while (row_builder_cells(out) + each <= cells)
        row_builder_add(out, symbol, -1, style, NULL);
}

Row *status_rule(const StatusFacts *facts, const Theme *theme, ThemeToken border, int width)
{
    static const char *const first[] = { "model", "mode", "session_name" };
    const char *symbol = theme_symbol(theme, SYMBOL_RULE);
    const Style style = { .fg = border };
    g_autoptr(RowBuilder) builder = row_builder_new();
    int cells = CLAMP(width, 0, MAX_RULE_CELLS);
    fill_rule(builder, symbol, MIN(2, cells), style);
    for (size_t i = 0; i < G_N_ELEMENTS(first); i++) {
        size_t number = status_segment_number(first[i]);
        g_autoptr(Row) row = status_segment_row(number, facts, theme, TOKEN_DEFAULT);
        int at = row_builder_cells(builder);
        if (!row || at + row->cells + 4 > cells) // with two blanks and the end of the rule
            continue;
        row_builder_add(builder, " ", -1, style, NULL);
        row_builder_add_row(builder, row);
        row_builder_add(builder, " ", -1, style, NULL);
        fill_rule(builder, symbol, MIN(at + row->cells + 4, cells), style);
    }
    fill_rule(builder, symbol, cells, style);
    return row_builder_take(builder);
}
