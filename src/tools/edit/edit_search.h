/*
 * One replacement of a text by another: exactly where it is found, else where lines are alike
 * (agent-tools §3.3.8). Pure; thread safe.
 */
#pragma once

#include "base/error.h"

typedef struct EditSearch { // all borrowed
    const char *old_text, *new_text;
    bool all;          // else there must be one place
    bool is_fuzzy;     // places that are alike count when there is no exact one
    const char *shown; // the file, for messages
} EditSearch;

/* `text` has LF only (edit_target.h); line ends of the search do not matter. USAGE and FAILED with
   the text for the model: no such place, several, or no change. `newlines` (may be NULL) as
   edit_ends_carry() takes them. `ret_count`: replacements. Caller frees *ret_text. */
bool edit_search_replace(const char *text, const EditSearch *search, char **ret_text,
                         GArray *newlines, size_t *ret_count, GError **error);

/* The lines around each of the first `places`, as messages show them: `  <n> | <text>`. `places`:
   of size_t, line numbers from 0. Caller frees. */
char *edit_preview(const char *text, const GArray *places, size_t around);

/* The error of an edit that fits in `count` places, the first of which are `places`. */
bool edit_fail_several(const char *text, const GArray *places, size_t count, bool is_alike,
                       const char *shown, GError **error);
