/* See buffer.h. */
#include "tui/edit/buffer.h"

#include <string.h>

#define GAP_MIN_BYTES ((size_t)256)

struct TextBuffer {
    char *data;
    size_t capacity;
    size_t gap_start, gap_end; // never empty: a NUL fits in
    GArray *markers;           // of Marker, by start
};

// ---- pieces ----

static void marker_clear(void *marker)
{
    g_ref_string_release(((Marker *)marker)->meant);
}

static GArray *markers_new(void)
{
    GArray *markers = g_array_new(FALSE, FALSE, sizeof(Marker));
    g_array_set_clear_func(markers, marker_clear);
    return markers;
}

static void add_marker(GArray *markers, guint index, const Marker *marker, size_t start)
{
    const Marker added = { .start = start,
                           .size = marker->size,
                           .number = marker->number,
                           .meant = g_ref_string_acquire(marker->meant) };
    g_array_insert_val(markers, index, added);
}

Piece *piece_new(const char *text, size_t size)
{
    Piece *self = g_new0(Piece, 1);
    self->text = g_malloc(size + 1);
    if (size > 0)
        memcpy(self->text, text, size);
    self->text[size] = '\0';
    self->size = size;
    return self;
}

Piece *piece_new_marker(const char *shown, const char *meant, size_t meant_size, unsigned number)
{
    Piece *self = piece_new(shown, strlen(shown));
    const Marker marker = { .size = self->size,
                            .number = number,
                            .meant = g_ref_string_new_len(meant, (gssize)meant_size) };
    self->markers = markers_new();
    g_array_append_val(self->markers, marker);
    return self;
}

void piece_free(Piece *self)
{
    if (!self)
        return;
    g_free(self->text);
    g_clear_pointer(&self->markers, g_array_unref);
    g_free(self);
}

static void take_markers(Piece *self, const Piece *from, size_t offset)
{
    for (guint i = 0; from->markers && i < from->markers->len; i++) {
        const Marker *marker = &g_array_index(from->markers, Marker, i);
        if (!self->markers)
            self->markers = markers_new();
        add_marker(self->markers, self->markers->len, marker, offset + marker->start);
    }
}

Piece *piece_join(const Piece *first, const Piece *second)
{
    Piece *self = g_new0(Piece, 1);
    self->size = first->size + second->size;
    self->text = g_malloc(self->size + 1);
    memcpy(self->text, first->text, first->size);
    memcpy(self->text + first->size, second->text, second->size + 1);
    take_markers(self, first, 0);
    take_markers(self, second, first->size);
    return self;
}

static size_t meant_size(size_t size, const GArray *markers)
{
    for (guint i = 0; markers && i < markers->len; i++) {
        const Marker *marker = &g_array_index(markers, Marker, i);
        size += g_ref_string_length(marker->meant) - marker->size; // may wrap, and back again
    }
    return size;
}

size_t piece_meant_size(const Piece *self)
{
    return meant_size(self->size, self->markers);
}

char *piece_meant(const Piece *self)
{
    GString *out = g_string_sized_new(piece_meant_size(self) + 1);
    size_t at = 0;
    for (guint i = 0; self->markers && i < self->markers->len; i++) {
        const Marker *marker = &g_array_index(self->markers, Marker, i);
        g_string_append_len(out, self->text + at, (gssize)(marker->start - at));
        g_string_append_len(out, marker->meant, (gssize)g_ref_string_length(marker->meant));
        at = marker->start + marker->size;
    }
    g_string_append_len(out, self->text + at, (gssize)(self->size - at));
    return g_string_free(out, FALSE);
}

// ---- the gap ----

TextBuffer *text_buffer_new(void)
{
    TextBuffer *self = g_new0(TextBuffer, 1);
    self->capacity = GAP_MIN_BYTES;
    self->data = g_malloc(self->capacity);
    self->gap_end = self->capacity;
    self->markers = markers_new();
    return self;
}

void text_buffer_free(TextBuffer *self)
{
    if (!self)
        return;
    g_free(self->data);
    g_array_unref(self->markers);
    g_free(self);
}

size_t text_buffer_size(const TextBuffer *self)
{
    return self->capacity - (self->gap_end - self->gap_start);
}

size_t text_buffer_meant_size(const TextBuffer *self)
{
    return meant_size(text_buffer_size(self), self->markers);
}

char text_buffer_byte(const TextBuffer *self, size_t at)
{
    g_assert(at < text_buffer_size(self));
    return self->data[at < self->gap_start ? at : at + (self->gap_end - self->gap_start)];
}

static void move_gap(TextBuffer *self, size_t at)
{
    size_t gap = self->gap_end - self->gap_start;
    if (at < self->gap_start)
        memmove(self->data + at + gap, self->data + at, self->gap_start - at);
    else
        memmove(self->data + self->gap_start, self->data + self->gap_end, at - self->gap_start);
    self->gap_start = at;
    self->gap_end = at + gap;
}

/* The gap gets room for `size` bytes and a NUL. */
static void widen_gap(TextBuffer *self, size_t size)
{
    size_t gap = self->gap_end - self->gap_start;
    if (gap > size)
        return;
    size_t tail = self->capacity - self->gap_end;
    size_t capacity = self->capacity + size - gap + MAX(self->capacity / 2, GAP_MIN_BYTES);
    self->data = g_realloc(self->data, capacity);
    memmove(self->data + capacity - tail, self->data + self->gap_end, tail);
    self->gap_end = capacity - tail;
    self->capacity = capacity;
}

const char *text_buffer_view(TextBuffer *self, size_t start, size_t end)
{
    g_assert(start <= end && end <= text_buffer_size(self));
    bool is_all = start == 0 && end == text_buffer_size(self);
    if (is_all)
        move_gap(self, end);
    else if (start < self->gap_start && end > self->gap_start)
        move_gap(self, self->gap_start - start < end - self->gap_start ? start : end);
    if (end == self->gap_start)
        self->data[end] = '\0';
    return self->data +
           (end <= self->gap_start ? start : start + (self->gap_end - self->gap_start));
}

// ---- markers in the buffer ----

static const Marker *marker_at(const TextBuffer *self, guint index)
{
    return &g_array_index(self->markers, Marker, index);
}

/* The index of the first marker whose end is after `at`. */
static guint first_after(const TextBuffer *self, size_t at)
{
    guint low = 0, high = self->markers->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (marker_at(self, middle)->start + marker_at(self, middle)->size > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const Marker *text_buffer_marker_after(const TextBuffer *self, size_t at)
{
    guint index = first_after(self, at);
    return index < self->markers->len ? marker_at(self, index) : NULL;
}

const Marker *text_buffer_markers_end(const TextBuffer *self)
{
    const Marker *first = (const Marker *)(void *)self->markers->data; // NULL before there was one
    return first ? first + self->markers->len : NULL;
}

const Marker *text_buffer_marker_before(const TextBuffer *self, size_t at)
{
    guint index = first_after(self, at);
    if (index < self->markers->len && marker_at(self, index)->start < at)
        return marker_at(self, index);
    return index > 0 ? marker_at(self, index - 1) : NULL;
}

const Marker *text_buffer_marker_around(const TextBuffer *self, size_t at)
{
    const Marker *marker = text_buffer_marker_after(self, at);
    return marker && marker->start < at ? marker : NULL;
}

unsigned text_buffer_last_number(const TextBuffer *self)
{
    unsigned number = 0;
    for (guint i = 0; i < self->markers->len; i++)
        number = MAX(number, marker_at(self, i)->number);
    return number;
}

// ---- changes ----

Piece *text_buffer_copy(TextBuffer *self, size_t start, size_t end)
{
    Piece *piece = piece_new(text_buffer_view(self, start, end), end - start);
    for (guint i = first_after(self, start); i < self->markers->len; i++) {
        const Marker *marker = marker_at(self, i);
        if (marker->start >= end)
            break;
        if (!piece->markers)
            piece->markers = markers_new();
        add_marker(piece->markers, piece->markers->len, marker, marker->start - start);
    }
    return piece;
}

static void replace_markers(TextBuffer *self, size_t start, size_t end, const Piece *piece)
{
    guint index = first_after(self, start), last = index;
    while (last < self->markers->len && marker_at(self, last)->start < end)
        last++;
    if (last > index)
        g_array_remove_range(self->markers, index, last - index);
    for (guint i = index; i < self->markers->len; i++)
        g_array_index(self->markers, Marker, i).start += piece->size - (end - start); // may wrap
    for (guint i = 0; piece->markers && i < piece->markers->len; i++) {
        const Marker *marker = &g_array_index(piece->markers, Marker, i);
        add_marker(self->markers, index + i, marker, start + marker->start);
    }
}

void text_buffer_replace(TextBuffer *self, size_t start, size_t end, const Piece *piece)
{
    g_assert(start <= end && end <= text_buffer_size(self));
    g_assert(!text_buffer_marker_around(self, start) && !text_buffer_marker_around(self, end));
    replace_markers(self, start, end, piece);
    move_gap(self, start);
    self->gap_end += end - start;
    widen_gap(self, piece->size);
    memcpy(self->data + self->gap_start, piece->text, piece->size);
    self->gap_start += piece->size;
}

// ---- lines ----

size_t text_buffer_line_start(const TextBuffer *self, size_t at)
{
    size_t gap = self->gap_end - self->gap_start;
    if (at > self->gap_start) {
        const char *from = self->data + self->gap_end;
        const char *found = memrchr(from, '\n', at - self->gap_start);
        if (found)
            return (size_t)(found - self->data) - gap + 1;
        at = self->gap_start;
    }
    const char *found = at > 0 ? memrchr(self->data, '\n', at) : NULL;
    return found ? (size_t)(found - self->data) + 1 : 0;
}

size_t text_buffer_line_end(const TextBuffer *self, size_t at)
{
    size_t gap = self->gap_end - self->gap_start, size = text_buffer_size(self);
    if (at < self->gap_start) {
        const char *found = memchr(self->data + at, '\n', self->gap_start - at);
        if (found)
            return (size_t)(found - self->data);
        at = self->gap_start;
    }
    const char *found = at < size ? memchr(self->data + at + gap, '\n', size - at) : NULL;
    return found ? (size_t)(found - self->data) - gap : size;
}
