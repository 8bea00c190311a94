/* See sqlite_beside.h. */
#include "tools/database/sqlite_beside.h"

#include "base/fd.h"
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bytes that every user of a database locks (SQLite's file format, os.h). */
enum { LOCK_BEGIN = 0x40000000, LOCK_SIZE = 512 };

/* SQLite takes a journal for one to roll back when its first byte is not 0. */
static bool is_journal_done(const char *path, const struct stat *info)
{
    struct stat opened;
    if (!S_ISREG(info->st_mode))
        return false;
    g_auto(Fd) fd = file_open_regular(path, O_NOFOLLOW, &opened);
    char first = 1;
    return fd >= 0 && (read(fd, &first, 1) == 0 || first == 0);
}

bool sqlite_beside_check_journal(const char *real, const char *shown, GError **error)
{
    g_autofree char *path = g_strconcat(real, "-journal", NULL);
    struct stat info;
    if ((lstat(path, &info) < 0 && errno == ENOENT) || is_journal_done(path, &info))
        return true;
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "%s: another program left a journal (%s-journal) or is writing; open the "
                     "database with that program first",
                     shown, shown);
}

bool sqlite_beside_has_index(const char *real)
{
    g_autofree char *path = g_strconcat(real, "-shm", NULL);
    return file_exists(path);
}

bool sqlite_beside_is_empty(const char *real)
{
    g_autofree char *log = g_strconcat(real, "-wal", NULL);
    struct stat info;
    bool is_empty =
        lstat(log, &info) < 0 ? errno == ENOENT : S_ISREG(info.st_mode) && info.st_size == 0;
    return is_empty && !sqlite_beside_has_index(real);
}

void sqlite_beside_remove_index(const char *real)
{
    if (!sqlite_beside_has_index(real))
        return;
    // who opens a database locks it before the index; a lock of an open file also meets our own
    g_auto(Fd) fd = open(real, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_BEGIN, .l_len = LOCK_SIZE
    };
    if (fd < 0 || fcntl(fd, F_OFD_SETLK, &lock) < 0)
        return;
    g_autofree char *path = g_strconcat(real, "-shm", NULL);
    unlink(path);
}
