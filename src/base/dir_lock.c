/*
 * Lock directories (dir_lock.h).
 *
 * mkdir() decides who has it. A stale one is removed by one process at a time, which looks again
 * under a flock of the directory around it: else two that judge at once would remove the lock that
 * the first of them has just made.
 */
#include "base/dir_lock.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/json.h"
#include "base/timefmt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#define ATTEMPTS       50
#define ATTEMPT_MS     100
#define STALE_MS       (10 * 1000)
#define SILENT_MS      (2 * 1000) // a lock without info: its owner may still be writing it
#define INFO_MAX_BYTES 4096

struct DirLock {
    char *path;
    char *info; // what it says: another's says something else, though it may have the same inode
};

static bool write_info(const char *lock, char **ret_text, GError **error)
{
    g_autoptr(json_t) info =
        json_make("pid:%d timestamp:%jd host:%s", getpid(), time_now_ms(), g_get_host_name());
    g_autofree char *text = json_to_text(info);
    g_autofree char *path = g_build_filename(lock, "info", NULL);
    g_auto(Fd) fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot write %s", path);
    if (!fd_write_all(fd, text, strlen(text), path, error))
        return false;
    *ret_text = g_steal_pointer(&text);
    return true;
}

static bool is_gone(const json_t *info)
{
    const char *host = json_get_text(info, "host");
    gint64 pid = json_get_int(info, "pid", 0);
    bool is_here = !host || strcmp(host, g_get_host_name()) == 0; // of another machine: only time
    return is_here && pid > 0 && pid <= G_MAXINT32 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* `made`: the lock that was judged. */
static bool is_stale(const char *lock, struct stat *ret_made)
{
    if (lstat(lock, ret_made) != 0)
        return false; // released meanwhile
    g_autofree char *path = g_build_filename(lock, "info", NULL);
    g_autofree char *text = NULL;
    g_autoptr(json_t) info = NULL;
    size_t size = 0;
    gint64 made_at = (gint64)ret_made->st_mtim.tv_sec * 1000 + ret_made->st_mtim.tv_nsec / 1000000;
    if (!file_read(path, INFO_MAX_BYTES, &text, &size, NULL) ||
        !json_parse(text, size, &info, NULL))
        return time_now_ms() - made_at > SILENT_MS;
    gint64 taken_at = json_get_int(info, "timestamp", 0);
    return is_gone(info) || time_now_ms() - taken_at > STALE_MS;
}

bool dir_lock_is_left(const char *lock)
{
    struct stat made;
    return is_stale(lock, &made);
}

static void remove_stale(const char *lock)
{
    struct stat made;
    if (!is_stale(lock, &made))
        return;
    g_autofree char *dir = g_path_get_dirname(lock);
    g_auto(Fd) fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
        return; // another is at it; the next attempt sees what came of it
    if (is_stale(lock, &made))
        file_remove_tree(lock, NULL);
}

/* The lock was made just now: it is ours. */
static bool take(char *lock, DirLock **ret_lock, GError **error)
{
    g_autofree char *info = NULL;
    if (!write_info(lock, &info, error))
        return false;
    DirLock *self = g_new0(DirLock, 1);
    self->path = g_strdup(lock);
    self->info = g_steal_pointer(&info);
    *ret_lock = self;
    return true;
}

bool dir_lock_acquire(const char *path, Cancel *cancel, DirLock **ret_lock, GError **error)
{
    g_autofree char *lock = g_strconcat(path, ".lock", NULL);
    for (int i = 0; i < ATTEMPTS; i++) {
        if (mkdir(lock, 0700) == 0) {
            if (take(lock, ret_lock, error))
                return true;
            file_remove_tree(lock, NULL);
            return false;
        }
        if (errno != EEXIST)
            return fail_with_errno(error, errno, "cannot make %s", lock);
        remove_stale(lock);
        if (!cancel_sleep(cancel, ATTEMPT_MS, error))
            return false;
    }
    return fail_with(error, KEDGE_ERROR_TIMEOUT, "Failed to acquire lock for %s after %d attempts",
                     path, ATTEMPTS);
}

void dir_lock_release(DirLock *self)
{
    if (!self)
        return;
    g_autofree char *path = g_build_filename(self->path, "info", NULL);
    g_autofree char *now = NULL;
    if (file_read(path, INFO_MAX_BYTES, &now, NULL, NULL) && strcmp(now, self->info) == 0)
        file_remove_tree(self->path, NULL);
    g_free(self->path);
    g_free(self->info);
    g_free(self);
}
