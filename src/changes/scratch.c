/*
 * Leaving the home directory (scratch.h). Never for a place that others can write to: somebody
 * else's settings and context files would be read there.
 */
#include "changes/scratch.h"

#include "base/dirs.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static bool is_in_home(const char *home)
{
    struct stat here, there;
    return stat(".", &here) == 0 && stat(home, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* Ours alone from then on. */
static bool enter_private(const char *path, GError **error)
{
    if (!file_make_dirs(path, 0700, error))
        return false;
    g_auto(Fd) fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) < 0)
        return fail_with_errno(error, errno, "cannot open it");
    if (info.st_uid != geteuid())
        return fail_with(error, KEDGE_ERROR_DENIED, "it belongs to uid %u", info.st_uid);
    if ((info.st_mode & 07777) != 0700 && fchmod(fd, 0700) < 0)
        return fail_with_errno(error, errno, "cannot make it private");
    if (fchdir(fd) < 0)
        return fail_with_errno(error, errno, "cannot enter it");
    return true;
}

bool scratch_leave_home(GError **error)
{
    g_autofree char *home = dirs_home();
    if (!is_in_home(home))
        return true;
    g_autofree char *root = dirs_config_root();
    g_autofree char *path = g_build_filename(root, "scratch", NULL);
    const char *shown = path + strlen(home);
    if (!enter_private(path, error)) {
        g_prefix_error(error, "Cannot use ~%s: ", shown);
        return false;
    }
    log_text("Working in ~%s instead of the home directory; --allow-home stays there.", shown);
    return true;
}
