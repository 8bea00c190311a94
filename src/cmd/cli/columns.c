/* See columns.h. */
#include "cmd/cli/columns.h"

#include "base/visible.h"
#include "tui/text/width.h"

#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define GAP          2
#define MIN_LAST     24 // cells of the last column; with less it gets a line of its own
#define BELOW_INDENT 4
#define WIDEST       60 // cells to which a column aligns; on a terminal it is cut there

struct Columns {
    GPtrArray *rows; // of GStrv
};

Columns *columns_new(void)
{
    Columns *self = g_new0(Columns, 1);
    self->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    return self;
}

void columns_free(Columns *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->rows);
    g_free(self);
}

void columns_add(Columns *self, const char *const *cells)
{
    g_autoptr(GStrvBuilder) row = g_strv_builder_new();
    for (; *cells; cells++) {
        g_autoptr(GString) cell = g_string_new(NULL);
        visible_append(cell, *cells);
        g_strv_builder_add(row, cell->str);
    }
    g_ptr_array_add(self->rows, g_strv_builder_end(row));
}

static unsigned cells_of(const char *text)
{
    return (unsigned)text_cells(text, strlen(text));
}

// Cells of column `index` where the row does not end with it.
static unsigned column_width(const Columns *self, guint index)
{
    unsigned width = 0;
    for (guint i = 0; i < self->rows->len; i++) {
        const GStrv row = self->rows->pdata[i];
        if (index + 1 < g_strv_length(row))
            width = MAX(width, cells_of(row[index]));
    }
    return MIN(width, WIDEST);
}

static void append_blanks(GString *out, unsigned count)
{
    for (; count > 0; count--)
        g_string_append_c(out, ' ');
}

/* At most `width` cells of it, with "…" where it is cut; 0: all. */
static void append_cut(GString *out, const char *text, unsigned width)
{
    size_t size = strlen(text), taken = 0;
    if (width == 0 || cells_of(text) <= width) {
        g_string_append(out, text);
        return;
    }
    unsigned cells = 0;
    while (taken < size) {
        int more = 0;
        size_t step = cluster_size(text + taken, size - taken, &more);
        if (cells + (unsigned)more + 1 > width)
            break;
        cells += (unsigned)more;
        taken += step;
    }
    g_string_append_len(out, text, (gssize)taken);
    g_string_append(out, "…");
}

static void append_row(const GStrv row, const unsigned *widths, unsigned width, GString *out)
{
    guint count = g_strv_length(row);
    unsigned used = 0;
    for (guint i = 0; i + 1 < count; i++) {
        append_cut(out, row[i], width > 0 ? WIDEST : 0);
        bool is_next_empty = i + 2 == count && row[i + 1][0] == '\0';
        if (!is_next_empty)
            append_blanks(out, widths[i] - MIN(widths[i], cells_of(row[i])) + GAP);
        used += widths[i] + GAP;
    }
    const char *last = count > 0 ? row[count - 1] : "";
    bool is_below = width > 0 && *last && used > 0 && used + MIN_LAST > width &&
                    used + cells_of(last) > width && width > BELOW_INDENT + MIN_LAST / 2;
    if (is_below) {
        while (out->len > 0 && out->str[out->len - 1] == ' ')
            g_string_truncate(out, out->len - 1);
        g_string_append_c(out, '\n');
        append_blanks(out, used = BELOW_INDENT);
    }
    append_cut(out, last, width > used ? width - used : 0);
    g_string_append_c(out, '\n');
}

char *columns_text(const Columns *self, unsigned width)
{
    guint count = 0;
    for (guint i = 0; i < self->rows->len; i++)
        count = MAX(count, g_strv_length(self->rows->pdata[i]));
    g_autofree unsigned *widths = g_new0(unsigned, count + 1);
    for (guint i = 0; i < count; i++)
        widths[i] = column_width(self, i);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < self->rows->len; i++)
        append_row(self->rows->pdata[i], widths, width, out);
    return g_string_free(out, FALSE);
}

unsigned columns_terminal_width(void)
{
    struct winsize size = { 0 };
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}
