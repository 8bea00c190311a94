/*
 * Making and telling the events of a run (agent-core §3.9).
 *
 * An event is handed on once and never changed afterwards, so that a listener may keep it. All
 * are told on the prompting thread.
 */
#pragma once

#include "agent/event_kind.h"
#include "agent/live_message.h"

/* `event` is borrowed: take a reference to keep it. */
typedef void (*AgentEventFunc)(json_t *event, void *user_data);

/* The answer that is arriving has grown. */
typedef void (*AgentLiveFunc)(LiveMessage *live, void *user_data);

typedef struct AgentEvents {
    AgentEventFunc func;     // NULL: no one listens, and events are not worth building
    AgentLiveFunc live_func; // NULL: messages are told whole only
    void *user_data;
} AgentEvents;

/* Takes the reference. */
void agent_events_emit(const AgentEvents *self, json_t *event);
void agent_events_emit_type(const AgentEvents *self, EventKind kind);
/* message_start or message_end. */
void agent_events_emit_message(const AgentEvents *self, EventKind kind, json_t *message);
/* `level` is info, warning or error. */
void agent_events_emit_notice(const AgentEvents *self, const char *level, const char *text);
