/*
 * The lines of a text by number. Pure; thread safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct TextLine { // borrowed from the text
    const char *text;
    size_t size; // without the newline
} TextLine;

/* Of TextLine; what follows the last newline is one more line, also when it is empty. Caller
   unrefs. */
GArray *text_lines_split(const char *text);
const TextLine *text_line_at(const GArray *lines, size_t index); // 0-based
bool text_line_is(const TextLine *line, const char *text);

/* The lines from <= i < to of a text that was split, with newlines between them. Caller frees. */
char *text_lines_part(const GArray *lines, size_t from, size_t to);

/* Appends the lines from <= i < to to others, also of TextLine. */
void text_lines_append(GArray *out, const GArray *lines, size_t from, size_t to);

/* With newlines between them. `newlines` (may be NULL) gets for each of these where it is in
   `source`, which the lines that are kept are borrowed from; TEXT_LINES_NEW: it is not. Caller
   frees. */
#define TEXT_LINES_NEW G_MAXSIZE
char *text_lines_join(const GArray *lines, const char *source, GArray *newlines);
