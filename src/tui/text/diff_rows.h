/*
 * A unified diff, or the numbered one of an edit's result, as rows: what was added, removed and
 * kept, in the colours of the theme. Pure.
 */
#pragma once

#include "tui/text/row.h"

/* Clean text; long lines go on in the next row, indented. At most `max_rows` (0: all), the last one
   saying how many more lines there are. */
void diff_rows(const char *diff, int width, int max_rows, GPtrArray *out);
