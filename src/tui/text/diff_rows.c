/*
 * Diffs as rows (diff_rows.h): lines of a unified diff by their first character; of an edit's
 * result ("+12|text", " 9|...", "-3--|text") also by the bar after their number.
 */
#include "tui/text/diff_rows.h"

#include "base/str.h"
#include "base/utf8.h"
#include "tui/text/wrap.h"

#include <string.h>

#define BYTES_PER_CELL 8 // of a line that is wrapped for a limited number of rows

typedef struct DiffLook {
    bool is_numbered;
    int gutter; // cells: mark, number, blank
    int width, max_rows;
    GPtrArray *out;
} DiffLook;

/* The mark, the digits, the anchor of two letters or dashes, the bar: its offset; 0: none. */
static size_t bar_of(const char *line, size_t size)
{
    size_t at = 1, digits;
    if (size == 0 || !strchr("+- ", line[0]))
        return 0;
    while (at < size && line[at] == ' ')
        at++;
    for (digits = at; at < size && g_ascii_isdigit(line[at]); at++)
        ;
    if (at == digits)
        return 0;
    for (size_t i = 0; i < 2 && at < size && (g_ascii_isalpha(line[at]) || line[at] == '-'); i++)
        at++;
    return at < size && line[at] == '|' ? at : 0;
}

static size_t line_size(const char *line)
{
    return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    line += line_size(line);
    return *line ? line + 1 : line;
}

static bool is_body(const char *line, size_t size)
{
    static const char *const others[] = { "@@", "...", "\\ ", "--- ", "+++ ", "diff ", "index " };
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        if (str_has_prefix(line, others[i]))
            return false;
    return size > 0;
}

/* It is numbered when every line is. */
static void look_at(const char *diff, DiffLook *look)
{
    size_t widest = 0;
    for (const char *line = diff; *line; line = next_line(line)) {
        size_t size = line_size(line), bar = bar_of(line, size);
        if (bar == 0 && is_body(line, size))
            return;
        widest = MAX(widest, bar);
    }
    look->is_numbered = widest > 0;
    look->gutter = (int)widest + 1;
}

static Style style_of(const DiffLook *look, const char *line)
{
    static const char *const heads[] = { "+++ ", "--- ", "diff ", "index ", "\\ " };
    for (size_t i = 0; !look->is_numbered && i < G_N_ELEMENTS(heads); i++)
        if (str_has_prefix(line, heads[i]))
            return (Style) { .fg = TOKEN_MUTED };
    if (str_has_prefix(line, "@@"))
        return (Style) { .fg = TOKEN_ACCENT };
    return (Style) { .fg = line[0] == '+'   ? TOKEN_DIFF_ADDED
                           : line[0] == '-' ? TOKEN_DIFF_REMOVED
                                            : TOKEN_DIFF_CONTEXT };
}

/* As much of a line as can be shown. */
static size_t shown_size(const DiffLook *look, const char *line, size_t size)
{
    if (look->max_rows == 0)
        return size;
    size_t most = (size_t)look->width * (size_t)look->max_rows * BYTES_PER_CELL;
    return size > most ? utf8_boundary_before(line, size, most) : size;
}

static void wrap_line(const DiffLook *look, const char *line, size_t size, GPtrArray *rows)
{
    Style style = style_of(look, line);
    size_t bar = look->is_numbered ? bar_of(line, size) : 0;
    size_t text = bar > 0 ? bar + 1 : !look->is_numbered && size > 0 ? 1 : 0;
    g_autoptr(RowBuilder) builder = row_builder_new();
    if (bar > 0) { // numbers end where the longest does
        row_builder_add(builder, line, 1, style, NULL);
        size_t number = 1 + strspn(line + 1, " ");
        row_builder_fill(builder, look->gutter - 1 - (int)(bar - number), style);
        row_builder_add(builder, line + number, (gssize)(bar - number), style, NULL);
        row_builder_add(builder, " ", 1, style, NULL);
    } else {
        row_builder_add(builder, line, (gssize)text, style, NULL);
    }
    g_autoptr(Row) first = row_builder_take(builder);
    row_builder_fill(builder, first->cells, style);
    g_autoptr(Row) rest = row_builder_take(builder);
    row_builder_add(builder, line + text, (gssize)(size - text), style, NULL);
    g_autoptr(Row) content = row_builder_take(builder);
    const WrapSpec spec = { look->width, first, rest, .is_code = true };
    wrap_row(content, &spec, rows);
}

static unsigned count_lines(const char *text)
{
    unsigned count = 0;
    for (; *text; text = next_line(text))
        count++;
    return count;
}

static void put_rest(const DiffLook *look, unsigned count)
{
    g_autofree char *text = g_strdup_printf("… %u more line%s", count, count == 1 ? "" : "s");
    g_autoptr(Row) row = row_of(text, (Style) { .fg = TOKEN_MUTED });
    g_ptr_array_add(look->out, row_cut(row, look->width));
}

void diff_rows(const char *diff, int width, int max_rows, GPtrArray *out)
{
    DiffLook look = { .width = MAX(width, 1), .max_rows = MAX(max_rows, 0), .out = out };
    look_at(diff, &look);
    unsigned start = out->len;
    for (const char *line = diff; *line; line = next_line(line)) {
        g_autoptr(GPtrArray) rows = rows_new();
        size_t size = line_size(line);
        size_t shown = shown_size(&look, line, size);
        wrap_line(&look, line, shown, rows);
        bool is_last = *next_line(line) == '\0';
        unsigned left = max_rows > 0 ? (unsigned)max_rows - (out->len - start) : G_MAXUINT;
        // the last row is for what is left out, if anything is
        unsigned room = is_last ? left : left - 1;
        bool is_whole = rows->len <= room && shown == size;
        for (unsigned i = 0; i < rows->len && i < (is_whole ? room : left - 1); i++)
            g_ptr_array_add(out, row_ref(rows->pdata[i]));
        if (!is_whole) {
            put_rest(&look, count_lines(line));
            return;
        }
    }
}
