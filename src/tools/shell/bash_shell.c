/*
 * The persistent shell of the bash tool (bash_shell.h).
 *
 * The shell reads from descriptor 3, a pipe that we write to, and after each message reports to
 * descriptor 4: a word that we chose, the status, the last background child, its own number (its
 * parent is a process between us, which may be killed: then the shell goes on). A message changes
 * the directory and evaluates the command. bash gets its messages in a loop that reads up to a NUL,
 * so that line numbers in errors count from the command's first line; other shells read them as
 * their script.
 *
 * The command itself sees neither pipe, its standard input is /dev/null, and what it does to its
 * descriptors is undone when it ends, so that `exec >log` cannot make the shell mute for good.
 *
 * Background children keep the output pipe. They must not delay a result, so a call takes what is
 * there when the report arrives; what they print between calls is thrown away by the next one.
 */
#include "tools/shell/bash_shell.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/proc.h"
#include "base/timefmt.h"
#include "tool/lent_calls.h"
#include "tools/shell/bash_env.h"
#include "tools/shell/bash_guard.h"
#include "tools/shell/bash_message.h"
#include "tools/shell/bash_once.h"
#include "tools/shell/screen_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define STOP_GRACE_MS    2000 // SIGTERM, then SIGKILL (common §6)
#define EXIT_GRACE_MS    200  // the same for what a shell that has ended leaves behind
#define PARENT_MS        1000 // for the shell's parent to end after it
#define DRAIN_MS         50
#define PROGRESS_MS      50
#define READ_BYTES       (64 * KIB)
#define READS_PER_ROUND  16        // then cancel and the report are looked at again
#define PIPE_BYTES       (1 * MIB) // lets a background child print a while with no one reading
#define REPORT_MAX_BYTES 256
#define MAX_LEFT         16 // shells that have ended; then the oldest one's processes are ended too

struct BashShell {
    pthread_mutex_t lock;
    bool is_busy; // guarded by lock; what follows belongs to the call that set it
    char *shell;  // NULL until the first call
    char **env;
    char *snapshot;
    char *nonce;     // of the running process
    ProcChild child; // the shell's parent; pid 0 or less: none
    pid_t pid;       // the shell's own; 0: not known
    int pidfd;       // of it; -1: not known
    bool was_told;   // that the parent has ended
    BashGuard guard; // of a model's commands; what a person starts is theirs
    GArray *left;    // of ProcChild: shells that have ended, whose background processes still run
};

static BashShell *bash_shell_new(void)
{
    BashShell *self = g_new0(BashShell, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->left = g_array_new(FALSE, FALSE, sizeof(ProcChild));
    self->pidfd = -1;
    return self;
}

static ProcChild *left_at(const BashShell *self, unsigned index)
{
    return &g_array_index(self->left, ProcChild, index);
}

static void end_left(BashShell *self, unsigned index, int64_t grace_ms)
{
    proc_child_end(left_at(self, index), grace_ms);
    g_array_remove_index(self->left, index);
}

/* Takes what they have printed, so that they do not block for ever, and forgets those whose
   processes are gone. */
static void look_after_left(BashShell *self)
{
    g_autofree char *buffer = self->left->len > 0 ? g_malloc(READ_BYTES) : NULL;
    for (unsigned i = self->left->len; i > 0; i--) {
        const ProcChild *left = left_at(self, i - 1);
        for (size_t taken = 0; taken < PIPE_BYTES;) {
            ssize_t count = read(left->output_fd, buffer, READ_BYTES);
            if (count <= 0)
                break;
            taken += (size_t)count;
        }
        if (proc_child_count_members(left) == 0)
            end_left(self, i - 1, 0);
    }
}

static void forget_number(BashShell *self)
{
    fd_close(fd_steal(&self->pidfd));
    self->pid = 0;
    self->was_told = false;
}

static bool is_over(int pidfd, int timeout_ms)
{
    struct pollfd exited = { .fd = pidfd, .events = POLLIN };
    return poll(&exited, 1, timeout_ms) != 0;
}

/* The shell has ended by itself; its background processes stay. Returns its status. */
static int leave_shell(BashShell *self, unsigned *ret_running)
{
    if (!is_over(self->child.pidfd, PARENT_MS))
        kill(self->child.pid, SIGKILL); // stopped, perhaps
    forget_number(self);
    int status = proc_child_leave(&self->child, ret_running);
    if (*ret_running == 0) {
        proc_child_end(&self->child, EXIT_GRACE_MS);
        return status;
    }
    g_array_append_val(self->left, self->child);
    self->child =
        (ProcChild) { .pid = -1, .pidfd = -1, .output_fd = -1, .extra_in = -1, .extra_out = -1 };
    if (self->left->len > MAX_LEFT)
        end_left(self, 0, EXIT_GRACE_MS);
    return status;
}

/* Ends the shell and what it has left running. NULL is allowed. */
static void bash_shell_free(BashShell *self)
{
    if (!self)
        return;
    forget_number(self);
    proc_child_end(&self->child, STOP_GRACE_MS);
    while (self->left->len > 0)
        end_left(self, self->left->len - 1, STOP_GRACE_MS);
    bash_guard_clear(&self->guard, STOP_GRACE_MS);
    g_array_unref(self->left);
    pthread_mutex_destroy(&self->lock);
    g_free(self->snapshot);
    g_free(self->nonce);
    g_free(self->shell);
    g_strfreev(self->env);
    g_free(self);
}

typedef enum {
    PUMP_REPORTED,
    PUMP_SHELL_EXITED,
    PUMP_TIMED_OUT,
    PUMP_CANCELLED,
    PUMP_PAINTED,
} PumpEnd;

/* One message to the shell, up to its report. */
typedef struct Pump {
    const ProcChild *child;
    int exit_fd;              // readable when the shell has ended
    int output_fd, report_fd; // of the child; -1 after their end
    const char *message;      // what is still to be written
    size_t message_left;
    const char *nonce;
    char report[REPORT_MAX_BYTES];
    size_t report_size;
    int status;           // from the report
    int64_t last_started; // from the report: the last background child, 0: none
    int64_t pid;          // from the report: the shell
    const BashRun *run;   // NULL: output is thrown away
    char *buffer;         // READ_BYTES
    int64_t asked_ms;     // when it began: how long people had been asked
    ScreenWatch screen;
    int64_t progress_at; // not before
    bool has_news;
} Pump;

static void pump_output(Pump *self, const char *data, size_t size)
{
    if (!self->run)
        return;
    bash_run_deliver(self->run, data, size);
    screen_watch_take(&self->screen, data, size);
    self->has_news = self->run->on_progress != NULL;
}

/* Reads what is there; 0 when the pipe is empty or at its end. */
static size_t pump_read(Pump *self)
{
    if (self->output_fd < 0)
        return 0;
    ssize_t count = read(self->output_fd, self->buffer, READ_BYTES);
    if (count > 0)
        pump_output(self, self->buffer, (size_t)count);
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
        self->output_fd = -1;
    return (size_t)MAX(count, 0);
}

/* A report is "<nonce> <status> <last background pid> <pid>\n". */
static bool pump_parse_report(Pump *self)
{
    for (;;) {
        char *newline = memchr(self->report, '\n', self->report_size);
        if (!newline)
            return false;
        *newline = '\0';
        g_auto(GStrv) words = g_strsplit(self->report, " ", 4);
        bool is_ours = g_strv_length(words) == 4 && strcmp(words[0], self->nonce) == 0;
        if (is_ours) {
            self->status = (int)g_ascii_strtoll(words[1], NULL, 10);
            self->last_started = g_ascii_strtoll(words[2], NULL, 10);
            self->pid = g_ascii_strtoll(words[3], NULL, 10);
            return true;
        }
        self->report_size -= (size_t)(newline + 1 - self->report);
        memmove(self->report, newline + 1, self->report_size);
    }
}

static bool pump_read_report(Pump *self)
{
    if (self->report_fd < 0)
        return false;
    if (self->report_size == sizeof(self->report))
        self->report_size = 0; // no report of ours
    ssize_t count = read(self->report_fd, self->report + self->report_size,
                         sizeof(self->report) - self->report_size);
    if (count > 0)
        self->report_size += (size_t)count;
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
        self->report_fd = -1;
    return pump_parse_report(self);
}

static void pump_write(Pump *self)
{
    ssize_t count = write(self->child->extra_in, self->message, self->message_left);
    if (count > 0) {
        self->message += count;
        self->message_left -= (size_t)count;
    } else if (errno != EAGAIN && errno != EINTR) {
        self->message_left = 0; // the shell no longer reads; its exit says the rest
    }
}

/* Takes all that the pipe holds now, however long that takes, and what is added meanwhile. When
   somebody may still be printing, waits for it a moment. */
static void pump_drain(Pump *self, bool has_writers)
{
    int held = 0;
    if (self->output_fd >= 0 && ioctl(self->output_fd, FIONREAD, &held) < 0)
        held = 0;
    int64_t until = time_monotonic_ms() + DRAIN_MS;
    for (size_t taken = 0;;) {
        size_t count = pump_read(self);
        taken += count;
        int64_t left = until - time_monotonic_ms();
        if (left <= 0 && taken >= (size_t)held)
            return;
        if (count > 0)
            continue;
        struct pollfd output = { .fd = self->output_fd, .events = POLLIN };
        if (!has_writers || self->output_fd < 0 || poll(&output, 1, (int)MAX(left, 0)) <= 0)
            return;
    }
}

static bool is_alive(int64_t pid)
{
    return pid > 1 && pid <= G_MAXINT && kill((pid_t)pid, 0) == 0;
}

static void pump_progress(Pump *self)
{
    int64_t now = time_monotonic_ms();
    if (!self->has_news || now < self->progress_at)
        return;
    self->has_news = false;
    self->progress_at = now + PROGRESS_MS;
    self->run->on_progress(self->run->user_data);
}

/* A person who is asked whether gh may run takes no time from the command. */
static int64_t pump_asked_ms(const Pump *self)
{
    return self->run ? lent_calls_asked_ms(self->run->context) - self->asked_ms : 0;
}

static PumpEnd pump_run(Pump *self, Cancel *cancel, int64_t until)
{
    for (;;) {
        pump_progress(self);
        int64_t deadline = until + pump_asked_ms(self);
        int64_t now = time_monotonic_ms();
        if (now >= deadline)
            return PUMP_TIMED_OUT;
        if (self->screen.end_at > 0 && now >= self->screen.end_at) {
            if (proc_child_has_member(self->child, "vi"))
                return PUMP_PAINTED;
            self->screen.end_at = 0; // it has ended by itself
        }
        int64_t wake_at = self->has_news ? MIN(deadline, self->progress_at) : deadline;
        wake_at = self->screen.end_at > 0 ? MIN(wake_at, self->screen.end_at) : wake_at;
        struct pollfd fds[] = {
            { .fd = self->output_fd, .events = POLLIN },
            { .fd = self->report_fd, .events = POLLIN },
            { .fd = self->exit_fd, .events = POLLIN },
            { .fd = self->message_left > 0 ? self->child->extra_in : -1, .events = POLLOUT },
        };
        cancel_poll(cancel, fds, G_N_ELEMENTS(fds), MAX(wake_at - now, 0));
        if (cancel_has_fired(cancel))
            return PUMP_CANCELLED;
        for (int i = 0; fds[0].revents && i < READS_PER_ROUND && pump_read(self) > 0; i++)
            continue;
        if (fds[1].revents && pump_read_report(self)) {
            pump_drain(self, is_alive(self->last_started));
            return PUMP_REPORTED;
        }
        if (fds[2].revents) {
            bool is_reported = pump_read_report(self);
            pump_drain(self, true);
            return is_reported ? PUMP_REPORTED : PUMP_SHELL_EXITED;
        }
        if (fds[3].revents)
            pump_write(self);
    }
}

/* Hands `message` to the shell and waits for its report. `run` NULL: the output does not matter. */
static PumpEnd bash_shell_exchange(BashShell *self, const GString *message, const BashRun *run,
                                   Cancel *cancel, int64_t deadline, int *ret_status)
{
    g_autofree char *buffer = g_malloc(READ_BYTES);
    Pump pump = {
        .child = &self->child,
        .exit_fd = self->pidfd >= 0 ? self->pidfd : self->child.pidfd,
        .output_fd = self->child.output_fd,
        .report_fd = self->child.extra_out,
        .nonce = self->nonce,
        .buffer = buffer,
    };
    pump_drain(&pump, false); // leftovers of background children
    pump.run = run;
    pump.asked_ms = run ? lent_calls_asked_ms(run->context) : 0;
    pump.message = message->str;
    pump.message_left = message->len;
    PumpEnd end = pump_run(&pump, cancel, deadline);
    if (end != PUMP_REPORTED)
        return end;
    *ret_status = pump.status;
    if (self->pidfd < 0 && is_alive(pump.pid)) {
        self->pid = (pid_t)pump.pid;
        self->pidfd = (int)syscall(SYS_pidfd_open, self->pid, 0);
    }
    return end;
}

static bool has_exited(const BashShell *self)
{
    return is_over(self->pidfd >= 0 ? self->pidfd : self->child.pidfd, 0);
}

static void set_up(BashShell *self, Cancel *cancel, char *shell, const BashRun *run)
{
    self->shell = shell;
    self->env = bash_environment(run->settings, shell);
    if (!run->has_no_snapshot)
        self->snapshot = bash_snapshot_make(shell, (const char *const *)self->env, cancel);
}

static bool start_process(BashShell *self, const BashRun *run, const char *snapshot_path,
                          GError **error)
{
    g_auto(GStrv) env =
        run->keeps_cwd ? g_strdupv(self->env) : bash_guard_begin(&self->guard, self->env);
    g_free(self->nonce);
    self->nonce = g_strdup_printf("%08x%08x", g_random_int(), g_random_int());
    g_autofree char *program = bash_message_program(self->nonce, snapshot_path);
    const char *const bash[] = {
        self->shell, "--norc", "--noprofile", "-c", program, "bash", NULL
    };
    const char *const zsh[] = { self->shell, "-f", "/dev/fd/3", NULL };
    const char *const other[] = { self->shell, "/dev/fd/3", NULL };
    const char *const *argv = bash_shell_is(self->shell, "bash")  ? bash
                              : bash_shell_is(self->shell, "zsh") ? zsh
                                                                  : other;
    const ProcChildSpec spec = {
        .argv = argv,
        .cwd = run->cwd,
        .env = (const char *const *)env,
        // what a model runs has a guard instead, which also finds what has left the group
        .profile = run->keeps_cwd ? PROC_PROFILE_RUN : PROC_PROFILE_FREE,
        .has_extra = true,
        .has_go_between = true,
    };
    if (!proc_start(&spec, &self->child, error))
        return false;
    // a larger pipe is welcome, not needed
    (void)fcntl(self->child.output_fd, F_SETPIPE_SZ, (int)PIPE_BYTES);
    return fd_set_nonblocking(self->child.output_fd, error) &&
           fd_set_nonblocking(self->child.extra_in, error) &&
           fd_set_nonblocking(self->child.extra_out, error);
}

/* Starts the process and waits for its first report. The snapshot is on disk only meanwhile. */
static bool start_shell(BashShell *self, const BashRun *run, Cancel *cancel, int64_t deadline,
                        PumpEnd *ret_end, GError **error)
{
    g_autofree char *snapshot_path = self->snapshot ? bash_snapshot_write(self->snapshot) : NULL;
    bool is_started = start_process(self, run, snapshot_path, error);
    if (is_started) {
        g_autoptr(GString) message = bash_message_start(self->shell, self->nonce);
        int status = 0;
        *ret_end = bash_shell_exchange(self, message, NULL, cancel, deadline, &status);
    }
    if (snapshot_path)
        unlink(snapshot_path);
    if (is_started && *ret_end != PUMP_SHELL_EXITED)
        return true;
    forget_number(self);
    int status = proc_child_end(&self->child, EXIT_GRACE_MS);
    return is_started && fail_with(error, KEDGE_ERROR_FAILED,
                                   "cannot start %s: it exited with code %d", self->shell, status);
}

/* Makes sure that a shell is there. *ret_end is PUMP_REPORTED when it is. */
static bool ensure_shell(BashShell *self, const BashRun *run, Cancel *cancel, int64_t deadline,
                         PumpEnd *ret_end, GError **error)
{
    *ret_end = PUMP_REPORTED;
    look_after_left(self);
    if (self->child.pid > 0 && !has_exited(self))
        return true;
    unsigned running = 0;
    if (self->child.pid > 0)
        leave_shell(self, &running);

    char *shell = NULL;
    if (!self->shell && !bash_find_shell(run->settings, &shell, error))
        return false;
    if (shell)
        set_up(self, cancel, shell, run);
    return start_shell(self, run, cancel, deadline, ret_end, error);
}

/* The shell has ended without having read what it was told to do: `readonly IFS`, or a process of
   an earlier command that killed it just now. Then the command has not begun. */
static bool is_unread(const BashShell *self, const GString *message)
{
    int unread = 0;
    return bash_shell_is(self->shell, "bash") &&
           ioctl(self->child.extra_in, FIONREAD, &unread) == 0 && (size_t)unread == message->len;
}

static PumpEnd exchange_call(BashShell *self, const BashRun *run, Cancel *cancel, int64_t deadline,
                             BashOutcome *outcome, bool *ret_is_unread)
{
    g_autoptr(GString) message = bash_message_call(self->shell, self->nonce, run);
    PumpEnd end = bash_shell_exchange(self, message, run, cancel, deadline, &outcome->status);
    *ret_is_unread = end == PUMP_SHELL_EXITED && is_unread(self, message);
    return end;
}

static bool run_in_session(BashShell *self, const BashRun *run, Cancel *cancel,
                           BashOutcome *outcome, GError **error)
{
    int64_t deadline = time_monotonic_ms() + run->timeout_ms;
    PumpEnd end;
    bool has_not_begun = false;
    if (!ensure_shell(self, run, cancel, deadline, &end, error))
        return false;
    if (end == PUMP_REPORTED)
        end = exchange_call(self, run, cancel, deadline, outcome, &has_not_begun);
    if (has_not_begun) { // once more, in a new shell
        leave_shell(self, &outcome->left_running);
        outcome->has_shell_ended = true;
        if (!ensure_shell(self, run, cancel, deadline, &end, error))
            return false;
        if (end == PUMP_REPORTED)
            end = exchange_call(self, run, cancel, deadline, outcome, &has_not_begun);
    }
    outcome->end = end == PUMP_TIMED_OUT   ? BASH_TIMED_OUT
                   : end == PUMP_CANCELLED ? BASH_CANCELLED
                   : end == PUMP_PAINTED   ? BASH_PAINTED
                                           : BASH_EXITED;
    outcome->has_shell_ended =
        outcome->has_shell_ended || end == PUMP_SHELL_EXITED || end == PUMP_PAINTED;
    if (end == PUMP_PAINTED)
        bash_run_deliver(run, screen_watch_words, strlen(screen_watch_words));
    if (end == PUMP_SHELL_EXITED)
        outcome->status = leave_shell(self, &outcome->left_running);
    else if (end != PUMP_REPORTED) {
        forget_number(self);
        proc_child_end(&self->child, STOP_GRACE_MS);
        bash_guard_end(&self->guard, STOP_GRACE_MS);
    } else if (!self->was_told && is_over(self->child.pidfd, 0)) {
        outcome->has_lost_parent = self->was_told = true;
    }
    return true;
}

bool bash_shell_run(BashShell *self, const BashRun *run, Cancel *cancel, BashOutcome *ret_outcome,
                    GError **error)
{
    *ret_outcome = (BashOutcome) { .end = BASH_CANCELLED };
    if (cancel_has_fired(cancel))
        return true;
    if (run->is_apart || run->has_terminal)
        return bash_run_once(run, cancel, ret_outcome, error);

    pthread_mutex_lock(&self->lock);
    bool is_mine = !self->is_busy;
    self->is_busy = true;
    pthread_mutex_unlock(&self->lock);
    if (!is_mine) {
        ret_outcome->was_busy = true;
        return bash_run_once(run, cancel, ret_outcome, error);
    }

    bool is_run = run_in_session(self, run, cancel, ret_outcome, error);
    pthread_mutex_lock(&self->lock);
    self->is_busy = false;
    pthread_mutex_unlock(&self->lock);
    return is_run;
}

char *bash_shell_cwd(BashShell *self)
{
    g_autofree char *link = g_strdup_printf("/proc/%d/cwd", (int)self->pid);
    return self->pid > 0 ? g_file_read_link(link, NULL) : NULL;
}

static void *shell_create(void)
{
    return bash_shell_new();
}

static void shell_destroy(void *shell)
{
    bash_shell_free(shell);
}

BashShell *bash_shell_of(ToolContext *context)
{
    return tool_context_state(context, "bash", shell_create, shell_destroy);
}
