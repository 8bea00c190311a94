/*
 * Finds the command that a word of the command line names (cmd.h).
 */
#include "cmd/cli/cmd.h"

#include "base/str.h"

const Command *cmd_find(const CommandEnv *env, const char *name)
{
    for (const Command *const *command = env->commands; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}

const Command *cmd_find_meant(const CommandEnv *env, const char *word)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const Command *const *command = env->commands; *command; command++)
        if (!(*command)->is_hidden)
            g_ptr_array_add(names, (char *)(*command)->name);
    g_ptr_array_add(names, NULL);
    const char *nearest = str_nearest(word, (const char *const *)names->pdata);
    return nearest ? cmd_find(env, nearest) : NULL;
}
