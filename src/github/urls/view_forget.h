/*
 * What a command of gh changes, so that what is kept of it is forgotten (github-tool §7.9). Pure.
 */
#pragma once

#include "tool/settings.h"

typedef struct ForgottenItem {
    char *repo;     // as the cache names it; NULL: every repository
    int64_t number; // 0: every number
} ForgottenItem;

/* Array of ForgottenItem. `words` are NULL-terminated and those behind `gh`; `repo` is that of a
   command that names none, NULL: unknown. Empty for what changes no issue and no pull request. */
GArray *view_forget_words(char *const *words, const char *repo, const Settings *settings);
/* The same for every gh in the text of a shell command. */
GArray *view_forget_shell(const char *command, const Settings *settings);
