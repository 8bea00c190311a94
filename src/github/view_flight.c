/*
 * The lock of a fetch. Open file description locks: two threads of a process, which open the file
 * each, exclude one another like two processes.
 */
#include "github/view_flight.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/timefmt.h"

#include <errno.h>
#include <fcntl.h>

#define POLL_MS 10
#define WAIT_MS (5 * 60 * 1000) // as long as one call of gh may take

static int open_lock_file(const char *cache_path)
{
    g_autofree char *dir = g_path_get_dirname(cache_path);
    if (!file_make_dirs(dir, 0700, NULL))
        return -1;
    g_autofree char *path = g_strconcat(cache_path, ".lock", NULL);
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

typedef enum { LOCK_TAKEN, LOCK_BUSY, LOCK_IMPOSSIBLE } LockState;

static LockState try_lock(int fd, const char *what)
{
    struct flock lock = {
        .l_type = F_WRLCK,
        .l_whence = SEEK_SET,
        .l_start = (off_t)(g_str_hash(what) & 0x7fffffff),
        .l_len = 1,
    };
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return LOCK_TAKEN;
    return errno == EAGAIN || errno == EACCES ? LOCK_BUSY : LOCK_IMPOSSIBLE;
}

bool view_flight_begin(const char *cache_path, const char *what, Cancel *cancel,
                       ViewFlight *ret_flight, GError **error)
{
    g_auto(Fd) fd = open_lock_file(cache_path);
    gint64 started_ms = time_monotonic_ms();
    while (fd >= 0 && try_lock(fd, what) == LOCK_BUSY &&
           time_monotonic_ms() - started_ms < WAIT_MS) {
        if (!cancel_sleep(cancel, POLL_MS, error))
            return false;
    }
    ret_flight->fd = fd;
    fd = -1;
    return true;
}

bool view_flight_try(const char *cache_path, const char *what, ViewFlight *ret_flight)
{
    g_auto(Fd) fd = open_lock_file(cache_path);
    if (fd >= 0 && try_lock(fd, what) == LOCK_BUSY)
        return false;
    ret_flight->fd = fd;
    fd = -1;
    return true;
}

void view_flight_end(ViewFlight *self)
{
    fd_close(self->fd);
    self->fd = -1;
}
