/* See worker.h. */
#include "base/worker.h"

#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <signal.h>

struct Worker {
    pthread_t thread;
    WorkerFunc func;
    void *data;
};

static void *worker_main(void *self_)
{
    Worker *self = self_;
    self->func(self->data);
    return NULL;
}

Worker *worker_start(const char *name, WorkerFunc func, void *data)
{
    Worker *self = g_new0(Worker, 1);
    self->func = func;
    self->data = data;

    // faults belong to the thread that made them; sanitizers want to report them
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    // the mask is inherited: blocked before the thread exists, so no signal can slip in
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&self->thread, NULL, worker_main, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        g_free(self);
        errno = failed;
        return NULL;
    }
    pthread_setname_np(self->thread, name);
    return self;
}

void worker_join(Worker *self)
{
    if (!self)
        return;
    pthread_join(self->thread, NULL);
    g_free(self);
}
