/*
 * What git said about the settings of a directory, kept for a moment: a question to git takes
 * longer than most of what it is asked for, and commands come together. An answer holds while the
 * files of the settings are as they were, and for two seconds at most. One that depends on other
 * files (include.path) is not for keeping: a file of the work tree could be one of them. Thread
 * safe.
 */
#pragma once

#include <glib.h>

/* For what git answers in `dir` with this environment (NULL: our own). NULL: it is not for keeping.
   Caller frees. */
char *git_kept_key(const char *dir, const char *question, const char *const *env);

/* A copy, with a NUL after its bytes. NULL: there is none, or it holds no more. Caller frees. */
char *git_kept_find(const char *key, size_t *ret_size);
void git_kept_put(const char *key, const char *answer, size_t size);
