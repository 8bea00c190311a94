/*
 * A diff as a model gets it: known secrets masked, and the long ones of its files cut so that each
 * keeps its beginning; and what stands behind it. Pure.
 */
#pragma once

#include <stddef.h>

/* `diff` is git's, of any number of files; about `max_bytes` come out. Caller frees. */
char *diff_digest(const char *diff, size_t max_bytes);

/* What stands behind a diff, with the `task` at its end. `recent` are subjects of earlier commits,
   a line each; `context` is the person's own word; `problem` what was wrong with the answer before.
   All but `task` may be NULL. Caller frees. */
char *diff_instruction(const char *recent, const char *context, const char *problem,
                       const char *task);
