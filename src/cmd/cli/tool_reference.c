/* See tool_reference.h. */
#include "cmd/cli/tool_reference.h"

#include "base/field_reference.h"

static const char head[] =
    "# Tools\n\n"
    "<!-- made by: kedge tool list --markdown -->\n\n"
    "What a model may call, and `kedge tool run NAME JSON` or an MCP client as well. Here with the "
    "default settings\n"
    "([settings.md](settings.md)): `kedge tool list` shows what is offered on a machine, `kedge "
    "tool "
    "schema NAME` the JSON Schema.\n"
    "The operations of `kedge agent-tools` have pages of their own, in "
    "[agent-tools](agent-tools/README.md).\n\n"
    "With `tools.discoveryMode: all` a model is not offered those that may wait until it finds "
    "them with `search_tool_bm25`,\n"
    "unless `--tools` or `tools.essentialOverride` names them.\n\n"
    "Every call is judged before it runs; the first words of a tool say what its calls can be. "
    "What "
    "writes to GitHub asks at every\n"
    "door, or follows `gh.policy`.\n";

static const struct {
    unsigned flag;
    const char *text;
} notes[] = {
    { TOOL_HIDDEN, "Offered only where it is named, or another tool needs it." },
    { TOOL_OPEN_WORLD, "Uses the network." },
    { TOOL_EXCLUSIVE, "Runs alone: after the calls before it, and before those after it." },
    { TOOL_NEEDS_CHOICES, "Only where somebody can be asked." },
    { TOOL_DISCOVERABLE, "May wait to be found." },
};

static const char *effect_text(const ToolDef *tool)
{
    bool destroys = (tool->flags & TOOL_CAN_DESTROY) != 0;
    if (tool->effect == EFFECT_READ && (!tool->judge || tool->flags & TOOL_ONLY_READS))
        return "Reads.";
    if (tool->effect == EFFECT_READ)
        return destroys ? "Reads, writes or destroys, as the call says."
                        : "Reads or writes, as the call says.";
    return destroys ? "Writes; some calls overwrite or delete." : "Writes.";
}

static void append_tool(GString *out, const ToolDef *tool, const ToolSet *tools)
{
    g_autofree char *description = tool_description(tool, tools);
    g_string_append_printf(out, "\n## %s\n\n%s. %s", tool->name, tool->summary, effect_text(tool));
    for (size_t i = 0; i < G_N_ELEMENTS(notes); i++)
        if (tool->flags & notes[i].flag)
            g_string_append_printf(out, " %s", notes[i].text);
    g_string_append(out, "\n");
    if (strcmp(description, tool->summary) != 0)
        g_string_append_printf(out, "\n~~~text\n%s\n~~~\n", description);
    if (tool->fields)
        field_reference_append(out, tool->fields);
}

char *tool_reference_markdown(const ToolSet *tools)
{
    g_autoptr(Settings) settings = settings_new(NULL);
    g_autoptr(ToolSet) forms = tool_set_for_model(tools, settings, NULL);
    g_autoptr(GString) out = g_string_new(head);
    for (size_t i = 0; i < tool_set_count(forms); i++)
        if (!(tool_set_at(forms, i)->flags & TOOL_ENVELOPE))
            append_tool(out, tool_set_at(forms, i), forms);
    return g_string_free(g_steal_pointer(&out), FALSE);
}
