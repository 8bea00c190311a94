/*
 * What a conversation can do, in the program and in libkedge: every ToolDef, every ToolHook, every
 * UrlScheme, the shell and the Python of a person.
 */
#pragma once

#include "tool/hook.h"
#include "tool/user_shell.h"

extern const ToolDef *const tool_table[]; // NULL-terminated, in the order of agent-tools §1.2
extern const UserShellFunc shell_for_users, python_for_users;
extern const ContextTables context_tables; // for every call that a model makes
