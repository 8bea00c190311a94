/*
 * What the files of the status line share: its segments and how they are laid out.
 */
#pragma once

#include "tui/view/status.h"

enum { MAX_SEGMENTS = 32 }; // on a side

typedef struct StatusSide {
    uint8_t segments[MAX_SEGMENTS]; // by number
    size_t count;
    const char *mark; // between two; NULL: the theme's
} StatusSide;

struct StatusLayout {
    StatusSide left, right;
};

// ---- status_segments.c ----

const char *status_segment_name(size_t number); // NULL: there is none
/* What it says; NULL: it has no value, and is not shown. Caller unrefs. */
Row *status_segment_row(size_t number, const StatusFacts *facts, const Theme *theme, ThemeToken bg);

// ---- status_layout.c ----

size_t status_segment_number(const char *name); // SIZE_MAX: there is none
