/*
 * A call's permit for work that goes on when the call has answered.
 */
#include "tool/call_private.h"

typedef struct Detached {
    ToolCall call; // first: what is handed out points here
    ToolCallSpec spec;
    ToolDoor door;
} Detached;

ToolCall *tool_call_detach(const ToolCall *call, Cancel *cancel)
{
    g_assert(call->is_permitted);
    Detached *self = g_new0(Detached, 1);
    self->door = (ToolDoor) { .kind = call->spec->door->kind, .is_read_only = true };
    self->spec = (ToolCallSpec) {
        .tool = call->spec->tool,
        .call_id = "",
        .context = call->spec->context,
        .door = &self->door,
        .cancel = cancel_ref(cancel),
    };
    self->call = (ToolCall) {
        .spec = &self->spec,
        .cancel = self->spec.cancel,
        .permit = { .call = &self->call },
        .is_permitted = call->is_permitted,
    };
    return &self->call;
}

void tool_call_detached_free(ToolCall *call)
{
    if (!call)
        return;
    cancel_unref(call->cancel);
    g_free(call);
}
