/*
 * The tool `wm_emit` (emit.h): an item in one call, where the shell's command would need quotes.
 */
#include "wm/apply/emit.h"

#include "base/env.h"
#include "tool/result.h"

static const char description[] =
    "Asks for one write on GitHub, which is done after you have finished. It is the command `kedge "
    "wm emit` with the same checks: `type` is its sub-command, and the other fields are its flags, "
    "with _ in place of - (body, title, labels, target, …). An error says what to put right.";

/* A record of ours, and, once the agent has ended, a write in the run's repository. */
static bool judge(ToolCall *call G_GNUC_UNUSED, const void *args G_GNUC_UNUSED,
                  Judgement *ret_judgement, GError **error G_GNUC_UNUSED)
{
    *ret_judgement = (Judgement) {
        .effect = EFFECT_READ,
        .is_order = true,
        .repo = g_strdup(env_get_raw("GITHUB_REPOSITORY")),
    };
    return true;
}

static bool run(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    const WmEmit *emit = tool_call_tool(call)->user_data;
    if (!wm_emit_append(emit, args, error))
        return false;
    tool_result_add_text(result, "Recorded.");
    return true;
}

static void forget(void *data)
{
    wm_emit_clear(data);
    g_free(data);
}

/* Kinds that the policy has, and those that always are. */
static json_t *schema_of(const WmPolicy *policy)
{
    json_t *types = json_array();
    for (unsigned kind = 0; kind < WM_KINDS; kind++)
        if (kind >= WM_NOOP || policy->handlers[kind].is_enabled)
            json_append_take(types, json_text(wm_kind_table[kind].type));
    return json_pack("{s:s, s:{s:{s:s, s:o}}, s:[s]}", "type", "object", "properties", "type",
                     "type", "string", "enum", types, "required", "type");
}

DynamicTool *wm_emit_tool_new(void)
{
    g_autofree WmEmit *emit = g_new0(WmEmit, 1);
    if (!env_get_raw("KEDGE_WM_RUN_ID") || !wm_emit_open(emit, NULL))
        return NULL;
    g_autoptr(json_t) schema = schema_of(emit->policy);
    const ToolDef def = {
        .name = "wm_emit",
        .label = "Emit",
        .summary = "Ask for a write on GitHub",
        .description = description,
        .effect = EFFECT_READ, // of the repository and GitHub; the item is a record of ours
        .flags = TOOL_EXCLUSIVE | TOOL_CHANGES_RECORDS,
        .judge = judge,
        .schema = schema,
        .user_data = emit,
        .run = run,
    };
    DynamicTool *tool = NULL;
    if (!emit->policy->has_keys || !dynamic_tool_new(&def, forget, &tool, NULL)) {
        wm_emit_clear(emit);
        return NULL;
    }
    (void)g_steal_pointer(&emit);
    return tool;
}
