/*
 * Finds the command that a word of the command line names (cmd.h).
 */
#include "cmd/cli/cmd.h"

const Command *cmd_find(const CommandEnv *env, const char *name)
{
    for (const Command *const *command = env->commands; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}
