/*
 * Files that read shows as something else than their bytes: notebooks and documents, by the end of
 * their name (agent-tools §3.1.10). Thread safe.
 */
#pragma once

#include "tool/tool.h"
#include "tools/read/read_select.h"

/* *ret_is_shown false: a file like any other. */
bool file_view_show(ToolCall *call, const char *path, const ReadSelect *select, ToolResult *result,
                    bool *ret_is_shown, GError **error);
