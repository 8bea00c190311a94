/*
 * Events of a run (agent-core §3.9) and the one place where a message becomes part of the
 * conversation.
 */
#include "agent/agent_private.h"

#include "model/message.h"

bool agent_is_heard(const Agent *self)
{
    return self->options.on_event != NULL;
}

void agent_emit(Agent *self, json_t *event)
{
    if (self->options.on_event)
        self->options.on_event(event, self->options.user_data);
    json_decref(event);
}

json_t *agent_event_new(const char *type)
{
    json_t *event = json_object();
    json_set_text(event, "type", type);
    return event;
}

void agent_emit_type(Agent *self, const char *type)
{
    if (agent_is_heard(self))
        agent_emit(self, agent_event_new(type));
}

void agent_emit_message(Agent *self, const char *type, json_t *message)
{
    if (!agent_is_heard(self))
        return;
    json_t *event = agent_event_new(type);
    json_set_take(event, "message", json_incref(message));
    agent_emit(self, event);
}

void agent_emit_notice(Agent *self, const char *level, const char *text)
{
    if (!agent_is_heard(self))
        return;
    json_t *event = agent_event_new("notice");
    json_set_text(event, "level", level);
    json_set_text(event, "message", text);
    agent_emit(self, event);
}

void agent_add_message(Agent *self, json_t *message)
{
    json_array_append(self->messages, message);
    json_array_append(self->run_messages, message);
    session_append_message(self->options.session, message);
    if (g_str_equal(message_role(message), "assistant")) {
        json_decref(self->last_message);
        self->last_message = json_incref(message);
    }
    agent_emit_message(self, "message_end", message);
}
