/*
 * Rows of texts in columns, as people are shown lists. Widths are cells of a terminal. Control
 * characters become visible; what is after the last column of a row is not padded.
 */
#pragma once

#include <glib.h>

typedef struct Columns Columns;

Columns *columns_new(void);
void columns_free(Columns *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Columns, columns_free)

/* A row; `cells` is NULL-terminated and ends with the column that may be cut. */
void columns_add(Columns *self, const char *const *cells);
/* The rows, each with its line end. `width` 0: as wide as they are; else the last column is cut to
   what is left of a line, or stands below the others where next to nothing is. Caller frees. */
char *columns_text(const Columns *self, unsigned width);
/* Cells of a line of standard output; 0: it is no terminal, or does not say. */
unsigned columns_terminal_width(void);
