/* See line_file.h. */
#include "session/line_file.h"

#include "base/fd.h"

#include <errno.h>

#define READ_BYTES ((size_t)256 * 1024)

struct LineFile {
    int fd;
};

LineFile *line_file_new(int fd)
{
    LineFile *self = g_atomic_rc_box_new0(LineFile);
    self->fd = fd;
    return self;
}

LineFile *line_file_ref(LineFile *self)
{
    return g_atomic_rc_box_acquire(self);
}

static void close_file(void *self)
{
    fd_close(((LineFile *)self)->fd);
}

void line_file_unref(LineFile *self)
{
    if (self)
        g_atomic_rc_box_release_full(self, close_file);
}

int line_file_fd(const LineFile *self)
{
    return self->fd;
}

char *line_place_read(const LinePlace *place)
{
    g_autofree char *text = g_malloc(place->size + 1);
    if (fd_read_at(place->file->fd, text, place->size, place->offset) < place->size)
        return NULL;
    text[place->size] = '\0';
    return g_steal_pointer(&text);
}

// ---- lines one after the other ----

void line_reader_clear(LineReader *self)
{
    if (self->buffer)
        g_string_free(self->buffer, TRUE);
}

static bool reader_fill(LineReader *self)
{
    g_string_erase(self->buffer, 0, (gssize)self->start);
    self->start = 0;
    size_t before = self->buffer->len;
    g_string_set_size(self->buffer, before + READ_BYTES);
    ssize_t got =
        TEMP_FAILURE_RETRY(pread(self->fd, self->buffer->str + before, READ_BYTES, self->read_to));
    self->problem = got < 0 ? errno : 0;
    got = MAX(got, 0);
    g_string_set_size(self->buffer, before + (size_t)got);
    self->read_to += got;
    return got > 0;
}

bool line_reader_next(LineReader *self)
{
    if (!self->buffer) {
        self->buffer = g_string_sized_new(READ_BYTES);
        self->read_to = self->next_at = self->at;
    }
    self->start = self->next;
    self->at = self->next_at;
    size_t size = 0, seen = 0, left_out = 0;
    const char *newline = NULL;
    do {
        const char *text = self->buffer->str + self->start;
        size = self->buffer->len - self->start;
        newline = memchr(text + seen, '\n', size - seen);
        if (newline)
            size = (size_t)(newline - text);
        if (size > self->max_bytes) {
            left_out += size;
            self->start += size;
            size = 0;
        }
        seen = size;
    } while (!newline && reader_fill(self));
    self->has_end = newline != NULL;
    self->line = left_out > 0 ? NULL : self->buffer->str + self->start;
    self->size = left_out + size;
    self->next = self->start + size + self->has_end;
    self->next_at = self->at + (off_t)(self->size + self->has_end);
    return self->has_end || self->size > 0;
}
