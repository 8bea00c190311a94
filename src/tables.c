/*
 * The table of contents of the program (tables.h). A new command is one line here.
 */
#include "tables.h"

#include "cmd/cli/commands.h"
#include "tools/shell/bash_user.h"

// one a line, so that two new ones do not meet
// clang-format off
const Command *const command_table[] = {
    &command_launch,
    &command_acp,
    &command_agent_tools,
    &command_arcade,
    &command_commit,
    &command_config,
    &command_completion,
    &command_doctor,
    &command_gh,
    &command_github,
    &command_grep,
    &command_login,
    &command_logout,
    &command_man,
    &command_mcp,
    &command_read,
    &command_rpc,
    &command_review,
    &command_sessions,
    &command_shell,
    &command_ssh,
    &command_stats,
    &command_tool,
    &command_update,
    &command_wm,
    NULL,
};
// clang-format on

const UserConsole *const console_for_users = &bash_console;
