/* See agent_events.h. */
#include "agent/agent_events.h"

#include "base/mask.h"

void agent_events_emit(const AgentEvents *self, json_t *event)
{
    g_autoptr(json_t) owned = event;
    if (!self->func)
        return;
    g_autoptr(json_t) masked = mask_json(owned); // what a person wrote may hold a key
    self->func(masked, self->user_data);
}

void agent_events_emit_type(const AgentEvents *self, EventKind kind)
{
    if (self->func)
        agent_events_emit(self, agent_event_new(kind));
}

void agent_events_emit_message(const AgentEvents *self, EventKind kind, json_t *message)
{
    if (!self->func)
        return;
    json_t *event = agent_event_new(kind);
    json_set_take(event, "message", json_incref(message));
    agent_events_emit(self, event);
}

void agent_events_emit_notice(const AgentEvents *self, const char *level, const char *text)
{
    if (!self->func)
        return;
    json_t *event = agent_event_new(EVENT_NOTICE);
    json_add(event, "level:%s message:%s", level, text);
    agent_events_emit(self, event);
}
