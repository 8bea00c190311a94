/*
 * A text by its lines, and where in it others are found: the ground on which hunks are placed
 * (agent-tools §3.3.9). Work is bounded for the whole of a call. One thread at a time.
 */
#pragma once

#include "base/error.h"
#include "tools/file/text_lines.h"

#define PATCH_MAX_STEPS ((size_t)300 * 1000 * 1000) // comparisons of a call, about a second

typedef struct PatchText { // text and shown are borrowed
    const char *text, *shown;
    bool is_fuzzy;
    GArray *lines;      // TextLine; a final newline begins none
    bool ends_line;     // there is such a newline
    GArray *alike;      // AlikeLine of each; NULL until it is asked for
    size_t *steps_left; // borrowed
} PatchText;

/* `steps_left`: PATCH_MAX_STEPS at the beginning of a call. */
void patch_text_init(PatchText *self, const char *text, const char *shown, bool is_fuzzy,
                     size_t *steps_left);
void patch_text_clear(PatchText *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PatchText, patch_text_clear)

typedef enum { // from strict to loose; what is looser counts only where nothing stricter fits
    MATCH_EXACT,
    MATCH_END_BLANKS, // white space at the end of a line does not count
    MATCH_TRIMMED,    // nor that at its beginning
    MATCH_ALIKE,      // edit_alike.h
    MATCH_BEGINNING,  // of a line
    MATCH_PART,       // of a line
} PatchMatch;

/* The lines at `from` and behind it, before `to`, where `pattern` (lines joined by LF) begins; of
   size_t. One that does not fit in wholly before the end of the text is none. Caller unrefs. */
GArray *patch_text_find(PatchText *self, const char *pattern, PatchMatch match, size_t from,
                        size_t to);

/* LIMIT when the work was cut short: then what was found says nothing. */
bool patch_text_check(const PatchText *self, GError **error);
