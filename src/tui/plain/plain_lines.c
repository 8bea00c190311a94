/* See plain_lines.h. */
#include "tui/plain/plain_lines.h"

#include "base/ansi.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <string.h>

enum { TERMINAL_LINE_BYTES = 4095 }; // that Linux keeps of one

struct PlainLines {
    GString *bytes;   // not looked at yet
    GString *message; // the lines of the present one, each with its end
    bool is_early, is_cut;
};

void plain_message_clear(PlainMessage *self)
{
    g_free(self->text);
}

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

static char *clean_text(const GString *bytes)
{
    g_autofree char *text = utf8_from_bytes(bytes->str, bytes->len);
    return ansi_strip(text);
}

static PlainMessage take_message(PlainLines *self)
{
    const PlainMessage message = { clean_text(self->message), self->is_early, self->is_cut };
    g_string_truncate(self->message, 0);
    self->is_early = self->is_cut = false;
    return message;
}

bool plain_lines_next(PlainLines *self, PlainMessage *ret_message)
{
    const char *newline = NULL;
    while ((newline = memchr(self->bytes->str, '\n', self->bytes->len))) {
        size_t size = (size_t)(newline - self->bytes->str);
        bool goes_on = count_backslashes(self->bytes->str, size) % 2 == 1 &&
                       self->message->len + size < LIMIT_CONSOLE_BYTES;
        g_string_append_len(self->message, self->bytes->str, (gssize)(goes_on ? size - 1 : size));
        g_string_erase(self->bytes, 0, (gssize)size + 1);
        self->is_cut = self->is_cut || size >= TERMINAL_LINE_BYTES;
        if (!goes_on) {
            *ret_message = take_message(self);
            return true;
        }
        g_string_append_c(self->message, '\n');
    }
    return false;
}

bool plain_lines_goes_on(const PlainLines *self)
{
    return self->message->len > 0;
}

char *plain_lines_begun(const PlainLines *self)
{
    return self->bytes->len > 0 ? clean_text(self->bytes) : NULL;
}

void plain_lines_mark_early(PlainLines *self)
{
    self->is_early = self->bytes->len > 0 || self->message->len > 0;
}

void plain_lines_forget(PlainLines *self)
{
    self->is_early = self->is_cut = false;
    g_string_truncate(self->bytes, 0);
    g_string_truncate(self->message, 0);
}
