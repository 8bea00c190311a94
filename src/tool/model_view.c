/* See model_view.h. */
#include "tool/model_view.h"

#include "tool/context.h"

#include <stdatomic.h>

bool model_view_has_answer(const ToolCall *call)
{
    return tool_call_tools(call) && strcmp(tool_call_via(call), "cli") != 0;
}

static void *epoch_new(void)
{
    return g_new0(atomic_uint, 1);
}

static atomic_uint *epoch_of(ToolContext *context)
{
    return tool_context_state(context, "shown", epoch_new, g_free);
}

void model_view_forget(ToolContext *context)
{
    atomic_fetch_add(epoch_of(context), 1);
}

unsigned model_view_epoch(ToolContext *context)
{
    return atomic_load(epoch_of(context));
}
