/*
 * Names of labels, and lists of names as tasks and items write them (task-engine §6.1, §6.7). Pure.
 */
#pragma once

#include "base/json.h"

#define WM_MAX_LABEL_CHARS 50 // GitHub's

/* The strings of an array, or one string: trimmed, no empties, no duplicates, in order; others are
   dropped. New reference, never NULL. */
json_t *wm_text_list(const json_t *value);
/* `first` (may be NULL), then what of `second` is not in it. New reference. */
json_t *wm_text_list_merge(const json_t *first, const json_t *second);
bool wm_text_list_has(const json_t *list, const char *text);

/* One line, 1 to 50 characters. */
bool wm_label_is_valid(const char *label);
/* Patterns of `blocked`: `*` and `?` (not over /), `[a-z]`, `\`; the whole name, in any case, since
   to GitHub a label's case makes no difference. A malformed pattern matches nothing. */
bool wm_label_matches(const char *label, const char *pattern);
bool wm_label_pattern_is_valid(const char *pattern);
