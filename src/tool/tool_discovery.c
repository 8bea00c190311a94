/*
 * Which tools wait until they are found (tool_discovery.h).
 */
#include "tool/tool_discovery.h"

#include "tool/tool_name.h"

DiscoveryMode tool_discovery_mode(const Settings *settings)
{
    const char *mode = settings_get_text(settings, "tools.discoveryMode");
    if (g_strcmp0(mode, "all") == 0)
        return DISCOVERY_ALL;
    bool is_of_mcp =
        g_strcmp0(mode, "mcp-only") == 0 || settings_get_bool(settings, "mcp.discoveryMode");
    return is_of_mcp ? DISCOVERY_MCP_ONLY : DISCOVERY_OFF;
}

char **tool_discovery_essentials(const Settings *settings)
{
    GPtrArray *names = g_ptr_array_new();
    json_each (settings_get_json(settings, "tools.essentialOverride"), i, each) {
        g_autofree char *name =
            json_is_string(each) ? g_strdup(json_string_value(each)) : json_to_text(each);
        g_autofree char *lower = g_ascii_strdown(g_strstrip(name), -1);
        g_ptr_array_add(names, g_strdup(tool_name_canonical(lower)));
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

bool tool_discovery_hides(const Settings *settings, const ToolDef *tool, bool is_dynamic)
{
    DiscoveryMode mode = tool_discovery_mode(settings);
    if (is_dynamic)
        return mode != DISCOVERY_OFF;
    if (mode != DISCOVERY_ALL || !(tool->flags & TOOL_DISCOVERABLE))
        return false;
    g_auto(GStrv) essentials = tool_discovery_essentials(settings);
    return !g_strv_contains((const char *const *)essentials, tool->name);
}
