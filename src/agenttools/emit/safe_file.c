/*
 * Opening files by their real path: every directory on the way is opened from the one above it, and
 * no part may be a link.
 */
#include "agenttools/emit/safe_file.h"

#include "agenttools/answer.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/random.h>
#include <sys/stat.h>

#define MAX_LINKS           40  // as the kernel counts
#define MAX_TEMP_STEM_BYTES 200 // of the name inside a temporary name, which has at most 255
#define PERMISSION_BITS     07777
#define CHUNK_BYTES         (64 * KIB)

// ---- resolving ----

static char *safe_file_do_resolve(const char *path, unsigned *links)
{
    if (strlen(path) >= PATH_MAX) // which also bounds the depth
        return NULL;
    char *real = path_real(path);
    if (real || strcmp(path, "/") == 0)
        return real ? real : g_strdup(path);

    g_autofree char *parent_path = g_path_get_dirname(path);
    g_autofree char *parent = safe_file_do_resolve(parent_path, links);
    g_autofree char *name = g_path_get_basename(path);
    if (!parent || strcmp(name, ".") == 0)
        return g_steal_pointer(&parent);
    if (strcmp(name, "..") == 0)
        return g_path_get_dirname(parent);

    g_autofree char *joined = g_build_filename(parent, name, NULL);
    g_autofree char *target = g_file_read_link(joined, NULL);
    if (!target)
        return g_steal_pointer(&joined);
    if (++*links > MAX_LINKS)
        return NULL;
    for (size_t end = strlen(target); end > 1 && target[end - 1] == '/'; end--)
        target[end - 1] = '\0';
    g_autofree char *next =
        g_path_is_absolute(target) ? g_strdup(target) : g_build_filename(parent, target, NULL);
    return safe_file_do_resolve(next, links);
}

char *safe_file_resolve(const char *path)
{
    unsigned links = 0;
    g_autofree char *absolute = path_absolute(path, "/");
    return safe_file_do_resolve(absolute, &links);
}

// ---- opening ----

static bool fail_errno(GError **error, int saved_errno, const char *name)
{
    switch (saved_errno) {
    case ENOENT:
        return answer_error(error, ANSWER_NOT_FOUND, NULL, "Artifact file is missing: %s", name);
    case ELOOP:
    case ENOTDIR: // a link where the real path had a directory
        return answer_error(error, ANSWER_PERMISSION, NULL,
                            "Artifact path is a symbolic link now: %s", name);
    case EACCES:
    case EPERM:
    case EROFS:
        return answer_error(error, ANSWER_PERMISSION, NULL, "Artifact file %s: %s", name,
                            g_strerror(saved_errno));
    default:
        return answer_error(error, ANSWER_IO, NULL, "Artifact file %s: %s", name,
                            g_strerror(saved_errno));
    }
}

/* The directory of `real_path`, and in *ret_last the last part (points into the path). */
static bool open_parent(const char *real_path, const char *name, int *ret_fd, const char **ret_last,
                        GError **error)
{
    g_assert(real_path[0] == '/');
    g_auto(Fd) at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const char *part = real_path + 1;
    for (const char *slash; at >= 0 && (slash = strchr(part, '/')); part = slash + 1) {
        g_autofree char *directory = g_strndup(part, (size_t)(slash - part));
        int next = openat(at, directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int saved_errno = errno;
        fd_close(fd_steal(&at));
        errno = saved_errno;
        at = next;
    }
    if (at < 0)
        return fail_errno(error, errno, name);
    *ret_fd = fd_steal(&at);
    *ret_last = part;
    return true;
}

/* Non-blocking, because opening a FIFO would wait for the other side. */
static bool open_regular(int parent, const char *last, int mode, const char *name, int *ret_fd,
                         struct stat *ret_info, GError **error)
{
    g_auto(Fd) fd =
        *last == '\0' ? -1
                      : openat(parent, last, mode | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool is_odd = *last == '\0' || (fd < 0 && (errno == EISDIR || errno == ENXIO));
    if (fd < 0 && !is_odd)
        return fail_errno(error, errno, name);
    if (is_odd || fstat(fd, ret_info) < 0 || !S_ISREG(ret_info->st_mode))
        return answer_error(error, ANSWER_PERMISSION, NULL, "Artifact is not a regular file: %s",
                            name);
    *ret_fd = fd_steal(&fd);
    return true;
}

static bool open_for_reading(const char *real_path, const char *name, int *ret_fd, GError **error)
{
    g_auto(Fd) parent = -1;
    const char *last;
    struct stat info;
    return open_parent(real_path, name, &parent, &last, error) &&
           open_regular(parent, last, O_RDONLY, name, ret_fd, &info, error);
}

// ---- reading ----

bool safe_file_read(const char *real_path, const char *name, size_t max_bytes, char **ret_data,
                    size_t *ret_size, GError **error)
{
    g_auto(Fd) fd = -1;
    if (!open_for_reading(real_path, name, &fd, error))
        return false;
    GString *data = g_string_new(NULL);
    g_autoptr(GError) cause = NULL;
    if (!fd_read_all(fd, max_bytes + 1, name, data, &cause)) {
        g_string_free(data, TRUE);
        return answer_error(error, ANSWER_IO, NULL, "%s", cause->message);
    }
    if (data->len > max_bytes) {
        g_string_free(data, TRUE);
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Artifact file is too large: %s (limit %zu bytes)", name, max_bytes);
    }
    *ret_size = data->len;
    *ret_data = g_string_free(data, FALSE);
    return true;
}

static bool hash_descriptor(int fd, const char *name, char **ret_sha256, GError **error)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree unsigned char *chunk = g_malloc(CHUNK_BYTES);
    for (;;) {
        ssize_t count = read(fd, chunk, CHUNK_BYTES);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_errno(error, errno, name);
        if (count == 0)
            break;
        g_checksum_update(sum, chunk, count);
    }
    *ret_sha256 = g_strdup(g_checksum_get_string(sum));
    return true;
}

bool safe_file_sha256(const char *real_path, const char *name, char **ret_sha256, GError **error)
{
    g_auto(Fd) fd = -1;
    return open_for_reading(real_path, name, &fd, error) &&
           hash_descriptor(fd, name, ret_sha256, error);
}

// ---- replacing ----

/* Looks at the path again: an editor that saved meanwhile has put another file there. */
static bool is_unchanged(int parent, const char *last, const char *name,
                         const char *expected_sha256, GError **error)
{
    if (!expected_sha256)
        return true;
    g_auto(Fd) fd = -1;
    struct stat info;
    g_autofree char *sha256 = NULL;
    if (!open_regular(parent, last, O_RDONLY, name, &fd, &info, error) ||
        !hash_descriptor(fd, name, &sha256, error))
        return false;
    if (g_ascii_strcasecmp(sha256, expected_sha256) == 0)
        return true;
    return answer_error(error, ANSWER_CONFLICT, json_make("sha256:%s", sha256),
                        "Artifact file has changed meanwhile: %s", name);
}

/* In this order, because a change of owner clears the set-id bits. An owner that we may not give
   away stays ours; the mode must be right. */
static bool copy_ownership(int fd, const struct stat *old)
{
    struct stat made;
    if (fstat(fd, &made) < 0)
        return false;
    if ((made.st_uid != old->st_uid || made.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid) < 0 && errno != EPERM)
        return false;
    return fchmod(fd, old->st_mode & PERMISSION_BITS) == 0;
}

static char *temporary_name(const char *last)
{
    guint64 unique = 0;
    if (getrandom(&unique, sizeof(unique), 0) != (ssize_t)sizeof(unique))
        g_error("no random numbers: %s", g_strerror(errno));
    return g_strdup_printf(".%.*s.%016" G_GINT64_MODIFIER "x.tmp", MAX_TEMP_STEM_BYTES, last,
                           unique);
}

/* What is written, and where. */
typedef struct Replacement {
    int parent;
    const char *last, *name;
    const struct stat *old;
    const char *data;
    size_t size;
} Replacement;

static bool write_temporary(const Replacement *self, const char *temporary, GError **error)
{
    g_auto(Fd) fd =
        openat(self->parent, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_errno(error, errno, self->name);
    g_autoptr(GError) cause = NULL;
    if (!fd_write_all(fd, self->data, self->size, self->name, &cause))
        return answer_error(error, ANSWER_IO, NULL, "%s", cause->message);
    return (copy_ownership(fd, self->old) && fsync(fd) == 0) ||
           fail_errno(error, errno, self->name);
}

bool safe_file_replace(const char *real_path, const char *name, const char *data, size_t size,
                       const char *expected_sha256, GError **error)
{
    g_auto(Fd) parent = -1;
    g_auto(Fd) old_fd = -1;
    const char *last;
    struct stat old;
    // for writing too: a rename would get around the file's own protection
    if (!open_parent(real_path, name, &parent, &last, error) ||
        !open_regular(parent, last, O_RDWR, name, &old_fd, &old, error))
        return false;

    const Replacement replacement = { parent, last, name, &old, data, size };
    g_autofree char *temporary = temporary_name(last);
    bool is_done = write_temporary(&replacement, temporary, error) &&
                   is_unchanged(parent, last, name, expected_sha256, error);
    if (is_done && renameat(parent, temporary, parent, last) < 0)
        is_done = fail_errno(error, errno, name);
    if (!is_done) {
        unlinkat(parent, temporary, 0);
        return false;
    }
    // a rename is lasting only when the directory is on disk too
    g_auto(Fd) directory = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0)
        fsync(directory);
    return true;
}
