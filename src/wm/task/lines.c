/* See lines.h. */
#include "wm/task/lines.h"

#include <string.h>

static void append(WmLines *self, const char *data, size_t size)
{
    if (!self->line)
        self->line = g_string_new(NULL);
    size_t room = self->max_bytes - self->line->len;
    self->is_cut = self->is_cut || size > room;
    g_string_append_len(self->line, data, (gssize)MIN(size, room));
}

static void end_line(WmLines *self)
{
    self->take(self->line->str, self->line->len, self->is_cut, self->user_data);
    self->is_cut = false;
    g_string_truncate(self->line, 0);
}

void wm_lines_push(WmLines *self, const char *data, size_t size)
{
    while (size > 0) {
        const char *end = memchr(data, '\n', size);
        size_t part = end ? (size_t)(end - data) : size;
        append(self, data, part);
        if (!end)
            return;
        end_line(self);
        data += part + 1;
        size -= part + 1;
    }
}

void wm_lines_finish(WmLines *self)
{
    if (self->line && self->line->len > 0)
        end_line(self);
}

void wm_lines_clear(WmLines *self)
{
    if (self->line)
        g_string_free(self->line, TRUE);
    self->line = NULL;
}
