/* See view_workers.h. */
#include "github/view_workers.h"

#include "base/worker.h"

#include <pthread.h>
#include <stdatomic.h>

#define MAX_WORKERS 4 // as many as gh may run at once

typedef struct Slot {
    Worker *worker;
    void (*func)(void *data);
    void *data;
    GDestroyNotify destroy;
    atomic_bool is_done;
} Slot;

struct ViewWorkers {
    pthread_mutex_t lock;
    Cancel *cancel;
    Slot slots[MAX_WORKERS];
};

static void work(void *slot_)
{
    Slot *slot = slot_;
    slot->func(slot->data);
    slot->destroy(slot->data);
    atomic_store(&slot->is_done, true);
}

ViewWorkers *view_workers_new(void)
{
    ViewWorkers *self = g_new0(ViewWorkers, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->cancel = cancel_new(NULL);
    return self;
}

Cancel *view_workers_cancel(const ViewWorkers *self)
{
    return self->cancel;
}

void view_workers_free(ViewWorkers *self)
{
    cancel_fire(self->cancel);
    for (size_t i = 0; i < MAX_WORKERS; i++)
        worker_join(self->slots[i].worker);
    cancel_unref(self->cancel);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static Slot *free_slot_locked(ViewWorkers *self)
{
    for (size_t i = 0; i < MAX_WORKERS; i++) {
        Slot *slot = &self->slots[i];
        if (slot->worker && atomic_load(&slot->is_done)) {
            worker_join(slot->worker);
            slot->worker = NULL;
        }
        if (!slot->worker)
            return slot;
    }
    return NULL;
}

void view_workers_start(ViewWorkers *self, void (*func)(void *data), void *data,
                        GDestroyNotify destroy)
{
    pthread_mutex_lock(&self->lock);
    Slot *slot = free_slot_locked(self);
    if (slot) {
        slot->func = func;
        slot->data = data;
        slot->destroy = destroy;
        atomic_store(&slot->is_done, false);
        slot->worker = worker_start("gh-refresh", work, slot);
    }
    bool is_started = slot && slot->worker;
    pthread_mutex_unlock(&self->lock);
    if (!is_started)
        destroy(data);
}
