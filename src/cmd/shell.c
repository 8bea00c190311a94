/*
 * `kedge shell`: a person at the shell of the bash tool (agent-core §1.8). What is typed runs as
 * the model's commands do: in one shell that lives on, without a terminal and without credentials.
 *
 * Each step, reading a command or running it, is a piece of work with signals around it: Ctrl-C
 * ends the step, not the program.
 */
#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/path.h"
#include "base/visible.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#define READ_BYTES (64 * KIB)
#define TIMED_OUT  124 // as timeout(1) has it
#define EACH_LINE  100 // so many lines of a command are looked at one by one

typedef struct ShellOptions {
    const char *cwd;
    int64_t timeout_ms;
    bool has_no_snapshot;
} ShellOptions;

static const FieldDef shell_options[] = {
    { "cwd", FIELD_STRING, offsetof(ShellOptions, cwd), .short_flag = 'C', .refuses_blank = true,
      .value_name = "DIR", .help = "Start in this directory" },
    { "timeout", FIELD_INTEGER, offsetof(ShellOptions, timeout_ms), .short_flag = 't', .min = 1,
      .max = LIMIT_USER_COMMAND_MS, .value_name = "MS",
      .help = "Stop a command after so many milliseconds (default: a day)" },
    { "noSnapshot", FIELD_BOOLEAN, offsetof(ShellOptions, has_no_snapshot),
      .help = "Leave out the functions, aliases and options of ~/.bashrc" },
    { 0 },
};

typedef struct Shell {
    const ShellOptions *options;
    const UserConsole *console;
    ToolContext *context;
    Cancel *cancel;   // of the present step
    GString *unread;  // of standard input
    GString *command; // what was typed of it
    size_t asked;     // how often bash was asked whether it is complete
    size_t asked_len; // of what, the last time
    char *cwd;
    Fd terminal; // that somebody types at; -1: none
    bool is_at_end, is_complete;
    int status;
    ConsoleOutcome outcome;
    GError *error;
} Shell;

static void shell_clear(Shell *self)
{
    tool_context_free(self->context);
    fd_close(self->terminal);
    g_string_free(self->unread, TRUE);
    g_string_free(self->command, TRUE);
    g_free(self->cwd);
    console_outcome_clear(&self->outcome);
    g_clear_error(&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Shell, shell_clear)

/* One more piece of standard input; at its end is_at_end. */
static bool read_piece(Shell *self)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    cancel_poll(self->cancel, &input, 1, -1);
    if (!cancel_check(self->cancel, &self->error))
        return false;
    if (input.revents == 0)
        return true;
    char buffer[READ_BYTES];
    ssize_t count = read(STDIN_FILENO, buffer, sizeof(buffer));
    if (count > 0)
        g_string_append_len(self->unread, buffer, count);
    else if (count == 0 || (errno != EINTR && errno != EAGAIN))
        self->is_at_end = true;
    return true;
}

/* The next line after what is there of the command. What is left at the end of the input is a
   line, too. */
static bool read_line(Shell *self)
{
    const char *newline = NULL;
    while (!(newline = strchr(self->unread->str, '\n')) && !self->is_at_end) {
        if (self->command->len + self->unread->len > LIMIT_CONSOLE_BYTES)
            return fail_with(&self->error, KEDGE_ERROR_LIMIT, "a command has more than %d bytes",
                             (int)LIMIT_CONSOLE_BYTES);
        if (!read_piece(self))
            return false;
    }
    size_t size = newline ? (size_t)(newline - self->unread->str) : self->unread->len;
    if (self->command->len > 0)
        g_string_append_c(self->command, '\n');
    g_string_append_len(self->command, self->unread->str, (gssize)size);
    g_string_erase(self->unread, 0, (gssize)(size + (newline ? 1 : 0)));
    return true;
}

static bool ends_with_backslash(const GString *text)
{
    size_t count = 0;
    while (count < text->len && text->str[text->len - 1 - count] == '\\')
        count++;
    return count % 2 == 1;
}

static ConsoleCommand console_command(const Shell *self)
{
    return (ConsoleCommand) {
        .text = self->command->str,
        .cwd = self->cwd,
        .last_status = self->status,
        .timeout_ms = self->options->timeout_ms ? self->options->timeout_ms : LIMIT_USER_COMMAND_MS,
        .has_no_snapshot = self->options->has_no_snapshot,
    };
}

/* To ask at each line of a long command would parse its beginning again and again. What is piped in
   can wait until it has grown by an eighth; it may then hold the commands after it, too. */
static bool is_worth_asking(const Shell *self)
{
    return self->terminal >= 0 || self->asked < EACH_LINE ||
           self->command->len >= self->asked_len + self->asked_len / 8;
}

static void read_work(void *data)
{
    Shell *self = data;
    self->is_complete = false;
    if (!read_line(self))
        return;
    if (self->is_at_end) { // what is left open is for the shell to say
        self->is_complete = true;
        return;
    }
    if (ends_with_backslash(self->command) || !is_worth_asking(self))
        return;
    self->asked++;
    self->asked_len = self->command->len;
    bool needs_more = false;
    self->is_complete = self->console->needs_more(self->context, self->command->str, self->cancel,
                                                  &needs_more, &self->error) &&
                        !needs_more;
}

static void forget_command(Shell *self)
{
    g_string_truncate(self->command, 0);
    self->asked = self->asked_len = 0;
}

static void print_output(const char *data, size_t size, void *user_data)
{
    Shell *self = user_data;
    if (!self->error && !fd_write_all(STDOUT_FILENO, data, size, "standard output", &self->error))
        cancel_fire(self->cancel); // no one reads it
}

static void run_work(void *data)
{
    Shell *self = data;
    g_autoptr(GError) error = NULL;
    ConsoleCommand command = console_command(self);
    command.on_output = print_output;
    command.user_data = self;
    console_outcome_clear(&self->outcome);
    self->outcome = (ConsoleOutcome) { 0 };
    if (!self->console->run(self->context, &command, self->cancel, &self->outcome, &error) &&
        !self->error)
        self->error = g_steal_pointer(&error);
}

static void shell_prompt(const Shell *self)
{
    if (self->terminal < 0)
        return;
    g_autofree char *name = g_path_get_basename(self->cwd);
    g_autoptr(GString) text = g_string_new("kedge ");
    visible_append(text, self->command->len > 0 ? "" : name);
    g_string_append(text, self->command->len > 0 ? "> " : "$ ");
    fd_write_all(self->terminal, text->str, text->len, "the terminal", NULL);
}

static int shell_step(Shell *self, void (*work)(void *data))
{
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    self->cancel = cancel;
    int signal_number = interrupt_run(work, self, cancel);
    self->cancel = NULL;
    return signal_number;
}

/* Where a new shell can stand: what was there may be gone. */
static void keep_cwd(Shell *self)
{
    if (self->outcome.cwd && file_is_directory(self->outcome.cwd)) {
        g_free(self->cwd);
        self->cwd = g_strdup(self->outcome.cwd);
    }
    while (!file_is_directory(self->cwd) && strcmp(self->cwd, "/") != 0) {
        char *above = g_path_get_dirname(self->cwd);
        g_free(self->cwd);
        self->cwd = above;
    }
}

/* False: that was the last one. */
static bool take_outcome(Shell *self, int signal_number)
{
    const ConsoleOutcome *outcome = &self->outcome;
    keep_cwd(self);
    self->status = outcome->status;
    if (outcome->is_cancelled)
        self->status = signal_number ? interrupt_exit_code(signal_number) : EXIT_FAILED;
    if (outcome->is_timed_out) {
        log_text("stopped after %" G_GINT64_FORMAT " ms", self->options->timeout_ms);
        self->status = TIMED_OUT;
    }
    if (outcome->has_shell_ended || self->error || (signal_number && signal_number != SIGINT))
        return false;
    if (outcome->is_cancelled && self->terminal < 0)
        return false;
    if (outcome->is_cancelled || outcome->is_timed_out)
        log_text("the shell is a new one: variables, functions and options are gone");
    return true;
}

static int shell_finish(const Shell *self)
{
    if (!self->error || cmd_is_reader_gone())
        return self->status;
    return cmd_fail(self->error);
}

/* Ctrl-C between two steps, after the prompt and before anybody reads, waits for the next one: it
 * does not end the console. */
static void hold_interrupts(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int shell_converse(Shell *self)
{
    hold_interrupts();
    for (;;) {
        shell_prompt(self);
        int signal_number = shell_step(self, read_work);
        if (signal_number == SIGINT && self->terminal >= 0) { // another try
            g_clear_error(&self->error);
            forget_command(self);
            fd_write_all(self->terminal, "\n", 1, "the terminal", NULL);
            continue;
        }
        if (signal_number)
            return interrupt_exit_code(signal_number);
        if (self->error)
            return shell_finish(self);
        if (!self->is_complete)
            continue;
        bool has_command = strspn(self->command->str, " \t\r\n") < self->command->len;
        if (has_command && !take_outcome(self, shell_step(self, run_work)))
            return shell_finish(self);
        forget_command(self);
        if (self->is_at_end && self->unread->len == 0)
            return self->status;
    }
}

static int shell_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    ShellOptions options = { 0 };
    if (!cmd_decode_options(shell_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    g_autofree char *here = g_get_current_dir();
    g_autofree char *given = options.cwd ? path_expand_home(options.cwd) : g_strdup(here);
    g_autofree char *cwd = g_canonicalize_filename(given, here);
    if (!file_is_directory(cwd)) {
        log_error(file_exists(cwd) ? "%s is no directory" : "there is no directory %s", cwd);
        return EXIT_FAILED;
    }
    g_autoptr(Settings) settings = cmd_load_settings(cwd);
    g_auto(Shell) shell = {
        .options = &options,
        .console = env->console,
        .context = tool_context_new(cwd, settings, NULL),
        .unread = g_string_new(NULL),
        .command = g_string_new(NULL),
        .cwd = g_steal_pointer(&cwd),
        .terminal = isatty(STDIN_FILENO) ? open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1,
    };
    return shell_converse(&shell);
}

const Command command_shell = {
    .name = "shell",
    .summary = "Type commands into the shell that the bash tool uses",
    .usage = "[-C DIR] [-t MS] [--no-snapshot]",
    .options = shell_options,
    .help = "They run as a model's commands do: in one shell, whose variables, functions and "
            "directory stay,\n"
            "without a terminal, without input and without credentials in the environment. Ctrl-C "
            "stops a\n"
            "command, `exit` or Ctrl-D ends the shell, and its background processes with it. "
            "Commands can\n"
            "be piped in; the exit code is that of the last one.\n"
            "  kedge shell -C ~/project\n"
            "  echo 'env | sort' | kedge shell --no-snapshot",
    .run = shell_run,
};
