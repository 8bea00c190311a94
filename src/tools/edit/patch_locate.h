/*
 * Where a hunk belongs (agent-tools §3.3.9). Only one place may fit, or the hunk says which: by a
 * context, a line number, or its order among the others; anything else is an error that shows the
 * places. Pure; one thread at a time.
 */
#pragma once

#include "tools/edit/patch_parse.h"
#include "tools/edit/patch_text.h"

typedef enum {
    LOOK_FAILED, // *error is set
    LOOK_NONE,
    LOOK_FOUND,
} PatchLook;

typedef struct PatchPlace {
    size_t first;  // line, from 0; where nothing is removed or kept, what is added goes before it
    GArray *lines; // PatchLine: the hunk as it fits there
    bool is_exact; // every line to the byte
} PatchPlace;

void patch_place_clear(PatchPlace *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PatchPlace, patch_place_clear)

/* `from`: the line behind the hunk before. LOOK_NONE: the old lines are nowhere. */
PatchLook patch_locate(PatchText *text, const PatchHunk *hunk, size_t from, PatchPlace *ret_place,
                       GError **error);

/* The lines of a hunk that the file holds (`is_old`), or shall hold, joined by LF. Caller frees. */
char *patch_lines_join(const GArray *lines, bool is_old);
/* Their number. */
size_t patch_lines_count(const GArray *lines, bool is_old);
