/*
 * tools/list: the tables as MCP shows them, with annotations (spec/common.md §4.5).
 */
#include "mcp/server_private.h"

/* A server that only reads offers nothing of which no call does. */
static bool is_offered(const McpServer *self, const ToolDef *tool)
{
    return !self->options->is_read_only ||
           (tool->effect == EFFECT_READ && !(tool->flags & TOOL_CHANGES_RECORDS));
}

const ToolDef *mcp_tools_find(const McpServer *self, const char *name)
{
    const ToolDef *tool = tool_set_find(self->options->tools, name);
    return tool && is_offered(self, tool) ? tool : NULL;
}

static json_t *annotations(const McpServer *self, const ToolDef *tool)
{
    // a gh_* wrapper judges its calls, but refuses one that is no read
    bool always_reads = tool->effect == EFFECT_READ && !(tool->flags & TOOL_CHANGES_RECORDS) &&
                        (!tool->judge || (tool->flags & TOOL_GH));
    bool only_reads = self->options->is_read_only || always_reads;
    json_t *object = json_object();
    json_set_text(object, "title", tool->label);
    json_set_bool(object, "readOnlyHint", only_reads);
    json_set_bool(object, "destructiveHint", !only_reads && (tool->flags & TOOL_CAN_DESTROY));
    json_set_bool(object, "idempotentHint", only_reads || (tool->flags & TOOL_IDEMPOTENT));
    json_set_bool(object, "openWorldHint", tool->flags & TOOL_OPEN_WORLD);
    return object;
}

json_t *mcp_tools_list(const McpServer *self)
{
    json_t *array = json_array();
    for (size_t i = 0; i < tool_set_count(self->options->tools); i++) {
        const ToolDef *tool = tool_set_at(self->options->tools, i);
        if (!is_offered(self, tool))
            continue;
        json_t *item = json_object();
        json_set_text(item, "name", tool->name);
        json_set_text(item, "title", tool->label);
        json_set_text(item, "description", tool->description ? tool->description : tool->summary);
        json_set_take(item, "inputSchema", tool_schema(tool));
        if (tool->output_schema)
            json_set_take(item, "outputSchema", tool->output_schema(tool));
        json_set_take(item, "annotations", annotations(self, tool));
        json_append_take(array, item);
    }
    json_t *result = json_object();
    json_set_take(result, "tools", array);
    return result;
}
