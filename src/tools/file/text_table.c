/* See text_table.h. */
#include "tools/file/text_table.h"

#include <utf8proc.h>

#define TAB_SHOWN "   "

enum { MAX_COLUMN = 40, MAX_LINE = 120, MIN_COLUMN = 3, MAX_CELLS = 100000 };

struct TextTable {
    GPtrArray *cells; // of char *; the names of the columns first
    guint columns;
};

TextTable *text_table_new(void)
{
    TextTable *self = g_new0(TextTable, 1);
    self->cells = g_ptr_array_new_with_free_func(g_free);
    return self;
}

void text_table_free(TextTable *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->cells);
    g_free(self);
}

static int width_of(gunichar c)
{
    int width = utf8proc_charwidth((utf8proc_int32_t)c);
    return MAX(width, 0);
}

static size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text = g_utf8_next_char(text))
        width += (size_t)width_of(g_utf8_get_char(text));
    return width;
}

/* Appends what fits; a cut text ends in "…". Returns the width. */
static size_t append_fitting(GString *out, const char *text, size_t room)
{
    if (text_width(text) <= room) {
        g_string_append(out, text);
        return text_width(text);
    }
    size_t width = 0;
    for (; *text; text = g_utf8_next_char(text)) {
        size_t next = (size_t)width_of(g_utf8_get_char(text));
        if (width + next > room - 1)
            break;
        g_string_append_unichar(out, g_utf8_get_char(text));
        width += next;
    }
    g_string_append(out, "…");
    return width + 1;
}

/* On one line, and no wider than a column can be. Caller frees. */
static char *cell_of(const char *text)
{
    g_autoptr(GString) line = g_string_new(NULL);
    // what is behind so many characters is never shown, whatever their width
    for (size_t taken = 0; *text && taken < 40 * MAX_COLUMN; taken++) {
        gunichar c = g_utf8_get_char(text);
        if (c == '\t')
            g_string_append(line, TAB_SHOWN);
        else if (c == '\n')
            g_string_append(line, "\\n");
        else if (c == '\r')
            g_string_append(line, "\\r");
        else
            g_string_append_unichar(line, g_unichar_iscntrl(c) ? 0xfffd : c);
        text = g_utf8_next_char(text);
    }
    GString *cell = g_string_new(NULL);
    append_fitting(cell, line->str, MAX_COLUMN);
    return g_string_free(cell, FALSE);
}

void text_table_add_column(TextTable *self, const char *name)
{
    g_ptr_array_add(self->cells, cell_of(name));
    self->columns++;
}

void text_table_add_cell(TextTable *self, const char *text)
{
    g_ptr_array_add(self->cells, cell_of(text));
}

bool text_table_is_full(const TextTable *self)
{
    return self->cells->len + self->columns > MAX_CELLS;
}

static size_t widest_of(const size_t *widths, guint columns)
{
    size_t widest = 0;
    for (guint i = 1; i < columns; i++)
        if (widths[i] > widths[widest])
            widest = i;
    return widest;
}

/* Caller frees. */
static size_t *text_table_measure(const TextTable *self)
{
    size_t *widths = g_new0(size_t, self->columns);
    for (guint i = 0; i < self->cells->len; i++) {
        size_t width = text_width(g_ptr_array_index(self->cells, i));
        widths[i % self->columns] = MAX(widths[i % self->columns], MAX(width, 1));
    }
    size_t line = 1;
    for (guint i = 0; i < self->columns; i++)
        line += widths[i] + 3;
    while (line > MAX_LINE) {
        size_t widest = widest_of(widths, self->columns);
        if (widths[widest] <= MIN_COLUMN)
            break;
        widths[widest]--;
        line--;
    }
    return widths;
}

static void append_padding(GString *out, char c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        g_string_append_c(out, c);
}

static void append_row(const TextTable *self, guint first, const size_t *widths, GString *out)
{
    g_string_append_c(out, '|');
    for (guint i = 0; i < self->columns; i++) {
        g_string_append_c(out, ' ');
        const char *cell = g_ptr_array_index(self->cells, first + i);
        size_t width = append_fitting(out, cell, widths[i]);
        append_padding(out, ' ', widths[i] - width);
        g_string_append(out, " |");
    }
}

char *text_table_draw(const TextTable *self)
{
    if (self->columns == 0)
        return g_strdup("(no rows)");
    g_autofree size_t *widths = text_table_measure(self);
    GString *out = g_string_new(NULL);
    append_row(self, 0, widths, out);
    g_string_append(out, "\n|");
    for (guint i = 0; i < self->columns; i++) {
        g_string_append_c(out, ' ');
        append_padding(out, '-', widths[i]);
        g_string_append(out, " |");
    }
    for (guint i = self->columns; i + self->columns <= self->cells->len; i += self->columns) {
        g_string_append_c(out, '\n');
        append_row(self, i, widths, out);
    }
    if (self->cells->len == self->columns)
        g_string_append(out, "\n(no rows)");
    return g_string_free(out, FALSE);
}
