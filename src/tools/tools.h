/*
 * The coding tools, one file each, for src/tables.c.
 */
#pragma once

#include "tool/tool.h"

extern const ToolDef tool_read;
extern const ToolDef tool_write;
extern const ToolDef tool_edit;
extern const ToolDef tool_bash;
extern const ToolDef tool_grep;
extern const ToolDef tool_find;
