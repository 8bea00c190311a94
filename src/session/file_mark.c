/* See file_mark.h. */
#include "session/file_mark.h"

#include "base/fd.h"

#include <glib.h>
#include <string.h>

#define HEADER_BYTES ((size_t)16 * 1024) // that count: a header has an id and a time early

char *file_mark_of_header(int fd)
{
    g_autofree char *text = g_malloc(HEADER_BYTES);
    size_t size = fd_read_at(fd, text, HEADER_BYTES, 0);
    const char *end = memchr(text, '\n', size);
    return g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text,
                                       end ? (size_t)(end - text) : size);
}

bool file_mark_goes_on(int fd, const char *known, const char *now, int64_t read)
{
    char before = '\0';
    return g_strcmp0(known, now) == 0 && read > 0 && fd_read_at(fd, &before, 1, read - 1) == 1 &&
           before == '\n';
}
