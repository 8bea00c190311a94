/*
 * SQLite files for read and write (agent-tools §3.1.7, §3.2 step 4).
 */
#pragma once

#include "tool/tool.h"
#include "tools/database/sqlite_file.h"
#include "tools/file/inner_path.h"

/* Tables, schemas, rows or the answer to a query. */
bool sqlite_tool_show(ToolCall *call, const InnerPath *inner, ToolResult *result, GError **error);

/* Inserts, updates or deletes one row. */
bool sqlite_tool_write(ToolCall *call, const InnerPath *inner, const char *content,
                       ToolResult *result, GError **error);
