/*
 * Artifacts in the making (artifact_writer.h).
 *
 * The first half goes straight into the file. What comes behind it goes round in a file without a
 * name, which always holds the end, so that memory stays bounded.
 */
#include "session/artifact_writer.h"

#include "base/fd.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <unistd.h>

#define MAX_CREATE_TRIES 64
#define COPY_BYTES       (64 * KIB)
#define MAX_LINE_SEARCH  (1 * MIB) // how far a whole line is looked for at the cut

struct ArtifactWriter {
    char *path, *id;
    Fd fd;
    Fd ring;               // -1: not needed yet
    uint64_t half_bytes;   // of the file, and of the ring
    uint64_t head_bytes;   // in the file
    uint64_t behind_bytes; // that went into the ring, ever
    uint64_t head_newlines, behind_newlines;
};

/* A new file; another process on the same session may have taken the id, then the next one is
 * tried. */
static int create_file(ArtifactWriter *self, Artifacts *artifacts, const char *tool)
{
    for (int tries = 0; tries < MAX_CREATE_TRIES; tries++) {
        g_clear_pointer(&self->path, g_free);
        g_clear_pointer(&self->id, g_free);
        if (!artifacts_allocate(artifacts, tool, &self->path, &self->id, NULL))
            return -1;
        int fd = open(self->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

ArtifactWriter *artifact_writer_new(Artifacts *artifacts, const char *tool, uint64_t max_bytes)
{
    g_autoptr(ArtifactWriter) self = g_new0(ArtifactWriter, 1);
    self->ring = -1;
    self->half_bytes = max_bytes / 2;
    self->fd = create_file(self, artifacts, tool);
    return self->fd >= 0 ? g_steal_pointer(&self) : NULL;
}

void artifact_writer_free(ArtifactWriter *self)
{
    if (!self)
        return;
    fd_close(self->fd);
    fd_close(self->ring);
    g_free(self->path);
    g_free(self->id);
    g_free(self);
}

const char *artifact_writer_id(const ArtifactWriter *self)
{
    return self->id;
}

static uint64_t count_newlines(const char *text, size_t size)
{
    uint64_t count = 0;
    const char *end = text + size;
    for (const char *p = text; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        count++;
    return count;
}

/* A file without a name beside the artifact. */
static int open_ring(const ArtifactWriter *self)
{
    g_autofree char *dir = g_path_get_dirname(self->path);
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd;
    g_autofree char *path = g_strconcat(self->path, ".end", NULL);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static bool write_at(int fd, const char *data, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t count = pwrite(fd, data, size, (off_t)offset);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        data += count;
        size -= (size_t)count;
        offset += (uint64_t)count;
    }
    return true;
}

static bool append_behind(ArtifactWriter *self, const char *text, size_t size)
{
    if (self->ring < 0)
        self->ring = open_ring(self);
    if (self->ring < 0)
        return false;
    self->behind_newlines += count_newlines(text, size);
    while (size > 0) {
        uint64_t at = self->behind_bytes % self->half_bytes;
        size_t part = (size_t)MIN((uint64_t)size, self->half_bytes - at);
        if (!write_at(self->ring, text, part, at))
            return false;
        self->behind_bytes += part;
        text += part;
        size -= part;
    }
    return true;
}

bool artifact_writer_append(ArtifactWriter *self, const char *text, size_t size)
{
    size_t head = (size_t)MIN((uint64_t)size, self->half_bytes - self->head_bytes);
    if (head > 0 && !fd_write_all(self->fd, text, head, self->path, NULL))
        return false;
    self->head_bytes += head;
    self->head_newlines += count_newlines(text, head);
    return head == size || append_behind(self, text + head, size - head);
}

/* Reads from the ring by position in all that went through it. */
static size_t read_ring(const ArtifactWriter *self, uint64_t position, char *buffer, size_t size)
{
    uint64_t at = position % self->half_bytes;
    size_t part =
        (size_t)MIN((uint64_t)size, MIN(self->half_bytes - at, self->behind_bytes - position));
    ssize_t count = pread(self->ring, buffer, part, (off_t)at);
    return (size_t)MAX(count, 0);
}

/* Appends what the ring holds from `position` on; counts its newlines. */
static bool copy_ring(ArtifactWriter *self, uint64_t position, char *buffer)
{
    while (position < self->behind_bytes) {
        size_t count = read_ring(self, position, buffer, COPY_BYTES);
        if (count == 0 || !fd_write_all(self->fd, buffer, count, self->path, NULL))
            return false;
        position += count;
    }
    return true;
}

/* The first position of a whole line that is still in the ring, and the newlines before it that are
   no more than passed over. */
static uint64_t first_line_in_ring(const ArtifactWriter *self, char *buffer)
{
    uint64_t start = self->behind_bytes - self->half_bytes;
    for (uint64_t at = start; at < MIN(start + MAX_LINE_SEARCH, self->behind_bytes);) {
        size_t count = read_ring(self, at, buffer, COPY_BYTES);
        const char *newline = count > 0 ? memchr(buffer, '\n', count) : NULL;
        if (newline)
            return at + (uint64_t)(newline - buffer) + 1;
        if (count == 0)
            break;
        at += count;
    }
    size_t count = read_ring(self, start, buffer, 4); // no line: at least a whole character
    size_t skip = 0;
    while (skip < count && ((unsigned char)buffer[skip] & 0xc0) == 0x80)
        skip++;
    return start + skip;
}

/* Takes an unfinished line off the end of the file. */
static bool cut_head(ArtifactWriter *self, char *buffer)
{
    uint64_t end = self->head_bytes;
    uint64_t least = end > MAX_LINE_SEARCH ? end - MAX_LINE_SEARCH : 0;
    for (uint64_t at = end; at > least;) {
        size_t part = (size_t)MIN((uint64_t)COPY_BYTES, at - least);
        if (pread(self->fd, buffer, part, (off_t)(at - part)) != (ssize_t)part)
            return false;
        const char *newline = memrchr(buffer, '\n', part);
        if (newline) {
            self->head_bytes = at - part + (uint64_t)(newline - buffer) + 1;
            break;
        }
        at -= part;
    }
    return ftruncate(self->fd, (off_t)self->head_bytes) == 0 && lseek(self->fd, 0, SEEK_END) >= 0;
}

/* How many newlines the ring holds from `position` on. */
static uint64_t newlines_from(const ArtifactWriter *self, uint64_t position, char *buffer)
{
    uint64_t newlines = 0;
    while (position < self->behind_bytes) {
        size_t count = read_ring(self, position, buffer, COPY_BYTES);
        if (count == 0)
            break;
        newlines += count_newlines(buffer, count);
        position += count;
    }
    return newlines;
}

static bool append_cut_line(ArtifactWriter *self, uint64_t bytes, uint64_t last_line)
{
    uint64_t first_line = self->head_newlines + 1;
    bool is_line_open = false;
    char last = '\n';
    if (self->head_bytes > 0 && pread(self->fd, &last, 1, (off_t)(self->head_bytes - 1)) == 1)
        is_line_open = last != '\n';
    g_autofree char *line = g_strdup_printf(
        "%s[%" G_GUINT64_FORMAT " bytes, lines %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT
        ", were cut here: an artifact keeps %" G_GUINT64_FORMAT " MiB]\n",
        is_line_open ? "\n" : "", bytes, first_line, MAX(last_line, first_line),
        self->half_bytes * 2 / MIB);
    return fd_write_all(self->fd, line, strlen(line), self->path, NULL);
}

bool artifact_writer_finish(ArtifactWriter *self, bool *ret_is_cut)
{
    g_autofree char *buffer = g_malloc(COPY_BYTES);
    *ret_is_cut = self->behind_bytes > self->half_bytes;
    if (!*ret_is_cut)
        return copy_ring(self, 0, buffer);
    uint64_t whole_head = self->head_bytes;
    uint64_t start = first_line_in_ring(self, buffer);
    if (!cut_head(self, buffer))
        return false;
    uint64_t last_line =
        self->head_newlines + self->behind_newlines - newlines_from(self, start, buffer);
    return append_cut_line(self, whole_head - self->head_bytes + start, last_line) &&
           copy_ring(self, start, buffer);
}
