/*
 * Marks before rows, and lines that grow (md_flow.h).
 */
#include "tui/text/md_flow.h"

#include "tui/text/width.h"
#include "tui/text/wrap.h"

#include <string.h>

#define MIN_ROOM  2    // cells that marks must leave, else they are left out
#define MAX_CARRY 4096 // bytes; a row of more, with thousands of marks over a letter, is settled

static Row *row_ref_or_null(Row *row)
{
    return row ? row_ref(row) : NULL;
}

void md_flow_init(MdFlow *self, const MdFlow *like)
{
    *self = *like;
    self->first = row_ref_or_null(like->first);
    self->rest = row_ref_or_null(like->rest);
    self->carry = row_ref_or_null(like->carry);
    self->out = rows_new();
}

void md_flow_clear(MdFlow *self)
{
    row_unref(self->first);
    row_unref(self->rest);
    row_unref(self->carry);
    g_clear_pointer(&self->out, g_ptr_array_unref);
    *self = (MdFlow) { 0 };
}

// ---- marks ----

static const char *symbol_of(const MdFlow *self, const MdContainer *container)
{
    if (!container->is_item)
        return theme_symbol(self->theme, SYMBOL_QUOTE_BAR);
    if (container->task)
        return theme_symbol(self->theme,
                            container->task == ' ' ? SYMBOL_UNCHECKED : SYMBOL_CHECKED);
    return theme_symbol(self->theme, SYMBOL_BULLET);
}

/* "│ ", "• ", "12. ", "12. □ ". */
static void append_mark(const MdFlow *self, const MdContainer *container, GString *out)
{
    bool is_numbered = container->mark == '.' || container->mark == ')';
    if (container->is_item && is_numbered)
        g_string_append_printf(out, "%u%c ", container->number, container->mark);
    if (!container->is_item || !is_numbered || container->task)
        g_string_append_printf(out, "%s ", symbol_of(self, container));
}

static void add_marks(const MdFlow *self, unsigned depth, RowBuilder *builder)
{
    g_autoptr(GString) mark = g_string_new(NULL);
    for (unsigned i = 0; i < depth; i++) {
        const MdContainer *container = &self->containers[i];
        Style style = self->mark_style;
        g_string_truncate(mark, 0);
        append_mark(self, container, mark);
        style.fg = container->is_item ? TOKEN_MD_LIST_BULLET : TOKEN_MD_QUOTE_BORDER;
        if (!container->is_item || !container->is_marked)
            row_builder_add(builder, mark->str, -1, style, NULL);
        else
            row_builder_fill(builder, row_builder_cells(builder) + text_cells(mark->str, mark->len),
                             self->mark_style);
    }
}

static Row *marks_row(const MdFlow *self, unsigned depth)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    add_marks(self, depth, builder);
    return row_builder_take(builder);
}

static int base_cells(const MdFlow *self)
{
    int first = self->first ? self->first->cells : 0, rest = self->rest ? self->rest->cells : 0;
    return MAX(first, rest);
}

/* What fits of base and marks: both, the base, nothing. */
static int room_beside(const MdFlow *self, int marks, bool *ret_has_base, bool *ret_has_marks)
{
    int need = MIN(MIN_ROOM, self->width);
    int base = base_cells(self);
    *ret_has_marks = self->width - base - marks >= need;
    *ret_has_base = *ret_has_marks || self->width - base >= need;
    return MAX(self->width - (*ret_has_base ? base : 0) - (*ret_has_marks ? marks : 0), 1);
}

int md_flow_room(const MdFlow *self)
{
    bool has_base, has_marks;
    g_autoptr(Row) marks = marks_row(self, self->depth);
    return room_beside(self, marks->cells, &has_base, &has_marks);
}

static void put_row(MdFlow *self, const Row *marks, const Row *row)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    bool has_base, has_marks;
    room_beside(self, marks->cells, &has_base, &has_marks);
    const Row *base = self->has_rows ? self->rest : self->first;
    if (has_base && base)
        row_builder_add_row(builder, base);
    if (has_marks)
        row_builder_add_row(builder, marks);
    if (row)
        row_builder_add_row(builder, row);
    g_ptr_array_add(self->out, row_builder_take(builder));
    self->has_rows = true;
}

void md_flow_put(MdFlow *self, const Row *row)
{
    g_autoptr(Row) marks = marks_row(self, self->depth);
    put_row(self, marks, row);
    for (unsigned i = 0; i < self->depth; i++)
        self->containers[i].is_marked = true;
}

static Row *without_blanks_at_end(const Row *row)
{
    size_t size = row->size;
    while (size > 0 && row->text[size - 1] == ' ')
        size--;
    return row_part(row, 0, size);
}

void md_flow_separate(MdFlow *self, unsigned depth)
{
    g_autoptr(Row) marks = marks_row(self, depth);
    g_autoptr(Row) trimmed = without_blanks_at_end(marks);
    put_row(self, trimmed, NULL);
}

void md_flow_leave(MdFlow *self, unsigned depth)
{
    for (unsigned i = self->depth; i > depth; i--)
        if (self->containers[i - 1].is_item && !self->containers[i - 1].is_marked) {
            self->depth = i;
            md_flow_put(self, NULL); // an item without content
        }
    self->depth = MIN(self->depth, depth);
}

// ---- lines ----

static GPtrArray *md_flow_wrapped(const MdFlow *self, const Row *line, bool is_code)
{
    GPtrArray *rows = rows_new();
    const WrapSpec spec = { .width = md_flow_room(self), .is_code = is_code };
    wrap_row(line, &spec, rows);
    return rows;
}

static void put_all(MdFlow *self, const GPtrArray *rows, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        md_flow_put(self, rows->pdata[i]);
}

static Row *md_flow_joined(const Row *carry, const Row *text, bool is_code)
{
    g_autoptr(RowBuilder) builder = row_builder_new();
    if (carry)
        row_builder_add_row(builder, carry);
    bool is_at_blank = !carry || carry->size == 0 || carry->text[carry->size - 1] == ' ';
    size_t skip = 0;
    while (!is_code && is_at_blank && skip < text->size && text->text[skip] == ' ')
        skip++;
    RowPlace place = { 0 };
    row_builder_add_part(builder, text, &place, skip, text->size - skip);
    return row_builder_take(builder);
}

/* Where the last one of the rows of a line begins in it. A row that does not say what stands there,
   since one cell is too narrow for it, will not change any more. */
static size_t start_of_last(const Row *line, const Row *last, bool is_code)
{
    size_t end = line->size;
    while (!is_code && end > 0 && line->text[end - 1] == ' ')
        end--;
    bool is_end =
        last->size <= end && memcmp(line->text + end - last->size, last->text, last->size) == 0;
    return is_end ? end - last->size : line->size;
}

void md_flow_add(MdFlow *self, const Row *text, bool is_code)
{
    g_autoptr(Row) line = md_flow_joined(self->carry, text, is_code);
    self->laid_bytes += line->size;
    g_autoptr(GPtrArray) rows = md_flow_wrapped(self, line, is_code);
    size_t start = start_of_last(line, rows->pdata[rows->len - 1], is_code);
    if (line->size - start > MAX_CARRY)
        start = line->size;
    unsigned count = start == line->size && line->size > 0 ? rows->len : rows->len - 1;
    put_all(self, rows, count);
    self->line_has_rows |= count > 0;
    row_unref(self->carry);
    self->carry = row_part(line, start, line->size - start);
}

void md_flow_end_line(MdFlow *self, bool is_code)
{
    g_autoptr(Row) line = self->carry ? self->carry : row_of("", (Style) { 0 });
    bool has_ended = line->size == 0 && self->line_has_rows;
    self->carry = NULL;
    self->line_has_rows = false;
    if (has_ended)
        return;
    g_autoptr(GPtrArray) rows = md_flow_wrapped(self, line, is_code);
    put_all(self, rows, rows->len);
}
