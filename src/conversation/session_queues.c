/*
 * What waits in a conversation for its turn: queued, told, taken back (agent_session.h).
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"

static void publish(AgentSession *self)
{
    static const char *const keys[] = { "steering", "followUp" };
    MessageQueue *const queues[] = { self->steering, self->follow_ups };
    json_t *event = agent_event_new(EVENT_QUEUE_UPDATE);
    for (size_t i = 0; i < G_N_ELEMENTS(queues); i++) {
        json_t *texts = message_queue_texts(queues[i]);
        self->queues_told[i] = json_array_size(texts);
        json_set_take(event, keys[i], texts);
    }
    event_hub_publish(self->hub, event);
}

void agent_session_tell_queues(AgentSession *self)
{
    if (message_queue_size(self->steering) != self->queues_told[0] ||
        message_queue_size(self->follow_ups) != self->queues_told[1])
        publish(self);
}

void agent_session_clear_queues(AgentSession *self)
{
    message_queue_clear(self->steering);
    message_queue_clear(self->follow_ups);
    agent_session_tell_queues(self);
}

bool agent_session_queue(AgentSession *self, MessageQueue *queue, json_t *message, GError **error)
{
    if (!message_queue_push(queue, message, error))
        return false;
    publish(self);
    return true;
}

static void take_all(MessageQueue *queue, json_t *taken)
{
    while (message_queue_size(queue) > 0) {
        g_autoptr(json_t) some = message_queue_take(queue);
        json_array_extend(taken, some);
    }
}

json_t *agent_session_take_back(AgentSession *self)
{
    json_t *taken = json_array();
    take_all(self->steering, taken);
    take_all(self->follow_ups, taken);
    agent_session_tell_queues(self);
    return taken;
}

void agent_session_return(AgentSession *self, json_t *message)
{
    g_autoptr(json_t) messages = json_array();
    json_array_append(messages, message);
    message_queue_return(self->follow_ups, messages);
    agent_session_tell_queues(self);
}

static json_t *take_first(MessageQueue *queue)
{
    g_autoptr(json_t) taken = message_queue_take(queue);
    json_t *first = json_incref(json_array_get(taken, 0));
    if (first)
        json_array_remove(taken, 0);
    message_queue_return(queue, taken);
    return first;
}

json_t *agent_session_take_queued(AgentSession *self)
{
    json_t *message = take_first(self->steering);
    return message ? message : take_first(self->follow_ups);
}
