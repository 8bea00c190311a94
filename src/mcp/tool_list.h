/*
 * tools/list: the tools as MCP shows them, with annotations (common §4.5). Pure.
 */
#pragma once

#include "tool/call.h"
#include "tool/tool_set.h"

/* `has_titles`: the client knows titles of tools (2025-06-18); for others they are among the
   annotations. New reference. */
json_t *mcp_tool_list(const ToolSet *tools, const ToolDoor *door, bool has_titles);
