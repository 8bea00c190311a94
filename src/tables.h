/*
 * The table of contents: every Command and every ToolDef (design.md §3).
 */
#pragma once

#include "cmd/cmd.h"

extern const Command *const command_table[]; // NULL-terminated
extern const ToolDef *const tool_table[];    // NULL-terminated, in the order of agent-tools §1.2
