/*
 * Patches for several files in one text, from "*** Begin Patch" to "*** End Patch" (agent-tools
 * §3.3.11). Pure; thread safe.
 */
#pragma once

#include "base/error.h"

#define PATCH_MAX_ENTRIES 1000 // of one call

typedef enum { PATCH_UPDATE, PATCH_CREATE, PATCH_DELETE } PatchOp;

typedef struct PatchEntry { // what is to be done to one file
    PatchOp op;
    char *path;
    char *rename; // NULL: it stays where it is
    char *text;   // hunks, or the whole new content; NULL when nothing was said
} PatchEntry;

void patch_entry_free(PatchEntry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PatchEntry, patch_entry_free)

GPtrArray *patch_entries_new(void); // of PatchEntry *

/* What follows "*** Update File:" and the like at the beginning of a line, or NULL. `ret_op` may be
   NULL. */
const char *patch_file_marker(const char *line, PatchOp *ret_op);

/* At least one entry, in order. USAGE with the text for the model; LIMIT. Caller unrefs. */
bool patch_envelope_parse(const char *input, GPtrArray **ret_entries, GError **error);
