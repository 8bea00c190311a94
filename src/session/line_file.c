/* See line_file.h. */
#include "session/line_file.h"

#include "base/fd.h"

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
