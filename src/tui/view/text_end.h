/*
 * The end of a name that is too long, where the end says most: a path, what is being typed. Pure.
 */
#pragma once

#include "tui/text/style.h"

/* Clean text, at most `max_cells` of it, the theme's ellipsis for what is left out in front. Caller
   frees. */
char *text_end(const char *text, int max_cells, const Theme *theme);
