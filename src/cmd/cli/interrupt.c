/*
 * Signals around a blocking piece of work (interrupt.h).
 */
#include "cmd/cli/interrupt.h"

#include "base/children.h"
#include "base/loop.h"
#include "base/worker.h"

#include <signal.h>

typedef struct Frame {
    Loop *loop;
    Cancel *cancel;
    void (*work)(void *data);
    void *data;
    int signal_number;
} Frame;

static void on_signal(int signal_number, void *data)
{
    Frame *frame = data;
    if (frame->signal_number != 0) {
        children_kill_all(); // their two seconds to end politely are over
        _exit(128 + signal_number);
    }
    frame->signal_number = signal_number;
    cancel_fire(frame->cancel);
}

static void work_thread(void *data)
{
    Frame *frame = data;
    frame->work(frame->data);
    loop_quit(frame->loop);
}

int interrupt_run(void (*work)(void *data), void *data, Cancel *cancel)
{
    g_autoptr(Loop) loop = loop_new();
    Frame frame = { .loop = loop, .cancel = cancel, .work = work, .data = data };
    loop_add_end_signals(loop, on_signal, &frame);

    Worker *worker = worker_start("kedge-work", work_thread, &frame);
    if (!worker) { // then a signal ends the program as it ends any other
        g_clear_pointer(&loop, loop_free);
        work(data);
        return 0;
    }
    loop_run(loop);
    worker_join(worker);
    return frame.signal_number;
}

int interrupt_exit_code(int signal_number)
{
    return signal_number ? 128 + signal_number : 0;
}

typedef struct Blocking {
    bool (*work)(void *data, Cancel *cancel, GError **error);
    void *data;
    Cancel *cancel;
    GError *error;
} Blocking;

static void blocking_work(void *data)
{
    Blocking *self = data;
    self->work(self->data, self->cancel, &self->error);
}

int cmd_run_blocking(bool (*work)(void *data, Cancel *cancel, GError **error), void *data,
                     GError **ret_error)
{
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    Blocking blocking = { .work = work, .data = data, .cancel = cancel };
    int signal_number = interrupt_run(blocking_work, &blocking, cancel);
    *ret_error = blocking.error;
    return interrupt_exit_code(signal_number);
}
