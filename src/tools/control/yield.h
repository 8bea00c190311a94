/*
 * The tool `yield` of a conversation whose result has a schema (agent-tools §3.30). `tool_yield` is
 * the same without one.
 */
#pragma once

#include "tool/dynamic_tool.h"

/* `schema`: a JSON Schema, a JSON Type Definition, or a text that is one; what is neither is named
   in the description, and then any result will do. New reference. */
DynamicTool *yield_tool_new(const json_t *schema);
