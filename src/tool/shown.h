/*
 * What a model is shown of what tools find. Thread safe.
 */
#pragma once

#include "tool/tool.h"

/* Does a model itself read the answer of `call`? Else code that another call runs does, or who has
   typed the command. */
bool shown_to_model(const ToolCall *call);
