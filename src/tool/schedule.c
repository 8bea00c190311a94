/* See schedule.h. */
#include "tool/schedule.h"

typedef struct Waiting {
    bool is_exclusive;
    void *call;
} Waiting;

static bool is_exclusive(const ToolDef *tool)
{
    return tool && (tool->flags & TOOL_EXCLUSIVE);
}

void tool_schedule_init(ToolSchedule *self, ScheduleOrder order, unsigned max_running)
{
    *self = (ToolSchedule) { .order = order, .max_running = max_running };
    g_queue_init(&self->waiting);
}

void tool_schedule_clear(ToolSchedule *self)
{
    g_queue_clear_full(&self->waiting, g_free);
}

void tool_schedule_add(ToolSchedule *self, const ToolDef *tool, void *call)
{
    Waiting *waiting = g_new0(Waiting, 1);
    waiting->is_exclusive = is_exclusive(tool);
    waiting->call = call;
    g_queue_push_tail(&self->waiting, waiting);
}

static bool can_start(const ToolSchedule *self, const Waiting *waiting)
{
    if (self->running >= self->max_running)
        return false;
    if (self->order == SCHEDULE_IN_ORDER)
        return !self->is_exclusive_running && !(waiting->is_exclusive && self->running > 0);
    return !(waiting->is_exclusive && self->is_exclusive_running);
}

void *tool_schedule_next(ToolSchedule *self)
{
    for (GList *link = self->waiting.head; link; link = link->next) {
        Waiting *waiting = link->data;
        if (!can_start(self, waiting)) {
            if (self->order == SCHEDULE_IN_ORDER)
                return NULL;
            continue;
        }
        void *call = waiting->call;
        self->running++;
        self->is_exclusive_running = self->is_exclusive_running || waiting->is_exclusive;
        g_queue_delete_link(&self->waiting, link);
        g_free(waiting);
        return call;
    }
    return NULL;
}

void tool_schedule_end(ToolSchedule *self, const ToolDef *tool)
{
    g_assert(self->running > 0);
    self->running--;
    if (is_exclusive(tool))
        self->is_exclusive_running = false; // there was no other
}

bool tool_schedule_remove(ToolSchedule *self, const void *call)
{
    for (GList *link = self->waiting.head; link; link = link->next) {
        Waiting *waiting = link->data;
        if (waiting->call != call)
            continue;
        g_queue_delete_link(&self->waiting, link);
        g_free(waiting);
        return true;
    }
    return false;
}

bool tool_schedule_is_idle(const ToolSchedule *self)
{
    return self->running == 0 && self->waiting.length == 0;
}
