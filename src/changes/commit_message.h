/*
 * Commit messages as a model writes them: what it is asked, and what of its answer can be used
 * (agent-core §1.8). Conventional Commits. Pure.
 */
#pragma once

#include "base/error.h"

extern const char commit_message_system[];

/* The message in `answer`, without fences and trailing blanks. USAGE says what is wrong with it,
   for the model. */
bool commit_message_read(const char *answer, char **ret_message, GError **error);
