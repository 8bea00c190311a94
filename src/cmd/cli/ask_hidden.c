/* See ask_hidden.h. */
#include "cmd/cli/ask_hidden.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/timefmt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#define TERMINAL "/dev/tty"

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

bool ask_read_line(int fd, const char *name, GString *line, GError **error)
{
    char letter;
    ssize_t got;
    while ((got = read(fd, &letter, 1)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_with_errno(error, errno, "cannot read the %s", name);
        if (letter == '\n')
            break;
        if (line->len >= LIMIT_API_KEY_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT, "the %s is longer than %zu bytes", name,
                             LIMIT_API_KEY_BYTES);
        g_string_append_c(line, letter);
    }
    return true;
}

/* -1: for ever. */
static int time_left(const HiddenQuestion *question, gint64 started_at)
{
    if (question->timeout_ms <= 0)
        return -1;
    return (int)CLAMP(question->timeout_ms - (time_monotonic_ms() - started_at), 0, INT_MAX);
}

/* One line of a terminal that does not show what is typed; stops at one of the blocked `signals`,
   and when something else has answered. */
static bool read_unseen(const HiddenQuestion *question, int tty, const sigset_t *signals,
                        GString *line, GError **error)
{
    g_auto(Fd) signal_fd = signalfd(-1, signals, SFD_CLOEXEC);
    struct pollfd fds[] = {
        { .fd = tty, .events = POLLIN },
        { .fd = signal_fd, .events = POLLIN },
        { .fd = question->fd, .events = POLLIN },
    };
    gint64 started_at = time_monotonic_ms();
    while (true) {
        int count = poll(fds, G_N_ELEMENTS(fds), time_left(question, started_at));
        if (count < 0 && errno != EINTR)
            return fail_with_errno(error, errno, "cannot wait for an answer");
        if (count < 0)
            continue;
        if (count == 0)
            return fail_with(error, KEDGE_ERROR_TIMEOUT, "there was no answer within %d min",
                             (int)(question->timeout_ms / 60000));
        if (fds[1].revents != 0)
            return fail_with(error, KEDGE_ERROR_CANCELLED, "interrupted");
        if (fds[2].revents != 0 && question->is_answered(question->data))
            return true;
        if (fds[0].revents != 0)
            return ask_read_line(tty, "answer", line, error);
    }
}

bool ask_hidden(const HiddenQuestion *question, GString *line, GError **error)
{
    g_auto(Fd) tty = open(TERMINAL, O_RDWR | O_CLOEXEC | O_NOCTTY);
    struct termios before;
    if (tty < 0 || tcgetattr(tty, &before) < 0)
        return fail_with_errno(error, errno, "cannot ask on the terminal");
    struct termios hidden = before;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    sigset_t signals, mask_before;
    sigemptyset(&signals);
    for (size_t i = 0; i < G_N_ELEMENTS(ending_signals); i++)
        sigaddset(&signals, ending_signals[i]);
    bool is_ok = fd_write_all(tty, question->text, strlen(question->text), TERMINAL, error);

    sigprocmask(SIG_BLOCK, &signals, &mask_before);
    tcsetattr(tty, TCSAFLUSH, &hidden);
    is_ok = is_ok && read_unseen(question, tty, &signals, line, error);
    tcsetattr(tty, TCSAFLUSH, &before);
    sigprocmask(SIG_SETMASK, &mask_before, NULL); // the signal that came takes its effect
    return is_ok && fd_write_all(tty, "\n", 1, TERMINAL, error);
}
