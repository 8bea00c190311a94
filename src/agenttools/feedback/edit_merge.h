/*
 * Three-way merge of texts, for suggestions over a file that changed meanwhile. Runs git; blocks;
 * thread safe.
 */
#pragma once

#include "base/cancel.h"

/* What leads from `base` to `theirs`, done to `ours`. Without a conflict *ret_text is the result
   and *ret_conflicts NULL; otherwise *ret_text is NULL and *ret_conflicts names the lines of `ours`
   that both sides changed: "9-12, 40". Both belong to the caller. Errors are those of answer.h:
   GIT. */
bool edit_merge(const char *ours, const char *base, const char *theirs, Cancel *cancel,
                char **ret_text, char **ret_conflicts, GError **error);
