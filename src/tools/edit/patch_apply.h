/*
 * A diff for one file, applied to its text (agent-tools §3.3.9). Pure; thread safe; bounded in time
 * (patch_text.h).
 */
#pragma once

#include "base/error.h"

/* `text` has LF only. Every hunk refers to it as it is given; all apply or none. `shown`: the file,
   for messages. `steps_left`: PATCH_MAX_STEPS (patch_text.h) for all of a call together. `newlines`
   (may be NULL) as edit_ends_carry() takes them. The text for the model: USAGE, FAILED, LIMIT.
   Caller frees *ret_text. */
bool patch_apply(const char *text, const char *diff, const char *shown, bool is_fuzzy,
                 size_t *steps_left, char **ret_text, GArray *newlines, GError **error);
