/*
 * Approval on the terminal device, not on standard input, which may be a pipe (gh-policy §5.4).
 */
#include "base/fd.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cmd/direct.h"

#include <fcntl.h>
#include <poll.h>

bool ask_has_terminal(void)
{
    g_auto(Fd) tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    return tty >= 0;
}

/* Control and direction characters are shown, so that a text cannot disguise itself. */
static char *visible(const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *p = text; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        bool is_hidden = (c < 0x20 && c != '\n') || (c >= 0x7f && c < 0xa0) || c == 0xfeff ||
                         (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
                         (c >= 0x2060 && c <= 0x2069) || (c >= 0xe0000 && c <= 0xe007f);
        if (is_hidden)
            g_string_append_printf(out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
        else
            g_string_append_unichar(out, c);
    }
    return g_string_free(out, FALSE);
}

/* The first letter of the answer line; '\0' at end of file. */
static bool read_answer(int tty, Cancel *cancel, char *ret_letter, GError **error)
{
    *ret_letter = '\0';
    for (;;) {
        struct pollfd fds[] = {
            { .fd = tty, .events = POLLIN },
            { .fd = cancel_fd(cancel), .events = POLLIN },
        };
        if (poll(fds, G_N_ELEMENTS(fds), -1) < 0)
            continue;
        if (!cancel_check(cancel, error))
            return false;
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
    g_autofree char *shown = visible(question->text);
    g_autofree char *text = g_strconcat(shown, "\nRun it? [y/N] ", NULL);
    if (!fd_write_all(tty, text, strlen(text), "/dev/tty", error))
        return false;
    char letter = '\0';
    if (!read_answer(tty, cancel, &letter, error))
        return false;
    *ret_approved = letter == 'y' || letter == 'Y';
    return true;
}
