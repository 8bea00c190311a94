/*
 * The table of contents: every Command, every ToolDef, every ToolHook (design.md §3).
 */
#pragma once

#include "cmd/cmd.h"

extern const Command *const command_table[]; // NULL-terminated
extern const ToolDef *const tool_table[];    // NULL-terminated, in the order of agent-tools §1.2
extern const UserShellFunc shell_for_users;
extern const UserConsole *const console_for_users;
extern const ToolHook *const hook_table[]; // NULL-terminated: of every call that a model makes
