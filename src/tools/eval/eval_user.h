/*
 * A person's own code in the Python kernel of the eval tool: variables are those that the model's
 * cells see, and the other way round.
 */
#pragma once

#include "tool/user_shell.h"

/* A UserShellFunc. The exit code is 1 for code that raised an error, else that of a kernel that has
   ended. The tools of the conversation are not at hand in it: a model's calls are judged, and
   no one has made these. NOT_FOUND: there is no Python, or the setting eval.py is off. */
bool eval_run_for_user(ToolContext *context, const char *code, const UserShellWatch *watch,
                       Cancel *cancel, UserShellResult *ret_result, GError **error);
