/*
 * The channel's two buffers (line_channel.h). Reading stops while the output is full: the pipe then
 * holds the other side, which is the backpressure.
 */
#include "base/line_channel.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>

#define FULL_BYTES    (1 * MIB)          // of output that the other side leaves unread
#define WRITE_BYTES   ((size_t)PIPE_BUF) // so much a writable pipe takes at once, without blocking
#define SPARE_BYTES   (1 * MIB)          // an input buffer that has grown over this is given back
#define READ_BYTES    ((size_t)64 * 1024)
#define FIRST_FREE_FD 3

struct LineChannel {
    Loop *loop;
    LineChannelSpec spec;      // its descriptors: -1 once closed
    LoopSource *input_source;  // NULL after the end of input, and while the output is full
    LoopSource *output_source; // NULL when nothing waits
    GString *input;            // bytes that were not handed on yet
    size_t scanned_bytes;      // of input: no newline there
    bool is_skipping_line;     // a line over the maximum is dropped to its end
    bool is_taking;            // take_lines() is under way
    bool is_finishing;         // the output is closed once it is flushed
    GString *output;           // what the other side has not taken yet, and before it:
    size_t sent_bytes;         // of output: written already
};

static void on_input(int fd, short revents, void *self);
static void on_output(int fd, short revents, void *self);

LineChannel *line_channel_new(Loop *loop, const LineChannelSpec *spec)
{
    g_assert(spec->max_line_bytes > 0);
    LineChannel *self = g_new0(LineChannel, 1);
    self->loop = loop;
    self->spec = *spec;
    self->input = g_string_new(NULL);
    self->output = g_string_new(NULL);
    self->input_source = loop_add_fd(loop, spec->input, POLLIN, on_input, self);
    return self;
}

static void close_input(LineChannel *self)
{
    loop_remove(self->loop, g_steal_pointer(&self->input_source));
    fd_close(fd_steal(&self->spec.input));
}

static void close_output(LineChannel *self)
{
    loop_remove(self->loop, g_steal_pointer(&self->output_source));
    fd_close(fd_steal(&self->spec.output));
    g_string_truncate(self->output, 0);
    self->sent_bytes = 0;
}

void line_channel_close(LineChannel *self)
{
    close_input(self);
    close_output(self);
}

void line_channel_free(LineChannel *self)
{
    if (!self)
        return;
    g_assert(!self->is_taking);
    line_channel_close(self);
    g_string_free(self->input, TRUE);
    g_string_free(self->output, TRUE);
    g_free(self);
}

static size_t waiting_bytes(const LineChannel *self)
{
    return self->output->len - self->sent_bytes;
}

bool line_channel_is_full(const LineChannel *self)
{
    return waiting_bytes(self) > FULL_BYTES;
}

/* No line is taken until the other side has read on. */
static bool holds_back(const LineChannel *self)
{
    return !self->spec.reads_when_full && line_channel_is_full(self);
}

bool line_channel_is_flushed(const LineChannel *self)
{
    return waiting_bytes(self) == 0;
}

/* Moves what waits to the front once that is the smaller part, so that a byte moves once or less
   on average. */
static void drop_sent(LineChannel *self, size_t count)
{
    self->sent_bytes += count;
    if (self->sent_bytes < self->output->len / 2)
        return;
    g_string_erase(self->output, 0, (gssize)self->sent_bytes);
    self->sent_bytes = 0;
    if (self->output->len == 0 && self->output->allocated_len > SPARE_BYTES) {
        g_string_free(self->output, TRUE);
        self->output = g_string_new(NULL);
    }
}

/* Writes what is taken now; false when no one reads any more. The descriptor may block: it may be
   shared, so its flags are left alone, and it gets what it takes at once. */
static bool write_output(LineChannel *self)
{
    struct pollfd writable = { .fd = self->spec.output, .events = POLLOUT };
    while (waiting_bytes(self) > 0 && poll(&writable, 1, 0) > 0) {
        ssize_t count = write(self->spec.output, self->output->str + self->sent_bytes,
                              MIN(waiting_bytes(self), WRITE_BYTES));
        if (count < 0 && errno == EAGAIN)
            break;
        if (count < 0 && errno != EINTR)
            return false;
        drop_sent(self, count > 0 ? (size_t)count : 0);
    }
    return true;
}

static void line_channel_flush(LineChannel *self)
{
    if (!write_output(self)) {
        close_output(self);
        self->spec.on_end(LINE_END_OUTPUT, 0, self->spec.user_data);
        return;
    }
    if (waiting_bytes(self) > 0 && !self->output_source)
        self->output_source = loop_add_fd(self->loop, self->spec.output, POLLOUT, on_output, self);
    if (waiting_bytes(self) == 0)
        loop_remove(self->loop, g_steal_pointer(&self->output_source));
    if (waiting_bytes(self) == 0 && self->is_finishing)
        close_output(self);
    if (holds_back(self))
        loop_remove(self->loop, g_steal_pointer(&self->input_source));
}

bool line_channel_send(LineChannel *self, const char *line, size_t size, GError **error)
{
    if (self->spec.output < 0 || self->is_finishing)
        return fail_with(error, KEDGE_ERROR_FAILED, "cannot send a line: the channel is closed");
    if (size >= LIMIT_LINE_OUTPUT_BYTES - waiting_bytes(self))
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "cannot send a line of %zu bytes: the other side has left %zu unread",
                         size, waiting_bytes(self));
    g_string_append_len(self->output, line, (gssize)size);
    g_string_append_c(self->output, '\n');
    line_channel_flush(self);
    return true;
}

void line_channel_finish_output(LineChannel *self)
{
    if (self->spec.output < 0)
        return;
    self->is_finishing = true;
    line_channel_flush(self);
}

/* Drops the first bytes of the input; a buffer that one long line has blown up is given back. */
static void drop_input(LineChannel *self, size_t size)
{
    if (size > 0) // else all of it is moved to where it is
        g_string_erase(self->input, 0, (gssize)size);
    self->scanned_bytes = 0;
    if (self->input->len > 0 || self->input->allocated_len <= SPARE_BYTES)
        return;
    g_string_free(self->input, TRUE);
    self->input = g_string_new(NULL);
}

static void skip_line(LineChannel *self)
{
    self->is_skipping_line = true;
    self->spec.on_long_line(self->spec.user_data);
}

/* Hands on whole lines from `*start` on; false when it stopped before the last of them. */
static bool take_whole_lines(LineChannel *self, size_t *start)
{
    const GString *input = self->input;
    while (self->spec.input >= 0 && !holds_back(self)) {
        size_t from = *start + self->scanned_bytes;
        const char *newline = memchr(input->str + from, '\n', input->len - from);
        if (!newline)
            return true;
        size_t size = (size_t)(newline - input->str) - *start;
        bool is_skipped = self->is_skipping_line;
        self->is_skipping_line = false;
        self->scanned_bytes = 0;
        const char *line = input->str + *start;
        *start += size + 1;
        if (!is_skipped && size > self->spec.max_line_bytes)
            self->spec.on_long_line(self->spec.user_data);
        else if (!is_skipped)
            self->spec.on_line(line, size, self->spec.user_data);
    }
    return false;
}

/* `input` does not change while its lines are handed on: reading happens in the loop only. */
static void take_lines(LineChannel *self)
{
    size_t start = 0;
    self->is_taking = true;
    bool has_all = take_whole_lines(self, &start);
    self->is_taking = false;
    drop_input(self, start);
    if (!has_all)
        return;
    if (!self->is_skipping_line && self->input->len > self->spec.max_line_bytes)
        skip_line(self);
    if (self->is_skipping_line)
        drop_input(self, self->input->len);
    self->scanned_bytes = self->input->len;
}

/* The other side reads on: what was held back may go on, too. */
static void on_output(int fd G_GNUC_UNUSED, short revents G_GNUC_UNUSED, void *self_)
{
    LineChannel *self = self_;
    line_channel_flush(self);
    bool may_read = self->spec.input >= 0 && !holds_back(self);
    if (may_read && !self->input_source) {
        self->input_source = loop_add_fd(self->loop, self->spec.input, POLLIN, on_input, self);
        take_lines(self);
    }
    if (self->spec.output >= 0 && self->spec.on_written)
        self->spec.on_written(self->spec.user_data);
}

static void on_input(int fd, short revents G_GNUC_UNUSED, void *self_)
{
    LineChannel *self = self_;
    char buffer[READ_BYTES];
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got > 0) {
        g_string_append_len(self->input, buffer, got);
        take_lines(self);
        return;
    }
    close_input(self);
    self->spec.on_end(LINE_END_INPUT, self->input->len, self->spec.user_data);
}

bool line_channel_take_stdio(Fd *ret_input, Fd *ret_output, GError **error)
{
    g_auto(Fd) input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    g_auto(Fd) output = input < 0 ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    g_auto(Fd) null = output < 0 ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return fail_with_errno(error, errno, "cannot move the standard streams out of the way");
    *ret_input = fd_steal(&input);
    *ret_output = fd_steal(&output);
    return true;
}
