/*
 * Typed lines (plain_lines.h).
 */
#include "tui/plain_lines.h"

#include "base/ansi.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <string.h>

struct PlainLines {
    GString *bytes;   // not looked at yet
    GString *message; // the lines of the present one, each with its end
};

PlainLines *plain_lines_new(void)
{
    PlainLines *self = g_new0(PlainLines, 1);
    self->bytes = g_string_new(NULL);
    self->message = g_string_new(NULL);
    return self;
}

void plain_lines_free(PlainLines *self)
{
    if (!self)
        return;
    g_string_free(self->bytes, TRUE);
    g_string_free(self->message, TRUE);
    g_free(self);
}

void plain_lines_push(PlainLines *self, const char *data, size_t size)
{
    g_string_append_len(self->bytes, data, (gssize)size);
}

static size_t count_backslashes(const char *line, size_t size)
{
    size_t count = 0;
    while (count < size && line[size - 1 - count] == '\\')
        count++;
    return count;
}

static char *take_message(PlainLines *self)
{
    g_autofree char *text = utf8_from_bytes(self->message->str, self->message->len);
    g_string_truncate(self->message, 0);
    return ansi_strip(text);
}

char *plain_lines_next(PlainLines *self)
{
    const char *newline = NULL;
    while ((newline = memchr(self->bytes->str, '\n', self->bytes->len))) {
        size_t size = (size_t)(newline - self->bytes->str);
        bool goes_on = count_backslashes(self->bytes->str, size) % 2 == 1 &&
                       self->message->len + size < LIMIT_CONSOLE_BYTES;
        g_string_append_len(self->message, self->bytes->str, (gssize)(goes_on ? size - 1 : size));
        g_string_erase(self->bytes, 0, (gssize)size + 1);
        if (!goes_on)
            return take_message(self);
        g_string_append_c(self->message, '\n');
    }
    return NULL;
}

bool plain_lines_goes_on(const PlainLines *self)
{
    return self->message->len > 0;
}

void plain_lines_forget(PlainLines *self)
{
    g_string_truncate(self->bytes, 0);
    g_string_truncate(self->message, 0);
}
