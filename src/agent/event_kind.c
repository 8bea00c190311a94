/* See event_kind.h. */
#include "agent/event_kind.h"

#include <stdlib.h>
#include <string.h>

static const char *const event_names[] = {
    [EVENT_AGENT_END] = "agent_end",
    [EVENT_AGENT_START] = "agent_start",
    [EVENT_AUTO_COMPACTION_END] = "auto_compaction_end",
    [EVENT_AUTO_COMPACTION_START] = "auto_compaction_start",
    [EVENT_AUTO_RETRY_END] = "auto_retry_end",
    [EVENT_AUTO_RETRY_START] = "auto_retry_start",
    [EVENT_COMMAND_END] = "command_end",
    [EVENT_COMMAND_PROGRESS] = "command_progress",
    [EVENT_COMPACTION_END] = "compaction_end",
    [EVENT_COMPACTION_START] = "compaction_start",
    [EVENT_EVENTS_MISSED] = "events_missed",
    [EVENT_MESSAGE_END] = "message_end",
    [EVENT_MESSAGE_START] = "message_start",
    [EVENT_MESSAGE_UPDATE] = "message_update",
    [EVENT_MODE_CHANGED] = "mode_changed",
    [EVENT_NOTICE] = "notice",
    [EVENT_QUESTION] = "question",
    [EVENT_QUESTION_CLOSED] = "question_closed",
    [EVENT_QUEUE_UPDATE] = "queue_update",
    [EVENT_RETRY_FALLBACK_APPLIED] = "retry_fallback_applied",
    [EVENT_RETRY_FALLBACK_SUCCEEDED] = "retry_fallback_succeeded",
    [EVENT_SESSION_INFO_CHANGED] = "session_info_changed",
    [EVENT_SESSION_REPAIR] = "session_repair",
    [EVENT_THINKING_LEVEL_CHANGED] = "thinking_level_changed",
    [EVENT_TODO_AUTO_CLEAR] = "todo_auto_clear",
    [EVENT_TODO_REMINDER] = "todo_reminder",
    [EVENT_TOOL_EXECUTION_END] = "tool_execution_end",
    [EVENT_TOOL_EXECUTION_START] = "tool_execution_start",
    [EVENT_TOOL_EXECUTION_UPDATE] = "tool_execution_update",
    [EVENT_TTSR_TRIGGERED] = "ttsr_triggered",
    [EVENT_TURN_END] = "turn_end",
    [EVENT_TURN_START] = "turn_start",
};

static int compare_name(const void *name, const void *row)
{
    return strcmp(name, *(const char *const *)row);
}

EventKind event_kind(const json_t *event)
{
    const char *name = json_get_text(event, "type");
    const char *const *row = name ? bsearch(name, event_names + 1, G_N_ELEMENTS(event_names) - 1,
                                            sizeof(*event_names), compare_name)
                                  : NULL;
    return row ? (EventKind)(row - event_names) : EVENT_UNKNOWN;
}

const char *event_kind_name(EventKind kind)
{
    return event_names[kind];
}

json_t *agent_event_new(EventKind kind)
{
    return json_make("type:%s", event_names[kind]);
}
