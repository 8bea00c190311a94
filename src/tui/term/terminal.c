/*
 * The terminal (terminal.h): what is on and off, and who has it: we, another program, or no one.
 *
 * The descriptor is an own one of the terminal's, because O_NONBLOCK belongs to the open file: on
 * standard input it would be our children's and the shell's as well.
 */
#include "tui/term/terminal.h"

#include "base/env.h"
#include "base/fd.h"
#include "base/timefmt.h"
#include "tui/term/clipboard.h"
#include "tui/term/job.h"
#include "tui/term/output.h"
#include "tui/term/restore.h"
#include "tui/term/sequences.h"
#include "tui/term/terminfo.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    ESCAPE_MS = 10,
    ESCAPE_SSH_MS = 100,
    READ_BYTES = 16 * 1024,
    NAME_BYTES = 256,
    DRAIN_MS = 500,     // for what waits, before the modes are switched off
    LEAVE_MS = 2000,    // for that
    ANSWER_MS = 150,    // for an answer that is owed
    USUAL_COLUMNS = 80, // of a terminal that does not know its size
    USUAL_ROWS = 24,
    OWN_BYTES = 512 * 1024, // of the queue, for what is no frame: modes, a text for the clipboard
};

struct Terminal {
    TerminalSpec spec;
    int fd;
    TermCaps caps;
    Input *input;
    Output output;
    Clipboard *clipboard;
    TermModes modes; // that are on, or, while it is away, will be again
    struct termios cooked, raw;
    char *title;       // NULL: as it was
    bool is_started;   // the first bytes were written
    bool is_away;      // another program has it
    bool is_suspended; // is_away because of Ctrl+Z
    bool is_leaving;   // only answers are of interest
    bool is_feeding;   // `input` is at work: an event of it is being told
    bool is_gone;
    bool was_cut; // something was refused: all must be drawn again
    LoopSource *readable, *writable, *resized, *continued, *timer;
};

// ---- what is to be undone ----

/* Before a mode is switched on, and after it was switched off. */
static void terminal_publish(const Terminal *self)
{
    UndoPlan plan = { .cooked = self->cooked, .raw = self->raw };
    g_autoptr(GString) bytes = g_string_new(NULL);
    if (self->is_started)
        sequences_emergency(self->modes, self->caps.has_sync, bytes);
    g_assert(bytes->len <= sizeof(plan.bytes));
    plan.is_on = !self->is_away && !self->is_gone;
    plan.size = (unsigned)bytes->len;
    memcpy(plan.bytes, bytes->str, bytes->len);
    restore_set(&plan);
}

/* Nothing of it is touched any more. */
static void terminal_lose(Terminal *self)
{
    if (self->is_gone)
        return;
    self->is_gone = true;
    terminal_publish(self);
    loop_remove(self->spec.loop, g_steal_pointer(&self->readable));
    loop_remove(self->spec.loop, g_steal_pointer(&self->writable));
    loop_remove(self->spec.loop, g_steal_pointer(&self->timer));
    output_drop(&self->output);
    self->spec.on_gone(self->spec.user_data);
}

// ---- writing ----

static void on_writable(int fd, short revents, void *self_);

static void after_write(Terminal *self, OutputState state)
{
    self->was_cut = self->was_cut || state == OUTPUT_FULL;
    if (state == OUTPUT_GONE)
        terminal_lose(self);
    else if (state != OUTPUT_DONE && !self->writable)
        self->writable = loop_add_fd(self->spec.loop, self->fd, POLLOUT, on_writable, self);
}

static void on_writable(int fd G_GNUC_UNUSED, short revents, void *self_)
{
    Terminal *self = self_;
    OutputState state = (revents & POLLOUT) != 0 ? output_flush(&self->output) : OUTPUT_GONE;
    if (state == OUTPUT_WAITS)
        return;
    loop_remove(self->spec.loop, g_steal_pointer(&self->writable));
    if (state == OUTPUT_GONE) {
        terminal_lose(self);
        return;
    }
    bool was_cut = self->was_cut;
    self->was_cut = false;
    if (was_cut)
        self->spec.on_resume(self->spec.user_data);
    self->spec.on_writable(self->spec.user_data);
}

static bool is_ours(const Terminal *self)
{
    return !self->is_gone && !self->is_away;
}

/* What is wished before the first frame, or while another program has it, goes with what comes
   then, or nowhere. */
static void terminal_put(Terminal *self, const GString *bytes)
{
    if (bytes->len > 0 && is_ours(self) && self->is_started)
        after_write(self, output_write(&self->output, bytes->str, bytes->len));
}

static void switch_on(Terminal *self, TermModes modes)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    TermModes added = modes & ~self->modes;
    self->modes |= added;
    terminal_publish(self);
    sequences_on(added, bytes);
    terminal_put(self, bytes);
}

/* The other screen has a keyboard stack of its own; its owner only switches screens. */
static void follow_screen(Terminal *self, const char *bytes, size_t size, GString *out)
{
    static const char enter[] = "\x1b[?1049h", leave[] = "\x1b[?1049l";
    TermModes added = MODE_ALTERNATE;
    if (memmem(bytes, size, leave, strlen(leave))) {
        sequences_off(self->modes & MODE_ALTERNATE_KITTY, out);
        self->modes &= ~(TermModes)(MODE_ALTERNATE | MODE_ALTERNATE_KITTY);
        added = 0;
    }
    g_string_append_len(out, bytes, (gssize)size);
    if (added == 0 || !memmem(bytes, size, enter, strlen(enter)))
        return;
    if ((self->modes & MODE_KITTY) != 0)
        added |= MODE_ALTERNATE_KITTY;
    sequences_on(added & MODE_ALTERNATE_KITTY, out);
    self->modes |= added;
}

/* The modes and queries of the start. */
static void append_start(Terminal *self, GString *out)
{
    self->is_started = true;
    if (!self->caps.has_queries)
        return;
    self->modes |= MODE_BRACKETS | MODE_FOCUS | MODE_SCHEME;
    sequences_on(self->modes, out);
    sequences_queries(&self->caps, out);
    if (self->title)
        sequences_title(self->title, out);
}

void terminal_write(Terminal *self, const char *bytes, size_t size)
{
    if (!is_ours(self) || size == 0)
        return;
    if (size >
        LIMIT_TERMINAL_QUEUE - MIN(output_waiting_bytes(&self->output), LIMIT_TERMINAL_QUEUE)) {
        after_write(self, OUTPUT_FULL);
        return;
    }
    g_autoptr(GString) out = g_string_sized_new(size + 128);
    bool was_started = self->is_started;
    TermModes before = self->modes;
    if (!was_started)
        append_start(self, out);
    follow_screen(self, bytes, size, out);
    TermModes after = self->modes;
    self->modes |= before;
    if (!was_started || self->modes != before)
        terminal_publish(self);
    terminal_put(self, out);
    if (self->modes != after) {
        self->modes = after;
        terminal_publish(self);
    }
}

bool terminal_is_busy(const Terminal *self)
{
    return !is_ours(self) || output_waiting_bytes(&self->output) > 0;
}

// ---- reading ----

/* The keyboard protocol, once it is known which: the last answer says that no other one comes. */
static void settle_keyboard(Terminal *self)
{
    const TermModes of_keyboard = MODE_KITTY | MODE_OTHER_KEYS;
    if (!is_ours(self) || self->is_leaving || (self->modes & of_keyboard) != 0)
        return;
    if (self->caps.has_kitty) {
        switch_on(self, MODE_KITTY);
        input_set_kitty(self->input, true);
    } else if (self->caps.is_answered) {
        switch_on(self, MODE_OTHER_KEYS);
    }
}

static void take_answer(Terminal *self, const InputEvent *event)
{
    enum { CLUSTERS = 2027, IS_RESET = 2 };
    bool had_sync = self->caps.has_sync;
    caps_take_answer(&self->caps, event);
    input_set_brackets(self->input, self->caps.has_brackets);
    settle_keyboard(self);
    bool is_clusters = event->answer == ANSWER_MODE && event->number == CLUSTERS;
    if (is_clusters && event->value == IS_RESET && self->caps.has_clusters && is_ours(self) &&
        !self->is_leaving)
        switch_on(self, MODE_CLUSTERS);
    else if (self->caps.has_sync != had_sync)
        terminal_publish(self);
}

static void on_input(const InputEvent *event, void *self_)
{
    Terminal *self = self_;
    if (event->kind == INPUT_ANSWER)
        take_answer(self, event);
    if (!self->is_leaving && !self->is_gone)
        self->spec.on_event(event, self->spec.user_data);
}

static void on_timer(void *self_);

static void arm_timer(Terminal *self)
{
    gint64 at = input_deadline(self->input);
    loop_remove(self->spec.loop, g_steal_pointer(&self->timer));
    if (at != 0 && is_ours(self))
        self->timer =
            loop_add_timer(self->spec.loop, MAX(at - time_monotonic_ms(), 0), on_timer, self);
}

static void on_timer(void *self_)
{
    Terminal *self = self_;
    self->timer = NULL;
    self->is_feeding = true;
    input_timeout(self->input, time_monotonic_ms());
    self->is_feeding = false;
    arm_timer(self);
}

/* False: it has hung up. A process in the background whose group no one controls gets EIO, too. */
static bool read_some(Terminal *self, Input *input)
{
    char buffer[READ_BYTES];
    ssize_t count = read(self->fd, buffer, sizeof(buffer));
    if (count > 0)
        input_feed(input, buffer, (size_t)count, time_monotonic_ms());
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

static void on_readable(int fd G_GNUC_UNUSED, short revents, void *self_)
{
    Terminal *self = self_;
    self->is_feeding = true;
    bool is_there = (revents & POLLIN) != 0 && read_some(self, self->input);
    self->is_feeding = false;
    if (!is_there)
        terminal_lose(self);
    else
        arm_timer(self);
}

enum { EARLY_READS = 64 }; // more than anybody types before a question is drawn

void terminal_read_early(Terminal *self)
{
    for (int i = 0; i < EARLY_READS && !self->is_gone && !self->is_away && !self->is_feeding; i++) {
        struct pollfd there = { .fd = self->fd, .events = POLLIN };
        if (poll(&there, 1, 0) <= 0 || (there.revents & POLLIN) == 0)
            return;
        on_readable(self->fd, there.revents, self);
    }
}

bool terminal_flush(Terminal *self, int timeout_ms)
{
    return is_ours(self) && output_drain(&self->output, timeout_ms);
}

// ---- giving it away and taking it back ----

/* Keys that are typed meanwhile go with it: they came before the answer. Called for a key (Ctrl+Z),
   it reads with an input of its own, since ours is in the middle of that. */
static void await_answer(Terminal *self)
{
    g_autoptr(Input) own = self->is_feeding ? input_new(ESCAPE_MS, on_input, self) : NULL;
    gint64 until = time_monotonic_ms() + ANSWER_MS;
    while (self->caps.has_queries && !self->caps.is_answered) {
        gint64 left = until - time_monotonic_ms();
        struct pollfd ready = { .fd = self->fd, .events = POLLIN };
        if (left <= 0)
            return;
        if (poll(&ready, 1, (int)left) > 0 &&
            ((ready.revents & POLLIN) == 0 || !read_some(self, own != NULL ? own : self->input)))
            return;
    }
}

/* Modes off, cooked. False: the terminal takes nothing, so it is still on. */
static bool terminal_leave(Terminal *self)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    sigset_t before;
    job_block_stop(&before);
    bool is_drained = output_drain(&self->output, DRAIN_MS);
    self->is_leaving = true;
    if (!is_drained)
        output_drop(&self->output);
    if (self->is_started && is_drained)
        sequences_end(self->modes, bytes);
    else if (self->is_started)
        sequences_emergency(self->modes, self->caps.has_sync, bytes);
    output_write(&self->output, bytes->str, bytes->len);
    bool is_off = output_drain(&self->output, LEAVE_MS);
    output_drop(&self->output);
    if (self->is_started && is_off)
        await_answer(self);
    const UndoPlan settings = { .cooked = self->cooked, .raw = self->raw };
    undo_settings(self->fd, &settings, TCSADRAIN);
    job_unblock_stop(&before);
    self->is_leaving = false;
    loop_remove(self->spec.loop, g_steal_pointer(&self->readable));
    loop_remove(self->spec.loop, g_steal_pointer(&self->writable));
    loop_remove(self->spec.loop, g_steal_pointer(&self->timer));
    return is_off;
}

static void make_raw(Terminal *self)
{
    self->raw = self->cooked;
    cfmakeraw(&self->raw);
    self->raw.c_cc[VMIN] = 1;
    self->raw.c_cc[VTIME] = 0;
}

static void terminal_watch(Terminal *self)
{
    if (!self->readable)
        self->readable = loop_add_fd(self->spec.loop, self->fd, POLLIN, on_readable, self);
}

/* What the other program changed for good (stty) holds; raw settings are a crashed one's. */
static void keep_settings(Terminal *self)
{
    struct termios now;
    if (tcgetattr(self->fd, &now) < 0 || (now.c_lflag & ICANON) == 0)
        return;
    self->cooked = now;
    make_raw(self);
}

void terminal_give(Terminal *self)
{
    if (!is_ours(self))
        return;
    terminal_leave(self);
    self->is_away = true;
    terminal_publish(self);
}

/* Ours again, in the foreground. */
static void return_to(Terminal *self)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    keep_settings(self);
    self->is_away = self->is_suspended = self->was_cut = false;
    terminal_publish(self);
    tcsetattr(self->fd, TCSADRAIN, &self->raw);
    terminal_watch(self);
    if (!self->is_started)
        return;
    sequences_on(self->modes, bytes);
    if (self->title)
        sequences_title(self->title, bytes);
    terminal_put(self, bytes);
    settle_keyboard(self); // the answer may have come while it was left
}

void terminal_take(Terminal *self)
{
    sigset_t before;
    if (self->is_gone || !self->is_away || self->is_suspended)
        return;
    job_block_stop(&before);
    tcsetpgrp(self->fd, getpgrp());
    return_to(self);
    job_unblock_stop(&before);
}

// ---- stopping and going on ----

void terminal_suspend(Terminal *self)
{
    if (!is_ours(self))
        return;
    terminal_give(self);
    self->is_suspended = true;
    job_stop(SIGTSTP);
    if (job_reach_foreground(self->fd))
        return_to(self);
    self->spec.on_resume(self->spec.user_data);
}

/* After a SIGSTOP that no one could see coming: the shell had it meanwhile. Or after a Ctrl+Z that
   ended in the background. */
static void on_continue(int signal_number G_GNUC_UNUSED, void *self_)
{
    Terminal *self = self_;
    g_autoptr(GString) bytes = g_string_new(NULL);
    if ((!is_ours(self) && !self->is_suspended) || !job_reach_foreground(self->fd))
        return;
    if (self->is_suspended) {
        return_to(self);
    } else {
        tcsetattr(self->fd, TCSADRAIN, &self->raw);
        sequences_again(self->modes, bytes);
        terminal_put(self, bytes);
    }
    if (is_ours(self))
        self->spec.on_resume(self->spec.user_data);
}

static void on_window_change(int signal_number G_GNUC_UNUSED, void *self_)
{
    Terminal *self = self_;
    if (!self->is_gone)
        self->spec.on_resize(self->spec.user_data);
}

// ---- opening and closing ----

/* By its name; a terminal of another user (su) or of another mount namespace has none for us, but
   it is still that of the session. */
static int open_terminal(void)
{
    const int flags = O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    char name[NAME_BYTES];
    int fd = ttyname_r(STDIN_FILENO, name, sizeof(name)) == 0 ? open(name, flags) : -1;
    return fd >= 0 ? fd : open("/dev/tty", flags);
}

static void terminal_refuse(const char *text, void *self_);

static Terminal *terminal_new(const TerminalSpec *spec, int fd)
{
    Terminal *self = g_new0(Terminal, 1);
    self->spec = *spec;
    self->fd = fd;
    if (!spec->env)
        self->spec.env = env_get_raw;
    self->caps = caps_of_environment(self->spec.env, terminfo_colours);
    int escape_ms = self->caps.is_over_ssh ? ESCAPE_SSH_MS : ESCAPE_MS;
    self->input = input_new(spec->escape_ms > 0 ? spec->escape_ms : escape_ms, on_input, self);
    output_init(&self->output, fd, LIMIT_TERMINAL_QUEUE + OWN_BYTES);
    self->clipboard = clipboard_new(spec->loop, terminal_refuse, self);
    return self;
}

bool terminal_open(const TerminalSpec *spec, Terminal **ret_terminal, GError **error)
{
    if (!isatty(STDIN_FILENO))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "standard input is no terminal: use -p for non-interactive runs");
    g_auto(Fd) fd = open_terminal();
    struct termios cooked;
    if (fd < 0 || tcgetattr(fd, &cooked) < 0)
        return fail_with_errno(error, errno, "cannot open the terminal of standard input");

    Terminal *self = terminal_new(spec, fd_steal(&fd));
    self->cooked = cooked;
    make_raw(self);
    restore_begin(self->fd);
    terminal_publish(self);
    if (tcsetattr(self->fd, TCSADRAIN, &self->raw) < 0) {
        int failure = errno;
        terminal_free(self);
        return fail_with_errno(error, failure, "cannot set the terminal of standard input");
    }
    self->resized = loop_add_signal(spec->loop, SIGWINCH, on_window_change, self);
    self->continued = loop_add_signal(spec->loop, SIGCONT, on_continue, self);
    terminal_watch(self);
    *ret_terminal = self;
    return true;
}

void terminal_free(Terminal *self)
{
    if (!self)
        return;
    bool is_undone = !is_ours(self) || terminal_leave(self);
    restore_end(is_undone);
    loop_remove(self->spec.loop, self->resized);
    loop_remove(self->spec.loop, self->continued);
    loop_remove(self->spec.loop, self->readable);
    loop_remove(self->spec.loop, self->writable);
    loop_remove(self->spec.loop, self->timer);
    clipboard_free(self->clipboard);
    input_free(self->input);
    output_clear(&self->output);
    fd_close(self->fd);
    g_free(self->title);
    g_free(self);
}

const TermCaps *terminal_caps(const Terminal *self)
{
    return &self->caps;
}

TerminalSize terminal_size(Terminal *self)
{
    struct winsize size = { 0 };
    if (!self->is_gone)
        (void)ioctl(self->fd, TIOCGWINSZ, &size);
    bool has_cells = size.ws_col > 0 && size.ws_row > 0;
    return (TerminalSize) {
        .columns = size.ws_col > 0 ? size.ws_col : USUAL_COLUMNS,
        .rows = size.ws_row > 0 ? size.ws_row : USUAL_ROWS,
        .cell_width = has_cells ? size.ws_xpixel / size.ws_col : 0,
        .cell_height = has_cells ? size.ws_ypixel / size.ws_row : 0,
    };
}

// ---- title, notification, clipboard ----

void terminal_set_title(Terminal *self, const char *title)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    if (!self->caps.has_queries || g_strcmp0(title, self->title) == 0)
        return;
    g_free(self->title);
    self->title = *title != '\0' ? g_strdup(title) : NULL;
    if (self->title) {
        switch_on(self, MODE_TITLE);
        sequences_title(self->title, bytes);
    } else if ((self->modes & MODE_TITLE) != 0) {
        sequences_off(MODE_TITLE, bytes);
        self->modes &= ~(TermModes)MODE_TITLE;
    }
    terminal_put(self, bytes);
    terminal_publish(self);
}

void terminal_notify(Terminal *self, const char *text)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    sequences_notify(text, &self->caps, self->spec.env, bytes);
    terminal_put(self, bytes);
}

/* No program took it: the terminal may. */
static void terminal_refuse(const char *text, void *self_)
{
    Terminal *self = self_;
    g_autoptr(GString) bytes = g_string_new(NULL);
    if (self->caps.is_tmux)
        sequences_clipboard(text, &self->caps, bytes);
    terminal_put(self, bytes);
}

bool terminal_copy(Terminal *self, const char *text)
{
    g_autoptr(GString) bytes = g_string_new(NULL);
    bool is_taken = clipboard_copy(self->clipboard, text, &self->caps, self->spec.env);
    if (!is_taken || !self->caps.is_tmux)
        sequences_clipboard(text, &self->caps, bytes);
    terminal_put(self, bytes);
    return is_taken || bytes->len > 0;
}
