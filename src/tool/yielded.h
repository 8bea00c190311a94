/*
 * What a conversation has handed in with the tool `yield` (agent-tools §3.30): a run ends with it.
 * Thread safe.
 */
#pragma once

#include "tool/tool.h"

/* A run begins: nothing is handed in yet. */
void yielded_reset(ToolContext *context);
/* A result is handed in, which ends the run. */
void yielded_set_done(ToolContext *context);
bool yielded_is_done(ToolContext *context);
/* A result that does not fit its schema was handed in; how many there were before it, in all of the
   conversation. */
unsigned yielded_count_misfit(ToolContext *context);
