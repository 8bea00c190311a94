/*
 * Work that ends on the loop (loop_work.h). A second token, which the worker fires at its end, is
 * what the loop watches: unlike a posted call it can be taken back.
 */
#include "tui/edit/loop_work.h"

#include "base/worker.h"

struct LoopWork {
    Loop *loop;
    LoopSource *source; // NULL once it fired or was removed
    Worker *worker;
    Cancel *cancel, *ended;
    LoopWorkFunc work;
    LoopFunc on_end;
    void *data;
};

static void run(void *self_)
{
    LoopWork *self = self_;
    self->work(self->data, self->cancel);
    cancel_fire(self->ended);
}

static void end(void *self_)
{
    LoopWork *self = self_;
    self->source = NULL;
    worker_join(g_steal_pointer(&self->worker));
    self->on_end(self->data);
}

LoopWork *loop_work_start(Loop *loop, const char *name, LoopWorkFunc work, LoopFunc on_end,
                          void *data)
{
    g_autoptr(LoopWork) self = g_new0(LoopWork, 1);
    self->loop = loop;
    self->cancel = cancel_new(NULL);
    self->ended = cancel_new(NULL);
    self->work = work;
    self->on_end = on_end;
    self->data = data;
    self->source = loop_add_cancel(loop, self->ended, end, self);
    self->worker = worker_start(name, run, self);
    return self->worker ? g_steal_pointer(&self) : NULL;
}

void loop_work_cancel(LoopWork *self)
{
    cancel_fire(self->cancel);
}

void loop_work_join(LoopWork *self)
{
    worker_join(g_steal_pointer(&self->worker));
    loop_remove(self->loop, g_steal_pointer(&self->source));
}

void loop_work_free(LoopWork *self)
{
    if (!self)
        return;
    cancel_fire(self->cancel);
    loop_work_join(self);
    cancel_unref(self->cancel);
    cancel_unref(self->ended);
    g_free(self);
}
