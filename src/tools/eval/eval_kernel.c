/*
 * A kernel of the eval tool (eval_kernel.h).
 *
 * The interpreter is started with a few lines that read the kernel's program from descriptor 3:
 * nothing lies on a disk where somebody could change it. Output is read while a cell runs; when the
 * kernel reports the end of a cell, what the pipe holds then is all that the cell has printed.
 * Background threads and children keep the pipe and must not delay the result.
 *
 * A cell has an id that its code cannot guess, and an answer counts for the cell that it names,
 * while that is open: late answers, and lines that code has written to the pipe itself, change
 * nothing. An interruption is sent once the cell has said that it started; before, the kernel
 * passes it over.
 */
#include "tools/eval/eval_kernel.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/proc.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "tool/lent_calls.h"
#include "tools/eval/kernel/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>

#define START_MS          20000 // a busy machine starts slowly
#define PROGRESS_MS       50
#define DRAIN_MS          50
#define GIVE_IN_MS        1000 // after SIGINT; then the kernel is ended
#define CANCEL_MS         30   // that a cancelled call waits for that
#define END_GRACE_MS      1000
#define READ_BYTES        (64 * KIB)
#define READS_PER_ROUND   16
#define PIPE_BYTES        (1 * MIB)
#define START_ERROR_BYTES 2000

struct EvalKernel {
    EvalLanguage language;
    ProcChild child;
    int output_fd, answer_fd; // of the child; -1 after their end
    GString *requests;        // not written yet
    size_t requests_sent;
    GString *answer;      // the line that has not ended yet
    bool is_line_dropped; // it was too long
    bool has_program_taken;
    uint64_t cell_count;
    char *cell;             // id of the last one; NULL: there was none
    bool is_open;           // it has not reported its end
    bool is_started;        // it has reported its beginning
    bool is_signalled;      // the interruption is sent
    int64_t interrupted_ms; // when it was asked to end, while is_open; 0: it was not
    char *buffer;           // READ_BYTES
};

typedef struct Pump {
    EvalKernel *kernel;
    const EvalRun *run; // NULL: what comes is thrown away
    GString *said;      // of a kernel that starts: its output; NULL: it has started
    bool is_ready, is_done, has_failed, has_news;
    char *problem; // "init-failed"
    int64_t progress_at;
} Pump;

// ---- what goes out ----

static void send_text(EvalKernel *self, const char *text)
{
    g_string_append(self->requests, text);
}

static void send_frame(EvalKernel *self, const json_t *frame)
{
    g_autofree char *line = json_to_text(frame);
    send_text(self, line);
    send_text(self, "\n");
}

// ---- what comes in ----

static void pump_deliver(Pump *self, const char *data, size_t size)
{
    if (self->said && self->said->len < START_ERROR_BYTES)
        g_string_append_len(self->said, data, (gssize)size);
    if (!self->run)
        return;
    self->run->on_output(data, size, self->run->user_data);
    self->has_news = true;
}

/* Reads what is there; 0 when the pipe is empty or at its end. */
static size_t read_output(Pump *self)
{
    EvalKernel *kernel = self->kernel;
    if (kernel->output_fd < 0)
        return 0;
    ssize_t count = read(kernel->output_fd, kernel->buffer, READ_BYTES);
    if (count > 0)
        pump_deliver(self, kernel->buffer, (size_t)count);
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
        kernel->output_fd = -1;
    return (size_t)MAX(count, 0);
}

/* All that the pipe holds now, and what follows within a moment when somebody else may print. */
static void eval_kernel_drain(Pump *self, bool has_writers)
{
    EvalKernel *kernel = self->kernel;
    int held = 0;
    if (kernel->output_fd >= 0 && ioctl(kernel->output_fd, FIONREAD, &held) < 0)
        held = 0;
    int64_t until = time_monotonic_ms() + DRAIN_MS;
    for (size_t taken = 0;;) {
        size_t count = taken < (size_t)held || has_writers ? read_output(self) : 0;
        taken += count;
        int64_t left = until - time_monotonic_ms();
        if (count == 0 || (left <= 0 && taken >= (size_t)held))
            return;
    }
}

/* Only a kernel that starts is asked whether it is ready. */
static void take_first_answer(Pump *self, const json_t *frame, const char *type)
{
    if (strcmp(type, "ready") == 0)
        self->is_ready = true;
    else if (strcmp(type, "init-failed") == 0 && !self->problem)
        self->problem = g_strdup(json_get_text(frame, "error"));
}

/* Whoever waits for it in the kernel must not do so for ever. */
static void refuse_call(EvalKernel *self, const json_t *frame)
{
    g_autofree char *reply = eval_calls_refusal(json_get_text(frame, "id"), "the cell has ended");
    if (reply && self->requests->len < LIMIT_EVAL_QUEUE_BYTES)
        send_text(self, reply);
}

static void signal_cell(EvalKernel *self)
{
    if (!self->is_started || self->is_signalled)
        return;
    self->is_signalled = true;
    kill(-self->child.pid, SIGINT);
}

static void take_done(Pump *self, const json_t *frame)
{
    self->kernel->is_open = false;
    self->is_done = true;
    self->has_failed = g_strcmp0(json_get_text(frame, "status"), "ok") != 0;
    if (!self->run)
        return;
    eval_kernel_drain(self, false);
    self->run->on_answer(frame, self->run->user_data);
}

static void take_answer(Pump *self, const json_t *frame)
{
    EvalKernel *kernel = self->kernel;
    const char *type = json_get_text(frame, "type");
    const char *cell = json_get_text(frame, "cell");
    if (!type)
        return;
    bool is_call = strcmp(type, "tool-call") == 0;
    if (self->said) {
        take_first_answer(self, frame, type);
    } else if (!kernel->is_open || g_strcmp0(cell, kernel->cell) != 0) {
        if (is_call)
            refuse_call(kernel, frame);
    } else if (strcmp(type, "started") == 0) {
        kernel->is_started = true;
        if (kernel->interrupted_ms > 0)
            signal_cell(kernel);
    } else if (strcmp(type, "done") == 0) {
        take_done(self, frame);
    } else if (is_call && self->run) {
        g_autofree char *refusal = eval_calls_add(self->run->calls, frame);
        if (refusal && kernel->requests->len < LIMIT_EVAL_QUEUE_BYTES)
            send_text(kernel, refusal);
    } else if (is_call) {
        refuse_call(kernel, frame);
    } else if (self->run) {
        eval_kernel_drain(self, false); // what was printed before it
        self->run->on_answer(frame, self->run->user_data);
        self->has_news = true;
    }
}

static void take_line(Pump *self)
{
    EvalKernel *kernel = self->kernel;
    g_autoptr(json_t) frame = NULL;
    if (!kernel->is_line_dropped && kernel->answer->len > 0)
        json_parse(kernel->answer->str, kernel->answer->len, &frame, NULL);
    kernel->is_line_dropped = false;
    g_string_truncate(kernel->answer, 0);
    if (json_is_object(frame))
        take_answer(self, frame);
}

static void take_answer_bytes(Pump *self, const char *data, size_t size)
{
    EvalKernel *kernel = self->kernel;
    for (const char *end = data + size; data < end;) {
        const char *newline = memchr(data, '\n', (size_t)(end - data));
        size_t count = (size_t)((newline ? newline : end) - data);
        if (kernel->answer->len + count > LIMIT_EVAL_ANSWER_BYTES)
            kernel->is_line_dropped = true;
        if (kernel->is_line_dropped)
            g_string_truncate(kernel->answer, 0);
        else
            g_string_append_len(kernel->answer, data, (gssize)count);
        data += count + (newline ? 1 : 0);
        if (newline)
            take_line(self);
    }
}

static void read_answers(Pump *self)
{
    EvalKernel *kernel = self->kernel;
    if (kernel->answer_fd < 0)
        return;
    char data[16 * 1024];
    ssize_t count = read(kernel->answer_fd, data, sizeof(data));
    if (count > 0)
        take_answer_bytes(self, data, (size_t)count);
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
        kernel->answer_fd = -1;
}

// ---- what is written ----

static void write_requests(EvalKernel *self)
{
    ssize_t count = write(self->child.extra_in, self->requests->str + self->requests_sent,
                          self->requests->len - self->requests_sent);
    if (count > 0)
        self->requests_sent += (size_t)count;
    bool is_broken = count < 0 && errno != EAGAIN && errno != EINTR;
    if (is_broken || self->requests_sent == self->requests->len) {
        g_string_truncate(self->requests, 0); // its exit says the rest
        self->requests_sent = 0;
    }
}

static void send_replies(Pump *self)
{
    g_autofree char *reply = NULL;
    while ((reply = eval_calls_take_reply(self->run->calls))) {
        send_text(self->kernel, reply);
        g_clear_pointer(&reply, g_free);
    }
}

// ---- one cell ----

static void report_progress(Pump *self)
{
    int64_t now = time_monotonic_ms();
    if (!self->run || !self->has_news || now < self->progress_at)
        return;
    self->has_news = false;
    self->progress_at = now + PROGRESS_MS;
    self->run->on_progress(self->run->user_data);
}

static bool is_over(const Pump *self)
{
    return self->is_ready || self->is_done || self->problem;
}

/* Until the pump is over, the kernel has exited, the token fires or the time is up. */
static EvalEnd pump_run(Pump *self, Cancel *cancel, int64_t until_ms)
{
    EvalKernel *kernel = self->kernel;
    ToolContext *context = self->run ? self->run->context : NULL;
    int64_t asked_ms = lent_calls_asked_ms(context);
    for (;;) {
        report_progress(self);
        int64_t deadline_ms = until_ms + lent_calls_asked_ms(context) - asked_ms;
        int64_t now = time_monotonic_ms();
        int64_t wake_at = self->has_news ? MIN(deadline_ms, self->progress_at) : deadline_ms;
        struct pollfd fds[] = {
            { .fd = kernel->answer_fd, .events = POLLIN },
            { .fd = kernel->output_fd, .events = POLLIN },
            { .fd = kernel->child.pidfd, .events = POLLIN },
            { .fd = kernel->requests->len > 0 ? kernel->child.extra_in : -1, .events = POLLOUT },
            { .fd = self->run ? eval_calls_fd(self->run->calls) : -1, .events = POLLIN },
        };
        cancel_poll(cancel, fds, G_N_ELEMENTS(fds), MAX(wake_at - now, 0));
        if (cancel_has_fired(cancel)) {
            read_answers(self); // it may have ended meanwhile
            return EVAL_CANCELLED;
        }
        if (fds[3].revents)
            write_requests(kernel);
        if (self->run && fds[4].revents)
            send_replies(self);
        for (int i = 0; fds[1].revents && i < READS_PER_ROUND && read_output(self) > 0; i++)
            continue;
        if (fds[0].revents)
            read_answers(self);
        if (is_over(self)) {
            eval_kernel_drain(self, false);
            return EVAL_DONE;
        }
        if (fds[2].revents) {
            eval_kernel_drain(self, true);
            return EVAL_DIED;
        }
        if (time_monotonic_ms() >= until_ms + lent_calls_asked_ms(context) - asked_ms)
            return EVAL_TIMED_OUT;
    }
}

/* Asks a cell to end, and waits a while. Only Python can be asked: a loop in JavaScript hears
   nothing. */
static EvalEnd eval_kernel_interrupt(EvalKernel *self, Pump *pump, int64_t wait_ms)
{
    self->interrupted_ms = time_monotonic_ms();
    signal_cell(self);
    return pump_run(pump, NULL, self->interrupted_ms + wait_ms);
}

static void end_process(EvalKernel *self, int64_t grace_ms, EvalOutcome *outcome)
{
    outcome->exit_status = proc_child_end(&self->child, grace_ms);
    outcome->is_ended = true;
    self->is_open = false;
    self->output_fd = self->answer_fd = -1;
}

/* The cell is to end: the call is cancelled, or its time is up. */
static void stop_cell(EvalKernel *self, Pump *pump, EvalOutcome *outcome)
{
    if (!self->is_open)
        return; // it has ended by itself just now
    if (self->language == EVAL_JS) {
        end_process(self, 0, outcome);
        return;
    }
    bool is_cancelled = outcome->end == EVAL_CANCELLED;
    EvalEnd end = eval_kernel_interrupt(self, pump, is_cancelled ? CANCEL_MS : GIVE_IN_MS);
    if (end == EVAL_DIED || (end == EVAL_TIMED_OUT && !is_cancelled))
        end_process(self, END_GRACE_MS, outcome);
}

static void send_cell(EvalKernel *self, const char *code)
{
    g_free(self->cell);
    self->cell = g_strdup_printf("%" G_GUINT64_FORMAT ".%08x", ++self->cell_count, g_random_int());
    self->is_open = true;
    self->is_started = self->is_signalled = false;
    self->interrupted_ms = 0;
    g_autoptr(json_t) request = json_make("type:%s id:%s code:%s", "run", self->cell, code);
    send_frame(self, request);
}

void eval_kernel_run(EvalKernel *self, const EvalRun *run, Cancel *cancel, EvalOutcome *ret_outcome)
{
    *ret_outcome = (EvalOutcome) { .end = EVAL_CANCELLED };
    if (cancel_has_fired(cancel))
        return;
    Pump pump = { .kernel = self };
    eval_kernel_drain(&pump, false); // of background children, since the last cell
    pump.run = run;
    send_cell(self, run->code);
    ret_outcome->end = pump_run(&pump, cancel, run->deadline_ms);
    ret_outcome->has_failed = pump.has_failed;
    if (ret_outcome->end == EVAL_CANCELLED || ret_outcome->end == EVAL_TIMED_OUT)
        stop_cell(self, &pump, ret_outcome);
    else if (ret_outcome->end == EVAL_DIED)
        end_process(self, 0, ret_outcome);
    g_autoptr(GString) replies = g_string_new(NULL);
    eval_calls_stop(run->calls, replies);
    if (!ret_outcome->is_ended) {
        send_text(self, replies->str);
        write_requests(self);
    }
}

bool eval_kernel_settle(EvalKernel *self, Cancel *cancel)
{
    if (!self->is_open)
        return true;
    Pump pump = { .kernel = self };
    pump_run(&pump, cancel, self->interrupted_ms + GIVE_IN_MS);
    return !self->is_open || cancel_has_fired(cancel);
}

bool eval_kernel_is_stopping(const EvalKernel *self)
{
    return self->is_open;
}

bool eval_kernel_is_overdue(const EvalKernel *self)
{
    return self->is_open && time_monotonic_ms() >= self->interrupted_ms + GIVE_IN_MS;
}

bool eval_kernel_has_exited(const EvalKernel *self)
{
    struct pollfd exited = { .fd = self->child.pidfd, .events = POLLIN };
    return self->child.pid <= 0 || poll(&exited, 1, 0) != 0;
}

// ---- start and end ----

/* The directory must not decide which json.py the kernel gets, so it leaves the path at once. */
static char *python_bootstrap(size_t size)
{
    return g_strdup_printf(
        "import os,sys\n"
        "sys.path[:]=[p for p in sys.path if p and p!=os.getcwd()]\n"
        "b=b''\n"
        "while len(b)<%zu:\n"
        " b+=os.read(3,%zu-len(b)) or sys.exit(1)\n"
        "exec(compile(b,'<kedge kernel>','exec'),{'__name__':'__kedge_kernel__'})",
        size, size);
}

static char *js_bootstrap(size_t size)
{
    return g_strdup_printf("{const fs=require('fs'),b=Buffer.alloc(%zu);"
                           "for(let n=0;n<b.length;){"
                           "const k=fs.readSync(3,b,n,b.length-n);if(!k)process.exit(1);n+=k}"
                           "import('data:text/javascript;base64,'+b.toString('base64'))}",
                           size);
}

static bool eval_kernel_spawn(EvalKernel *self, const EvalKernelSpec *spec, GError **error)
{
    bool is_python = spec->language == EVAL_PYTHON;
    g_autofree char *program =
        is_python ? g_strconcat(pipes_py, values_py, helpers_py, magics_py, cells_py, NULL)
                  : g_strdup(kernel_mjs);
    g_autofree char *bootstrap =
        is_python ? python_bootstrap(strlen(program)) : js_bootstrap(strlen(program));
    const char *const python[] = { spec->program, "-u", "-c", bootstrap, NULL };
    const char *const node[] = { spec->program, "-e", bootstrap, NULL };
    const ProcChildSpec child = {
        .argv = is_python ? python : node,
        .cwd = spec->cwd,
        .env = spec->env,
        .profile = PROC_PROFILE_RUN,
        .has_extra = true,
        .has_go_between = true,
    };
    if (!proc_start(&child, &self->child, error))
        return false;
    self->output_fd = self->child.output_fd;
    self->answer_fd = self->child.extra_out;
    // a larger pipe is welcome, not needed
    (void)fcntl(self->output_fd, F_SETPIPE_SZ, (int)PIPE_BYTES);
    send_text(self, program);
    g_autoptr(json_t) init = json_object();
    json_set_text(init, "type", "init");
    json_set_text(init, "cwd", spec->cwd);
    send_frame(self, init);
    return fd_set_nonblocking(self->output_fd, error) &&
           fd_set_nonblocking(self->answer_fd, error) &&
           fd_set_nonblocking(self->child.extra_in, error);
}

static bool fail_start(EvalKernel *self, const EvalKernelSpec *spec, const Pump *pump, EvalEnd end,
                       Cancel *cancel, GError **error)
{
    if (end == EVAL_CANCELLED)
        return cancel_check(cancel, error);
    const char *title = eval_language_title(spec->language);
    if (end == EVAL_TIMED_OUT)
        return fail_with(error, KEDGE_ERROR_TIMEOUT,
                         "the %s kernel (%s) did not become ready within %d s", title,
                         spec->program, START_MS / 1000);
    if (pump->problem)
        return fail_with(error, KEDGE_ERROR_FAILED, "the %s kernel (%s) does not start: %s", title,
                         spec->program, pump->problem);
    int status = proc_child_end(&self->child, 0);
    g_autofree char *said = str_truncate(pump->said->str, START_ERROR_BYTES);
    g_strchomp(said);
    return fail_with(error, KEDGE_ERROR_FAILED, "%s interpreter at %s returned exit code %d%s%s",
                     title, spec->program, status, *said ? "\n" : "", said);
}

bool eval_kernel_start(const EvalKernelSpec *spec, Cancel *cancel, EvalKernel **ret_kernel,
                       GError **error)
{
    g_autoptr(EvalKernel) self = g_new0(EvalKernel, 1);
    self->language = spec->language;
    self->child.pid = -1;
    self->requests = g_string_new(NULL);
    self->answer = g_string_new(NULL);
    self->buffer = g_malloc(READ_BYTES);
    if (!eval_kernel_spawn(self, spec, error))
        return false;
    g_autoptr(GString) said = g_string_new(NULL);
    Pump pump = { .kernel = self, .said = said };
    EvalEnd end = pump_run(&pump, cancel, time_monotonic_ms() + START_MS);
    bool is_started = pump.is_ready || fail_start(self, spec, &pump, end, cancel, error);
    g_free(pump.problem);
    if (!is_started)
        return false;
    *ret_kernel = g_steal_pointer(&self);
    return true;
}

void eval_kernel_free(EvalKernel *self)
{
    if (!self)
        return;
    proc_child_end(&self->child, END_GRACE_MS);
    g_string_free(self->requests, TRUE);
    g_string_free(self->answer, TRUE);
    g_free(self->cell);
    g_free(self->buffer);
    g_free(self);
}
