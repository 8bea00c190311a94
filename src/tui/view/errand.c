/*
 * Errands (errand.h). The end is a token that the worker fires: a source of the loop can be taken
 * back, what was posted could not.
 */
#include "tui/view/errand.h"

#include "base/worker.h"

struct Errand {
    ErrandSpec spec;
    Cancel *cancel, *end;
    LoopSource *source; // NULL: it has been told
    Worker *worker;
};

static void run(void *self_)
{
    Errand *self = self_;
    self->spec.run(self->spec.data, self->cancel);
    cancel_fire(self->end);
}

static void tell(void *self_)
{
    Errand *self = self_;
    self->source = NULL;
    self->spec.done(self->spec.data);
}

Errand *errand_start(const ErrandSpec *spec)
{
    g_autoptr(Errand) self = g_new0(Errand, 1);
    self->spec = *spec;
    self->cancel = cancel_new(NULL);
    self->end = cancel_new(NULL);
    self->source = loop_add_cancel(spec->loop, self->end, tell, self);
    self->worker = worker_start(spec->name, run, self);
    return self->worker ? g_steal_pointer(&self) : NULL;
}

void errand_free(Errand *self)
{
    if (!self)
        return;
    cancel_fire(self->cancel);
    worker_join(self->worker);
    loop_remove(self->spec.loop, self->source);
    cancel_unref(self->cancel);
    cancel_unref(self->end);
    g_free(self);
}
