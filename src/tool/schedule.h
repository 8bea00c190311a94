/*
 * Which calls may run at once, for every door: up to a number, and never two exclusive ones
 * (TOOL_EXCLUSIVE). The calls of one answer have an order besides, which an exclusive one keeps
 * (agent-core §3.3): it waits for every call before it, and every call after it waits for it. The
 * requests of an MCP client have none: it has not waited for those before, so a read is not held up
 * by a command, nor by a question about one that a person has not answered yet.
 *
 * Belongs to one thread, which adds calls in their order, starts what tool_schedule_next() gives,
 * and says when that has ended.
 */
#pragma once

#include "tool/tool.h"

typedef enum {
    SCHEDULE_IN_ORDER,    // the calls of one answer of a model
    SCHEDULE_INDEPENDENT, // requests that do not wait for one another
} ScheduleOrder;

typedef struct ToolSchedule {
    ScheduleOrder order;
    unsigned max_running;
    unsigned running;
    bool is_exclusive_running;
    GQueue waiting; // in order of arrival
} ToolSchedule;

void tool_schedule_init(ToolSchedule *self, ScheduleOrder order, unsigned max_running);
void tool_schedule_clear(ToolSchedule *self);

/* `tool` NULL: unknown; shared, for it will not run. `call` is whatever the caller knows it by. */
void tool_schedule_add(ToolSchedule *self, const ToolDef *tool, void *call);
/* The call that may start now, which then counts as running; NULL: none may. */
void *tool_schedule_next(ToolSchedule *self);
/* One that was given, a call of `tool`, has ended. */
void tool_schedule_end(ToolSchedule *self, const ToolDef *tool);
/* One that waits will not run; false: it does not wait. */
bool tool_schedule_remove(ToolSchedule *self, const void *call);
/* Nothing runs, nothing waits. */
bool tool_schedule_is_idle(const ToolSchedule *self);
