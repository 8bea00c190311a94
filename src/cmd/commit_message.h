/*
 * Commit messages as a model writes them: what it is asked, and what of its answer can be used
 * (agent-core §1.8). Conventional Commits. Pure.
 */
#pragma once

#include "base/error.h"

extern const char commit_message_system[];

/* What stands behind the diff. `recent` are subjects of earlier commits, a line each; `context` is
   the person's own word; `problem` what was wrong with the answer before. All but `recent` may be
   NULL. Caller frees. */
char *commit_message_instruction(const char *recent, const char *context, const char *problem);

/* The message in `answer`, without fences and trailing blanks. USAGE says what is wrong with it,
   for the model. */
bool commit_message_read(const char *answer, char **ret_message, GError **error);
