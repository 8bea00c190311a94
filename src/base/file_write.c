/*
 * Replacing the content of a file (file.h): the new content is a draft, which gets what the old
 * file has before it takes its place.
 */
#include "base/file_draft.h"
#include "base/file_private.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define MAX_LINKS       40 // symlinks followed to a target, as the kernel counts
#define PERMISSION_BITS 07777
#define MAX_ATTRIBUTES  ((size_t)64 * 1024) // names, and one value: the kernel's own maximum

/* Follows symlinks in the last component, also to a target that does not exist yet. */
static bool follow_links(const char *path, char **ret_target, GError **error)
{
    g_autofree char *target = g_strdup(path);
    for (int i = 0; i < MAX_LINKS; i++) {
        g_autofree char *link = g_file_read_link(target, NULL);
        if (!link) {
            *ret_target = g_steal_pointer(&target);
            return true;
        }
        g_autofree char *dir = g_path_get_dirname(target);
        g_free(target);
        target = g_path_is_absolute(link) ? g_strdup(link) : g_build_filename(dir, link, NULL);
    }
    return file_fail(error, ELOOP, "write", path);
}

/* The file that is written. Its name is looked up at `dir`, which is AT_FDCWD, or the directory
   itself where no link may lead to another one (file_write_exact()). */
typedef struct Target {
    const char *path; // absolute; for messages, and for what lies around it
    const char *name;
    int dir;
    int no_follow; // O_NOFOLLOW or 0
} Target;

static FileDraft draft_of(const Target *self)
{
    FileDraft draft = FILE_DRAFT_INIT(self->path);
    draft.place = self->dir;
    draft.last_part = self->name;
    return draft;
}

static bool write_in_place(const Target *self, const void *data, size_t size, GError **error)
{
    const char *target = self->path;
    g_auto(Fd) fd = openat(self->dir, self->name,
                           O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | self->no_follow);
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

/* The directory holds the data but does not let us put it in place. */
static bool is_refusal(int number)
{
    return number == EBUSY || number == EXDEV || number == EPERM || number == EACCES ||
           number == ENOENT;
}

typedef bool (*InPlace)(const Target *target, const void *data, size_t size, GError **error);

static bool refuse_in_place(const Target *target, const void *data G_GNUC_UNUSED,
                            size_t size G_GNUC_UNUSED, GError **error)
{
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "cannot replace %s: it has other hard links, an owner or attributes that "
                     "would be lost, or may not be read or moved here",
                     target->path);
}

typedef struct WriteWay {
    InPlace in_place;
    bool is_volatile; // nothing waits for the disk
} WriteWay;

static bool write_existing(const Target *target, const void *data, size_t size, const WriteWay *way,
                           GError **error)
{
    InPlace in_place = way->in_place;
    struct stat old;
    g_auto(Fd) old_fd = file_open_regular_at(target->dir, target->name, target->no_follow, &old);
    if (old_fd < 0) // not readable: no one knows what it would lose
        return in_place(target, data, size, error);
    if (!S_ISREG(old.st_mode) || old.st_nlink > 1)
        return in_place(target, data, size, error);

    g_auto(FileDraft) draft = draft_of(target);
    if (!file_draft_open(&draft, O_WRONLY, S_IRUSR | S_IWUSR))
        return is_refusal(errno) ? in_place(target, data, size, error)
                                 : file_fail(error, errno, "write", target->path);
    if (!fd_write_all(draft.fd, data, size, target->path, error))
        return false;
    if (!copy_metadata(old_fd, &old, draft.fd))
        return in_place(target, data, size, error);
    if (!way->is_volatile && fsync(draft.fd) < 0)
        return file_fail(error, errno, "write", target->path);
    if (!file_draft_replace(&draft))
        return is_refusal(errno) ? in_place(target, data, size, error)
                                 : file_fail(error, errno, "write", target->path);
    if (!way->is_volatile)
        file_sync_directory_of(target->path);
    return true;
}

static bool write_new(const Target *target, const void *data, size_t size, mode_t mode,
                      const WriteWay *way, GError **error)
{
    g_auto(FileDraft) draft = draft_of(target);
    if (!file_draft_open(&draft, O_WRONLY, mode))
        return file_fail(error, errno, "write", target->path);
    if (!fd_write_all(draft.fd, data, size, target->path, error))
        return false;
    if (!way->is_volatile && fsync(draft.fd) < 0)
        return file_fail(error, errno, "write", target->path);
    if (!file_draft_create(&draft))
        return file_fail(error, errno, "write", target->path);
    if (!way->is_volatile)
        file_sync_directory_of(target->path);
    return true;
}

static bool write_target(const Target *target, const void *data, size_t size, mode_t mode,
                         const WriteWay *way, GError **error)
{
    struct stat old;
    if (fstatat(target->dir, target->name, &old, AT_SYMLINK_NOFOLLOW) < 0)
        return write_new(target, data, size, mode, way, error);
    if (S_ISDIR(old.st_mode))
        return file_fail(error, EISDIR, "write", target->path);
    // a rename would get around the file's own protection
    if (faccessat(target->dir, target->name, W_OK, AT_EACCESS) < 0)
        return file_fail(error, errno, "write", target->path);
    if (!S_ISREG(old.st_mode))
        return way->in_place(target, data, size, error);
    return write_existing(target, data, size, way, error);
}

static bool write_file(const char *path, const void *data, size_t size, mode_t mode,
                       const WriteWay *way, GError **error)
{
    g_autofree char *target = NULL;
    return follow_links(path, &target, error) &&
           write_target(&(Target) { target, target, AT_FDCWD, 0 }, data, size, mode, way, error);
}

/* The directory of `path` by way of directories only. -1 with errno. */
static int open_exact_directory(const char *path)
{
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    g_autofree char *dir = g_path_get_dirname(path);
    g_auto(GStrv) parts = g_strsplit(dir, "/", -1);
    g_auto(Fd) at = open("/", flags);
    for (char **part = parts; *part && at >= 0; part++) {
        if (!**part)
            continue;
        int inner = openat(at, *part, flags);
        int number = errno;
        fd_close(at);
        at = inner;
        errno = number;
    }
    return fd_steal(&at);
}

bool file_write_exact(const char *path, const void *data, size_t size, mode_t mode, GError **error)
{
    g_autofree char *name = g_path_get_basename(path);
    g_auto(Fd) dir = open_exact_directory(path);
    const Target target = { path, name, dir, O_NOFOLLOW };
    struct stat now;
    if (dir < 0 && errno != ELOOP && errno != ENOTDIR)
        return file_fail(error, errno, "write", path);
    if (dir < 0 || (fstatat(dir, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(now.st_mode)))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "cannot write %s: a link has come to be on the way", path);
    return write_target(&target, data, size, mode, &(WriteWay) { write_in_place, false }, error);
}

bool file_write_atomic(const char *path, const void *data, size_t size, mode_t mode, GError **error)
{
    return write_file(path, data, size, mode, &(WriteWay) { write_in_place, false }, error);
}

bool file_write_volatile(const char *path, const void *data, size_t size, mode_t mode,
                         GError **error)
{
    return write_file(path, data, size, mode, &(WriteWay) { write_in_place, true }, error);
}

bool file_replace(const char *path, const void *data, size_t size, mode_t mode, GError **error)
{
    return write_file(path, data, size, mode, &(WriteWay) { refuse_in_place, false }, error);
}
