/* See own_file.h. */
#include "base/own_file.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/special_files.h"

#include <errno.h>
#include <fcntl.h>

static bool is_open_to_all(const char *path)
{
    g_autofree char *dir = g_path_get_dirname(path);
    struct stat info;
    return stat(dir, &info) == 0 && (info.st_mode & S_IWOTH) != 0;
}

bool own_file_check(const char *path, const struct stat *info, GError **error)
{
    if (special_file_is(info))
        return fail_with(error, KEDGE_ERROR_DENIED, "not read, it is no regular file: %s", path);
    bool is_ours = info->st_uid == geteuid() || info->st_uid == 0;
    if (!is_ours)
        return fail_with(error, KEDGE_ERROR_DENIED, "not read, it belongs to uid %u: %s",
                         (unsigned)info->st_uid, path);
    if (is_open_to_all(path))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "not read, everybody can write to its directory: %s", path);
    return true;
}

bool own_file_read(const char *path, size_t max_bytes, char **ret_data, size_t *ret_size,
                   GError **error)
{
    struct stat info;
    g_auto(Fd) fd = file_open_regular(path, 0, &info);
    if (fd < 0 && errno == ENOTSUP)
        return fail_with(error, KEDGE_ERROR_DENIED, "not read, it is no regular file: %s", path);
    if (fd < 0 && errno == EISDIR)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "cannot read %s: no regular file", path);
    if (fd < 0)
        return file_fail_open(path, error);
    if (!own_file_check(path, &info, error))
        return false;
    g_autoptr(GString) bytes = g_string_new(NULL);
    if (!fd_read_all(fd, max_bytes + 1, path, bytes, error))
        return false;
    if (bytes->len > max_bytes)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%s is larger than %zu bytes", path, max_bytes);
    if (ret_size)
        *ret_size = bytes->len;
    *ret_data = g_string_free(g_steal_pointer(&bytes), FALSE);
    return true;
}
