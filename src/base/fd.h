/*
 * File descriptors that close themselves, and writes that finish. Thread safe.
 *
 * main() ignores SIGPIPE, and workers have it blocked: writing to a closed pipe is an error here
 * and not the end of the process. Children get the default disposition back (proc.h).
 */
#pragma once

#include "base/error.h"

#include <sys/types.h>

typedef int Fd;
void fd_close(Fd fd); // -1 is allowed; EINTR is not retried
G_DEFINE_AUTO_CLEANUP_FREE_FUNC(Fd, fd_close, -1)

/* Takes the descriptor out of an g_auto(Fd). */
static inline int fd_steal(Fd *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

/* Both ends close-on-exec; ret_fds[0] reads, ret_fds[1] writes. */
bool fd_pipe(int ret_fds[2], GError **error);

bool fd_set_nonblocking(int fd, GError **error);

/* Appends what comes up to the end, and `max_bytes` at most. `name` is for the message. */
bool fd_read_all(int fd, size_t max_bytes, const char *name, GString *out, GError **error);

/* Reads up to `size` bytes that begin at `at`; fewer at the end of the file or after an error. */
size_t fd_read_at(int fd, void *buffer, size_t size, off_t at);

/* Writes everything, continuing after partial writes and EINTR. `name` is for the message. */
bool fd_write_all(int fd, const void *data, size_t size, const char *name, GError **error);
