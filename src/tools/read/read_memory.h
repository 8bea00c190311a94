/*
 * Showing lines of a text that read has made or unpacked itself. Private to that tool.
 */
#pragma once

#include "tool/tool.h"
#include "tools/read/read_select.h"

/* Like a file, under the name `entity` ("archive entry"). `path` is the file that edit changes by
   this text; NULL: it changes none. */
bool read_memory_show(ToolCall *call, const char *path, const char *text, size_t size,
                      const char *entity, const ReadSelect *select, ToolResult *result,
                      GError **error);

/* The head of a text that has no lines to page through. */
void read_memory_show_head(const char *text, ToolResult *result);
