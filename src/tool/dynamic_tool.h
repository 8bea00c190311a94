/*
 * A tool that is defined while the program runs (by an MCP server, an extension, a host), beside
 * the constant ones: its arguments are described by a JSON Schema, and its run() gets them as JSON.
 *
 * What is checked of the arguments before run(): base/json_schema.h. Reference counted; immutable;
 * thread safe. A ToolSet holds a reference, so the definition lives as long as one that offers it.
 */
#pragma once

#include "tool/tool.h"

typedef struct DynamicTool DynamicTool;

/* Copies `def`, its texts and its schema; `def->fields` stay NULL. `def->user_data` is taken over
   and freed by `destroy` (may be NULL) with the last reference; on failure it stays the caller's.
   USAGE: the name is not [A-Za-z0-9_-]{1,64}, there is no description, or the schema is not that
   of an object. */
bool dynamic_tool_new(const ToolDef *def, GDestroyNotify destroy, DynamicTool **ret_tool,
                      GError **error);
DynamicTool *dynamic_tool_ref(DynamicTool *self);
void dynamic_tool_unref(DynamicTool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DynamicTool, dynamic_tool_unref)

const ToolDef *dynamic_tool_def(const DynamicTool *self); // borrowed
