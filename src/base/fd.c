/* See fd.h. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

void fd_close(Fd fd)
{
    // after EINTR Linux has closed the descriptor; a second close could hit another thread's new
    // one
    if (fd >= 0)
        close(fd);
}

bool fd_pipe(int ret_fds[2], GError **error)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) < 0)
        return fail_with_errno(error, errno, "cannot make a pipe");
    ret_fds[0] = fds[0];
    ret_fds[1] = fds[1];
    return true;
}

bool fd_set_nonblocking(int fd, GError **error)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return fail_with_errno(error, errno, "cannot make descriptor %d non-blocking", fd);
    return true;
}

bool fd_read_all(int fd, size_t max_bytes, const char *name, GString *out, GError **error)
{
    char piece[16 * 1024];
    for (size_t left = max_bytes; left > 0;) {
        ssize_t count = read(fd, piece, MIN(sizeof piece, left));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_with_errno(error, errno, "cannot read %s", name);
        if (count == 0)
            return true;
        g_string_append_len(out, piece, count);
        left -= (size_t)count;
    }
    return true;
}

size_t fd_read_at(int fd, void *buffer, size_t size, off_t at)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(fd, (char *)buffer + done, size - done, at + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

bool fd_write_all(int fd, const void *data, size_t size, const char *name, GError **error)
{
    const char *next = data;
    while (size > 0) {
        ssize_t count = write(fd, next, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN) {
            // the descriptor is non-blocking: wait until it takes more
            struct pollfd writable = { .fd = fd, .events = POLLOUT };
            poll(&writable, 1, -1);
            continue;
        }
        if (count < 0)
            return fail_with_errno(error, errno, "cannot write to %s", name);
        next += count;
        size -= (size_t)count;
    }
    return true;
}
