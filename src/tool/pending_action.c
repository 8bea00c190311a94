/*
 * The pending action of a conversation (pending_action.h).
 */
#include "tool/pending_action.h"

#include "base/lock.h"
#include "tool/context.h"

#define MAX_REMINDERS 3 // of one action

typedef struct Slot {
    pthread_mutex_t lock;
    PendingAction *action; // NULL: none
    unsigned reminders;    // that it has had
} Slot;

void pending_action_free(PendingAction *self)
{
    if (!self)
        return;
    if (self->destroy)
        self->destroy(self->data);
    g_clear_pointer(&self->paths, g_ptr_array_unref);
    g_free(self->label);
    g_free(self);
}

static void *slot_new(void)
{
    Slot *self = g_new0(Slot, 1);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void slot_free(void *data)
{
    Slot *self = data;
    pending_action_free(self->action);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static Slot *slot_of(ToolContext *context)
{
    return tool_context_state(context, "pending-action", slot_new, slot_free);
}

static PendingAction *exchange(ToolContext *context, PendingAction *action)
{
    Slot *slot = slot_of(context);
    HOLD_LOCK(&slot->lock);
    PendingAction *old = slot->action;
    slot->action = action;
    slot->reminders = 0;
    return old;
}

void pending_action_set(ToolContext *context, PendingAction *action)
{
    pending_action_free(exchange(context, action));
}

PendingAction *pending_action_take(ToolContext *context)
{
    return exchange(context, NULL);
}

char *pending_action_label(ToolContext *context)
{
    Slot *slot = slot_of(context);
    HOLD_LOCK(&slot->lock);
    return g_strdup(slot->action ? slot->action->label : NULL);
}

GPtrArray *pending_action_paths(ToolContext *context)
{
    Slot *slot = slot_of(context);
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    HOLD_LOCK(&slot->lock);
    const GPtrArray *of_action = slot->action ? slot->action->paths : NULL;
    for (guint i = 0; of_action && i < of_action->len; i++)
        g_ptr_array_add(paths, g_strdup(of_action->pdata[i]));
    return paths;
}

bool pending_action_remind(ToolContext *context)
{
    Slot *slot = slot_of(context);
    HOLD_LOCK(&slot->lock);
    bool is_due = slot->action && slot->reminders < MAX_REMINDERS;
    slot->reminders += is_due;
    return is_due;
}
