/*
 * Handing in a plan (agent-tools §3.29), for the tool `resolve`: a person reads it and says how it
 * goes on.
 */
#pragma once

#include "tool/tool.h"

/* `title` may be NULL. Asks the person and blocks; what they decide is left with the plan mode of
   the conversation, whose owner carries it out when the run has ended. USAGE for a bad title,
   NOT_FOUND without a plan, DENIED where no one can be asked. */
bool plan_submit(ToolCall *call, const char *title, ToolResult *result, GError **error);
