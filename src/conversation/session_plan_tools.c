/*
 * What plan mode leaves of a conversation's setup (agent_session_private.h): the tools that a
 * person wants stay known in `tools.wanted`, so that a part of them is offered and all come back.
 */
#include "conversation/agent_session_private.h"

/* It only reads as far as its effect goes, but what it is for is refused (agent-tools §3.10). */
static bool is_for_changes(const char *name)
{
    return g_str_equal(name, "ast_edit");
}

static ToolSet *tools_for_planning(const AgentSession *self, const ToolSet *wanted)
{
    static const char *const always[] = { "write", "edit", "ask", "resolve" };
    const ToolDoor reader = { .is_read_only = true, .choose = self->door.choose };
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (size_t i = 0; i < tool_set_count(wanted); i++) {
        const ToolDef *tool = tool_set_at(wanted, i);
        if (tool_door_offers(&reader, tool) && !is_for_changes(tool->name))
            g_ptr_array_add(names, (void *)tool->name);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(always); i++) {
        const ToolDef *tool = tool_set_find(self->tools.all, always[i]);
        if (tool && tool_door_offers(&self->door, tool))
            g_ptr_array_add(names, (void *)always[i]);
    }
    g_ptr_array_add(names, NULL);
    return names->len > 1 ? tool_set_select(self->tools.all, self->settings,
                                            (const char *const *)names->pdata, NULL)
                          : tool_set_new(NULL);
}

/* A child of one that plans looks around, and starts no other. */
static bool is_for_child(const ToolDef *tool, void *user_data G_GNUC_UNUSED)
{
    static const char *const names[] = { "read",  "grep",       "find",    "ls",    "lsp",
                                         "fetch", "web_search", "resolve", "yield", NULL };
    return g_strv_contains(names, tool->name);
}

ToolSet *agent_session_take_tools(AgentSession *self, const ToolSet *tools)
{
    ToolSet *wanted = tool_set_ref(tools);
    tool_set_unref(self->tools.wanted);
    self->tools.wanted = wanted;
    if (self->parent && plan_mode_is_on(self->parent->parts.plan_mode))
        return tool_set_filter(wanted, is_for_child, NULL);
    return g_str_equal(self->plan.mode, PLAN_MODE) ? tools_for_planning(self, wanted)
                                                   : tool_set_ref(wanted);
}

const Model *agent_session_model_before_plan(const AgentSession *self)
{
    bool stands_in = self->plan.model && self->plan.model == self->model;
    return stands_in ? self->plan.model_before : NULL;
}
