/*
 * The texts of a scope's files: from the work tree, or from git's objects (comment_scope.h).
 */
#include "agenttools/answer.h"
#include "agenttools/comments/comment_scope.h"
#include "agenttools/comments/comment_text.h"
#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define PROBE_BYTES    ((size_t)8 * 1024) // of a file that is too large
#define SHA1_ID_SIZE   40
#define SHA256_ID_SIZE 64

static bool skip(ScopeFile *file, const char *reason)
{
    file->skipped = reason;
    return true;
}

// ---- the work tree ----

/* The directory above is not what the path says: git tracks nothing behind a link. */
static bool is_behind_link(const CommentScope *self, const char *path)
{
    g_autofree char *dir = g_path_get_dirname(path);
    if (strcmp(dir, ".") == 0)
        return false;
    g_autofree char *want = g_build_filename(self->root, dir, NULL);
    g_autofree char *real = path_real(want);
    return real != NULL && strcmp(real, want) != 0;
}

static bool read_descriptor(int fd, off_t file_size, ScopeFile *file, char **ret_data,
                            size_t *ret_size)
{
    bool is_large = file_size > (off_t)COMMENT_FILE_MAX_BYTES;
    size_t wanted = is_large ? PROBE_BYTES : (size_t)file_size, size = 0;
    g_autofree char *data = g_malloc(wanted + 1);
    while (size < wanted) {
        ssize_t got = read(fd, data + size, wanted - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return skip(file, "unreadable");
        if (got == 0)
            break;
        size += (size_t)got;
    }
    if (is_large)
        return skip(file, comment_text_is_binary(data, size) ? "binary" : "too large");
    data[size] = '\0';
    *ret_data = g_steal_pointer(&data);
    *ret_size = size;
    return true;
}

static bool read_file(const CommentScope *self, ScopeFile *file, char **ret_data, size_t *ret_size)
{
    if (is_behind_link(self, file->path))
        return skip(file, "symlink");
    g_autofree char *path = g_build_filename(self->root, file->path, NULL);
    struct stat info;
    int fd = file_open_regular(path, O_NOFOLLOW, &info);
    if (fd < 0 && errno == ELOOP)
        return skip(file, "symlink");
    if (fd < 0 && errno == EISDIR)
        return skip(file, file->is_named ? "directory" : "submodule");
    if (fd < 0 && errno == ENOTSUP)
        return skip(file, "not a regular file");
    if (fd < 0)
        return skip(file, errno == ENOENT || errno == ENOTDIR ? "deleted" : "unreadable");
    bool is_read = read_descriptor(fd, info.st_size, file, ret_data, ret_size);
    close(fd);
    return is_read;
}

// ---- git's objects ----

/* The id that git gives to these bytes is `blob`. */
static bool has_blob_id(const char *data, size_t size, const char *blob)
{
    size_t id_size = strlen(blob);
    if (id_size != SHA1_ID_SIZE && id_size != SHA256_ID_SIZE)
        return false;
    g_autoptr(GChecksum) sum =
        g_checksum_new(id_size == SHA1_ID_SIZE ? G_CHECKSUM_SHA1 : G_CHECKSUM_SHA256);
    g_autofree char *header = g_strdup_printf("blob %zu", size);
    g_checksum_update(sum, (const guchar *)header, (gssize)strlen(header) + 1);
    g_checksum_update(sum, (const guchar *)data, (gssize)size);
    return strcmp(g_checksum_get_string(sum), blob) == 0;
}

/* Mostly the work tree holds the very same bytes, and reading them there saves a process. */
static bool find_in_work_tree(const CommentScope *self, const ScopeFile *file, char **ret_data,
                              size_t *ret_size)
{
    ScopeFile same = { .path = file->path };
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!read_file(self, &same, &data, &size) || !data || !has_blob_id(data, size, file->blob))
        return false;
    *ret_data = g_steal_pointer(&data);
    *ret_size = size;
    return true;
}

static bool read_blob(const CommentScope *self, ScopeFile *file, Cancel *cancel, char **ret_data,
                      size_t *ret_size, GError **error)
{
    if (find_in_work_tree(self, file, ret_data, ret_size))
        return true;
    const char *const args[] = { "cat-file", "blob", file->blob, NULL };
    g_autofree char *data = NULL;
    bool is_too_large = false;
    g_autoptr(GError) cause = NULL;
    if (!comment_git(self->root, args, cancel, &data, ret_size, &is_too_large, &cause)) {
        if (answer_error_is(cause, ANSWER_GIT)) // such as one that a partial clone lacks
            return skip(file, is_too_large ? "too large" : "unreadable");
        return pass_error(error, &cause);
    }
    if (*ret_size > COMMENT_FILE_MAX_BYTES)
        return skip(file, comment_text_is_binary(data, *ret_size) ? "binary" : "too large");
    *ret_data = g_steal_pointer(&data);
    return true;
}

bool comment_scope_read(const CommentScope *self, ScopeFile *file, Cancel *cancel, char **ret_data,
                        size_t *ret_size, GError **error)
{
    *ret_data = NULL;
    if (!cancel_check(cancel, error))
        return false;
    return file->blob != NULL ? read_blob(self, file, cancel, ret_data, ret_size, error)
                              : read_file(self, file, ret_data, ret_size);
}
