/*
 * The tools of a conversation (agent_session.h): those that a model is offered,
 * and those that are added while it goes on, each set by a source of its own (a
 * host, a server, an extension).
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"

// ---- chosen by name ----

bool agent_session_set_tools(AgentSession *self, const char *const *names, GError **error)
{
    g_autoptr(GPtrArray) unknown = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(ToolSet) tools =
        names[0] ? tool_set_select(self->tools.all, self->settings, names, unknown)
                 : tool_set_new(NULL);
    if (unknown->len > 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "there is no tool \"%s\"",
                         (const char *)unknown->pdata[0]);
    agent_session_update_setup(self, tools);
    return true;
}

bool agent_session_add_tool(AgentSession *self, const char *name, GError **error)
{
    const ToolSet *wanted = self->tools.wanted;
    if (tool_set_find(wanted, name))
        return true;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (size_t i = 0; i < tool_set_count(wanted); i++)
        g_ptr_array_add(names, (char *)tool_set_at(wanted, i)->name);
    g_ptr_array_add(names, (char *)name);
    g_ptr_array_add(names, NULL);
    return agent_session_set_tools(self, (const char *const *)names->pdata, error);
}

bool agent_session_force_tool(AgentSession *self, const char *name, GError **error)
{
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    g_autoptr(json_t) offered = turn_setup_tool_list(setup);
    bool is_offered = !name;
    json_each (offered, i, tool)
        is_offered = is_offered || g_strcmp0(json_get_text(tool, "name"), name) == 0;
    if (!is_offered)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "the model is not offered a tool \"%s\"",
                         name);
    setup_slot_force_tool(self->setup, name);
    return true;
}

// ---- by source ----

typedef struct ToolSource {
    char *name;
    ToolSet *tools; // its own alone
} ToolSource;

static void source_free(gpointer self_)
{
    ToolSource *self = self_;
    g_free(self->name);
    tool_set_unref(self->tools);
    g_free(self);
}

void session_tools_init(SessionTools *self, const ToolSet *given)
{
    self->all = tool_set_ref(given);
    self->sources = g_ptr_array_new_with_free_func(source_free);
}

void session_tools_clear(SessionTools *self)
{
    tool_set_unref(self->all);
    tool_set_unref(self->wanted);
    g_ptr_array_unref(self->sources);
}

static ToolSource *source_find(const SessionTools *self, const char *name)
{
    for (unsigned i = 0; i < self->sources->len; i++) {
        ToolSource *source = self->sources->pdata[i];
        if (g_str_equal(source->name, name))
            return source;
    }
    return NULL;
}

static bool is_of_others(const ToolDef *tool, void *source_)
{
    const ToolSource *source = source_;
    return tool_set_find(source->tools, tool->name) == NULL;
}

/* `set` with the tools of a source replaced; NULL `source`: it had none. */
static bool replace_tools(const ToolSet *set, ToolSource *source, DynamicTool *const *tools,
                          size_t count, const Settings *settings, ToolSet **ret_set, GError **error)
{
    g_autoptr(ToolSet) kept =
        source ? tool_set_filter(set, is_of_others, source) : tool_set_ref(set);
    return tool_set_add(kept, tools, count, settings, ret_set, error);
}

static void remember_source(SessionTools *self, ToolSource *source, const char *name,
                            DynamicTool *const *tools, size_t count)
{
    if (source)
        g_ptr_array_remove(self->sources, source);
    if (count == 0)
        return;
    g_autoptr(ToolSet) none = tool_set_new(NULL);
    ToolSource *now = g_new0(ToolSource, 1);
    now->name = g_strdup(name);
    if (!tool_set_add(none, tools, count, NULL, &now->tools, NULL))
        g_assert_not_reached(); // they were added to more than nothing
    g_ptr_array_add(self->sources, now);
}

bool agent_session_set_extra_tools(AgentSession *self, const char *source_name,
                                   DynamicTool *const *tools, size_t count, GError **error)
{
    g_autoptr(ToolSet) all = NULL;
    g_autoptr(ToolSet) wanted = NULL;
    ToolSource *source = source_find(&self->tools, source_name);
    if (!replace_tools(self->tools.all, source, tools, count, self->settings, &all, error) ||
        !replace_tools(self->tools.wanted, source, tools, count, self->settings, &wanted, error))
        return false;
    tool_set_unref(self->tools.all);
    self->tools.all = g_steal_pointer(&all);
    remember_source(&self->tools, source, source_name, tools, count);
    agent_session_update_setup(self, wanted);
    return true;
}
