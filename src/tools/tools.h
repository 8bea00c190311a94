/*
 * The coding tools, one file each, and what hooks into calls, for src/tables.c.
 */
#pragma once

#include "tool/hook.h"

extern const ToolDef tool_read;
extern const ToolDef tool_write;
extern const ToolDef tool_edit;
extern const ToolDef tool_bash;
extern const ToolDef tool_grep;
extern const ToolDef tool_find;

extern const ToolHook bash_interceptor; // points to a better tool before a command is run
