/*
 * A person's own command in the shell of the bash tool: variables and functions are those that the
 * model's commands see, and the other way round.
 */
#pragma once

#include "tool/user_shell.h"

/* A UserShellFunc. A timeout counts as cancelled. */
bool bash_run_for_user(ToolContext *context, const char *command, const UserShellWatch *watch,
                       Cancel *cancel, UserShellResult *ret_result, GError **error);

extern const UserConsole bash_console;
