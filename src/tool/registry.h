/*
 * The tools there are, and which of them a session offers (agent-tools §1.2). The table itself is
 * src/tables.c; it is handed in, so that this room knows no tool.
 */
#pragma once

#include "tool/tool.h"

/* `table` is NULL-terminated and outlives all use. */
const ToolDef *tool_registry_find(const ToolDef *const *table, const char *name); // aliases too

/* The tools of a session: `names` (NULL-terminated, NULL or empty: all that are not hidden),
   lower-cased, aliases resolved, without doubles, in table order when no names are given. Unknown
   names are appended to `unknown` when that is given. Returns an array of const ToolDef *. */
GPtrArray *tool_registry_select(const ToolDef *const *table, const Settings *settings,
                                const char *const *names, GPtrArray *unknown);

/* {"name","description","parameters"} as a model is told. New reference. */
json_t *tool_registry_describe(const ToolDef *tool);
