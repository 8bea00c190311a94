/*
 * The tools as MCP shows them (tool_list.h).
 */
#include "mcp/tool_list.h"

/* Hints that are as a client takes them to be anyway are left out. */
static json_t *annotations(const ToolDef *tool, const ToolDoor *door, bool is_titled)
{
    bool always_reads = tool->effect == EFFECT_READ && !(tool->flags & TOOL_CHANGES_RECORDS) &&
                        (!tool->judge || (tool->flags & TOOL_ONLY_READS));
    bool only_reads = door->is_read_only || always_reads;
    json_t *object = json_object();
    if (is_titled)
        json_set_text(object, "title", tool->label);
    // the two that say how a call changes things mean nothing where none does
    json_set_bool(object, "readOnlyHint", only_reads);
    if (!only_reads)
        json_set_bool(object, "destructiveHint", tool->flags & TOOL_CAN_DESTROY);
    if (!only_reads && (tool->flags & TOOL_IDEMPOTENT))
        json_set_bool(object, "idempotentHint", true);
    if (!(tool->flags & TOOL_OPEN_WORLD))
        json_set_bool(object, "openWorldHint", false);
    return object;
}

json_t *mcp_tool_list(const ToolSet *tools, const ToolDoor *door, bool has_titles)
{
    json_t *array = json_array();
    for (size_t i = 0; i < tool_set_count(tools); i++) {
        const ToolDef *tool = tool_set_at(tools, i);
        if (!tool_door_offers(door, tool))
            continue;
        json_t *item = json_make("name:%s", tool->name);
        if (has_titles)
            json_set_text(item, "title", tool->label);
        g_autofree char *description = tool_description(tool, tools);
        json_set_text(item, "description", description);
        json_set_take(item, "inputSchema", tool_schema(tool));
        if (tool->output_schema)
            json_set_take(item, "outputSchema", tool->output_schema(tool));
        json_set_take(item, "annotations", annotations(tool, door, !has_titles));
        json_append_take(array, item);
    }
    return json_make("tools:%p", array);
}
