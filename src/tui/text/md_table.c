/* See md_table.h. */
#include "tui/text/md_table.h"

#include "tui/text/md_blocks.h"
#include "tui/text/wrap.h"

#include <string.h>

#define MIN_COLUMN 8
#define GAP        3 // " │ "

typedef enum { ALIGN_LEFT, ALIGN_CENTER, ALIGN_RIGHT } Align;

struct MdTable {
    unsigned columns;
    Align aligns[MD_TABLE_COLUMNS];
    int natural[MD_TABLE_COLUMNS]; // cells of the widest line of a column
    GPtrArray *lines;              // the head, then rows that have not been laid out
    char *last;
    GPtrArray *names; // cells of the head as plain rows; NULL: nothing was laid out yet
};

// ---- source ----

static const char *md_table_trim(const char *text, size_t *size)
{
    while (*size > 0 && *text == ' ') {
        text++;
        (*size)--;
    }
    while (*size > 0 && text[*size - 1] == ' ')
        (*size)--;
    return text;
}

static size_t cell_size(const char *text, const char *end)
{
    const char *at = text;
    for (; at < end && *at != '|'; at++)
        at += *at == '\\' && at + 1 < end;
    return (size_t)(MIN(at, end) - text);
}

/* The next cell of a line without its outer bars, the last one with all that is left. */
static bool next_cell(const char **at, const char *end, bool is_last, const char **ret_cell,
                      size_t *ret_size)
{
    if (*at > end)
        return false;
    size_t size = is_last ? (size_t)(end - *at) : cell_size(*at, end);
    const char *next = *at + size + 1;
    *ret_cell = md_table_trim(*at, &size);
    *ret_size = size;
    *at = next;
    return true;
}

static void strip_bars(const char **text, size_t *size)
{
    *text = md_table_trim(*text, size);
    if (*size > 0 && **text == '|') {
        (*text)++;
        (*size)--;
    }
    if (*size > 0 && (*text)[*size - 1] == '|' && (*size < 2 || (*text)[*size - 2] != '\\'))
        (*size)--;
}

static unsigned count_cells(const char *text, size_t size)
{
    strip_bars(&text, &size);
    const char *at = text, *cell;
    size_t cell_bytes;
    unsigned count = 0;
    while (next_cell(&at, text + size, false, &cell, &cell_bytes))
        count++;
    return count;
}

static Align align_of(const char *cell, size_t size)
{
    bool is_left = size > 0 && cell[0] == ':', is_right = size > 0 && cell[size - 1] == ':';
    return is_right ? (is_left ? ALIGN_CENTER : ALIGN_RIGHT) : ALIGN_LEFT;
}

MdTable *md_table_new(const char *head, size_t head_size, const char *delimiter, size_t size)
{
    unsigned columns = md_delimiter_columns(delimiter, size);
    if (columns == 0 || !memchr(head, '|', head_size) || count_cells(head, head_size) != columns)
        return NULL;
    MdTable *self = g_new0(MdTable, 1);
    self->columns = columns;
    self->lines = g_ptr_array_new_with_free_func(g_free);
    strip_bars(&delimiter, &size);
    const char *at = delimiter, *cell;
    size_t cell_bytes;
    for (unsigned i = 0; next_cell(&at, delimiter + size, false, &cell, &cell_bytes) && i < columns;
         i++)
        self->aligns[i] = align_of(cell, cell_bytes);
    md_table_add(self, head, head_size);
    return self;
}

void md_table_free(MdTable *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->lines);
    g_clear_pointer(&self->names, g_ptr_array_unref);
    g_free(self->last);
    g_free(self);
}

void md_table_add(MdTable *self, const char *line, size_t size)
{
    g_free(self->last);
    self->last = g_strndup(line, size);
    g_ptr_array_add(self->lines, g_strdup(self->last));
}

const char *md_table_last_line(const MdTable *self)
{
    return self->last;
}

// ---- cells ----

/* "\|" is a bar, "<br>" a line end. */
static GString *cell_source(const char *cell, size_t size)
{
    static const char *const breaks[] = { "<br>", "<br/>", "<br />" };
    GString *out = g_string_new_len(cell, (gssize)size);
    g_string_replace(out, "\\|", "|", 0);
    for (size_t i = 0; i < G_N_ELEMENTS(breaks); i++)
        g_string_replace(out, breaks[i], "\v", 0);
    return out;
}

/* For each column an array of lines. */
static GPtrArray *cells_of(const MdTable *self, const MdInline *spec, const char *line)
{
    GPtrArray *cells = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    size_t size = strlen(line);
    strip_bars(&line, &size);
    const char *at = line, *cell;
    size_t cell_bytes;
    for (unsigned i = 0; i < self->columns; i++) {
        GPtrArray *lines = rows_new();
        g_ptr_array_add(cells, lines);
        bool is_last = i + 1 == self->columns;
        if (!next_cell(&at, line + size, is_last, &cell, &cell_bytes))
            continue;
        g_autoptr(GString) source = cell_source(cell, cell_bytes);
        md_inline_rows(spec, source->str, source->len, lines);
    }
    return cells;
}

static void md_table_measure(MdTable *self, const GPtrArray *cells)
{
    for (unsigned i = 0; i < self->columns; i++) {
        const GPtrArray *lines = cells->pdata[i];
        for (unsigned j = 0; j < lines->len; j++)
            self->natural[i] = MAX(self->natural[i], ((const Row *)lines->pdata[j])->cells);
    }
}

// ---- widths ----

static int total_at(const MdTable *self, int most)
{
    int total = GAP * ((int)self->columns - 1);
    for (unsigned i = 0; i < self->columns; i++)
        total += CLAMP(self->natural[i], 1, most);
    return total;
}

/* False: there is no room for columns of 8 cells. */
static bool md_table_fit(const MdTable *self, int width, int *widths)
{
    int low = MIN_COLUMN, high = MAX(width, MIN_COLUMN);
    if (total_at(self, low) > width)
        return false;
    while (low < high) { // the most that a column may have
        int middle = (low + high + 1) / 2;
        if (total_at(self, middle) <= width)
            low = middle;
        else
            high = middle - 1;
    }
    int spare = width - total_at(self, low);
    for (unsigned i = 0; i < self->columns; i++) {
        widths[i] = CLAMP(self->natural[i], 1, low);
        if (self->natural[i] > low && spare > 0) {
            widths[i]++;
            spare--;
        }
    }
    return true;
}

// ---- rows ----

typedef struct TableLook {
    const MdInline *spec;
    const Theme *theme;
    int width;
    int widths[MD_TABLE_COLUMNS];
    bool is_list; // "name: value"
    GPtrArray *out;
} TableLook;

static Style border_style(const TableLook *look)
{
    Style style = look->spec->style;
    style.fg = TOKEN_BORDER_MUTED;
    return style;
}

static GPtrArray *wrap_lines(const GPtrArray *lines, int width)
{
    GPtrArray *rows = rows_new();
    const WrapSpec spec = { .width = width };
    for (unsigned i = 0; i < lines->len; i++)
        wrap_row(lines->pdata[i], &spec, rows);
    return rows;
}

static void add_cell(RowBuilder *builder, const Row *cell, int width, Align align, bool is_last,
                     Style style)
{
    int blanks = MAX(width - (cell ? cell->cells : 0), 0);
    int before = align == ALIGN_RIGHT ? blanks : align == ALIGN_CENTER ? blanks / 2 : 0;
    int start = row_builder_cells(builder);
    row_builder_fill(builder, start + before, style);
    if (cell)
        row_builder_add_row(builder, cell);
    if (!is_last)
        row_builder_fill(builder, start + width, style);
}

static void put_columns(const MdTable *self, const TableLook *look, const GPtrArray *cells)
{
    g_autoptr(GPtrArray) wrapped =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    unsigned height = 1;
    for (unsigned i = 0; i < self->columns; i++) {
        GPtrArray *rows = wrap_lines(cells->pdata[i], look->widths[i]);
        g_ptr_array_add(wrapped, rows);
        height = MAX(height, rows->len);
    }
    g_autofree char *bar = g_strdup_printf(" %s ", theme_symbol(look->theme, SYMBOL_QUOTE_BAR));
    g_autoptr(RowBuilder) builder = row_builder_new();
    for (unsigned y = 0; y < height; y++) {
        for (unsigned i = 0; i < self->columns; i++) {
            const GPtrArray *rows = wrapped->pdata[i];
            if (i > 0)
                row_builder_add(builder, bar, -1, border_style(look), NULL);
            add_cell(builder, y < rows->len ? rows->pdata[y] : NULL, look->widths[i],
                     self->aligns[i], i + 1 == self->columns, look->spec->style);
        }
        g_ptr_array_add(look->out, row_builder_take(builder));
    }
}

static void put_line_below_head(const MdTable *self, const TableLook *look)
{
    int total = GAP * ((int)self->columns - 1);
    for (unsigned i = 0; i < self->columns; i++)
        total += look->widths[i];
    g_autoptr(GString) line = g_string_new(NULL);
    for (int i = 0; i < total; i++)
        g_string_append(line, theme_symbol(look->theme, SYMBOL_RULE));
    g_ptr_array_add(look->out, row_of(line->str, border_style(look)));
}

static void put_pair(const TableLook *look, const Row *name, const GPtrArray *value)
{
    g_autoptr(Row) rest = row_of("  ", look->spec->style);
    const WrapSpec spec = { .width = look->width, .rest = rest };
    g_autoptr(RowBuilder) builder = row_builder_new();
    if (name->size > 0) {
        row_builder_add_row(builder, name);
        row_builder_add(builder, ": ", -1, look->spec->style, NULL);
    }
    for (unsigned i = 0; i < value->len; i++) {
        if (i > 0)
            row_builder_add(builder, " ", 1, look->spec->style, NULL);
        row_builder_add_row(builder, value->pdata[i]);
    }
    g_autoptr(Row) line = row_builder_take(builder);
    wrap_row(line, &spec, look->out);
}

static bool is_empty(const GPtrArray *lines)
{
    for (unsigned i = 0; i < lines->len; i++)
        if (((const Row *)lines->pdata[i])->size > 0)
            return false;
    return true;
}

static void put_pairs(const MdTable *self, const TableLook *look, const GPtrArray *cells,
                      bool is_first)
{
    if (!is_first)
        g_ptr_array_add(look->out, row_of("", look->spec->style));
    for (unsigned i = 0; i < self->columns; i++)
        if (!is_empty(cells->pdata[i]))
            put_pair(look, self->names->pdata[i], cells->pdata[i]);
}

static Row *name_of(const GPtrArray *lines, Style style)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    for (unsigned i = 0; i < lines->len; i++) {
        if (i > 0)
            row_builder_add(builder, " ", 1, style, NULL);
        row_builder_add_row(builder, lines->pdata[i]);
    }
    return row_builder_take(builder);
}

static void put_head(MdTable *self, const TableLook *look, const GPtrArray *cells)
{
    self->names = rows_new();
    for (unsigned i = 0; i < self->columns; i++)
        g_ptr_array_add(self->names, name_of(cells->pdata[i], look->spec->style));
    if (look->is_list)
        return;
    put_columns(self, look, cells);
    put_line_below_head(self, look);
}

void md_table_take(MdTable *self, const MdInline *spec, const Theme *theme, int width, bool is_end,
                   GPtrArray *out)
{
    bool has_begun = self->names != NULL;
    if (!has_begun && !is_end && self->lines->len <= MD_TABLE_HELD)
        return;
    g_autoptr(GPtrArray) parsed = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    for (unsigned i = 0; i < self->lines->len; i++) {
        MdInline line_spec = *spec;
        if (i == 0 && !has_begun)
            line_spec.style.attributes |= STYLE_BOLD;
        g_ptr_array_add(parsed, cells_of(self, &line_spec, self->lines->pdata[i]));
        if (!has_begun)
            md_table_measure(self, parsed->pdata[i]);
    }
    g_ptr_array_set_size(self->lines, 0);
    TableLook look = { .spec = spec, .theme = theme, .width = width, .out = out };
    look.is_list = !md_table_fit(self, width, look.widths);
    if (!has_begun)
        put_head(self, &look, parsed->pdata[0]);
    for (unsigned i = has_begun ? 0 : 1; i < parsed->len; i++) {
        if (look.is_list)
            put_pairs(self, &look, parsed->pdata[i], !has_begun && i == 1);
        else
            put_columns(self, &look, parsed->pdata[i]);
    }
    if (look.is_list && !has_begun && is_end && parsed->len == 1)
        put_pairs(self, &look, parsed->pdata[0], true); // a head alone
}
