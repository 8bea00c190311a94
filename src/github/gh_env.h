/*
 * Where gh is and what it is started with (gh-policy §6.2, §6.5). Thread safe: reads the
 * environment only.
 */
#pragma once

#include "tool/settings.h"

/* Built from nothing. Both callers free with g_strfreev(). */
char **gh_env_new(const Settings *settings); // of the github tool: GH_HOST and GH_REPO inherited
/* Of the gh tools: GH_HOST and GH_REPO as the call's context says, NULL: not set (gh-policy §1.6).
 */
char **gh_env_new_for(const char *host, const char *repo);

/* Where gh keeps its logins; need not exist. Caller frees. */
char *gh_env_hosts_file(void);

/* Absolute path, or NULL. A gh that the repository around `cwd`, or the `workspace` (NULL: not
   checked), brings along is passed over, unless the setting gh.executable names it. Caller frees.
 */
char *gh_env_find_executable(const Settings *settings, const char *cwd, const char *workspace);
