/*
 * Moving a session (session_relocate.h): a copy with another header is made beside its place, and
 * takes it when the artifacts have moved; whatever fails is taken back.
 */
#include "session/session_relocate.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/json.h"
#include "session/session_load.h"
#include "session/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES = 64 * 1024 };

typedef struct Move {
    const char *path;
    char *target, *temporary; // beside the target
    char *artifacts, *artifacts_target;
    bool has_artifacts; // that have moved
} Move;

static void move_clear(Move *self)
{
    if (self->temporary)
        unlink(self->temporary);
    g_free(self->target);
    g_free(self->temporary);
    g_free(self->artifacts);
    g_free(self->artifacts_target);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Move, move_clear)

static bool write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t count = write(fd, data, size);
        if (count < 0 && errno != EINTR)
            return false;
        data += MAX(count, 0);
        size -= (size_t)MAX(count, 0);
    }
    return true;
}

/* All behind the first line. */
static bool copy_entries(int from, int to)
{
    g_autofree char *buffer = g_malloc(COPY_BYTES);
    bool is_behind = false;
    for (off_t at = 0;;) {
        ssize_t count = pread(from, buffer, COPY_BYTES, at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0;
        at += count;
        const char *newline = is_behind ? NULL : memchr(buffer, '\n', (size_t)count);
        const char *start = is_behind ? buffer : newline ? newline + 1 : buffer + count;
        is_behind = is_behind || newline;
        if (!write_all(to, start, (size_t)(buffer + count - start)))
            return false;
    }
}

static bool write_copy(Move *self, int from, const json_t *header, GError **error)
{
    g_auto(Fd) fd = mkostemp(self->temporary, O_CLOEXEC); // 0600
    g_autofree char *text = json_to_text(header);
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    if (fd < 0 || !write_all(fd, line, strlen(line)) || !copy_entries(from, fd) || fsync(fd) < 0)
        return fail_with_errno(error, errno, "cannot write %s", self->temporary);
    return true;
}

static void set_paths(Move *self, const char *path, const char *dir)
{
    g_autofree char *name = g_path_get_basename(path);
    bool has_suffix = g_str_has_suffix(path, ".jsonl");
    self->path = path;
    self->target = g_build_filename(dir, name, NULL);
    self->temporary = g_strdup_printf("%s/.%s.XXXXXX", dir, name);
    if (!has_suffix)
        return;
    self->artifacts = g_strndup(path, strlen(path) - strlen(".jsonl"));
    self->artifacts_target = g_strndup(self->target, strlen(self->target) - strlen(".jsonl"));
}

static bool move_artifacts(Move *self, GError **error)
{
    if (!self->artifacts || !file_exists(self->artifacts))
        return true;
    if (rename(self->artifacts, self->artifacts_target) < 0)
        return fail_with_errno(error, errno, "cannot move %s to %s", self->artifacts,
                               self->artifacts_target);
    self->has_artifacts = true;
    return true;
}

static bool take_back(const Move *self, const char *what, GError **error)
{
    int problem = errno;
    if (self->has_artifacts)
        (void)rename(self->artifacts_target, self->artifacts);
    return fail_with_errno(error, problem, "cannot %s", what);
}

/* Into the place; the old file goes last. */
static bool take_place(Move *self, GError **error)
{
    bool is_same = g_str_equal(self->target, self->path);
    if (!is_same && !move_artifacts(self, error))
        return false;
    if (rename(self->temporary, self->target) < 0)
        return take_back(self, "rename the copy of the session", error);
    if (is_same || unlink(self->path) == 0)
        return true;
    int problem = errno;
    unlink(self->target);
    errno = problem;
    return take_back(self, "remove the session where it was", error);
}

bool session_relocate(const char *path, const SessionPlace *to, char **ret_path, GError **error)
{
    g_auto(Move) move = { 0 };
    g_autoptr(Store) store = NULL;
    StoreState state = STORE_BUSY;
    g_autoptr(json_t) header = session_file_header(path);
    g_autofree char *dir = session_place_dir(to);
    if (!header)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Not a session file: %s", path);
    if (!store_open(path, &store, &state, error))
        return false;
    if (state != STORE_LOCKED)
        return fail_with(error, KEDGE_ERROR_DENIED, "%s: %s", path,
                         state == STORE_BUSY ? "another process is in this session"
                                             : "no permission to write");
    set_paths(&move, path, dir);
    if (!g_str_equal(move.target, path) &&
        (file_exists(move.target) || (move.artifacts && file_exists(move.artifacts_target))))
        return fail_with(error, KEDGE_ERROR_DENIED, "%s is there already", move.target);
    json_set_text(header, "cwd", to->cwd);
    if (!file_make_dirs(dir, 0700, error) ||
        !write_copy(&move, line_file_fd(store_file(store)), header, error) ||
        !take_place(&move, error))
        return false;
    *ret_path = g_steal_pointer(&move.target);
    return true;
}
