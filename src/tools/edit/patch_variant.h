/*
 * Hunks that fit nowhere, as they may have been meant (agent-tools §3.3.9): never with other lines
 * removed or added, only with less around them. Pure; thread safe.
 */
#pragma once

#include "tools/edit/patch_parse.h"

typedef enum {
    VARIANT_NO_LAST_BLANK, // without an empty kept line at the end
    VARIANT_CHANGE_ONLY,   // without kept lines at both ends
    VARIANT_NO_REPEATS,    // kept lines that follow one like them, once
    VARIANT_NO_NUMBERS,    // without line numbers in front of its lines
    VARIANT_COUNT,
} PatchVariant;

/* NULL when it would be the same, or nothing would be left to look for. Caller unrefs. */
GArray *patch_variant(const GArray *lines, PatchVariant variant);
