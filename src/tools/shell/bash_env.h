/*
 * Which shell the bash tool runs, its environment, and the snapshot of the user's own definitions
 * (agent-tools §9.1.1, §9.1.2). Thread safe.
 */
#pragma once

#include "base/cancel.h"
#include "tool/settings.h"

/* Absolute path of the shell, or "sh". NOT_FOUND when the setting names one that is not there. */
bool bash_find_shell(const Settings *settings, char **ret_shell, GError **error);

bool bash_shell_is(const char *shell, const char *name); // its file name contains `name`

/* Ours without credentials, plus what keeps programs from asking, paging and colouring. Caller
   frees with g_strfreev(). */
char **bash_environment(const Settings *settings, const char *shell);

/* What comes before every command, or NULL. Borrowed. */
const char *bash_command_prefix(void);

/* Shell text with the functions, options, aliases and PATH of ~/.bashrc. NULL when there is nothing
   to take over or it took too long; caller frees. */
char *bash_snapshot_make(const char *shell, const char *const *env, Cancel *cancel);

/* Puts it into a private file, for one new shell to source. NULL when that cannot be done; caller
   unlinks and frees. */
char *bash_snapshot_write(const char *snapshot);

/* What `shell`, a bash, says when it parses `text` without running it. It does so in a process of
   its own: what a person has set in their shell (`set -e`, an ERR trap) has no part in it. NULL
   when it cannot be asked; caller frees. */
char *bash_parse(const Settings *settings, const char *shell, const char *text, Cancel *cancel,
                 GError **error);
