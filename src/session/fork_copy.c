/*
 * Copies a session's artifact directory for a fork, so that what its conversation refers to stays
 * readable. Files are copied, not linked: some of them are rewritten in place.
 */
#include "session/fork_copy.h"

#include "base/fd.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#define COPY_MAX_DEPTH 4

static void copy_file(const char *from, const char *to)
{
    struct stat info;
    g_auto(Fd) in = file_open_regular(from, O_NOFOLLOW, &info);
    if (in < 0)
        return;
    g_auto(Fd) out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out < 0)
        return;

    off_t left = info.st_size;
    while (left > 0) {
        ssize_t sent = sendfile(out, in, NULL, (size_t)MIN(left, (off_t)1 << 24));
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            unlink(to); // half a file would be taken for the whole
            return;
        }
        left -= sent;
    }
}

static void copy_directory(const char *from, const char *to, int depth)
{
    g_autoptr(GDir) dir = g_dir_open(from, 0, NULL);
    if (!dir || depth > COPY_MAX_DEPTH || !file_make_dirs(to, 0700, NULL))
        return;

    const char *name;
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *source = g_build_filename(from, name, NULL);
        g_autofree char *target = g_build_filename(to, name, NULL);
        struct stat info;
        if (lstat(source, &info) < 0)
            continue;
        if (S_ISDIR(info.st_mode))
            copy_directory(source, target, depth + 1);
        else if (S_ISREG(info.st_mode))
            copy_file(source, target);
    }
}

void fork_copy_artifacts(const char *from, const char *to)
{
    copy_directory(from, to, 0);
}
