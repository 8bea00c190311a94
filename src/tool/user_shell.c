/* See user_shell.h. */
#include "tool/user_shell.h"

void user_shell_result_clear(UserShellResult *self)
{
    g_free(self->output);
    g_free(self->artifact_id);
    *self = (UserShellResult) { 0 };
}

void console_outcome_clear(ConsoleOutcome *self)
{
    g_clear_pointer(&self->cwd, g_free);
}
