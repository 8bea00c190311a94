/*
 * Drafts without a session (first_draft.h). A file is a line of JSON, {"cwd","size"}, and the text.
 * It is written in one piece over what was there, since the lock belongs to the open file: a
 * program that is killed meanwhile leaves the old text, the new one, or a beginning of it.
 */
#include "tui/edit/first_draft.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/json.h"
#include "base/timefmt.h"
#include "base/utf8.h"

#include <errno.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    LIMIT_LOOKED_AT = 256,   // files; more than that are not of people
    LIMIT_HEAD_BYTES = 8192, // of a path, escaped
    KEPT_SECONDS = 30 * 24 * 3600,
};

struct FirstDraft {
    int fd;
    char *path, *cwd;
};

static char *draft_dir(const char *agent_dir)
{
    return g_build_filename(agent_dir, "drafts", NULL);
}

FirstDraft *first_draft_open(const char *agent_dir, const char *cwd, GError **error)
{
    g_autofree char *dir = draft_dir(agent_dir), *path = g_build_filename(dir, "XXXXXX", NULL);
    if (!file_make_dirs(dir, 0700, error))
        return NULL;
    int fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        fail_with(error, KEDGE_ERROR_IO, "cannot write %s: %s", path, g_strerror(errno));
        return NULL;
    }
    flock(fd, LOCK_EX | LOCK_NB); // where there are no locks it may be taken for one that was left
    FirstDraft *self = g_new0(FirstDraft, 1);
    *self = (FirstDraft) { fd, g_steal_pointer(&path), g_strdup(cwd) };
    return self;
}

bool first_draft_write(FirstDraft *self, const char *text, GError **error)
{
    size_t size = strlen(text);
    g_autoptr(json_t) head = json_make("cwd:%s size:%zu", self->cwd, size);
    g_autofree char *line = json_to_text(head), *all = g_strconcat(line, "\n", text, NULL);
    ssize_t length = (ssize_t)strlen(all);
    if (pwrite(self->fd, all, (size_t)length, 0) == length && ftruncate(self->fd, length) == 0)
        return true;
    return fail_with(error, KEDGE_ERROR_IO, "cannot write %s: %s", self->path, g_strerror(errno));
}

void first_draft_leave(FirstDraft *self)
{
    if (!self)
        return;
    fd_close(self->fd);
    g_free(self->path);
    g_free(self->cwd);
    g_free(self);
}

void first_draft_remove(FirstDraft *self)
{
    if (self)
        unlink(self->path);
    first_draft_leave(self);
}

// ---- those that were left ----

/* NULL: it is not of this directory, or not whole. Caller frees. */
static char *draft_text(int fd, off_t there, const char *cwd, size_t max_bytes)
{
    size_t room = (size_t)MIN(there, (off_t)(LIMIT_HEAD_BYTES + max_bytes));
    g_autofree char *data = g_malloc(room + 1);
    size_t size = fd_read_at(fd, data, room, 0);
    const char *end = memchr(data, '\n', MIN(size, LIMIT_HEAD_BYTES));
    g_autofree char *line = end ? g_strndup(data, (gsize)(end - data)) : NULL;
    g_autoptr(json_t) head = NULL;
    if (!line || !json_parse_text(line, &head, NULL) ||
        g_strcmp0(json_get_text(head, "cwd"), cwd) != 0)
        return NULL;
    size_t left = size - (size_t)(end + 1 - data);
    int64_t meant = json_get_int(head, "size", 0);
    g_autofree char *text = utf8_from_bytes(end + 1, MIN(left, (size_t)MAX(meant, 0)));
    return utf8_is_blank(text) ? NULL : g_steal_pointer(&text);
}

/* Locked by us now, and so left by whatever wrote it. -1: it is not. */
static int draft_lock(const char *path, struct stat *ret_info)
{
    g_auto(Fd) fd = file_open_regular(path, O_NOFOLLOW, ret_info);
    struct stat now;
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
        return -1;
    bool is_there = lstat(path, &now) == 0 && now.st_ino == ret_info->st_ino;
    return is_there ? fd_steal(&fd) : -1; // else another program has just taken it
}

typedef struct LeftDraft {
    Fd fd; // locked
    char *path, *text;
    time_t written_at;
} LeftDraft;

static void left_draft_clear(LeftDraft *self)
{
    fd_close(self->fd);
    g_free(self->path);
    g_free(self->text);
    *self = (LeftDraft) { .fd = -1 };
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LeftDraft, left_draft_clear)

/* `path` becomes what was found when it is newer. */
static void look_at(const char *path, const char *cwd, size_t max_bytes, LeftDraft *found)
{
    struct stat info;
    g_auto(Fd) fd = draft_lock(path, &info);
    if (fd < 0)
        return;
    if (info.st_mtime < time_now_ms() / 1000 - KEPT_SECONDS) {
        unlink(path);
        return;
    }
    char *text =
        info.st_mtime >= found->written_at ? draft_text(fd, info.st_size, cwd, max_bytes) : NULL;
    if (!text)
        return;
    left_draft_clear(found);
    *found = (LeftDraft) { fd_steal(&fd), g_strdup(path), text, info.st_mtime };
}

char *first_draft_take(const char *agent_dir, const char *cwd, size_t max_bytes,
                       FirstDraft **ret_own)
{
    g_autofree char *dir = draft_dir(agent_dir);
    g_autoptr(GDir) list = g_dir_open(dir, 0, NULL);
    g_auto(LeftDraft) found = { .fd = -1 };
    const char *name = NULL;
    for (int i = 0; list && i < LIMIT_LOOKED_AT && (name = g_dir_read_name(list)); i++) {
        g_autofree char *path = g_build_filename(dir, name, NULL);
        look_at(path, cwd, max_bytes, &found);
    }
    *ret_own = found.text ? first_draft_open(agent_dir, cwd, NULL) : NULL;
    if (*ret_own && first_draft_write(*ret_own, found.text, NULL))
        unlink(found.path);
    return g_steal_pointer(&found.text);
}
