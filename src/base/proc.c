/*
 * proc_run(): one wait for the child's pipes, its pidfd and the cancel token.
 *
 * The child's exit, not the end of its output, ends the wait: a background process that keeps the
 * pipe open would otherwise hang the caller.
 */
#include "base/proc.h"

#include "base/fd.h"
#include "base/proc_child.h"
#include "base/special_files.h"
#include "base/timefmt.h"
#include "base/utf8.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#define READ_BYTES     ((size_t)64 * 1024)
#define OVERFLOW_BYTES ((size_t)512) // where bytes go that are dropped at once
#define FULL_GRACE_MS  200           // for a child that is nearly done anyway
#define LOOK_AFTER_MS  300           // most programs that read a tree have done so by then
#define LOOK_MS        20            // of looking for what holds it up, and of pausing in between
#define LAST_LOOK_MS   1000          // when it has died of it

/* What is kept of one stream: at most max bytes for HEAD, twice that for TAIL while it grows. */
typedef struct Stream {
    Fd fd; // our end; -1 after end of file
    ProcKeep keep;
    size_t max;
    char *data; // HEAD: one byte more than capacity, for the NUL
    size_t size;
    size_t capacity;
    size_t dropped_bytes;
} Stream;

typedef struct Run {
    const ProcSpec *spec;
    Stream output;
    Stream errors; // fd -1 when merged
    char *buffer;  // for a TAIL, and for a HEAD that is full
    size_t buffer_size;
    bool watches_full;
    bool watches_end;      // `end_at` counts now
    SpecialSearch *search; // NULL: not begun, or over
    gint64 look_at;        // when it goes on; 0: there is nothing to look for
    char *special;         // what it has found
} Run;

typedef enum {
    PUMP_EXITED,
    PUMP_FULL,   // only when watches_full
    PUMP_CLOSED, // every stream has ended, and nothing else was waited for
    PUMP_DEADLINE,
    PUMP_CANCELLED,
    PUMP_SPECIAL,
} PumpEnd;

static void run_clear(Run *self)
{
    fd_close(self->output.fd);
    fd_close(self->errors.fd);
    g_free(self->output.data);
    g_free(self->errors.data);
    g_free(self->buffer);
    special_search_free(self->search);
    g_free(self->special);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

void proc_result_clear(ProcResult *self)
{
    g_free(self->output);
    g_free(self->error_output);
    *self = (ProcResult) { 0 };
}

static void stream_append(Stream *self, const char *data, size_t size)
{
    size_t needed = self->size + size;
    if (needed > self->capacity) {
        self->capacity = MIN(MAX(needed, self->capacity * 2), self->max * 2);
        self->data = g_realloc(self->data, self->capacity);
    }
    memcpy(self->data + self->size, data, size);
    self->size = needed;
}

static void stream_drop_front(Stream *self, size_t count)
{
    memmove(self->data, self->data + count, self->size - count);
    self->size -= count;
    self->dropped_bytes += count;
}

/* The free part of a HEAD, so that its bytes are not held twice; NULL when it is full. */
static char *stream_head_room(Stream *self, size_t *ret_size)
{
    if (self->size == self->max)
        return NULL;
    if (self->size == self->capacity) {
        self->capacity = MIN(MAX(READ_BYTES, self->capacity * 2), self->max);
        self->data = g_realloc(self->data, self->capacity + 1);
    }
    *ret_size = self->capacity - self->size;
    return self->data + self->size;
}

static void stream_store_tail(Stream *self, const char *data, size_t size)
{
    if (size > self->max) {
        size_t skipped = size - self->max;
        self->dropped_bytes += skipped;
        data += skipped;
        size = self->max;
    }
    // moving only when twice the maximum is reached makes each byte move once on average
    if (self->size + size > self->max * 2)
        stream_drop_front(self, self->size + size - self->max);
    stream_append(self, data, size);
}

static bool stream_is_open(const Stream *self)
{
    return self->fd >= 0;
}

static void run_read(Run *self, Stream *stream)
{
    size_t room = self->buffer_size;
    char *head = stream->keep == PROC_KEEP_HEAD ? stream_head_room(stream, &room) : NULL;
    char *into = head != NULL ? head : self->buffer;
    ssize_t count = read(stream->fd, into, room);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (count <= 0) {
        fd_close(fd_steal(&stream->fd));
        return;
    }
    if (stream == &self->output && self->spec->on_output)
        self->spec->on_output(into, (size_t)count, self->spec->user_data);
    if (head)
        stream->size += (size_t)count;
    else if (stream->keep == PROC_KEEP_HEAD)
        stream->dropped_bytes += (size_t)count;
    else
        stream_store_tail(stream, into, (size_t)count);
}

/* Goes on looking for a file that holds the child up. True: there is one. */
static bool run_look(Run *self, gint64 budget_ms)
{
    if (!self->search)
        self->search = special_search_new(self->spec->trees, self->spec->cwd);
    bool is_over = special_search_step(self->search, budget_ms, &self->special);
    self->look_at = is_over ? 0 : time_monotonic_ms() + LOOK_MS;
    return self->special != NULL;
}

/* Takes in output until something happens; descriptors of -1 are not waited for. */
static PumpEnd run_pump(Run *self, int pidfd, Cancel *cancel, gint64 until)
{
    for (;;) {
        gint64 now = time_monotonic_ms();
        gint64 end_at = self->watches_end && self->spec->end_at ? *self->spec->end_at : 0;
        gint64 left = (end_at > 0 ? MIN(until, end_at) : until) - now;
        if (left <= 0)
            return PUMP_DEADLINE;
        if (self->look_at > 0 && now >= self->look_at && run_look(self, LOOK_MS))
            return PUMP_SPECIAL;
        if (self->look_at > 0)
            left = CLAMP(self->look_at - now, 1, left);
        if (pidfd < 0 && !stream_is_open(&self->output) && !stream_is_open(&self->errors))
            return PUMP_CLOSED;
        struct pollfd fds[] = {
            { .fd = self->output.fd, .events = POLLIN },
            { .fd = self->errors.fd, .events = POLLIN },
            { .fd = pidfd, .events = POLLIN },
        };
        cancel_poll(cancel, fds, G_N_ELEMENTS(fds), left);
        if (cancel_has_fired(cancel))
            return PUMP_CANCELLED;
        if (fds[0].revents != 0)
            run_read(self, &self->output);
        if (fds[1].revents != 0)
            run_read(self, &self->errors);
        if (fds[2].revents != 0)
            return PUMP_EXITED;
        if (self->watches_full && self->output.dropped_bytes > 0)
            return PUMP_FULL;
    }
}

/* A cut in the middle of a character is moved to its border. */
static void stream_cut_at_character(Stream *self)
{
    if (self->dropped_bytes == 0)
        return;
    if (self->keep == PROC_KEEP_TAIL) {
        size_t count = 0;
        while (count < MIN(self->size, 3) && (self->data[count] & 0xc0) == 0x80)
            count++;
        stream_drop_front(self, count);
        return;
    }
    for (size_t back = 1; back <= MIN(self->size, 3); back++) {
        const char *last = self->data + self->size - back;
        if ((*last & 0xc0) == 0x80)
            continue;
        if (g_utf8_get_char_validated(last, (gssize)back) == (gunichar)-2) {
            self->size -= back;
            self->dropped_bytes += back;
        }
        return;
    }
}

/* The text or bytes of a stream that has ended. */
static char *stream_finish(Stream *self, bool is_bytes, size_t *ret_size)
{
    if (self->size > self->max)
        stream_drop_front(self, self->size - self->max);
    if (!is_bytes)
        stream_cut_at_character(self);
    if (is_bytes || self->size == 0 || g_utf8_validate(self->data, (gssize)self->size, NULL)) {
        char *data = g_realloc(g_steal_pointer(&self->data), self->size + 1);
        data[self->size] = '\0';
        *ret_size = self->size;
        return data;
    }
    char *text = utf8_from_bytes(self->data, self->size);
    *ret_size = strlen(text);
    return text;
}

/* A file rather than a pipe: no one has to write while the child runs. -1: none is asked for. */
static bool open_input(const char *input, Fd *ret_fd, GError **error)
{
    *ret_fd = -1;
    if (!input)
        return true;
    g_auto(Fd) fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0)
        return fail_with(error, KEDGE_ERROR_IO, "cannot make a file in memory: %s",
                         g_strerror(errno));
    if (!fd_write_all(fd, input, strlen(input), "standard input", error))
        return false;
    lseek(fd, 0, SEEK_SET);
    *ret_fd = fd_steal(&fd);
    return true;
}

static bool run_start_on_terminal(Run *self, ProcBorn *ret_born, GError **error)
{
    const ProcSpec *spec = self->spec;
    g_autofree char *name = NULL;
    if (!proc_open_terminal(&spec->terminal, &self->output.fd, &name, error))
        return proc_fail_start(spec->argv, error);
    const ProcStart start = { spec->argv, spec->cwd, spec->env, spec->profile,
                              spec->has_go_between };
    return proc_spawn_on_terminal(&start, name, ret_born, error);
}

static bool run_start(Run *self, ProcBorn *ret_born, GError **error)
{
    const ProcSpec *spec = self->spec;
    int output[2], errors[2] = { -1, -1 };
    g_auto(Fd) input = -1;
    if (spec->terminal.columns > 0)
        return run_start_on_terminal(self, ret_born, error);
    if (!open_input(spec->input, &input, error))
        return proc_fail_start(spec->argv, error);
    if (!fd_pipe(output, error))
        return proc_fail_start(spec->argv, error);
    self->output.fd = output[0];
    g_auto(Fd) output_write = output[1];
    if (spec->has_own_stderr && !fd_pipe(errors, error))
        return proc_fail_start(spec->argv, error);
    self->errors.fd = errors[0];
    g_auto(Fd) errors_write = errors[1];

    const int child_fds[] = { input, output_write,
                              spec->has_own_stderr ? errors_write : output_write };
    const ProcStart start = { spec->argv, spec->cwd, spec->env, spec->profile,
                              spec->has_go_between };
    return proc_spawn(&start, child_fds, 3, ret_born, error);
}

/* Until the child has ended or must be stopped. */
static PumpEnd run_wait(Run *self, int pidfd, Cancel *cancel)
{
    gint64 now = time_monotonic_ms();
    gint64 until = now + MIN(self->spec->timeout_ms, G_MAXINT64 / 2);
    self->watches_full = self->spec->stops_when_full;
    self->watches_end = true;
    self->look_at = self->spec->trees ? now + LOOK_AFTER_MS : 0;
    PumpEnd why = run_pump(self, pidfd, cancel, until);
    self->watches_full = self->watches_end = false;
    self->look_at = 0;
    if (why != PUMP_FULL)
        return why;
    why = run_pump(self, pidfd, cancel, time_monotonic_ms() + FULL_GRACE_MS);
    return why == PUMP_DEADLINE ? PUMP_FULL : why;
}

static gint64 run_grace_ms(const ProcSpec *spec, bool is_late)
{
    if (is_late && spec->late_grace_ms > 0)
        return spec->late_grace_ms;
    return spec->grace_ms > 0 ? spec->grace_ms : PROC_STOP_GRACE_MS;
}

/* Asks the group to end, and tells it when it does not. What is left of it has until the time that
   is returned. */
static gint64 run_stop(Run *self, bool is_late, pid_t pid, int pidfd)
{
    const ProcSpec *spec = self->spec;
    gint64 kill_at = time_monotonic_ms() + run_grace_ms(spec, is_late);
    proc_signal_group(pid, SIGTERM);
    bool has_exited = run_pump(self, pidfd, NULL, kill_at) == PUMP_EXITED;
    if (spec->drain_ms <= 0) {
        if (has_exited)
            run_pump(self, -1, NULL, MIN(kill_at, time_monotonic_ms() + PROC_DRAIN_MS));
        return kill_at;
    }
    if (!has_exited) {
        proc_signal_group(pid, SIGKILL);
        run_pump(self, pidfd, NULL, time_monotonic_ms() + spec->drain_ms);
    }
    run_pump(self, -1, NULL, time_monotonic_ms() + spec->drain_ms);
    return time_monotonic_ms();
}

/* Ends what is left of the group; output that arrives meanwhile is still taken. */
static void run_end(Run *self, PumpEnd why, pid_t pid, int pidfd, ProcResult *result)
{
    gint64 kill_at;
    if (why == PUMP_EXITED) {
        gint64 drain_ms = self->spec->drain_ms > 0 ? self->spec->drain_ms : PROC_DRAIN_MS;
        run_pump(self, -1, NULL, time_monotonic_ms() + drain_ms);
        proc_signal_group(pid, SIGTERM);
        kill_at = time_monotonic_ms() + PROC_DRAIN_MS;
    } else {
        kill_at = run_stop(self, result->is_late || why == PUMP_DEADLINE, pid, pidfd);
    }
    result->exit_status = proc_reap_group(pid, pidfd, kill_at, &result->term_signal);
}

/* A child that was ended although nobody wanted that may have read what has no end. */
static void run_look_again(Run *self, const ProcResult *result)
{
    bool is_odd = result->stop == PROC_STOP_NONE && result->term_signal != 0;
    if (self->spec->trees && is_odd)
        run_look(self, LAST_LOOK_MS);
}

static void run_take_result(Run *self, ProcResult *result)
{
    const ProcSpec *spec = self->spec;
    result->held_bytes = self->output.capacity + self->buffer_size;
    result->output = stream_finish(&self->output, spec->is_bytes, &result->output_size);
    size_t error_size;
    if (spec->has_own_stderr)
        result->error_output = stream_finish(&self->errors, false, &error_size);
    result->dropped_bytes = self->output.dropped_bytes;
}

bool proc_run(const ProcSpec *spec, Cancel *cancel, ProcResult *ret_result, GError **error)
{
    g_assert(spec->timeout_ms > 0);
    g_assert(spec->max_output_bytes > 0 && spec->max_output_bytes <= SIZE_MAX / 4);
    g_assert(spec->terminal.columns == 0 || (!spec->input && !spec->has_own_stderr));
    g_assert(!spec->stops_when_full || spec->keep == PROC_KEEP_HEAD);
    if (!cancel_check(cancel, error))
        return false;

    const Stream stream = { .fd = -1, .keep = spec->keep, .max = spec->max_output_bytes };
    g_auto(Run) run = { .spec = spec, .output = stream, .errors = stream };
    if (spec->max_error_bytes > 0)
        run.errors.max = spec->max_error_bytes;
    g_auto(ProcBorn) born = PROC_UNBORN;
    gint64 started_at = time_monotonic_ms();
    if (!run_start(&run, &born, error))
        return false;
    run.buffer_size = spec->stops_when_full ? OVERFLOW_BYTES : READ_BYTES;
    run.buffer = g_malloc(run.buffer_size);

    static const ProcStop stops[] = {
        [PUMP_EXITED] = PROC_STOP_NONE,      [PUMP_FULL] = PROC_STOP_FULL,
        [PUMP_DEADLINE] = PROC_STOP_TIMEOUT, [PUMP_CANCELLED] = PROC_STOP_CANCELLED,
        [PUMP_SPECIAL] = PROC_STOP_TIMEOUT, // which nobody sees: it is an error
    };
    PumpEnd why = run_wait(&run, born.pidfd, cancel);
    ProcResult result = { .stop = stops[why],
                          .is_late = why == PUMP_CANCELLED && cancel_is_late(cancel) };
    run_end(&run, why, born.pid, born.pidfd, &result);
    result.duration_ms = time_monotonic_ms() - started_at;
    run_look_again(&run, &result);
    if (run.special)
        return special_file_fail(run.special, error);
    if (why == PUMP_CANCELLED && !spec->keeps_stopped)
        return fail_with(error, KEDGE_ERROR_CANCELLED, "operation aborted");
    if (why == PUMP_DEADLINE && !spec->keeps_stopped)
        return fail_with(error, KEDGE_ERROR_TIMEOUT, "%s timed out after %" G_GINT64_FORMAT " ms",
                         spec->argv[0], (gint64)spec->timeout_ms);
    run_take_result(&run, &result);
    *ret_result = result;
    return true;
}
