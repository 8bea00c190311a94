/*
 * A picture as bytes for a terminal that draws it: the graphics protocol of kitty, or the inline
 * images of iTerm2. Pure.
 */
#pragma once

#include "tui/text/row.h"

/* Over the last `rows` rows, the cursor's among them, in a window of `columns` cells; the cursor
   stays where it is. The terminal is told to answer nothing. */
void picture_bytes(const Picture *picture, int rows, int columns, GString *out);
/* At most as many bytes as that makes. */
size_t picture_bytes_limit(const Picture *picture);
