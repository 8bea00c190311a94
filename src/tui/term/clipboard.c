/*
 * The clipboard by a program of this machine (clipboard.h).
 *
 * wl-copy and xclip go on in the background, where they answer whoever pastes. setsid takes them
 * out of the group that proc_run() ends.
 */
#include "tui/term/clipboard.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/worker.h"

#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

#define OUTPUT_BYTES (4 * KIB)

typedef struct ClipboardProgram {
    const char *variable; // that says it would work; NULL: being there is enough
    const char *argv[8];
} ClipboardProgram;

static const ClipboardProgram tmux_program = {
    "TMUX",
    { "tmux", "load-buffer", "-w", "-" },
};

static const ClipboardProgram local_programs[] = {
    { "WAYLAND_DISPLAY", { "setsid", "-w", "wl-copy", "--type", "text/plain" } },
    { "DISPLAY", { "setsid", "-w", "xclip", "-selection", "clipboard", "-in" } },
    { NULL, { "pbcopy" } },
};

struct Clipboard {
    Loop *loop; // borrowed
    ClipboardFunc refused;
    void *user_data;
    Worker *worker; // NULL: nothing is on its way
    LoopSource *source;
    int done_fd; // an eventfd that the worker writes to
    Cancel *cancel;
    const ClipboardProgram *program, *next_program;
    char *text, *next_text;
    bool is_taken; // the worker's result
};

Clipboard *clipboard_new(Loop *loop, ClipboardFunc refused, void *user_data)
{
    Clipboard *self = g_new0(Clipboard, 1);
    self->loop = loop;
    self->refused = refused;
    self->user_data = user_data;
    self->done_fd = -1;
    return self;
}

static void end_job(Clipboard *self)
{
    worker_join(self->worker);
    loop_remove(self->loop, self->source);
    fd_close(fd_steal(&self->done_fd));
    g_clear_pointer(&self->cancel, cancel_unref);
    g_clear_pointer(&self->text, g_free);
    self->worker = NULL;
    self->source = NULL;
}

void clipboard_free(Clipboard *self)
{
    if (!self)
        return;
    if (self->cancel)
        cancel_fire(self->cancel);
    end_job(self);
    g_free(self->next_text);
    g_free(self);
}

/* setsid and the program that it starts. */
static bool is_installed(const ClipboardProgram *program)
{
    g_autofree char *first = proc_find_program(program->argv[0]);
    bool has_second = first != NULL && g_str_equal(program->argv[0], "setsid");
    g_autofree char *second = has_second ? proc_find_program(program->argv[2]) : NULL;
    return first != NULL && (!has_second || second != NULL);
}

static const ClipboardProgram *find_program(const TermCaps *caps, EnvFunc env)
{
    if (caps->is_tmux)
        return is_installed(&tmux_program) ? &tmux_program : NULL;
    for (size_t i = 0; !caps->is_over_ssh && i < G_N_ELEMENTS(local_programs); i++) {
        const ClipboardProgram *program = &local_programs[i];
        const char *value = program->variable != NULL ? env(program->variable) : "1";
        if (value && *value != '\0' && is_installed(program))
            return program;
    }
    return NULL;
}

/* On the worker. */
static void run_program(void *self_)
{
    Clipboard *self = self_;
    const ProcSpec spec = {
        .argv = self->program->argv,
        .input = self->text,
        .profile = PROC_PROFILE_TOOL,
        .timeout_ms = CLIPBOARD_TIMEOUT_MS,
        .max_output_bytes = OUTPUT_BYTES,
    };
    g_auto(ProcResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    self->is_taken = proc_run(&spec, self->cancel, &result, &error) && result.exit_status == 0;
    if (!self->is_taken)
        log_debug("%s did not take the text: %s", spec.argv[0],
                  error != NULL ? error->message : result.output);
    eventfd_write(self->done_fd, 1);
}

static void clipboard_start(Clipboard *self, const ClipboardProgram *program, char *text);

static void on_done(int fd G_GNUC_UNUSED, short revents G_GNUC_UNUSED, void *self_)
{
    Clipboard *self = self_;
    char *next = g_steal_pointer(&self->next_text);
    worker_join(g_steal_pointer(&self->worker));
    if (!self->is_taken && !next)
        self->refused(self->text, self->user_data);
    end_job(self);
    if (next)
        clipboard_start(self, self->next_program, next);
}

/* Takes ownership of `text`. */
static void clipboard_start(Clipboard *self, const ClipboardProgram *program, char *text)
{
    self->program = program;
    self->text = text;
    self->cancel = cancel_new(NULL);
    self->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    self->is_taken = false;
    if (self->done_fd >= 0)
        self->worker = worker_start("clipboard", run_program, self);
    if (self->worker) {
        self->source = loop_add_fd(self->loop, self->done_fd, POLLIN, on_done, self);
        return;
    }
    self->refused(text, self->user_data); // no thread or descriptor is left
    end_job(self);
}

bool clipboard_copy(Clipboard *self, const char *text, const TermCaps *caps, EnvFunc env)
{
    const ClipboardProgram *program = find_program(caps, env);
    if (!program || strlen(text) > LIMIT_CLIPBOARD_BYTES)
        return false;
    if (!self->worker) {
        clipboard_start(self, program, g_strdup(text));
        return true;
    }
    g_free(self->next_text);
    self->next_text = g_strdup(text);
    self->next_program = program;
    return true;
}
