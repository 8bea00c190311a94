/* See file.h. */
#include "base/file_private.h"

#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define READ_START_BYTES ((size_t)4096)
#define NULL_DEVICE      makedev(1, 3)

bool file_fail(GError **error, int saved_errno, const char *verb, const char *path)
{
    if (saved_errno == ENOENT || saved_errno == ENOTDIR)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "cannot %s %s: %s", verb, path,
                         g_strerror(saved_errno));
    return fail_with_errno(error, saved_errno, "cannot %s %s", verb, path);
}

bool file_fail_open(const char *path, GError **error)
{
    if (errno == ENOTSUP)
        return fail_with(error, KEDGE_ERROR_IO, "cannot read %s: not a regular file", path);
    return file_fail(error, errno, "read", path);
}

bool file_is_null_device(const struct stat *info)
{
    return S_ISCHR(info->st_mode) && info->st_rdev == NULL_DEVICE;
}

static bool may_be_read(const struct stat *info)
{
    bool is_file = S_ISREG(info->st_mode) || file_is_null_device(info);
    if (!is_file)
        errno = S_ISDIR(info->st_mode) ? EISDIR : S_ISLNK(info->st_mode) ? ELOOP : ENOTSUP;
    return is_file;
}

int file_open_regular_at(int dir, const char *path, int flags, struct stat *ret_info)
{
    struct stat info;
    int look = flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
    // looked at first, because opening a device can do something
    if (fstatat(dir, path, &info, look) < 0 || !may_be_read(&info))
        return -1;
    // non-blocking, because it may have become a FIFO, which would wait for a writer
    g_auto(Fd) fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    if (fd < 0 || fstat(fd, &info) < 0)
        return -1;
    if (!may_be_read(&info)) {
        int saved_errno = errno;
        fd_close(fd_steal(&fd));
        errno = saved_errno;
        return -1;
    }
    *ret_info = info;
    return fd_steal(&fd);
}

int file_open_regular(const char *path, int flags, struct stat *ret_info)
{
    return file_open_regular_at(AT_FDCWD, path, flags, ret_info);
}

/* Reads `expected` bytes (0: no one knows) or to the end; one byte more than allowed is enough to
   know that it is too much. */
static bool read_all(int fd, const char *path, size_t expected, size_t max_bytes, char **ret_data,
                     size_t *ret_size, GError **error)
{
    // one byte more: what has grown since is read as well
    size_t capacity = MIN(expected > 0 ? expected + 1 : READ_START_BYTES, max_bytes + 1);
    size_t size = 0;
    g_autofree char *data = g_malloc(capacity + 1);
    for (;;) {
        ssize_t count = read(fd, data + size, capacity - size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return file_fail(error, errno, "read", path);
        if (count == 0)
            break;
        size += (size_t)count;
        if (size == expected)
            break;
        if (size > max_bytes)
            return fail_with(error, KEDGE_ERROR_LIMIT, "%s is larger than %zu bytes", path,
                             max_bytes);
        if (size == capacity) {
            capacity = MIN(capacity * 2, max_bytes + 1);
            data = g_realloc(data, capacity + 1);
        }
    }
    data[size] = '\0';
    *ret_data = g_steal_pointer(&data);
    *ret_size = size;
    return true;
}

bool file_read(const char *path, size_t max_bytes, char **ret_data, size_t *ret_size,
               GError **error)
{
    g_assert(max_bytes < SIZE_MAX / 4);
    struct stat info;
    g_auto(Fd) fd = file_open_regular(path, 0, &info);
    if (fd < 0)
        return file_fail_open(path, error);
    if (info.st_size > 0 && (guint64)info.st_size > max_bytes)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%s is larger than %zu bytes", path, max_bytes);

    size_t expected = info.st_size > 0 ? (size_t)info.st_size : 0; // files of /proc say 0
    char *data = NULL;
    size_t size = 0;
    if (!read_all(fd, path, expected, max_bytes, &data, &size, error))
        return false;
    *ret_data = data;
    if (ret_size)
        *ret_size = size;
    return true;
}

bool file_make_dirs(const char *path, mode_t mode, GError **error)
{
    if (g_mkdir_with_parents(path, (int)mode) < 0)
        return fail_with_errno(error, errno, "cannot make directory %s", path);
    return true;
}

bool file_exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

bool file_is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool remove_entry(int parent_fd, const char *name, const char *path, GError **error);

static void close_dir(DIR *dir)
{
    closedir(dir);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DIR, close_dir)

/* By descriptor: a directory exchanged for a link while we work is never entered. One that its
   owner may not change, as caches make them, is made one that he may. -1 with errno. */
static int open_to_empty(int parent_fd, const char *name)
{
    const int flags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    g_auto(Fd) place = openat(parent_fd, name, O_PATH | flags);
    struct stat info;
    if (place < 0 || fstat(place, &info) < 0)
        return -1;
    if ((info.st_mode & S_IRWXU) != S_IRWXU) {
        char proc_path[64];
        g_snprintf(proc_path, sizeof(proc_path), "/proc/self/fd/%d", place);
        chmod(proc_path, (info.st_mode & 07777) | S_IRWXU); // where it fails the rest says so
    }
    return openat(parent_fd, name, O_RDONLY | flags);
}

static bool remove_contents(int parent_fd, const char *name, const char *path, GError **error)
{
    g_auto(Fd) fd = open_to_empty(parent_fd, name);
    if (fd < 0)
        return file_fail(error, errno, "remove", path);
    g_autoptr(DIR) dir = fdopendir(fd);
    if (!dir)
        return file_fail(error, errno, "remove", path);
    int dir_fd = fd_steal(&fd); // belongs to `dir` now

    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry && errno != 0)
            return file_fail(error, errno, "remove", path);
        if (!entry)
            return true;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        g_autofree char *inner = g_build_filename(path, entry->d_name, NULL);
        if (!remove_entry(dir_fd, entry->d_name, inner, error))
            return false;
    }
}

static bool remove_entry(int parent_fd, const char *name, const char *path, GError **error)
{
    struct stat info;
    if (fstatat(parent_fd, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT || file_fail(error, errno, "remove", path);
    bool is_dir = S_ISDIR(info.st_mode);
    if (is_dir && !remove_contents(parent_fd, name, path, error))
        return false;
    if (unlinkat(parent_fd, name, is_dir ? AT_REMOVEDIR : 0) < 0 && errno != ENOENT)
        return file_fail(error, errno, "remove", path);
    return true;
}

bool file_remove_tree(const char *path, GError **error)
{
    // a slash at the end would follow a link
    g_autofree char *exact = g_strdup(path);
    for (size_t size = strlen(exact); size > 1 && exact[size - 1] == '/'; size--)
        exact[size - 1] = '\0';
    return remove_entry(AT_FDCWD, exact, exact, error);
}
