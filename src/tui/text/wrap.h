/*
 * From lines to rows of the screen (tui §5.3): greedy by words; no row is wider than asked, and the
 * rows of a prefix are a prefix of the rows. Pure; the cost is that of the line.
 */
#pragma once

#include "tui/text/row.h"

typedef struct WrapSpec {
    int width;        // cells; at least 1
    const Row *first; // what the first row begins with, and the others; NULL: nothing. They count
    const Row *rest;  // into the width, and are left out where no cell would be left
    bool is_code;     // breaks between clusters alone, and keeps all blanks
} WrapSpec;

/* Appends one row or more to `out` (rows_new()). */
void wrap_row(const Row *line, const WrapSpec *spec, GPtrArray *out);
/* Each line of `text`, clean, in one style. */
void wrap_text(const char *text, Style style, const WrapSpec *spec, GPtrArray *out);
