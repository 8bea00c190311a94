/*
 * Finding and choosing tools (registry.h).
 */
#include "tool/registry.h"

static const struct {
    const char *alias, *name;
} aliases[] = {
    // agent-tools §1.2; accepted wherever a name is read, never advertised
    { "search", "grep" },
    { "glob", "find" },
};

static const char *canonical(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
        if (strcmp(aliases[i].alias, name) == 0)
            return aliases[i].name;
    return name;
}

const ToolDef *tool_registry_find(const ToolDef *const *table, const char *name)
{
    const char *wanted = canonical(name);
    for (; *table; table++)
        if (strcmp((*table)->name, wanted) == 0)
            return *table;
    return NULL;
}

static bool is_offered(const ToolDef *tool, const Settings *settings)
{
    return !tool->is_available || tool->is_available(settings);
}

GPtrArray *tool_registry_select(const ToolDef *const *table, const Settings *settings,
                                const char *const *names, GPtrArray *unknown)
{
    GPtrArray *selected = g_ptr_array_new();
    if (!names || !names[0]) {
        for (; *table; table++)
            if (!((*table)->flags & TOOL_HIDDEN) && is_offered(*table, settings))
                g_ptr_array_add(selected, (void *)*table);
        return selected;
    }
    for (; *names; names++) {
        g_autofree char *trimmed = g_strstrip(g_ascii_strdown(*names, -1));
        if (*trimmed == '\0')
            continue;
        const ToolDef *tool = tool_registry_find(table, trimmed);
        if (!tool && unknown)
            g_ptr_array_add(unknown, g_strdup(trimmed));
        if (tool && is_offered(tool, settings) && !g_ptr_array_find(selected, tool, NULL))
            g_ptr_array_add(selected, (void *)tool);
    }
    return selected;
}

json_t *tool_registry_describe(const ToolDef *tool)
{
    json_t *object = json_object();
    json_set_text(object, "name", tool->name);
    json_set_text(object, "description", tool->description ? tool->description : tool->summary);
    json_set_take(object, "parameters", field_schema(tool->fields));
    return object;
}
