/*
 * Rows of an editor (text_layout.h).
 *
 * Unlike wrap.h every byte has its row here, so that the cursor can stand at each: blanks stay at
 * the end of their row, where one more than fits may stand in the cell that is kept for the cursor.
 * Rows are offsets into the line until they are drawn.
 *
 * Where a row begins depends on what comes before it and in it, so a line is wrapped only as far
 * as it is looked at, and from the start of any row: a line may be megabytes long, and is still
 * typed into at its beginning, its end, and between.
 */
#include "tui/edit/text_layout.h"

#include "tui/edit/steps.h"
#include "tui/text/width.h"

#define MARK "> "

enum { MARK_CELLS = 2, CURSOR_CELLS = 1, NARROW_CELLS = 4, DEFAULT_WIDTH = 80, DEFAULT_ROWS = 10 };

typedef struct Line {
    size_t start, size; // without its line end
    GArray *rows;       // of uint32_t: where each begins, from the line's start; at least one
    GPtrArray *drawn;   // of Row, or NULL where it was not drawn yet
    TextLook look;      // of what is drawn
    bool is_first;
    bool is_used;    // by what is being shown
    bool is_whole;   // no more rows come after those that are known
    bool is_counted; // as laid out, since it was made or changed
} Line;

typedef struct Place { // a row
    Line *line;
    guint row;
} Place;

struct TextLayout {
    TextBuffer *text;
    GPtrArray *lines; // of Line, in no order
    int width, max_rows;
    size_t top; // a byte of the row at the top
    unsigned count;
};

static void line_free(void *line_)
{
    Line *line = line_;
    g_array_unref(line->rows);
    g_ptr_array_unref(line->drawn);
    g_free(line);
}

static void unref_drawn(void *row)
{
    row_unref(row); // NULL is allowed
}

TextLayout *text_layout_new(TextBuffer *text)
{
    TextLayout *self = g_new0(TextLayout, 1);
    self->text = text;
    self->lines = g_ptr_array_new_with_free_func(line_free);
    self->width = DEFAULT_WIDTH;
    self->max_rows = DEFAULT_ROWS;
    return self;
}

void text_layout_free(TextLayout *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->lines);
    g_free(self);
}

unsigned text_layout_count(const TextLayout *self)
{
    return self->count;
}

int text_layout_window_rows(const TextLayout *self)
{
    return self->max_rows;
}

static int mark_cells(const TextLayout *self)
{
    return self->width < NARROW_CELLS ? 0 : MARK_CELLS;
}

static int text_cells_of(const TextLayout *self)
{
    return MAX(self->width - mark_cells(self) - CURSOR_CELLS, 1);
}

// ---- wrapping ----

typedef struct Wrapper {
    GArray *rows;
    int width;
    uint32_t row; // where the last one begins
    int cells;    // of it
    uint32_t gap; // after its last blank, where it may be broken; `row`: nowhere
    int gap_cells;
    guint wanted_rows;
    uint32_t wanted_offset;
} Wrapper;

static void begin_row(Wrapper *self, uint32_t at, int cells)
{
    g_array_append_val(self->rows, at);
    self->row = self->gap = at;
    self->cells = cells;
    self->gap_cells = 0;
}

/* What stands at `at` and is not parted. A wide character may be broken before and after. */
static void wrapper_put(Wrapper *self, uint32_t at, uint32_t size, int cells, bool is_blank,
                        bool is_wide)
{
    if (is_wide) {
        self->gap = at;
        self->gap_cells = self->cells;
    }
    while (self->cells > 0 && self->cells + cells > self->width + (is_blank ? 1 : 0)) {
        bool has_gap = self->gap > self->row && !is_blank;
        begin_row(self, has_gap ? self->gap : at, has_gap ? self->cells - self->gap_cells : 0);
    }
    self->cells += cells;
    if (is_blank || is_wide) {
        self->gap = at + size;
        self->gap_cells = self->cells;
    }
}

/* Is so much known as is wanted? */
static bool is_enough(const Wrapper *self)
{
    return self->rows->len >= self->wanted_rows && self->row > self->wanted_offset;
}

/* Where it stopped. */
static uint32_t put_text(Wrapper *self, const char *line, uint32_t at, uint32_t end)
{
    while (at < end && !is_enough(self)) {
        int cells = 1;
        uint32_t size = 1;
        bool is_plain =
            (unsigned char)line[at] < 0x80 && (at + 1 == end || (unsigned char)line[at + 1] < 0x80);
        if (!is_plain)
            size = (uint32_t)cluster_size(line + at, end - at, &cells);
        wrapper_put(self, at, size, cells, line[at] == ' ', cells > 1);
        at += size;
    }
    return at;
}

/* One word, which is broken where a row has no room for it. */
static void put_marker(Wrapper *self, const char *line, uint32_t at, uint32_t end)
{
    int cells = text_cells(line + at, end - at);
    if (cells <= self->width) {
        wrapper_put(self, at, end - at, cells, false, false);
        return;
    }
    while (at < end) {
        uint32_t size = (uint32_t)cluster_size(line + at, end - at, &cells);
        wrapper_put(self, at, size, cells, false, false);
        at += size;
    }
}

/* From `at`, where a row begins, which may be inside a marker. Where it stopped. */
static uint32_t wrap_from(Wrapper *self, TextBuffer *text, const Line *line, uint32_t at)
{
    const char *view = text_buffer_view(text, line->start, line->start + line->size);
    const Marker *marker = text_buffer_marker_after(text, line->start + at);
    const Marker *last = text_buffer_markers_end(text);
    begin_row(self, at, 0);
    for (; marker && marker < last && marker->start < line->start + line->size; marker++) {
        uint32_t end = (uint32_t)(marker->start + marker->size - line->start);
        uint32_t start = MAX(end - (uint32_t)marker->size, at);
        at = put_text(self, view, at, start);
        if (at < start)
            return at;
        put_marker(self, view, start, end);
        at = end;
    }
    return put_text(self, view, at, (uint32_t)line->size);
}

/* Until so many rows are known, and one that begins after `offset`, or all of them. */
static void wrap_line(TextLayout *self, Line *line, guint rows, uint32_t offset)
{
    guint last = line->rows->len - 1;
    uint32_t at = g_array_index(line->rows, uint32_t, last);
    if (line->is_whole || (line->rows->len >= rows && at > offset))
        return;
    g_array_set_size(line->rows, last);
    Wrapper wrapper = { .rows = line->rows,
                        .width = text_cells_of(self),
                        .wanted_rows = rows,
                        .wanted_offset = offset };
    line->is_whole = wrap_from(&wrapper, self->text, line, at) == line->size;
    self->count += line->is_counted ? 0 : 1;
    line->is_counted = true;
}

/* As wrap_line(), with room for what is drawn. */
static void know_rows(TextLayout *self, Line *line, guint rows, size_t offset)
{
    wrap_line(self, line, rows, (uint32_t)MIN(offset, UINT32_MAX));
    if (line->drawn->len < line->rows->len)
        g_ptr_array_set_size(line->drawn, (int)line->rows->len);
}

// ---- lines ----

/* The line that begins at `start`. */
static Line *line_at(TextLayout *self, size_t start)
{
    for (guint i = 0; i < self->lines->len; i++) {
        Line *line = self->lines->pdata[i];
        if (line->start == start)
            return line;
    }
    Line *line = g_new0(Line, 1);
    line->start = start;
    line->size = text_buffer_line_end(self->text, start) - start;
    line->rows = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    line->drawn = g_ptr_array_new_with_free_func(unref_drawn);
    g_array_set_size(line->rows, 1);
    g_ptr_array_add(self->lines, line);
    return line;
}

/* Of those that are known, the one that `offset` is in. */
static guint row_at(const Line *line, size_t offset)
{
    guint low = 0, high = line->rows->len;
    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(line->rows, uint32_t, middle) <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* What decided where a row begins stands in it or before it, at most one cluster: rows above the
   one before the change stay. */
static void change_line(Line *line, size_t start, size_t removed, size_t inserted)
{
    guint row = row_at(line, start - line->start), kept = row > 2 ? row - 2 : 0;
    line->size += inserted - removed;
    g_array_set_size(line->rows, kept + 1);
    if (line->drawn->len > kept)
        g_ptr_array_set_size(line->drawn, (int)kept);
    line->is_whole = line->is_counted = false;
}

static bool is_within(const TextLayout *self, const Line *line, size_t start, size_t removed,
                      size_t inserted)
{
    return line->start <= start && start + removed <= line->start + line->size &&
           text_buffer_line_end(self->text, start) >= start + inserted;
}

void text_layout_change(TextLayout *self, size_t start, size_t removed, size_t inserted)
{
    for (guint i = self->lines->len; i-- > 0;) {
        Line *line = self->lines->pdata[i];
        if (line->start > start + removed)
            line->start += inserted - removed; // may wrap
        else if (is_within(self, line, start, removed, inserted))
            change_line(line, start, removed, inserted);
        else if (line->start + line->size >= start)
            g_ptr_array_remove_index_fast(self->lines, i);
    }
    if (self->top >= start + removed)
        self->top += inserted - removed;
    else if (self->top > start)
        self->top = start;
}

static void set_width(TextLayout *self, int width)
{
    if (width == self->width)
        return;
    self->width = width;
    g_ptr_array_set_size(self->lines, 0);
}

// ---- rows ----

static size_t row_start(Place place)
{
    return place.line->start + g_array_index(place.line->rows, uint32_t, place.row);
}

static bool is_last_of_line(TextLayout *self, Place place)
{
    know_rows(self, place.line, place.row + 2, 0);
    return place.row + 1 == place.line->rows->len;
}

static size_t row_end(TextLayout *self, Place place)
{
    return is_last_of_line(self, place) ? place.line->start + place.line->size
                                        : row_start((Place) { place.line, place.row + 1 });
}

static Place place_of(TextLayout *self, size_t cursor)
{
    Line *line = line_at(self, text_buffer_line_start(self->text, cursor));
    know_rows(self, line, 1, cursor - line->start);
    return (Place) { line, row_at(line, cursor - line->start) };
}

static bool text_layout_above(TextLayout *self, Place *place)
{
    if (place->row > 0) {
        place->row--;
        return true;
    }
    if (place->line->start == 0)
        return false;
    place->line = line_at(self, text_buffer_line_start(self->text, place->line->start - 1));
    know_rows(self, place->line, 1, SIZE_MAX);
    place->row = place->line->rows->len - 1;
    return true;
}

static bool text_layout_below(TextLayout *self, Place *place)
{
    size_t end = place->line->start + place->line->size;
    if (!is_last_of_line(self, *place)) {
        place->row++;
        return true;
    }
    if (end == text_buffer_size(self->text))
        return false;
    place->line = line_at(self, end + 1);
    know_rows(self, place->line, 1, 0);
    place->row = 0;
    return true;
}

static int cells_between(TextLayout *self, size_t start, size_t end)
{
    return start < end ? text_cells(text_buffer_view(self->text, start, end), end - start) : 0;
}

// ---- moving ----

/* The place for the cursor that is at most `goal` cells into the row. */
static size_t cursor_in(TextLayout *self, Place place, int goal, bool is_down)
{
    size_t at = row_start(place), end = row_end(self, place);
    const Marker *marker = text_buffer_marker_around(self->text, at);
    int cells = 0;
    if (marker && (marker->start + marker->size > end || !is_down)) // it fills the row
        return is_down ? marker->start + marker->size : marker->start;
    if (marker) {
        cells = cells_between(self, at, marker->start + marker->size);
        at = marker->start + marker->size;
    }
    while (at < end) {
        size_t next = step_next(self->text, at);
        cells += cells_between(self, at, MIN(next, end));
        if (cells > goal || next > end || (next == end && !is_last_of_line(self, place)))
            break;
        at = next;
    }
    return at;
}

bool text_layout_move(TextLayout *self, int count, size_t *cursor, int *goal)
{
    Place place = place_of(self, *cursor);
    bool is_down = count > 0;
    if (*goal < 0)
        *goal = cells_between(self, row_start(place), *cursor);
    int moved = 0;
    while (moved < ABS(count) &&
           (is_down ? text_layout_below(self, &place) : text_layout_above(self, &place)))
        moved++;
    if (moved > 0)
        *cursor = cursor_in(self, place, *goal, is_down);
    return moved == ABS(count);
}

// ---- drawing ----

static bool look_equal(const TextLook *a, const TextLook *b)
{
    return style_equal(a->text, b->text) && style_equal(a->marker, b->marker) &&
           style_equal(a->mark, b->mark) && a->selected_from == b->selected_from &&
           a->selected_to == b->selected_to;
}

typedef struct Stretch { // of the text, which `view` has from `at` on
    const char *view;
    size_t at;
    const TextLook *look;
} Stretch;

/* What is selected of it is reversed. */
static void add_stretch(RowBuilder *builder, const Stretch *self, size_t start, size_t end,
                        Style style)
{
    size_t from = CLAMP(self->look->selected_from, start, end);
    size_t to = CLAMP(self->look->selected_to, from, end);
    Style selected = style;
    selected.attributes |= STYLE_REVERSE;
    row_builder_add(builder, self->view + (start - self->at), (gssize)(from - start), style, NULL);
    row_builder_add(builder, self->view + (from - self->at), (gssize)(to - from), selected, NULL);
    row_builder_add(builder, self->view + (to - self->at), (gssize)(end - to), style, NULL);
}

/* An empty line that is selected is seen, too. */
static void add_line_end(RowBuilder *builder, const Line *line)
{
    bool is_selected =
        line->start >= line->look.selected_from && line->start < line->look.selected_to;
    if (line->size == 0 && is_selected)
        row_builder_add(builder, " ", 1, (Style) { .attributes = STYLE_REVERSE }, NULL);
}

static Row *text_layout_draw(TextLayout *self, Place place)
{
    const Line *line = place.line;
    size_t at = row_start(place), end = row_end(self, place);
    const char *view = text_buffer_view(self->text, at, end);
    const Marker *marker = text_buffer_marker_after(self->text, at);
    const Marker *last = text_buffer_markers_end(self->text);
    g_autoptr(RowBuilder) builder = row_builder_new();
    const char *mark = line->is_first && place.row == 0 ? MARK : "  ";
    const Stretch stretch = { view, at, &line->look };
    if (mark_cells(self) > 0)
        row_builder_add(builder, mark, -1, line->look.mark, NULL);
    for (; marker && marker < last && marker->start < end; marker++) {
        size_t start = MAX(marker->start, stretch.at);
        size_t stop = MIN(marker->start + marker->size, end);
        add_stretch(builder, &stretch, at, start, line->look.text);
        add_stretch(builder, &stretch, start, stop, line->look.marker);
        at = stop;
    }
    add_stretch(builder, &stretch, at, end, line->look.text);
    add_line_end(builder, line);
    g_autoptr(Row) row = row_builder_take(builder);
    return row->cells > self->width ? row_cut(row, self->width) : g_steal_pointer(&row);
}

static void add_row(TextLayout *self, Place place, const TextLook *look, GPtrArray *out)
{
    Line *line = place.line;
    bool is_first = line->start == 0;
    if (line->is_first != is_first || !look_equal(&line->look, look)) {
        g_ptr_array_set_size(line->drawn, 0);
        g_ptr_array_set_size(line->drawn, (int)line->rows->len);
        line->look = *look;
        line->is_first = is_first;
    }
    line->is_used = true;
    if (!line->drawn->pdata[place.row]) {
        Row *row = text_layout_draw(self, place); // may find more rows, and room for them
        line->drawn->pdata[place.row] = row;
    }
    g_ptr_array_add(out, row_ref(line->drawn->pdata[place.row]));
}

/* The row at the top: that of last time as far as the cursor allows. */
static Place find_top(TextLayout *self, Place cursor, int max_rows, int *ret_rows_above)
{
    Place top = cursor, end = cursor;
    int rows_above = 0, rows_below = 0;
    while (rows_above + 1 < max_rows && row_start(top) > self->top && text_layout_above(self, &top))
        rows_above++;
    while (rows_above + rows_below + 1 < max_rows && text_layout_below(self, &end))
        rows_below++;
    while (rows_above + rows_below + 1 < max_rows && text_layout_above(self, &top))
        rows_above++;
    *ret_rows_above = rows_above;
    return top;
}

static void forget_unused(TextLayout *self)
{
    for (guint i = self->lines->len; i-- > 0;) {
        Line *line = self->lines->pdata[i];
        if (line->is_used)
            line->is_used = false;
        else
            g_ptr_array_remove_index_fast(self->lines, i);
    }
}

void text_layout_rows(TextLayout *self, const TextLayoutSpec *spec, GPtrArray *out, int *ret_row,
                      int *ret_column)
{
    set_width(self, MAX(spec->width, 1));
    self->max_rows = MAX(spec->max_rows, 1);
    Place cursor = place_of(self, spec->cursor);
    Place row = find_top(self, cursor, self->max_rows, ret_row);
    int cells = cells_between(self, row_start(cursor), spec->cursor);
    *ret_column = MIN(mark_cells(self) + cells, self->width - 1);
    self->top = row_start(row);
    add_row(self, row, &spec->look, out);
    for (int i = 1; i < self->max_rows && text_layout_below(self, &row); i++)
        add_row(self, row, &spec->look, out);
    forget_unused(self);
}
