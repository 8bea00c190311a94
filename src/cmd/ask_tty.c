/*
 * Approval on the terminal device, not on standard input, which may be a pipe (gh-policy §5.4).
 */
#include "base/fd.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "cmd/direct.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>

bool ask_has_terminal(void)
{
    g_auto(Fd) tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    return tty >= 0;
}

/* The first letter of the answer line; '\0' at end of file. */
static bool read_answer(int tty, Cancel *cancel, char *ret_letter, GError **error)
{
    *ret_letter = '\0';
    for (;;) {
        struct pollfd input = { .fd = tty, .events = POLLIN };
        cancel_poll(cancel, &input, 1, -1);
        if (!cancel_check(cancel, error))
            return false;
        if (input.revents == 0)
            continue;
        char letter = 0;
        ssize_t got = read(tty, &letter, 1);
        if (got <= 0 || letter == '\n')
            return true;
        if (*ret_letter == '\0' && letter != ' ')
            *ret_letter = letter;
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
    char letter = '\0';
    if (!read_answer(tty, cancel, &letter, error))
        return false;
    *ret_approved = letter == 'y' || letter == 'Y';
    return true;
}
