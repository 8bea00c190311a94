/*
 * How tools understand a path that a model or a person wrote (agent-tools §1.6), and how they show
 * it. Thread safe.
 */
#pragma once

#include "tool/tool.h"

/* The absolute path that `asked` means in `cwd`: ~, file://, quotes, a leading @, Unicode blanks.
   Whether it exists is not checked. Caller frees. */
char *workspace_path(const char *asked, const char *cwd);

/* What is left of a path without surrounding blanks and quotes. Caller frees. */
char *workspace_clean(const char *asked);

/* The one file below `cwd` whose path ends in `asked`, ignored files aside; NULL when there is none
   or more than one, or the search takes over 5 s. Caller frees. */
char *workspace_suffix_match(const char *asked, const char *cwd, Cancel *cancel);
