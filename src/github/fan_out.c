/*
 * Workers that take the next item until there is none.
 */
#include "github/fan_out.h"

#include "base/worker.h"

typedef struct FanOut {
    char *items;
    size_t count, item_size;
    FanOutFunc func;
    gsize next; // atomic
} FanOut;

static void fan_out_work(void *data)
{
    FanOut *self = data;
    for (;;) {
        size_t i = __atomic_fetch_add(&self->next, 1, __ATOMIC_RELAXED);
        if (i >= self->count)
            return;
        self->func(self->items + i * self->item_size);
    }
}

void fan_out(void *items, size_t count, size_t item_size, FanOutFunc func)
{
    FanOut self = { .items = items, .count = count, .item_size = item_size, .func = func };
    if (count <= 1) {
        fan_out_work(&self);
        return;
    }
    Worker *workers[FAN_OUT_MAX_WORKERS] = { NULL };
    for (size_t i = 0; i < MIN(count, FAN_OUT_MAX_WORKERS); i++)
        workers[i] = worker_start("fan-out", fan_out_work, &self);
    if (!workers[0])
        fan_out_work(&self); // no thread to be had: one after the other
    for (size_t i = 0; i < FAN_OUT_MAX_WORKERS; i++)
        worker_join(workers[i]);
}
