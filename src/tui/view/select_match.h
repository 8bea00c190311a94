/*
 * What a filter finds among the items of a list. Runs anywhere; one thread at a time.
 */
#pragma once

#include "base/cancel.h"

typedef struct MatchHit {
    size_t index;
    int score;
} MatchHit;

typedef struct MatchSpec {
    const char *filter; // copied
    size_t count;
    bool keeps_order;                             // else the best come first
    char *(*text)(size_t index, void *user_data); // of an item; caller frees
    void *user_data;
} MatchSpec;

typedef struct Match Match;

Match *match_new(const MatchSpec *spec);
void match_free(Match *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Match, match_free)

/* From the beginning; without an end when `cancel` has fired. */
void match_run(Match *self, Cancel *cancel);
GArray *match_take_hits(Match *self); // of MatchHit; caller unrefs
