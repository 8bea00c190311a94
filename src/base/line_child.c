/*
 * Stages of a child's life, each left by an event of the loop: it runs; its input is closed; it got
 * SIGTERM; it got SIGKILL; it has exited and its pipes are drained; its group is ended.
 */
#include "base/line_child.h"

#include "base/fd.h"
#include "base/proc_child.h"
#include "base/utf8.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

#define READ_BYTES     ((size_t)16 * 1024)
#define MEMBER_LOOK_MS 10 // how often what is left of a group is looked at
#define MEMBER_LOOKS   (PROC_DRAIN_MS / MEMBER_LOOK_MS)

typedef enum {
    STAGE_RUNS,
    STAGE_CLOSED, // its input
    STAGE_TERMINATED,
    STAGE_KILLED,
    STAGE_EXITED,  // its pipes may hold more
    STAGE_MEMBERS, // reaped; its group may have members
    STAGE_OVER,
} Stage;

struct LineChild {
    Loop *loop;
    LineChildSpec spec; // argv, cwd, env: NULL
    ProcChild child;    // its pipes for input and output belong to the channel
    LineChannel *channel;
    Stage stage;
    LoopSource *exit_source, *errors_source, *cancel_source, *timer;
    GString *errors;
    size_t unfinished_bytes;
    bool has_input_ended; // of the channel: every line was handed on
    int exit_status;
    unsigned looks;
};

static void on_time(void *self);

static void set_timer(LineChild *self, gint64 delay_ms)
{
    loop_remove(self->loop, self->timer);
    self->timer = loop_add_timer(self->loop, delay_ms, on_time, self);
}

static void on_line(const char *line, size_t size, void *self_)
{
    LineChild *self = self_;
    self->spec.on_line(line, size, self->spec.user_data);
}

static void on_long_line(void *self_)
{
    LineChild *self = self_;
    self->spec.on_long_line(self->spec.user_data);
}

/* Ends what is left of the group, then tells. The user may free the child here. */
static void look_at_members(LineChild *self)
{
    bool is_gone = proc_group_is_gone(self->child.pid);
    if (!is_gone && self->looks++ < MEMBER_LOOKS) {
        set_timer(self, MEMBER_LOOK_MS);
        return;
    }
    if (!is_gone)
        proc_signal_group(self->child.pid, SIGKILL);
    self->stage = STAGE_OVER;
    self->child.pid = -1;
    self->spec.on_exit(self->exit_status, self->unfinished_bytes, self->spec.user_data);
}

static void line_child_finish(LineChild *self)
{
    loop_remove(self->loop, g_steal_pointer(&self->timer));
    loop_remove(self->loop, g_steal_pointer(&self->errors_source));
    line_channel_close(self->channel);
    self->stage = STAGE_MEMBERS;
    proc_signal_group(self->child.pid, SIGTERM); // before it is reaped: the number is still its own
    self->exit_status = proc_reap(self->child.pid, NULL);
    look_at_members(self);
}

static void finish_if_drained(LineChild *self)
{
    if (self->stage == STAGE_EXITED && self->has_input_ended && !self->errors_source)
        line_child_finish(self);
}

static void on_end(LineEnd end, size_t unfinished_bytes, void *self_)
{
    LineChild *self = self_;
    if (end == LINE_END_OUTPUT)
        return; // it does not read any more; what it still says is taken
    self->has_input_ended = true;
    self->unfinished_bytes = unfinished_bytes;
    finish_if_drained(self);
}

static void on_errors(int fd, short revents G_GNUC_UNUSED, void *self_)
{
    LineChild *self = self_;
    char piece[READ_BYTES];
    ssize_t count = read(fd, piece, sizeof piece);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (count <= 0) {
        loop_remove(self->loop, g_steal_pointer(&self->errors_source));
        finish_if_drained(self);
        return;
    }
    g_string_append_len(self->errors, piece, count);
    if (self->errors->len > self->spec.max_errors_bytes)
        g_string_erase(self->errors, 0, (gssize)(self->errors->len - self->spec.max_errors_bytes));
}

static void on_exited(int fd G_GNUC_UNUSED, short revents G_GNUC_UNUSED, void *self_)
{
    LineChild *self = self_;
    loop_remove(self->loop, g_steal_pointer(&self->exit_source));
    loop_remove(self->loop, g_steal_pointer(&self->cancel_source));
    self->stage = STAGE_EXITED;
    set_timer(self, PROC_DRAIN_MS);
    finish_if_drained(self);
}

/* The stage has lasted as long as it may. */
static void on_time(void *self_)
{
    LineChild *self = self_;
    self->timer = NULL;
    switch (self->stage) {
    case STAGE_CLOSED:
        self->stage = STAGE_TERMINATED;
        proc_signal_group(self->child.pid, SIGTERM);
        set_timer(self, PROC_STOP_GRACE_MS);
        return;
    case STAGE_TERMINATED:
        self->stage = STAGE_KILLED;
        proc_signal_group(self->child.pid, SIGKILL);
        return;
    case STAGE_EXITED:
        line_child_finish(self);
        return;
    case STAGE_MEMBERS:
        look_at_members(self);
        return;
    case STAGE_RUNS:
    case STAGE_KILLED:
    case STAGE_OVER:
        return;
    }
}

void line_child_stop(LineChild *self)
{
    if (self->stage != STAGE_RUNS)
        return;
    self->stage = STAGE_CLOSED;
    set_timer(self, self->spec.grace_ms);
    line_channel_finish_output(self->channel);
}

static void on_cancel(void *self_)
{
    LineChild *self = self_;
    self->cancel_source = NULL;
    line_child_stop(self);
}

bool line_child_start(Loop *loop, const LineChildSpec *spec, LineChild **ret_child, GError **error)
{
    g_assert(spec->max_errors_bytes > 0);
    const ProcChildSpec child_spec = {
        .argv = spec->argv,
        .cwd = spec->cwd,
        .env = spec->env,
        .profile = PROC_PROFILE_RUN,
        .has_input = true,
        .has_own_stderr = true,
    };
    ProcChild child;
    if (!cancel_check(spec->cancel, error) || !proc_start(&child_spec, &child, error))
        return false;
    LineChild *self = g_new0(LineChild, 1);
    self->loop = loop;
    self->spec = *spec;
    self->spec.argv = self->spec.env = NULL;
    self->spec.cwd = NULL;
    self->child = child;
    self->errors = g_string_new(NULL);
    const LineChannelSpec channel = {
        .input = fd_steal(&self->child.output_fd),
        .output = fd_steal(&self->child.input_fd),
        .max_line_bytes = spec->max_line_bytes,
        .reads_when_full = true, // it may be waiting for us to read, before it reads
        .on_line = on_line,
        .on_long_line = on_long_line,
        .on_end = on_end,
        .user_data = self,
    };
    self->channel = line_channel_new(loop, &channel);
    self->exit_source = loop_add_fd(loop, child.pidfd, POLLIN, on_exited, self);
    self->errors_source = loop_add_fd(loop, child.error_fd, POLLIN, on_errors, self);
    if (spec->cancel)
        self->cancel_source = loop_add_cancel(loop, spec->cancel, on_cancel, self);
    *ret_child = self;
    return true;
}

void line_child_free(LineChild *self)
{
    if (!self)
        return;
    loop_remove(self->loop, self->timer);
    loop_remove(self->loop, self->exit_source);
    loop_remove(self->loop, self->errors_source);
    loop_remove(self->loop, self->cancel_source);
    line_channel_free(self->channel);
    if (self->stage < STAGE_MEMBERS)
        proc_child_end(&self->child, 0);
    else if (self->stage == STAGE_MEMBERS)
        proc_signal_group(self->child.pid, SIGKILL);
    fd_close(self->child.pidfd);
    fd_close(self->child.error_fd);
    fd_close(self->child.life_fd);
    g_string_free(self->errors, TRUE);
    g_free(self);
}

bool line_child_send(LineChild *self, const char *line, size_t size, GError **error)
{
    return line_channel_send(self->channel, line, size, error);
}

char *line_child_errors(const LineChild *self)
{
    return utf8_from_bytes(self->errors->str, self->errors->len);
}
