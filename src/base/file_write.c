/*
 * Replacing the content of a file (file.h).
 *
 * The new content goes into a file without a name, so that nothing is left of it when this process
 * ends. It gets what the old file has, then a temporary name for the one rename() that puts it in
 * place. Where a file without a name cannot be had, it has the temporary name from the start.
 */
#include "base/file_private.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define MAX_LINKS       40 // symlinks followed to a target, as the kernel counts
#define MAX_NAME_TRIES  16
#define PERMISSION_BITS 07777
#define MAX_ATTRIBUTES  ((size_t)64 * 1024) // names, and one value: the kernel's own maximum

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
    return file_fail(error, ELOOP, "write", path);
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
        return file_fail(error, errno, "write", target);
    struct stat info;
    bool is_regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    // room first, so that a full disk leaves the old text alone
    if (is_regular && size > 0 && fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size) < 0 &&
        (errno == ENOSPC || errno == EDQUOT))
        return file_fail(error, errno, "write", target);
    if (!fd_write_all(fd, data, size, target, error))
        return false;
    if (is_regular && (ftruncate(fd, (off_t)size) < 0 || fsync(fd) < 0))
        return file_fail(error, errno, "write", target);
    return true;
}

/* What belongs to the old bytes, not to the file: the kernel drops it at every write. */
static bool is_of_content(const char *name)
{
    return strcmp(name, "security.capability") == 0 || strcmp(name, "security.ima") == 0 ||
           strcmp(name, "security.evm") == 0;
}

/* Names of the attributes, access lists included, each ended by NUL; empty where there are none. */
static bool list_attributes(int fd, char *names, size_t *ret_size)
{
    ssize_t size = flistxattr(fd, names, MAX_ATTRIBUTES);
    *ret_size = (size_t)MAX(size, 0);
    return size >= 0 || errno == ENOTSUP;
}

static bool copy_attribute(int from, int to, const char *name, char *value, char *present)
{
    ssize_t size = fgetxattr(from, name, value, MAX_ATTRIBUTES);
    if (size < 0)
        return errno == ENODATA;
    bool is_same = fgetxattr(to, name, present, MAX_ATTRIBUTES) == size &&
                   memcmp(value, present, (size_t)size) == 0;
    return is_same || fsetxattr(to, name, value, (size_t)size, 0) == 0;
}

/* Gives `to` the attributes of `from`, and takes away what it has inherited. */
static bool copy_attributes(int from, int to)
{
    g_autofree char *names = g_malloc(MAX_ATTRIBUTES), *value = g_malloc(MAX_ATTRIBUTES);
    g_autofree char *present = g_malloc(MAX_ATTRIBUTES);
    size_t size = 0;
    if (!list_attributes(to, names, &size))
        return false;
    for (const char *name = names; name < names + size; name += strlen(name) + 1)
        if (fgetxattr(from, name, NULL, 0) < 0 && errno == ENODATA && fremovexattr(to, name) < 0)
            return false;
    if (!list_attributes(from, names, &size))
        return false;
    for (const char *name = names; name < names + size; name += strlen(name) + 1)
        if (!is_of_content(name) && !copy_attribute(from, to, name, value, present))
            return false;
    return true;
}

/* Makes `fd` what the old file is but for its content. False when something cannot be kept. */
static bool copy_metadata(int old_fd, const struct stat *old, int fd)
{
    struct stat made;
    if (fstat(fd, &made) < 0)
        return false;
    bool has_same_owner = made.st_uid == old->st_uid && made.st_gid == old->st_gid;
    // in this order: a change of owner clears the set-id bits, an access list holds the group's
    // mode
    return (has_same_owner || fchown(fd, old->st_uid, old->st_gid) == 0) &&
           copy_attributes(old_fd, fd) && fchmod(fd, old->st_mode & PERMISSION_BITS) == 0;
}

/* The new content in the making. */
typedef struct Draft {
    const char *target;
    Fd fd;
    char *name;         // NULL: it has none
    Fd dir;             // where its name stands, or will; -1: not asked for yet
    const char *prefix; // of names there
} Draft;

static void draft_clear(Draft *self)
{
    if (self->name)
        unlinkat(self->dir, self->name, 0);
    g_clear_pointer(&self->name, g_free);
    fd_close(fd_steal(&self->fd));
    fd_close(fd_steal(&self->dir));
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Draft, draft_clear)

static char *draft_make_name(Draft *self)
{
    if (self->dir < 0)
        self->dir = file_open_staging(self->target, &self->prefix);
    uint64_t unique = 0;
    if (getrandom(&unique, sizeof(unique), 0) != (ssize_t)sizeof(unique))
        return NULL;
    return g_strdup_printf("%s%d-%016" G_GINT64_MODIFIER "x.tmp", self->prefix, (int)getpid(),
                           unique);
}

/* Opens a file without a name beside the target, or else one with a temporary name.
   False with errno. */
static bool draft_open(Draft *self, mode_t mode)
{
    g_autofree char *dir = g_path_get_dirname(self->target);
    self->fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (self->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return self->fd >= 0;
    for (int i = 0; i < MAX_NAME_TRIES; i++) {
        g_autofree char *name = draft_make_name(self);
        if (!name)
            return false;
        self->fd =
            openat(self->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (self->fd >= 0)
            self->name = g_steal_pointer(&name);
        if (self->fd >= 0 || errno != EEXIST)
            return self->fd >= 0;
    }
    return false;
}

/* Gives the file its first name. */
static bool link_as(int fd, int dir, const char *name)
{
    g_autofree char *itself = g_strdup_printf("/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, itself, dir, name, AT_SYMLINK_FOLLOW) == 0 ||
           (errno == ENOENT && linkat(fd, "", dir, name, AT_EMPTY_PATH) == 0);
}

/* Puts the draft in the place of the target. False with errno. */
static bool draft_replace(Draft *self)
{
    for (int i = 0; !self->name && i < MAX_NAME_TRIES; i++) {
        g_autofree char *name = draft_make_name(self);
        if (name && link_as(self->fd, self->dir, name))
            self->name = g_steal_pointer(&name);
        else if (errno != EEXIST)
            return false;
    }
    if (!self->name || renameat(self->dir, self->name, AT_FDCWD, self->target) < 0)
        return false;
    g_clear_pointer(&self->name, g_free);
    return true;
}

/* The directory holds the data but does not let us put it in place. */
static bool is_refusal(int number)
{
    return number == EBUSY || number == EXDEV || number == EPERM || number == EACCES ||
           number == ENOENT;
}

static bool write_existing(const char *target, const void *data, size_t size, GError **error)
{
    g_auto(Fd) old_fd = open(target, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat old;
    if (old_fd < 0 || fstat(old_fd, &old) < 0) // not readable: nobody knows what it would lose
        return write_in_place(target, data, size, error);
    if (!S_ISREG(old.st_mode) || old.st_nlink > 1)
        return write_in_place(target, data, size, error);

    g_auto(Draft) draft = { .target = target, .fd = -1, .dir = -1 };
    if (!draft_open(&draft, S_IRUSR | S_IWUSR))
        return is_refusal(errno) ? write_in_place(target, data, size, error)
                                 : file_fail(error, errno, "write", target);
    if (!fd_write_all(draft.fd, data, size, target, error))
        return false;
    if (!copy_metadata(old_fd, &old, draft.fd))
        return write_in_place(target, data, size, error);
    if (fsync(draft.fd) < 0)
        return file_fail(error, errno, "write", target);
    if (!draft_replace(&draft))
        return is_refusal(errno) ? write_in_place(target, data, size, error)
                                 : file_fail(error, errno, "write", target);
    sync_directory_of(target);
    return true;
}

static bool write_new(const char *target, const void *data, size_t size, mode_t mode,
                      GError **error)
{
    g_auto(Draft) draft = { .target = target, .fd = -1, .dir = -1 };
    if (!draft_open(&draft, mode))
        return file_fail(error, errno, "write", target);
    if (!fd_write_all(draft.fd, data, size, target, error))
        return false;
    if (fsync(draft.fd) < 0)
        return file_fail(error, errno, "write", target);
    // somebody else's file of that name, made meanwhile, is replaced like any other
    bool is_done = (!draft.name && link_as(draft.fd, AT_FDCWD, target)) ||
                   ((draft.name || errno == EEXIST) && draft_replace(&draft));
    if (!is_done)
        return file_fail(error, errno, "write", target);
    sync_directory_of(target);
    return true;
}

bool file_write_atomic(const char *path, const void *data, size_t size, mode_t mode, GError **error)
{
    g_autofree char *target = NULL;
    if (!follow_links(path, &target, error))
        return false;

    struct stat old;
    if (lstat(target, &old) < 0)
        return write_new(target, data, size, mode, error);
    if (S_ISDIR(old.st_mode))
        return file_fail(error, EISDIR, "write", path);
    // a rename would get around the file's own protection
    if (faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) < 0)
        return file_fail(error, errno, "write", path);
    if (!S_ISREG(old.st_mode))
        return write_in_place(target, data, size, error);
    return write_existing(target, data, size, error);
}
