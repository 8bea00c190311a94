/*
 * A person's terminal for tests (tty_fixture.h).
 */
#include "tty_fixture.h"

#include "base/loop.h"
#include "tui/term/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#undef fork // base/banned.h: the tests play a shell

#define BIG_BYTES 300000

// ---- the job ----

typedef struct Job {
    Loop *loop;
    Terminal *terminal;
    int commands, reports;
} Job;

static const char *job_term; // of the process that the job is

static const char *job_env(const char *name)
{
    return g_str_equal(name, "TERM") ? job_term : NULL;
}

static void report(int fd, const char *word)
{
    g_autofree char *line = g_strconcat(word, ";", NULL);
    if (write(fd, line, strlen(line)) < 0)
        _exit(99);
}

static void on_event(const InputEvent *event, void *job_)
{
    Job *job = job_;
    if (event->kind == INPUT_KEY) {
        g_autofree char *word = g_strdup_printf("e%c", (int)event->key.code);
        report(job->reports, word);
        if (event->key.code == 'Z')
            terminal_suspend(job->terminal);
    }
}

#define REPORTS(name, word)                                                                        \
    static void name(void *job_)                                                                   \
    {                                                                                              \
        report(((Job *)job_)->reports, word);                                                      \
    }
REPORTS(on_resize, "z")
REPORTS(on_drained, "d")
REPORTS(on_resume, "r")
REPORTS(on_gone, "g")

static void G_GNUC_NORETURN job_end(Job *job, int status)
{
    terminal_free(job->terminal);
    report(job->reports, ".q");
    _exit(status);
}

static void on_end_signal(int signal_number G_GNUC_UNUSED, void *job_)
{
    Job *job = job_;
    report(job->reports, "h");
    loop_quit(job->loop);
}

static void write_many(Job *job, size_t size)
{
    g_autofree char *text = g_malloc(size);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + i % 23);
    terminal_write(job->terminal, text, size);
}

static void crash(char letter)
{
    static const struct {
        char letter;
        int number;
    } signals[] = { { 'S', SIGSEGV }, { 'B', SIGBUS }, { 'F', SIGFPE }, { 'k', SIGKILL } };
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        if (signals[i].letter == letter)
            kill(getpid(), signals[i].number);
    if (letter == 'A')
        abort();
}

static void obey(Job *job, char letter)
{
    char more;
    switch (letter) {
    case 'w':
        terminal_write(job->terminal, "frame", 5);
        break;
    case 'b':
        write_many(job, BIG_BYTES);
        break;
    case 'l':
        write_many(job, LIMIT_TERMINAL_QUEUE + 1);
        break;
    case 'z':
        terminal_suspend(job->terminal);
        break;
    case 'g':
        terminal_give(job->terminal);
        break;
    case 't':
        terminal_take(job->terminal);
        break;
    case 'T':
        terminal_set_title(job->terminal, "a title");
        break;
    case 'C':
        terminal_set_title(job->terminal, "");
        break;
    case 'a':
        terminal_write(job->terminal, "\x1b[?1049hviewer", 14);
        break;
    case 'n':
        terminal_write(job->terminal, "\x1b[?1049l", 8);
        break;
    case 'q':
        job_end(job, 0);
    case 'Q':
        report(job->reports, ".Q");
        if (read(job->commands, &more, 1) == 1)
            job_end(job, 0);
        break;
    case 'x':
        exit(3);
    default:
        crash(letter);
    }
}

static void on_command(int fd, short revents G_GNUC_UNUSED, void *job_)
{
    Job *job = job_;
    char letter;
    if (read(fd, &letter, 1) != 1)
        job_end(job, 0); // the test has ended
    obey(job, letter);
    const char word[] = { '.', letter, '\0' };
    report(job->reports, word);
}

static void G_GNUC_NORETURN job_run(int commands, int reports)
{
    Job job = { .loop = loop_new(), .commands = commands, .reports = reports };
    const TerminalSpec spec = {
        .loop = job.loop,
        .env = job_env,
        .on_event = on_event,
        .on_resize = on_resize,
        .on_writable = on_drained,
        .on_resume = on_resume,
        .on_gone = on_gone,
        .user_data = &job,
    };
    g_autoptr(GError) error = NULL;
    loop_add_end_signals(job.loop, on_end_signal, &job);
    if (!terminal_open(&spec, &job.terminal, &error)) {
        report(reports, error->message);
        _exit(98);
    }
    loop_add_fd(job.loop, commands, POLLIN, on_command, &job);
    report(reports, "open");
    loop_run(job.loop);
    job_end(&job, 15);
}

// ---- the shell ----

static pid_t shell_start(int commands, int reports)
{
    pid_t job = fork();
    if (job != 0)
        return job;
    setpgid(0, 0);
    tcsetpgrp(STDIN_FILENO, getpgrp()); // SIGTTOU is ignored
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    job_run(commands, reports);
}

/* A stopped job: the shell has the terminal, with its own settings, and does as it is told. */
static void shell_has_terminal(pid_t job, int commands)
{
    struct termios settings;
    char letter = '\0';
    tcsetpgrp(STDIN_FILENO, getpgrp());
    tcgetattr(STDIN_FILENO, &settings);
    settings.c_lflag |= ICANON | ECHO | ISIG;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
    if (read(commands, &letter, 1) != 1)
        _exit(0);
    if (letter == 'f')
        tcsetpgrp(STDIN_FILENO, job);
    if (letter == 't')
        kill(-job, SIGTERM);
    kill(-job, SIGCONT);
}

static void G_GNUC_NORETURN shell_run(int commands, int job_commands, int reports)
{
    static const int ignored[] = { SIGTTOU, SIGTTIN, SIGTSTP, SIGHUP, SIGINT };
    int status = 0;
    char end;
    for (size_t i = 0; i < G_N_ELEMENTS(ignored); i++)
        signal(ignored[i], SIG_IGN);
    pid_t job = shell_start(job_commands, reports);
    for (;;) {
        g_autofree char *word = NULL;
        if (waitpid(job, &status, WUNTRACED) < 0)
            _exit(97);
        if (WIFSTOPPED(status)) {
            g_autofree char *stopped = g_strdup_printf("S%d", (int)job);
            report(reports, stopped);
            shell_has_terminal(job, commands);
            continue;
        }
        word = WIFEXITED(status) ? g_strdup_printf("E%d", WEXITSTATUS(status))
                                 : g_strdup_printf("K%d", WTERMSIG(status));
        report(reports, word);
        break;
    }
    (void)!read(commands, &end, 1); // the session goes on until the test has seen all
    _exit(0);
}

// ---- the test ----

TtyFixture *tty_fixture_start(const char *term, bool has_shell)
{
    TtyFixture *self = g_new0(TtyFixture, 1);
    const struct winsize size = { .ws_col = 80, .ws_row = 24 };
    int shell[2], job[2], reports[2];
    char name[256];
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    job_term = term;
    assert_int_equal(pipe2(shell, O_CLOEXEC) | pipe2(job, O_CLOEXEC) | pipe2(reports, O_CLOEXEC),
                     0);
    assert_int_equal(openpty(&self->master, &self->slave, name, NULL, &size), 0);
    self->shell = fork();
    if (self->shell == 0) {
        close(shell[1]);
        close(job[1]);
        close(reports[0]);
        close(self->master);
        if (login_tty(self->slave) < 0)
            _exit(96);
        signal(SIGPIPE, SIG_IGN);
        g_free(self); // a leak checker looks at this process, too
        if (has_shell)
            shell_run(shell[0], job[0], reports[1]);
        job_run(job[0], reports[1]);
    }
    close(shell[0]);
    close(job[0]);
    close(reports[1]);
    self->to_shell = shell[1];
    self->to_job = job[1];
    self->from_both = reports[0];
    self->screen = g_string_new(NULL);
    self->reports = g_string_new(NULL);
    tty_fixture_await(self, "open");
    return self;
}

void tty_fixture_end(TtyFixture *self)
{
    close(self->to_shell);
    close(self->to_job);
    if (self->master >= 0)
        close(self->master);
    if (self->slave >= 0)
        close(self->slave);
    kill(self->shell, SIGKILL); // its session is hung up
    char byte;
    while (read(self->from_both, &byte, 1) > 0)
        continue; // the end of all who could report
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
    close(self->from_both);
    g_string_free(self->screen, TRUE);
    g_string_free(self->reports, TRUE);
    g_free(self);
}

void tty_fixture_tell(int fd, char letter)
{
    assert_int_equal(write(fd, &letter, 1), 1);
}

/* Takes what is there of both; false when nothing came in time, or nothing will. */
static bool take(TtyFixture *self, int timeout_ms)
{
    char buffer[4096];
    struct pollfd fds[] = {
        { .fd = self->from_both, .events = POLLIN },
        { .fd = self->master, .events = POLLIN },
    };
    bool is_taken = false;
    if (poll(fds, 2, timeout_ms) <= 0)
        return false;
    for (size_t i = 0; i < 2; i++) {
        ssize_t count = fds[i].revents ? read(fds[i].fd, buffer, sizeof(buffer)) : 0;
        if (count > 0)
            g_string_append_len(i == 0 ? self->reports : self->screen, buffer, count);
        is_taken = is_taken || count > 0;
    }
    return is_taken;
}

bool tty_fixture_has(TtyFixture *self, const char *report_)
{
    while (take(self, 0))
        continue;
    g_autofree char *word = g_strconcat(report_, ";", NULL);
    return strstr(self->reports->str, word) != NULL;
}

void tty_fixture_await(TtyFixture *self, const char *report_)
{
    g_autofree char *word = g_strconcat(report_, *report_ == 'S' ? "" : ";", NULL);
    char *found;
    while (!(found = strstr(self->reports->str, word)))
        if (!take(self, FIXTURE_MS))
            fail_msg("no report %s; there is '%s', screen '%s'", report_, self->reports->str,
                     self->screen->str);
    if (*report_ == 'S')
        self->job = (pid_t)g_ascii_strtoll(found + 1, NULL, 10);
    char *end = strchr(found, ';');
    g_string_erase(self->reports, found - self->reports->str, end + 1 - found);
}

char *tty_fixture_read(TtyFixture *self, size_t size)
{
    while (self->screen->len < size)
        if (!take(self, FIXTURE_MS))
            fail_msg("no more bytes than '%s'; reports '%s'", self->screen->str,
                     self->reports->str);
    char *bytes = g_strndup(self->screen->str, size);
    g_string_erase(self->screen, 0, (gssize)size);
    return bytes;
}

void tty_fixture_expect(TtyFixture *self, const char *bytes)
{
    g_autofree char *got = tty_fixture_read(self, strlen(bytes));
    g_autofree char *shown = g_strescape(got, NULL), *wanted = g_strescape(bytes, NULL);
    if (strcmp(got, bytes) != 0)
        fail_msg("got '%s', want '%s'", shown, wanted);
}

void tty_fixture_type(TtyFixture *self, const char *bytes)
{
    assert_int_equal(write(self->master, bytes, strlen(bytes)), strlen(bytes));
}

void tty_fixture_await_guardian(TtyFixture *self)
{
    int status = 0;
    pid_t pid = waitpid(-1, &status, 0); // the shell lives, and its job is its child
    assert_true(pid > 0 && pid != self->shell);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

void tty_fixture_await_settings(TtyFixture *self, bool is_cooked)
{
    const tcflag_t wanted = is_cooked ? ICANON | ECHO | ISIG : 0;
    struct termios now;
    for (int i = 0; i < FIXTURE_MS / 10; i++) {
        assert_int_equal(tcgetattr(self->slave, &now), 0);
        if ((now.c_lflag & (ICANON | ECHO | ISIG)) == wanted)
            return;
        g_usleep(10 * 1000);
    }
    fail_msg("the terminal is %s", is_cooked ? "still raw" : "not raw");
}
