/*
 * Archives for read and write (agent-tools §3.1.6, §3.2 step 3).
 */
#pragma once

#include "tool/tool.h"
#include "tools/file/inner_path.h"

bool archive_tool_is(const char *path);

/* The members of a directory in it, or the lines of a file. */
bool archive_tool_show(ToolCall *call, const InnerPath *inner, ToolResult *result, GError **error);
bool archive_tool_write(ToolCall *call, const InnerPath *inner, const char *content,
                        ToolResult *result, GError **error);
