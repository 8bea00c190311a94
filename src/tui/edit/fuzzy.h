/*
 * Fuzzy matching: how well the letters of a query, in order, are found in a text. Pure.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Every word of `query` is found; case counts where the query has capitals. *ret_score: more is
   better (starts of words, runs, short texts). An empty query fits all. */
bool fuzzy_match(const char *query, const char *text, int *ret_score);
/* Every word of `query` stands in the text as it is written, but for case, as above. */
bool fuzzy_is_literal(const char *query, const char *text);
