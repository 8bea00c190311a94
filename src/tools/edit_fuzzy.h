/*
 * Finding the place that an almost right old_text means (agent-tools §3.3.8). Pure; thread safe;
 * bounded in time also for large files.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct FuzzyPlace {
    size_t start, size; // bytes of the content
    size_t line;        // of the first one, 1-based
    double score;       // similarity, 0 … 1
} FuzzyPlace;

typedef struct FuzzyMatch {
    bool has_closest; // some place is similar at all
    bool is_accepted; // `closest` is what was meant
    FuzzyPlace closest;
    GArray *places; // FuzzyPlace: all that reach the threshold, without overlap, from the top
    size_t over_threshold;               // how many places reach it, with overlap
    char *differing_old, *differing_new; // the first lines that differ at `closest`; NULL: none
} FuzzyMatch;

void fuzzy_match_clear(FuzzyMatch *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FuzzyMatch, fuzzy_match_clear)

/* Compares `old_text` with every run of as many lines. `ret_match` is zeroed by the caller. */
void fuzzy_find(const char *content, const char *old_text, double threshold, FuzzyMatch *ret_match);
