/* See run_file.h. */
#include "wm/workspace/run_file.h"

#include "base/fd.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MODE      0600
#define MAX_NAME_TRIES 16

static bool fail_at(GError **error, int number, const char *verb, const char *dir, const char *name)
{
    if (number == ENOENT || number == ENOTDIR)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "cannot %s %s/%s: %s", verb, dir, name,
                         g_strerror(number));
    if (number == ELOOP)
        return fail_with(error, KEDGE_ERROR_DENIED, "cannot %s %s/%s: a symbolic link", verb, dir,
                         name);
    return fail_with_errno(error, number, "cannot %s %s/%s", verb, dir, name);
}

/* The directory itself: a link in its place is refused. -1 with errno. */
static int open_dir(const char *dir)
{
    return open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool run_file_read(const char *dir, const char *name, size_t max_bytes, char **ret_data,
                   size_t *ret_size, GError **error)
{
    g_auto(Fd) dir_fd = open_dir(dir);
    struct stat info;
    g_auto(Fd) fd = dir_fd < 0 ? -1 : file_open_regular_at(dir_fd, name, O_NOFOLLOW, &info);
    if (dir_fd >= 0 && fd < 0 && (errno == ENOTSUP || errno == EISDIR))
        return fail_with(error, KEDGE_ERROR_DENIED, "cannot read %s/%s: not a regular file", dir,
                         name);
    if (fd < 0)
        return fail_at(error, errno, "read", dir, name);
    if ((guint64)info.st_size > max_bytes)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%s/%s is larger than %zu bytes", dir, name,
                         max_bytes);
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autoptr(GString) text = g_string_sized_new((size_t)info.st_size + 1);
    if (!fd_read_all(fd, max_bytes, path, text, error))
        return false;
    if (ret_size)
        *ret_size = text->len;
    *ret_data = g_string_free(g_steal_pointer(&text), FALSE);
    return true;
}

/* A file of a name that nothing else has; *ret_name is the caller's. -1 with errno. */
static int open_new(int dir_fd, const char *name, char **ret_name)
{
    for (int i = 0; i < MAX_NAME_TRIES; i++) {
        uint64_t unique = 0;
        if (getrandom(&unique, sizeof unique, 0) != (ssize_t)sizeof unique)
            return -1;
        g_autofree char *made =
            g_strdup_printf(".%s.%016" G_GINT64_MODIFIER "x.tmp", name, (guint64)unique);
        int fd =
            openat(dir_fd, made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
        if (fd >= 0)
            *ret_name = g_steal_pointer(&made);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static bool fill(int fd, int dir_fd, const char *made, const char *dir, const char *name,
                 const void *data, size_t size, GError **error)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    if (!fd_write_all(fd, data, size, path, error))
        return false;
    if (fsync(fd) < 0 || renameat(dir_fd, made, dir_fd, name) < 0)
        return fail_at(error, errno, "write", dir, name);
    fsync(dir_fd);
    return true;
}

bool run_file_write(const char *dir, const char *name, const void *data, size_t size,
                    GError **error)
{
    g_auto(Fd) dir_fd = open_dir(dir);
    g_autofree char *made = NULL;
    g_auto(Fd) fd = dir_fd < 0 ? -1 : open_new(dir_fd, name, &made);
    if (fd < 0)
        return fail_at(error, errno, "write", dir, name);
    if (fill(fd, dir_fd, made, dir, name, data, size, error))
        return true;
    unlinkat(dir_fd, made, 0);
    return false;
}

bool run_file_exists(const char *dir, const char *name)
{
    g_auto(Fd) dir_fd = open_dir(dir);
    struct stat info;
    return dir_fd >= 0 && fstatat(dir_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(info.st_mode);
}

char *run_file_escape(const char *json)
{
    GString *out = g_string_sized_new(strlen(json) + 1);
    for (const char *at = json; *at; at++) {
        if (*at == '<' || *at == '>' || *at == '&') // in texts only: JSON itself has none of them
            g_string_append_printf(out, "\\u%04x", *at);
        else
            g_string_append_c(out, *at);
    }
    return g_string_free(out, FALSE);
}
