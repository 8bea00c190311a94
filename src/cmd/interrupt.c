/*
 * Signals around a blocking piece of work (interrupt.h).
 */
#include "cmd/interrupt.h"

#include "base/loop.h"
#include "base/str.h"
#include "base/worker.h"

#include <signal.h>

typedef struct Frame {
    Loop *loop;
    Cancel *cancel;
    void (*work)(void *data);
    void *data;
    int signal_number;
} Frame;

/* The parent of a process, from "PID (NAME) STATE PPID …"; NAME may hold anything. 0: not known. */
static int64_t parent_of(const char *pid_text)
{
    g_autofree char *path = g_build_filename("/proc", pid_text, "stat", NULL);
    g_autofree char *stat = NULL;
    if (!g_file_get_contents(path, &stat, NULL, NULL))
        return 0;
    const char *name_end = strrchr(stat, ')');
    return name_end && strlen(name_end) > 4 ? g_ascii_strtoll(name_end + 4, NULL, 10) : 0;
}

/* Every child leads a group of its own (common §6). */
static void kill_children(void)
{
    g_autoptr(GDir) proc = g_dir_open("/proc", 0, NULL);
    const char *name = NULL;
    while (proc && (name = g_dir_read_name(proc))) {
        int64_t pid = 0;
        if (str_parse_int(name, &pid) && pid > 1 && parent_of(name) == getpid())
            kill((pid_t)-pid, SIGKILL);
    }
}

static void on_signal(Frame *frame, int signal_number)
{
    if (frame->signal_number != 0) {
        kill_children(); // their two seconds to end politely are over
        _exit(128 + signal_number);
    }
    frame->signal_number = signal_number;
    cancel_fire(frame->cancel);
}

static void on_sigint(void *data)
{
    on_signal(data, SIGINT);
}

static void on_sigterm(void *data)
{
    on_signal(data, SIGTERM);
}

static void on_sighup(void *data)
{
    on_signal(data, SIGHUP);
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
    loop_add_signal(loop, SIGINT, on_sigint, &frame);
    loop_add_signal(loop, SIGTERM, on_sigterm, &frame);
    loop_add_signal(loop, SIGHUP, on_sighup, &frame);

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
