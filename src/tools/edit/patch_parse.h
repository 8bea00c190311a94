/*
 * Hunks for one file as models write them (agent-tools §3.3.9): a unified diff, or what is only
 * like one. Pure; thread safe.
 */
#pragma once

#include "base/error.h"

#define PATCH_MAX_HUNKS    1000 // of one diff
#define PATCH_MAX_CONTEXTS 10   // @@ lines of one hunk

typedef struct PatchLine {
    char kind; // ' ' kept, '-' removed, '+' added
    char *text;
} PatchLine;

typedef struct PatchHunk {
    GPtrArray *contexts; // of char *, the outermost first: what its @@ lines say to look for
    size_t hint;         // line of the old file, from 1; 0: none
    bool is_behind_hint; // "-5,0": what it adds goes behind that line, not in front of it
    GArray *lines;       // PatchLine
    bool has_context;    // kept lines, or an ellipsis in place of some
    bool is_at_end;      // of the file
} PatchHunk;

void patch_hunk_free(PatchHunk *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PatchHunk, patch_hunk_free)

/* One more line; `text` is copied. */
void patch_lines_add(GArray *lines, char kind, const char *text);
GArray *patch_lines_new(void); // of PatchLine; frees their texts

/* At least one hunk, each with at least one line; of PatchHunk *. USAGE with the text for the
   model, LIMIT for too many. Caller unrefs. */
bool patch_parse(const char *diff, GPtrArray **ret_hunks, GError **error);
