/*
 * What a call's reader may have of a text of GitHub (tool.h).
 */
#include "tool/call_private.h"

bool tool_call_serves_model(const ToolCall *call)
{
    const ToolDoor *door = call->spec->door;
    return door->kind == DOOR_AGENT || door->serves_model;
}

char *tool_call_seen_text(ToolCall *call, const char *text, HiddenPlace place)
{
    return tool_call_serves_model(call) ? hidden_remove(text, place, &call->hidden)
                                        : g_strdup(text);
}

json_t *tool_call_seen_json(ToolCall *call, json_t *value)
{
    return tool_call_serves_model(call) ? hidden_remove_json(value, &call->hidden)
                                        : json_incref(value);
}
