/*
 * What happens to a command before a shell sees it (agent-tools §3.4, steps 2 and 4). Pure.
 */
#pragma once

#include "tool/settings.h"

/* `cd DIR && rest`: true with DIR and the rest, both the caller's. Only for a DIR that needs no
   shell to be understood. */
bool bash_split_cd(const char *command, char **ret_dir, char **ret_rest);

/* The interceptor: false (FAILED) when a rule of the settings matches one of the two forms of the
   command. */
bool bash_check_intercept(const Settings *settings, const char *original, const char *stripped,
                          GError **error);
