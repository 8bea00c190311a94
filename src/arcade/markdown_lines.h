/*
 * Which lines of the document a block came from. md4c's texts point into the document; a block
 * spans from the first to the last text inside it. Blocks without text are found where they must
 * be: after what came before. One thread at a time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct Span { // 1-based lines; 0: not known
    size_t first, last;
} Span;

typedef struct Lines Lines;

Lines *lines_new(const char *text, size_t size); // borrows the text
void lines_free(Lines *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Lines, lines_free)

/* The line of a place in the text; 0 when the pointer is not into it. */
size_t lines_at(const Lines *self, const char *place);

/* A block begins, and ends; they nest. Returns its lines, which count for the blocks around it. */
void lines_enter(Lines *self);
Span lines_leave(Lines *self);

/* A text inside the innermost block. */
void lines_add_text(Lines *self, const char *text, size_t size);
void lines_add(Lines *self, Span span);

/* Innermost blocks without a text: these put the block where it must be, and return the line. */
size_t lines_add_rule(Lines *self);  // the next line that is a thematic break
size_t lines_add_fence(Lines *self); // the next line that opens a fence
size_t lines_add_any(Lines *self);   // the next line that is not blank

/* Does the line hold a closing (or opening) fence? */
bool lines_is_fence(const Lines *self, size_t line);
