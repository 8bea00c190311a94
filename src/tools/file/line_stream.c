/* See line_stream.h. */
#include "tools/file/line_stream.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <errno.h>
#include <unistd.h>

#define BUFFER_BYTES (64 * KIB)

struct LineStream {
    int fd;           // -1: a text
    const char *text; // what is left of it; borrowed
    size_t text_left;
    char *name;
    char *buffer;
    size_t at, used;
    bool has_begun; // the first bytes were read
    bool is_at_eof; // nothing behind the buffer
    bool is_inside; // in the middle of a line that was given out
    bool has_ended; // the last line was given out
};

LineStream *line_stream_new(int fd, const char *name)
{
    LineStream *self = g_new0(LineStream, 1);
    self->fd = fd;
    self->name = g_strdup(name);
    self->buffer = g_malloc(BUFFER_BYTES);
    return self;
}

LineStream *line_stream_new_text(const char *text, size_t size)
{
    LineStream *self = line_stream_new(-1, "a text");
    self->text = text;
    self->text_left = size;
    return self;
}

void line_stream_free(LineStream *self)
{
    if (!self)
        return;
    g_free(self->buffer);
    g_free(self->name);
    g_free(self);
}

static void copy_more(LineStream *self)
{
    size_t count = MIN(self->text_left, BUFFER_BYTES - self->used);
    memcpy(self->buffer + self->used, self->text, count);
    self->text += count;
    self->text_left -= count;
    self->used += count;
    self->is_at_eof = count == 0;
}

/* Reads behind what the buffer holds. */
static bool read_more(LineStream *self, GError **error)
{
    if (self->text) {
        copy_more(self);
        return true;
    }
    for (;;) {
        ssize_t count = read(self->fd, self->buffer + self->used, BUFFER_BYTES - self->used);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_with_errno(error, errno, "cannot read %s", self->name);
        self->used += (size_t)count;
        self->is_at_eof = count == 0;
        return true;
    }
}

/* Makes sure that the buffer holds something, unless the file is at its end. */
static bool line_stream_fill(LineStream *self, GError **error)
{
    if (!self->has_begun) {
        self->has_begun = true;
        while (!self->is_at_eof && self->used < BUFFER_BYTES)
            if (!read_more(self, error))
                return false;
        self->at = utf8_bom_size(self->buffer, self->used);
        return true;
    }
    if (self->at < self->used || self->is_at_eof)
        return true;
    self->at = self->used = 0;
    return read_more(self, error);
}

bool line_stream_peek(LineStream *self, const char **ret_data, size_t *ret_size, GError **error)
{
    if (!line_stream_fill(self, error))
        return false;
    *ret_data = self->buffer;
    *ret_size = self->used;
    return true;
}

bool line_stream_skip(LineStream *self, int64_t count, int64_t *ret_skipped, GError **error)
{
    int64_t skipped = 0;
    while (skipped < count && !self->has_ended) {
        if (!line_stream_fill(self, error))
            return false;
        if (self->at == self->used) { // the end: the line that ends here is passed over too
            self->has_ended = true;
            skipped++;
            break;
        }
        const char *newline = memchr(self->buffer + self->at, '\n', self->used - self->at);
        self->at = newline ? (size_t)(newline - self->buffer) + 1 : self->used;
        skipped += newline != NULL;
    }
    *ret_skipped = skipped;
    return true;
}

/* Appends what is no CR and no NUL. */
static void append_clean(GString *out, const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i] != '\r' && data[i] != '\0')
            g_string_append_c(out, data[i]);
}

bool line_stream_next(LineStream *self, size_t keep_bytes, StreamLine *line, bool *ret_has_line,
                      GError **error)
{
    int64_t skipped = 0;
    if (self->is_inside && !line_stream_skip(self, 1, &skipped, error))
        return false;
    self->is_inside = false;
    g_string_truncate(line->text, 0);
    line->size = 0;
    line->is_whole = true;
    *ret_has_line = !self->has_ended;
    uint64_t most = (uint64_t)keep_bytes + LIMIT_READ_AHEAD_BYTES;
    while (!self->has_ended) {
        if (!line_stream_fill(self, error))
            return false;
        const char *start = self->buffer + self->at;
        size_t left = self->used - self->at;
        const char *newline = left > 0 ? memchr(start, '\n', left) : NULL;
        size_t size = newline ? (size_t)(newline - start) : left;
        if (line->is_whole)
            append_clean(line->text, start, MIN(size, keep_bytes + 1));
        line->size += size;
        self->at += size + (newline != NULL);
        if (line->text->len > keep_bytes) {
            g_string_truncate(line->text, keep_bytes);
            line->is_whole = false;
        }
        self->is_inside = !newline && line->size > most;
        if (newline || self->is_inside)
            return true;
        self->has_ended = self->is_at_eof;
    }
    return true;
}

bool line_stream_count_rest(LineStream *self, int64_t *ret_lines, bool *ret_is_exact,
                            GError **error)
{
    uint64_t taken = 0;
    int64_t lines = self->is_inside ? -1 : 0;
    while (!self->has_ended && taken < LIMIT_READ_AHEAD_BYTES) {
        if (!line_stream_fill(self, error))
            return false;
        const char *end = self->buffer + self->used;
        for (const char *p = self->buffer + self->at;
             p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
            lines++;
        taken += self->used - self->at;
        self->at = self->used;
        self->has_ended = self->is_at_eof;
        lines += self->has_ended;
    }
    *ret_lines = MAX(lines + !self->has_ended, 0); // one at least goes on there
    *ret_is_exact = self->has_ended;
    return true;
}
