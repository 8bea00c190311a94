/*
 * The table of contents of the program: every Command; and with tool_table.h every ToolDef,
 * ToolHook and UrlScheme (design §3).
 */
#pragma once

#include "cmd/cli/cmd.h"
#include "tool_table.h"

extern const Command *const command_table[]; // NULL-terminated
extern const UserConsole *const console_for_users;
