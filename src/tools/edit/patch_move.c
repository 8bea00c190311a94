/* See patch_move.h. */
#include "tools/edit/patch_move.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h> // renameat2()
#include <unistd.h>

bool patch_delete(const char *path, const char *shown, GError **error)
{
    return unlink(path) == 0 || errno == ENOENT ||
           fail_with_errno(error, errno, "cannot delete %s", shown);
}

/* Where the file system knows no rename that keeps what is there. */
static bool move_by_link(const char *from, const char *to)
{
    if (link(from, to) < 0)
        return false;
    if (unlink(from) == 0)
        return true;
    int number = errno;
    unlink(to); // it stays where it was
    errno = number;
    return false;
}

bool patch_move(const char *from, const char *to, const char *from_shown, const char *to_shown,
                GError **error)
{
    g_autofree char *dir = g_path_get_dirname(to);
    if (!file_make_dirs(dir, 0777, error))
        return false;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ||
        ((errno == EINVAL || errno == ENOSYS) && move_by_link(from, to)))
        return true;
    if (errno == EEXIST)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "cannot move %s to %s: something has come to be there meanwhile",
                         from_shown, to_shown);
    return fail_with_errno(error, errno, "cannot move %s to %s", from_shown, to_shown);
}
