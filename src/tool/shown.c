/*
 * What models are shown (shown.h).
 */
#include "tool/shown.h"

bool shown_to_model(const ToolCall *call)
{
    return tool_call_tools(call) && strcmp(tool_call_via(call), "cli") != 0;
}
