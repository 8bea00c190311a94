/* See comment_text.h. */
#include "agenttools/comments/comment_text.h"

#include "base/utf8.h"

#include <string.h>

#define BINARY_PROBE_BYTES ((size_t)8 * 1024)

void comment_text_clear(CommentText *self)
{
    g_clear_pointer(&self->data, g_free);
    g_clear_pointer(&self->lone_cr, g_array_unref);
}

bool comment_text_is_binary(const char *data, size_t size)
{
    return memchr(data, '\0', MIN(size, BINARY_PROBE_BYTES)) != NULL;
}

static size_t count_lines(const char *data, size_t size)
{
    size_t lines = 0;
    const char *end = data + size;
    for (const char *p = data; (p = memchr(p, '\n', (size_t)(end - p))); p++)
        lines++;
    return lines + (size > 0 && data[size - 1] != '\n');
}

/* Writes over the text it reads: it only ever gets shorter. */
static void unify_line_ends(CommentText *self)
{
    size_t out = 0;
    for (size_t in = 0; in < self->size; in++) {
        char c = self->data[in];
        if (c == '\r' && in + 1 < self->size && self->data[in + 1] == '\n')
            continue;
        if (c == '\r') {
            if (!self->lone_cr)
                self->lone_cr = g_array_new(FALSE, FALSE, sizeof(size_t));
            g_array_append_val(self->lone_cr, out);
            c = '\n';
        }
        self->data[out++] = c;
    }
    self->size = out;
    self->data[out] = '\0';
}

void comment_text_init(CommentText *self, const char *data, size_t size)
{
    size_t mark = utf8_bom_size(data, size);
    *self = (CommentText) { .data = utf8_from_bytes(data + mark, size - mark) };
    self->size = strlen(self->data);
    if (memchr(self->data, '\r', self->size))
        unify_line_ends(self);
    self->line_count = count_lines(self->data, self->size);
}

size_t comment_text_git_line(const CommentText *self, size_t line, size_t offset)
{
    if (!self->lone_cr)
        return line;
    size_t low = 0, high = self->lone_cr->len; // how many lone CR stand before the offset
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g_array_index(self->lone_cr, size_t, middle) < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return line - low;
}
