/*
 * Approval and choices on the terminal device, not on standard input, which may be a pipe
 * (gh-policy §5.4, agent-tools §3.20).
 */
#include "base/fd.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "cmd/cli/direct.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>

#define MAX_LINE_BYTES (64 * 1024)

bool ask_has_terminal(void)
{
    g_auto(Fd) tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    return tty >= 0;
}

/* A line without its end. *ret_end: CANCELLED at end of file, TIMED_OUT at `until_ms` (0: never).
 */
static bool read_line(int tty, int64_t until_ms, Cancel *cancel, GString *line, ChoiceEnd *ret_end,
                      GError **error)
{
    for (;;) {
        struct pollfd input = { .fd = tty, .events = POLLIN };
        int64_t left_ms = until_ms > 0 ? until_ms - time_monotonic_ms() : -1;
        *ret_end = CHOICE_TIMED_OUT;
        if (until_ms > 0 && left_ms <= 0)
            return true;
        cancel_poll(cancel, &input, 1, left_ms);
        if (!cancel_check(cancel, error))
            return false;
        if (input.revents == 0)
            continue;
        char letter = 0;
        ssize_t got = read(tty, &letter, 1);
        *ret_end = got <= 0 ? CHOICE_CANCELLED : CHOICE_MADE;
        if (got <= 0 || letter == '\n')
            return true;
        if (line->len < MAX_LINE_BYTES)
            g_string_append_c(line, letter);
    }
}

bool ask_on_terminal(const ToolQuestion *question, Cancel *cancel, bool *ret_approved,
                     void *user_data, GError **error)
{
    g_auto(Fd) tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (tty < 0)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "refused: the terminal cannot be opened to ask");
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *masked = mask_text(question->text);
    visible_append_lines(text, masked); // whoever wrote it: it cannot disguise itself
    g_string_append(text, "\nRun it? [y/N] ");
    tcflush(tty, TCIFLUSH); // what was typed before was meant for something else (common §4.3)
    if (!fd_write_all(tty, text->str, text->len, "/dev/tty", error))
        return false;
    g_autoptr(GString) line = g_string_new(NULL);
    ChoiceEnd end;
    if (!read_line(tty, 0, cancel, line, &end, error))
        return false;
    char letter = line->str[strspn(line->str, " ")];
    *ret_approved = letter == 'y' || letter == 'Y';
    return true;
}

// ---- choices ----

bool ask_has_person(void)
{
    g_auto(Fd) tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    return tty >= 0 && isatty(STDIN_FILENO) && isatty(STDERR_FILENO) &&
           tcgetpgrp(tty) == getpgrp(); // in the background it would be stopped
}

static char *choice_text(const ToolChoice *choice)
{
    GString *text = g_string_new("\n");
    visible_append_lines(text, choice->title);
    for (size_t i = 0; choice->options && choice->options[i]; i++) {
        g_string_append_printf(text, "\n  %zu. ", i + 1);
        visible_append_lines(text, choice->options[i]);
    }
    if (choice->options)
        g_string_append_printf(text,
                               "\nNumber [%zu], or an answer of your own: ", choice->marked + 1);
    else
        g_string_append(text, "\nYour answer: ");
    return g_string_free(text, FALSE);
}

/* What a line stands for: the option of that number, the marked one, else
   itself. NULL: there is no such number. */
static char *chosen_text(const ToolChoice *choice, const char *line)
{
    int64_t number = (int64_t)choice->marked + 1;
    if (!choice->options || (*line && !str_parse_int(line, &number)))
        return g_strdup(line);
    int64_t count = (int64_t)g_strv_length((char **)choice->options);
    return number >= 1 && number <= count ? g_strdup(choice->options[number - 1]) : NULL;
}

bool choose_on_terminal(const ToolChoice *choice, Cancel *cancel, ChoiceEnd *ret_end,
                        char **ret_text, void *user_data, GError **error)
{
    g_auto(Fd) tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (tty < 0)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "refused: the terminal cannot be opened to ask");
    int64_t until_ms = choice->timeout_ms > 0 ? time_monotonic_ms() + choice->timeout_ms : 0;
    g_autofree char *text = choice_text(choice), *chosen = NULL;
    ChoiceEnd end = CHOICE_MADE;
    while (end == CHOICE_MADE && !chosen) {
        g_autoptr(GString) line = g_string_new(NULL);
        tcflush(tty, TCIFLUSH); // what was typed before was meant for something
                                // else (common §4.3)
        if (!fd_write_all(tty, text, strlen(text), "/dev/tty", error) ||
            !read_line(tty, until_ms, cancel, line, &end, error))
            return false;
        g_autofree char *valid = utf8_from_bytes(line->str, line->len);
        g_autofree char *trimmed = utf8_trim(valid);
        chosen = end == CHOICE_MADE ? chosen_text(choice, trimmed) : NULL;
    }
    *ret_end = end;
    *ret_text = g_steal_pointer(&chosen);
    return true;
}
