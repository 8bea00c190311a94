/*
 * Bounded reads, atomic replacement, directory trees.
 */
#include "base/file.h"

#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>

#define READ_START_BYTES    ((size_t)4096)
#define MAX_LINKS           40  // symlinks followed to a target, as the kernel counts
#define MAX_TEMP_STEM_BYTES 200 // of the name inside a temporary name, which has at most 255
#define MAX_TEMP_TRIES      16
#define PERMISSION_BITS     07777

static bool fail_path(GError **error, int saved_errno, const char *verb, const char *path)
{
    if (saved_errno == ENOENT || saved_errno == ENOTDIR)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "cannot %s %s: %s", verb, path,
                         g_strerror(saved_errno));
    return fail_with_errno(error, saved_errno, "cannot %s %s", verb, path);
}

/* Reads to the end; one byte more than allowed is enough to know that it is too much. */
static bool read_all(int fd, const char *path, size_t start_bytes, size_t max_bytes,
                     char **ret_data, size_t *ret_size, GError **error)
{
    size_t capacity = start_bytes;
    size_t size = 0;
    g_autofree char *data = g_malloc(capacity + 1);
    for (;;) {
        ssize_t count = read(fd, data + size, capacity - size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_path(error, errno, "read", path);
        if (count == 0)
            break;
        size += (size_t)count;
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
    // non-blocking, because opening a FIFO would wait for a writer
    g_auto(Fd) fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) < 0)
        return fail_path(error, errno, "read", path);
    if (S_ISDIR(info.st_mode))
        return fail_path(error, EISDIR, "read", path);
    if (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode))
        return fail_with(error, KEDGE_ERROR_IO, "cannot read %s: not a regular file", path);
    if (info.st_size > 0 && (guint64)info.st_size > max_bytes)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%s is larger than %zu bytes", path, max_bytes);

    // one byte more than the size, so that the end is seen without growing; files of /proc say 0
    size_t start_bytes = info.st_size > 0 ? (size_t)info.st_size + 1 : READ_START_BYTES;
    char *data = NULL;
    size_t size = 0;
    if (!read_all(fd, path, MIN(start_bytes, max_bytes + 1), max_bytes, &data, &size, error))
        return false;
    *ret_data = data;
    if (ret_size != NULL)
        *ret_size = size;
    return true;
}

/* Follows symlinks in the last component, also to a target that does not exist yet. */
static bool follow_links(const char *path, char **ret_target, GError **error)
{
    g_autofree char *target = g_strdup(path);
    for (int i = 0; i < MAX_LINKS; i++) {
        g_autofree char *link = g_file_read_link(target, NULL);
        if (link == NULL) {
            *ret_target = g_steal_pointer(&target);
            return true;
        }
        g_autofree char *dir = g_path_get_dirname(target);
        g_free(target);
        target = g_path_is_absolute(link) ? g_strdup(link) : g_build_filename(dir, link, NULL);
    }
    return fail_path(error, ELOOP, "write", path);
}

/* Creates `.<name>.<unique>.tmp` beside `target`; returns its descriptor or -1 with errno. */
static int open_temporary(const char *target, mode_t mode, char **ret_path)
{
    g_autofree char *dir = g_path_get_dirname(target);
    g_autofree char *name = g_path_get_basename(target);
    for (int i = 0; i < MAX_TEMP_TRIES; i++) {
        guint64 unique = 0;
        if (getrandom(&unique, sizeof(unique), 0) != (ssize_t)sizeof(unique))
            return -1;
        g_autofree char *path = g_strdup_printf("%s/.%.*s.%016" G_GINT64_MODIFIER "x.tmp", dir,
                                                MAX_TEMP_STEM_BYTES, name, unique);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd >= 0)
            *ret_path = g_steal_pointer(&path);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* A rename is lasting only when the directory is on disk too. Not every file system can do it. */
static void sync_directory_of(const char *path)
{
    g_autofree char *dir = g_path_get_dirname(path);
    g_auto(Fd) fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        fsync(fd);
}

static bool write_in_place(const char *target, const void *data, size_t size, GError **error)
{
    g_auto(Fd) fd = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return fail_path(error, errno, "write", target);
    struct stat info;
    bool is_regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    // room first, so that a full disk leaves the old text alone
    if (is_regular && size > 0 && fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size) < 0 &&
        (errno == ENOSPC || errno == EDQUOT))
        return fail_path(error, errno, "write", target);
    if (!fd_write_all(fd, data, size, target, error))
        return false;
    if (is_regular && (ftruncate(fd, (off_t)size) < 0 || fsync(fd) < 0))
        return fail_path(error, errno, "write", target);
    return true;
}

/* Gives the new file the owner and mode of the old one. False when the owner cannot be kept. */
static bool copy_ownership(int fd, const struct stat *old)
{
    struct stat made;
    if (fstat(fd, &made) < 0)
        return false;
    bool has_same_owner = made.st_uid == old->st_uid && made.st_gid == old->st_gid;
    // in this order, because a change of owner clears the set-id bits
    return (has_same_owner || fchown(fd, old->st_uid, old->st_gid) == 0) &&
           fchmod(fd, old->st_mode & PERMISSION_BITS) == 0;
}

/* Fills the temporary file and puts it in the old one's place; false with *is_refused set when the
   directory holds the data but does not let us rename (a mount point, a sticky directory). */
static bool replace(int fd, const char *temporary, const char *target, const void *data,
                    size_t size, bool *is_refused, GError **error)
{
    if (!fd_write_all(fd, data, size, target, error))
        return false;
    if (fsync(fd) < 0)
        return fail_path(error, errno, "write", target);
    if (rename(temporary, target) == 0)
        return true;
    *is_refused = errno == EBUSY || errno == EXDEV || errno == EPERM || errno == EACCES;
    return fail_path(error, errno, "write", target);
}

static bool write_and_replace(int fd, const char *temporary, const char *target, bool is_old,
                              const void *data, size_t size, GError **error)
{
    bool is_refused = false;
    g_autoptr(GError) problem = NULL;
    if (replace(fd, temporary, target, data, size, &is_refused, &problem)) {
        sync_directory_of(target);
        return true;
    }
    unlink(temporary);
    if (is_refused && is_old)
        return write_in_place(target, data, size, error);
    g_propagate_error(error, g_steal_pointer(&problem));
    return false;
}

bool file_write_atomic(const char *path, const void *data, size_t size, mode_t mode, GError **error)
{
    g_autofree char *target = NULL;
    if (!follow_links(path, &target, error))
        return false;

    struct stat old;
    bool is_old = lstat(target, &old) == 0;
    if (is_old && S_ISDIR(old.st_mode))
        return fail_path(error, EISDIR, "write", path);
    // a rename would get around the file's own protection
    if (is_old && faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) < 0)
        return fail_path(error, errno, "write", path);
    if (is_old && !S_ISREG(old.st_mode))
        return write_in_place(target, data, size, error);

    g_autofree char *temporary = NULL;
    g_auto(Fd) fd = open_temporary(target, is_old ? S_IRUSR | S_IWUSR : mode, &temporary);
    if (fd < 0 && is_old && (errno == EACCES || errno == EPERM))
        return write_in_place(target, data, size, error);
    if (fd < 0)
        return fail_path(error, errno, "write", path);
    if (is_old && !copy_ownership(fd, &old)) {
        unlink(temporary);
        return write_in_place(target, data, size, error);
    }
    return write_and_replace(fd, temporary, target, is_old, data, size, error);
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

static bool remove_contents(int parent_fd, const char *name, const char *path, GError **error)
{
    // by descriptor: a directory exchanged for a link while we work is never entered
    g_auto(Fd) fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return fail_path(error, errno, "remove", path);
    g_autoptr(DIR) dir = fdopendir(fd);
    if (dir == NULL)
        return fail_path(error, errno, "remove", path);
    int dir_fd = fd_steal(&fd); // belongs to `dir` now

    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL && errno != 0)
            return fail_path(error, errno, "remove", path);
        if (entry == NULL)
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
        return errno == ENOENT || fail_path(error, errno, "remove", path);
    bool is_dir = S_ISDIR(info.st_mode);
    if (is_dir && !remove_contents(parent_fd, name, path, error))
        return false;
    if (unlinkat(parent_fd, name, is_dir ? AT_REMOVEDIR : 0) < 0 && errno != ENOENT)
        return fail_path(error, errno, "remove", path);
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
