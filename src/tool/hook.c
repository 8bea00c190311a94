/* See hook.h. */
#include "tool/hook.h"

#include "base/lock.h"

typedef struct HookEntry {
    ToolHook hook; // first: what a list shows is a pointer to it
    int ref_count; // atomic
    unsigned number;
    GDestroyNotify destroy;
} HookEntry;

struct HookList {
    pthread_mutex_t lock; // of the rest
    GPtrArray *entries;   // of HookEntry *; replaced, never changed
    unsigned last_number;
};

static void entry_unref(void *self_)
{
    HookEntry *self = self_;
    if (!g_atomic_int_dec_and_test(&self->ref_count))
        return;
    if (self->destroy)
        self->destroy(self->hook.user_data);
    g_free(self);
}

HookList *hook_list_new(void)
{
    HookList *self = g_new0(HookList, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->entries = g_ptr_array_new_with_free_func(entry_unref);
    return self;
}

void hook_list_free(HookList *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->entries);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

/* All but the one of this number. */
static GPtrArray *copy_entries(const GPtrArray *entries, unsigned number)
{
    GPtrArray *copy = g_ptr_array_new_with_free_func(entry_unref);
    for (unsigned i = 0; i < entries->len; i++) {
        HookEntry *entry = entries->pdata[i];
        if (entry->number == number)
            continue;
        g_atomic_int_inc(&entry->ref_count);
        g_ptr_array_add(copy, entry);
    }
    return copy;
}

unsigned hook_list_add(HookList *self, const ToolHook *hook, GDestroyNotify destroy)
{
    HookEntry *entry = g_new0(HookEntry, 1);
    entry->hook = *hook;
    entry->ref_count = 1;
    entry->destroy = destroy;
    pthread_mutex_lock(&self->lock);
    unsigned number = entry->number = ++self->last_number;
    GPtrArray *before = self->entries;
    self->entries = copy_entries(before, 0);
    g_ptr_array_add(self->entries, entry);
    pthread_mutex_unlock(&self->lock);
    g_ptr_array_unref(before);
    return number;
}

void hook_list_remove(HookList *self, unsigned number)
{
    pthread_mutex_lock(&self->lock);
    GPtrArray *before = self->entries;
    self->entries = copy_entries(before, number);
    pthread_mutex_unlock(&self->lock);
    g_ptr_array_unref(before); // perhaps frees what belongs to the hook
}

void hook_list_add_table(HookList *self, const ToolHook *const *table)
{
    for (; table && *table; table++)
        hook_list_add(self, *table, NULL);
}

GPtrArray *hook_list_take(const HookList *self_)
{
    HookList *self = (HookList *)self_;
    HOLD_LOCK(&self->lock);
    return g_ptr_array_ref(self->entries);
}

// ---- the points of a conversation ----

void hook_list_session_start(const HookList *self, const char *session_id)
{
    g_autoptr(GPtrArray) hooks = hook_list_take(self);
    for (unsigned i = 0; i < hooks->len; i++) {
        const ToolHook *hook = hooks->pdata[i];
        if (hook->session_start)
            hook->session_start(session_id, hook->user_data);
    }
}

bool hook_list_prompt(const HookList *self, json_t *message, Cancel *cancel, json_t **ret_message,
                      GError **error)
{
    g_autoptr(GPtrArray) hooks = hook_list_take(self);
    g_autoptr(json_t) now = json_incref(message);
    for (unsigned i = 0; i < hooks->len; i++) {
        const ToolHook *hook = hooks->pdata[i];
        json_t *changed = NULL;
        if (hook->prompt && !hook->prompt(now, &changed, cancel, hook->user_data, error))
            return false;
        if (!changed)
            continue;
        json_decref(now);
        now = changed;
    }
    *ret_message = g_steal_pointer(&now);
    return true;
}

bool hook_list_compaction(const HookList *self, const char *reason, Cancel *cancel, GError **error)
{
    g_autoptr(GPtrArray) hooks = hook_list_take(self);
    for (unsigned i = 0; i < hooks->len; i++) {
        const ToolHook *hook = hooks->pdata[i];
        if (hook->compaction && !hook->compaction(reason, cancel, hook->user_data, error))
            return false;
    }
    return true;
}

void hook_list_stop(const HookList *self, const char *end)
{
    g_autoptr(GPtrArray) hooks = hook_list_take(self);
    for (unsigned i = 0; i < hooks->len; i++) {
        const ToolHook *hook = hooks->pdata[i];
        if (hook->stop)
            hook->stop(end, hook->user_data);
    }
}
