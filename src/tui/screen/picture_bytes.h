/*
 * A picture as bytes for a terminal that draws it: the graphics protocol of kitty, the inline
 * images of iTerm2, or sixel. Pure.
 */
#pragma once

#include "tui/text/row.h"

/* Over the last `rows` rows, the cursor's among them, in a window of `columns` cells; the cursor
   stays where it is. The terminal is told to answer nothing. Sixel has the size that it was made
   in: where there is not as much room it is not drawn. */
void picture_bytes(const Picture *picture, int rows, int columns, GString *out);
/* At most as many bytes as that makes. */
size_t picture_bytes_limit(const Picture *picture);
