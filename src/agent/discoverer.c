/* See discoverer.h. */
#include "agent/discoverer.h"

#include "base/utf8.h"
#include "session/session_tree.h"
#include "tool/tool_discovery.h"

#define CUSTOM_TYPE      "kedge.tools"
#define SHOWN_NAME_CHARS 100

void discoverer_check_settings(const Settings *settings, const ToolSet *tools, GPtrArray *warnings)
{
    if (!warnings || tool_discovery_mode(settings) != DISCOVERY_ALL)
        return;
    g_auto(GStrv) names = tool_discovery_essentials(settings);
    for (char **name = names; *name; name++) {
        if (tool_set_find(tools, *name))
            continue;
        g_autofree char *shown = utf8_ellipsize(*name, SHOWN_NAME_CHARS);
        g_ptr_array_add(warnings,
                        g_strdup_printf("tools.essentialOverride: there is no tool \"%s\"; `kedge "
                                        "tool list` shows all",
                                        shown));
    }
}

/* What an entry says was found; NULL: it is another one. Borrowed. */
static const json_t *found_in(const json_t *entry)
{
    if (g_strcmp0(json_get_text(entry, "customType"), CUSTOM_TYPE) != 0)
        return NULL;
    return json_get_array(json_get_object(entry, "data"), "found");
}

/* Of the way to the leaf; what a file holds beyond any sense is passed over. */
static FoundTools *found_on_path(const Session *session)
{
    FoundTools *found = found_tools_new();
    g_autoptr(GPtrArray) entries = session_path_of_type(session, "custom");
    for (guint i = 0; i < entries->len; i++) {
        json_each (found_in(entries->pdata[i]), j, name) {
            if (json_is_string(name))
                found_tools_add(found, json_string_value(name));
        }
    }
    return found;
}

void discoverer_restore(const Session *session, FoundTools *found)
{
    if (!found)
        return;
    g_autoptr(FoundTools) there = found_on_path(session);
    g_auto(GStrv) names = found_tools_names(there, NULL);
    found_tools_set(found, (const char *const *)names);
}

void discoverer_note_calls(const ToolSet *tools, const json_t *calls, FoundTools *found)
{
    if (!found)
        return;
    g_autoptr(ToolSet) waiting = tool_set_waiting(tools);
    json_each (calls, i, call) {
        const char *name = json_get_text(call, "name");
        const ToolDef *tool = name ? tool_set_find(waiting, name) : NULL;
        if (tool)
            found_tools_add(found, tool->name);
    }
}

void discoverer_record(Session *session, FoundTools *found)
{
    if (!found)
        return;
    g_autoptr(FoundTools) there = found_on_path(session);
    g_auto(GStrv) noted = found_tools_names(there, NULL);
    g_auto(GStrv) names = found_tools_names(found, NULL);
    g_autoptr(json_t) list = json_array();
    for (char **name = names; *name; name++)
        if (!g_strv_contains((const char *const *)noted, *name))
            json_append_take(list, json_text(*name));
    if (json_array_size(list) == 0)
        return;
    json_t *data = json_make("found:%p", g_steal_pointer(&list));
    session_append_fields(session, "custom", json_make("customType:%s data:%p", CUSTOM_TYPE, data));
}
