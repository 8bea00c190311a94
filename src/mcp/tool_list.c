/*
 * The tools as MCP shows them (tool_list.h).
 */
#include "mcp/tool_list.h"

static json_t *annotations(const ToolDef *tool, const ToolDoor *door)
{
    // a gh_* wrapper judges its calls, but refuses one that is no read
    bool always_reads = tool->effect == EFFECT_READ && !(tool->flags & TOOL_CHANGES_RECORDS) &&
                        (!tool->judge || (tool->flags & TOOL_GH));
    bool only_reads = door->is_read_only || always_reads;
    json_t *object = json_object();
    json_set_text(object, "title", tool->label);
    json_set_bool(object, "readOnlyHint", only_reads);
    json_set_bool(object, "destructiveHint", !only_reads && (tool->flags & TOOL_CAN_DESTROY));
    json_set_bool(object, "idempotentHint", only_reads || (tool->flags & TOOL_IDEMPOTENT));
    json_set_bool(object, "openWorldHint", tool->flags & TOOL_OPEN_WORLD);
    return object;
}

json_t *mcp_tool_list(const ToolSet *tools, const ToolDoor *door)
{
    json_t *array = json_array();
    for (size_t i = 0; i < tool_set_count(tools); i++) {
        const ToolDef *tool = tool_set_at(tools, i);
        if (!tool_door_offers(door, tool))
            continue;
        json_t *item = json_object();
        json_set_text(item, "name", tool->name);
        json_set_text(item, "title", tool->label);
        json_set_text(item, "description", tool->description ? tool->description : tool->summary);
        json_set_take(item, "inputSchema", tool_schema(tool));
        if (tool->output_schema)
            json_set_take(item, "outputSchema", tool->output_schema(tool));
        json_set_take(item, "annotations", annotations(tool, door));
        json_append_take(array, item);
    }
    json_t *result = json_object();
    json_set_take(result, "tools", array);
    return result;
}
