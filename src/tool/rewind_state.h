/*
 * What the tools `checkpoint` and `rewind` tell the conversation's owner (agent-tools §3.24): a
 * checkpoint is open, or its report is there. The owner moves the conversation; where to, the
 * session says. Thread safe.
 */
#pragma once

#include "tool/tool.h"

/* Of a subagent: there are no checkpoints. Before the first call. */
void rewind_state_forbid(ToolContext *context);
bool rewind_state_is_forbidden(ToolContext *context);

/* As the session has it; what was reported is forgotten. */
void rewind_state_set_open(ToolContext *context, bool is_open);
/* False: one is open already. */
bool rewind_state_open(ToolContext *context);
bool rewind_state_is_open(ToolContext *context);

/* Ends the open one with a report; false: none is open. */
bool rewind_state_report(ToolContext *context, const char *report);
/* NULL: there is none. Caller frees. */
char *rewind_state_take_report(ToolContext *context);
