/*
 * Output of others as rows (block_private.h): which lines of it are shown, and how long a line may
 * get. Only those are cleaned and laid out; the others are counted.
 */
#include "tui/view/block_private.h"

#include "base/mask.h"
#include "base/utf8.h"
#include "tui/text/clean.h"
#include "tui/text/wrap.h"

enum { DEFAULT_TAB = 4 };

char *block_clean(const char *text, size_t size, int tab_width)
{
    g_autofree char *piece = g_strndup(text, size);
    g_autofree char *clean = clean_text(piece, tab_width > 0 ? tab_width : DEFAULT_TAB);
    return mask_text(clean);
}

char *block_clean_line(const char *text, int max_cells)
{
    g_autofree char *masked = mask_text(text ? text : "");
    g_autofree char *line = clean_line(masked, max_cells);
    return mask_text(line);
}

char *block_count(gint64 count)
{
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%" G_GINT64_FORMAT, MAX(count, 0));
    for (gssize at = (gssize)text->len - 3; at > 0; at -= 3)
        g_string_insert_c(text, at, ',');
    return g_string_free(text, FALSE);
}

// ---- which lines ----

typedef struct Picked {
    GString *text; // the lines, LF between them; each of a bounded length
    gint64 hidden; // lines
    int count;     // of those that were picked
} Picked;

static void picked_clear(Picked *self)
{
    if (self->text)
        g_string_free(self->text, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Picked, picked_clear)

/* Without blank lines at the end. */
static size_t trimmed_size(const char *text, size_t size)
{
    while (size > 0 && strchr("\n\r\t ", text[size - 1]))
        size--;
    return size;
}

/* A line that is cut says so itself: the ellipsis stands in the text. */
static void append_line(Picked *self, const char *line, size_t size, size_t max_bytes)
{
    size_t kept = size > max_bytes ? utf8_boundary_before(line, size, max_bytes) : size;
    if (self->count++ > 0)
        g_string_append_c(self->text, '\n');
    g_string_append_len(self->text, line, (gssize)kept);
    if (kept < size)
        g_string_append(self->text, "…");
}

static gint64 count_newlines(const char *text, size_t size)
{
    gint64 count = 0;
    const char *end = text + size;
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(end - p))); p++)
        count++;
    return count;
}

static void pick_first(Picked *self, const char *text, size_t size, int max_lines, size_t max_bytes,
                       size_t max_line)
{
    size_t at = 0;
    while (at < size && self->count < max_lines && self->text->len < max_bytes) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - text) : size;
        append_line(self, text + at, end - at, max_line);
        at = end + 1;
    }
    self->hidden = at < size ? count_newlines(text + at, size - at) + 1 : 0;
}

/* Where the last `max_lines` lines begin. */
static size_t start_of_last(const char *text, size_t size, int max_lines)
{
    const char *newline = text + size;
    for (int i = 0; i < max_lines; i++) {
        newline = memrchr(text, '\n', (size_t)(newline - text));
        if (!newline)
            return 0;
    }
    return (size_t)(newline - text) + 1;
}

static void pick_last(Picked *self, const char *text, size_t size, int max_lines, size_t max_bytes,
                      size_t max_line)
{
    size_t start = start_of_last(text, size, max_lines);
    pick_first(self, text + start, size - start, max_lines, max_bytes, max_line);
    self->hidden += count_newlines(text, start);
}

// ---- rows of them ----

static Row *block_output_blanks(int cells)
{
    g_autofree char *text = g_strnfill((gsize)cells, ' ');
    return row_of(text, (Style) { 0 });
}

/* The first rows of a line, the last of them with an ellipsis when it goes on. */
static void add_line(const Row *line, const WrapSpec *wrap, int max_rows, GPtrArray *out)
{
    g_autoptr(GPtrArray) rows = rows_new();
    wrap_row(line, wrap, rows);
    for (unsigned i = 0; i < rows->len && (max_rows == 0 || (int)i < max_rows); i++) {
        Row *row = rows->pdata[i];
        if (max_rows == 0 || (int)i + 1 < max_rows || i + 1 == rows->len) {
            g_ptr_array_add(out, row_ref(row));
            continue;
        }
        g_autoptr(RowBuilder) longer = row_builder_new();
        row_builder_add_row(longer, row);
        row_builder_add(longer, "…", -1, (Style) { .fg = TOKEN_DIM }, NULL);
        g_autoptr(Row) cut = row_builder_take(longer);
        g_ptr_array_add(out, row_cut(cut, wrap->width));
    }
}

static void add_hidden(gint64 hidden, const LinesSpec *spec, GPtrArray *out)
{
    if (hidden <= 0)
        return;
    const BlockSpec *block = spec->block;
    g_autofree char *count = block_count(hidden);
    g_autofree char *text = g_strdup_printf(
        "%*s%s %s more line%s%s", BLOCK_INDENT, "", theme_symbol(block->theme, SYMBOL_ELLIPSIS),
        count, hidden == 1 ? "" : "s", block->is_expanded ? "" : " (Ctrl+O)");
    g_autoptr(Row) row = row_of(text, (Style) { .fg = TOKEN_DIM });
    g_ptr_array_add(out, row_cut(row, block->width));
}

static void add_lines(const char *text, const LinesSpec *spec, GPtrArray *out)
{
    g_autoptr(Row) indent = block_output_blanks(BLOCK_INDENT);
    WrapSpec wrap = {
        .width = spec->block->width,
        .first = spec->first ? spec->first : indent,
        .rest = spec->rest ? spec->rest : indent,
        .is_code = !spec->is_prose,
    };
    int max_rows = spec->block->is_expanded || spec->is_prose ? 0 : BLOCK_LINE_ROWS;
    for (const char *at = text; at;) {
        const char *newline = strchr(at, '\n');
        g_autofree char *line = newline ? g_strndup(at, (gsize)(newline - at)) : g_strdup(at);
        g_autoptr(Row) row = row_of(line, spec->style);
        if (*line || wrap.first != wrap.rest)
            add_line(row, &wrap, max_rows, out);
        else
            g_ptr_array_add(out, row_ref(row));
        wrap.first = wrap.rest;
        at = newline ? newline + 1 : NULL;
    }
}

void block_lines(const char *text, size_t size, const LinesSpec *spec, GPtrArray *out)
{
    bool is_expanded = spec->block->is_expanded;
    int max_lines = is_expanded ? LIMIT_BLOCK_LINES : spec->max_lines;
    size_t max_line = is_expanded ? LIMIT_BLOCK_BYTES : LIMIT_BLOCK_LINE_BYTES;
    size = trimmed_size(text, size);
    if (size == 0)
        return;
    g_auto(Picked) picked = { .text = g_string_new(NULL) };
    if (spec->keeps_end && !is_expanded)
        pick_last(&picked, text, size, max_lines, LIMIT_BLOCK_BYTES, max_line);
    else
        pick_first(&picked, text, size, max_lines, LIMIT_BLOCK_BYTES, max_line);
    g_autofree char *clean =
        block_clean(picked.text->str, picked.text->len, spec->block->tab_width);
    if (spec->keeps_end && !is_expanded)
        add_hidden(picked.hidden, spec, out);
    add_lines(clean, spec, out);
    if (!spec->keeps_end || is_expanded)
        add_hidden(picked.hidden, spec, out);
}

void block_last_lines(const char *text, size_t size, int count, int cells, const BlockSpec *spec,
                      GPtrArray *out)
{
    size_t max_line = LIMIT_BLOCK_LINE_BYTES;
    if (count <= 0)
        return;
    // only the end is looked at, however long a line of it is
    size_t window = MIN(size, max_line * (size_t)count);
    size_t from = utf8_boundary_after(text, size, size - window);
    size_t left = trimmed_size(text + from, size - from);
    if (left == 0)
        return;
    g_auto(Picked) picked = { .text = g_string_new(NULL) };
    size_t start = start_of_last(text + from, left, count);
    pick_first(&picked, text + from + start, left - start, count, LIMIT_BLOCK_BYTES, max_line);
    g_autofree char *clean = block_clean(picked.text->str, picked.text->len, spec->tab_width);
    g_auto(GStrv) lines = g_strsplit(clean, "\n", -1);
    for (unsigned i = 0; lines[i]; i++) {
        g_autoptr(RowBuilder) builder = row_builder_new();
        row_builder_add(builder, "  ", BLOCK_INDENT, (Style) { 0 }, NULL);
        row_builder_add(builder, lines[i], -1, (Style) { .fg = TOKEN_TOOL_OUTPUT }, NULL);
        g_autoptr(Row) row = row_builder_take(builder);
        g_ptr_array_add(out, row_cut(row, cells));
    }
}
