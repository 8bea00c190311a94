/*
 * tools/list: the tools as MCP shows them, with annotations (spec/common.md §4.5). Pure.
 */
#pragma once

#include "tool/call.h"
#include "tool/tool_set.h"

/* New reference. */
json_t *mcp_tool_list(const ToolSet *tools, const ToolDoor *door);
