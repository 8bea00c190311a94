/*
 * What a model is shown of what tools find, and whether it still has it before it. Thread safe.
 */
#pragma once

#include "tool/tool.h"

/* Does a model itself read the answer of `call`? Else code that another call runs does, or who has
   typed the command. */
bool model_view_has_answer(const ToolCall *call);

/* The conversation goes on elsewhere: what was shown up to now may not be in it any more. */
void model_view_forget(ToolContext *context);
/* Another number after each model_view_forget(). */
unsigned model_view_epoch(ToolContext *context);
