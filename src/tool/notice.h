/*
 * What every result passes on its way out of tool_call(): spill to an artifact, and the notice that
 * says what was cut and how to get the rest (agent-tools §1.4). The only place where these texts
 * are made.
 */
#pragma once

#include "tool/tool.h"

/* Saves text over the threshold of the settings as an artifact (when `artifacts` is not NULL) and
   keeps its end. Nothing for a result whose truncation already names an artifact. */
void result_spill(ToolResult *result, const char *tool, const Settings *settings,
                  Artifacts *artifacts);

/* Writes details.meta, and appends the notice to the last text block. A second call does nothing.
 */
void result_add_notice(ToolResult *result);

/* The notice for a `meta` object, without the leading blank line; NULL when there is nothing to
   say. Caller frees. */
char *notice_text(const json_t *meta);
