/*
 * The text of an editor: a gap buffer of UTF-8 with markers. A marker is a stretch of the text,
 * such as "[paste #1 +123 lines]", that stands for another text, which is kept beside the buffer
 * and shared by reference, so that moving it between buffer, undo list and kill ring copies nothing
 * large. Offsets are bytes. Sizes are bounded by the caller. One thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct Marker {
    size_t start, size; // of what is shown
    unsigned number;    // of a paste; 0: none
    GRefString *meant;
} Marker;

/* A text with its markers, outside of a buffer. Plain data; one owner. */
typedef struct Piece {
    char *text; // also NUL-terminated
    size_t size;
    GArray *markers; // of Marker, by start; NULL: none
} Piece;

Piece *piece_new(const char *text, size_t size);
Piece *piece_new_marker(const char *shown, const char *meant, size_t meant_size, unsigned number);
Piece *piece_join(const Piece *first, const Piece *second); // a new one
void piece_free(Piece *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Piece, piece_free)
/* With what its markers stand for, in bytes. */
size_t piece_meant_size(const Piece *self);
char *piece_meant(const Piece *self); // caller frees

typedef struct TextBuffer TextBuffer;

TextBuffer *text_buffer_new(void);
void text_buffer_free(TextBuffer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TextBuffer, text_buffer_free)

size_t text_buffer_size(const TextBuffer *self);
size_t text_buffer_meant_size(const TextBuffer *self);
char text_buffer_byte(const TextBuffer *self, size_t at);

/* The bytes from `start` to `end` in one stretch; borrowed until the next call. With all of the
   text there is a NUL after it. */
const char *text_buffer_view(TextBuffer *self, size_t start, size_t end);
Piece *text_buffer_copy(TextBuffer *self, size_t start, size_t end);

/* `start` and `end` are never inside a marker. */
void text_buffer_replace(TextBuffer *self, size_t start, size_t end, const Piece *piece);

/* After the line end before `at`, and at the one from `at` on, or the ends of the text. */
size_t text_buffer_line_start(const TextBuffer *self, size_t at);
size_t text_buffer_line_end(const TextBuffer *self, size_t at);

/* The first marker that ends after `at`, or NULL; borrowed until the next change. Its neighbours
   follow it up to text_buffer_markers_end(). */
const Marker *text_buffer_marker_after(const TextBuffer *self, size_t at);
const Marker *text_buffer_markers_end(const TextBuffer *self);
/* The last marker that begins before `at`, or NULL. */
const Marker *text_buffer_marker_before(const TextBuffer *self, size_t at);
/* The marker that has `at` between its ends, or NULL. */
const Marker *text_buffer_marker_around(const TextBuffer *self, size_t at);
/* The largest number of a marker; 0: none has one. */
unsigned text_buffer_last_number(const TextBuffer *self);
