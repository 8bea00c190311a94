/*
 * The place of a text that is most similar to what an edit looked for, as its error shows it
 * (agent-tools §3.3.8). Nothing is ever changed there. Pure; thread safe; bounded in time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct ClosestPlace {
    size_t line;  // its first, 1-based
    size_t count; // of lines
    double score; // mean over its lines of 1 - distance / length of the longer, in characters
} ClosestPlace;

/* False when nothing is half as good, and in files over 16 MiB. */
bool closest_find(const char *content, const char *old_text, ClosestPlace *ret_place);

/* "Closest place, lines 41-43 (98% similar):" and its lines, those that differ marked and with the
   line of old_text below each, at most 20, after an empty line; unless `is_exact` also what may
   differ. "": there is none. Caller frees. */
char *closest_describe(const char *content, const char *old_text, bool is_exact);
