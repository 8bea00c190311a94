/*
 * argv → Command → exit code.
 */
#include "tables.h"

#include <signal.h>

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); // a closed pipe is a write error, reported where it happens
    signal(SIGCHLD, SIG_DFL); // an inherited SIG_IGN would eat exit statuses
    const CommandEnv env = { .commands = command_table, .tools = tool_table };
    return cmd_main(&env, argc, argv);
}
