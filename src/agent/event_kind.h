/*
 * The kinds of events that a conversation has (agent-core §3.9, §6.3): the one table of their
 * names. An event is JSON, because it leaves the program; code that listens to one asks for its
 * kind and switches on it.
 */
#pragma once

#include "base/json.h"

typedef enum EventKind { // in the order of their names
    EVENT_UNKNOWN,       // another program's, or none
    EVENT_AGENT_END,
    EVENT_AGENT_START,
    EVENT_AUTO_COMPACTION_END,
    EVENT_AUTO_COMPACTION_START,
    EVENT_AUTO_RETRY_END,
    EVENT_AUTO_RETRY_START,
    EVENT_COMMAND_END,
    EVENT_COMMAND_PROGRESS,
    EVENT_COMPACTION_END,
    EVENT_COMPACTION_START,
    EVENT_EVENTS_MISSED,
    EVENT_MESSAGE_END,
    EVENT_MESSAGE_START,
    EVENT_MESSAGE_UPDATE,
    EVENT_MODE_CHANGED,
    EVENT_NOTICE,
    EVENT_QUESTION,
    EVENT_QUESTION_CLOSED,
    EVENT_QUEUE_UPDATE,
    EVENT_RETRY_FALLBACK_APPLIED,
    EVENT_RETRY_FALLBACK_SUCCEEDED,
    EVENT_SESSION_INFO_CHANGED,
    EVENT_SESSION_REPAIR,
    EVENT_THINKING_LEVEL_CHANGED,
    EVENT_TODO_AUTO_CLEAR,
    EVENT_TODO_REMINDER,
    EVENT_TOOL_EXECUTION_END,
    EVENT_TOOL_EXECUTION_START,
    EVENT_TOOL_EXECUTION_UPDATE,
    EVENT_TTSR_TRIGGERED,
    EVENT_TURN_END,
    EVENT_TURN_START,
} EventKind;

/* Of the member `type`; NULL has none. */
EventKind event_kind(const json_t *event);
const char *event_kind_name(EventKind kind); // constant; NULL of EVENT_UNKNOWN

/* {"type":…}. New reference. */
json_t *agent_event_new(EventKind kind);
