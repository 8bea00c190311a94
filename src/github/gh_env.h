/*
 * Where gh is and what it is started with (gh-policy §6.2, §6.5). Thread safe: reads the
 * environment only.
 */
#pragma once

#include "tool/settings.h"

/* Built from nothing, for a call of the github tool. Caller frees with g_strfreev(). */
char **gh_env_new(const Settings *settings);

/* Absolute path, or NULL. A gh that the repository or workspace around `cwd` (NULL: not checked)
   brings along is passed over, unless the setting gh.executable names it. Caller frees. */
char *gh_env_find_executable(const Settings *settings, const char *cwd);
