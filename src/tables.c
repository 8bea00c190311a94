/*
 * The table of contents of the program (tables.h). A new command or tool is one line here.
 */
#include "tables.h"

#include "cmd/commands.h"
#include "github/github.h"
#include "tools/tools.h"

const Command *const command_table[] = {
    &command_launch, &command_github, &command_grep, &command_mcp, &command_read, &command_tool, NULL,
};

const ToolDef *const tool_table[] = {
    &tool_read, &tool_bash, &tool_edit, &tool_github, &tool_find, &tool_grep, &tool_write, NULL,
};
