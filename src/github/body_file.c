/* See body_file.h. */
#include "github/body_file.h"

#include "base/dirs.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>

void body_file_clear(BodyFile *self)
{
    if (self->path)
        unlink(self->path);
    if (self->dir)
        rmdir(self->dir);
    g_free(self->path);
    g_free(self->dir);
    *self = (BodyFile) { 0 };
}

bool body_file_write(const char *name, const char *text, BodyFile *ret_file, GError **error)
{
    g_auto(BodyFile) file = { 0 };
    g_autofree char *dir = g_build_filename(dirs_temp(), "gh-pr-body-XXXXXX", NULL);
    if (!g_mkdtemp_full(dir, 0700))
        return fail_with_errno(error, errno, "cannot make a directory in %s", dirs_temp());
    file.dir = g_steal_pointer(&dir);

    file.path = g_build_filename(file.dir, name, NULL);
    g_auto(Fd) fd = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot write %s", file.path);
    if (!fd_write_all(fd, text, strlen(text), file.path, error))
        return false;
    *ret_file = file;
    file = (BodyFile) { 0 };
    return true;
}
