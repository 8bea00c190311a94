/*
 * A session file: the lock keeps a second process from appending to it, and every failed write
 * leaves a file that still loads.
 *
 * The lock is flock(): it belongs to the open file, so it ends with the process however that ends.
 * A replaced file is locked before it takes the name, so that there is no moment without a lock.
 */
#include "session/store.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/file_draft.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define STORE_OPEN_TRIES  8 // the file may be replaced between open and lock
#define STORE_BATCH_BYTES (256 * 1024)
#define STORE_ASIDE_MAX   100

struct Store {
    char *path;
    LineFile *file; // opened with O_APPEND
    off_t appended_at;
    off_t end; // of what was appended; 0: nothing yet
};

static Store *store_new(const char *path, int fd)
{
    Store *self = g_new0(Store, 1);
    self->path = g_strdup(path);
    self->file = line_file_new(fd);
    return self;
}

static int store_fd(const Store *self)
{
    return line_file_fd(self->file);
}

void store_close(Store *self)
{
    if (!self)
        return;
    flock(store_fd(self), LOCK_UN); // who reads lines of the file keeps it open, not locked
    line_file_unref(self->file);
    g_free(self->path);
    g_free(self);
}

LineFile *store_file(const Store *self)
{
    return self->file;
}

off_t store_appended_at(const Store *self)
{
    return self->appended_at;
}

/* File systems without locks get none: better a session than no session. */
static bool lock_file(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static bool is_still_at(int fd, const char *path)
{
    struct stat ours, named;
    return fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_dev == named.st_dev &&
           ours.st_ino == named.st_ino;
}

static bool open_regular(const char *path, int flags, int *ret_fd, GError **error)
{
    // O_NONBLOCK: a named pipe must not make us wait
    g_auto(Fd) fd = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0 && errno == ENOENT)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s: no such file", path);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot open %s", path);
    struct stat info;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
        return fail_with(error, KEDGE_ERROR_IO, "%s: not a regular file", path);
    *ret_fd = fd_steal(&fd);
    return true;
}

static bool is_write_refused(const char *path)
{
    return access(path, W_OK) < 0 && (errno == EACCES || errno == EROFS || errno == EPERM);
}

bool store_open_to_read(const char *path, Store **ret_store, GError **error)
{
    int fd = -1;
    if (!open_regular(path, O_RDONLY, &fd, error))
        return false;
    *ret_store = store_new(path, fd);
    return true;
}

bool store_open(const char *path, Store **ret_store, StoreState *ret_state, GError **error)
{
    if (is_write_refused(path)) {
        *ret_state = STORE_READ_ONLY;
        return store_open_to_read(path, ret_store, error);
    }

    for (int i = 0; i < STORE_OPEN_TRIES; i++) {
        g_auto(Fd) fd = -1;
        if (!open_regular(path, O_RDWR | O_APPEND, &fd, error))
            return false;
        if (!lock_file(fd)) {
            *ret_state = STORE_BUSY;
            return store_open_to_read(path, ret_store, error);
        }
        if (!is_still_at(fd, path))
            continue;
        *ret_store = store_new(path, fd_steal(&fd));
        *ret_state = STORE_LOCKED;
        return true;
    }
    return fail_with(error, KEDGE_ERROR_IO, "%s: replaced again and again while opening", path);
}

bool store_create(const char *path, Store **ret_store, GError **error)
{
    g_autofree char *dir = g_path_get_dirname(path);
    if (!file_make_dirs(dir, 0700, error))
        return false;

    g_auto(Fd) fd = -1;
    if (!open_regular(path, O_RDWR | O_CREAT | O_APPEND, &fd, error))
        return false;
    struct stat info;
    bool is_ours = lock_file(fd) && fstat(fd, &info) == 0 && info.st_size == 0;
    if (!is_ours)
        return fail_with(error, KEDGE_ERROR_IO, "%s: another process made this session file", path);
    *ret_store = store_new(path, fd_steal(&fd));
    return true;
}

/* A crash leaves half a line, and so may another program, at any time. */
static bool is_torn(int fd, off_t size)
{
    char last = '\n';
    return size > 0 && fd_read_at(fd, &last, 1, size - 1) == 1 && last != '\n';
}

bool store_append(Store *self, const char *line, size_t size, GError **error)
{
    size_t line_size = size;
    struct stat before;
    bool knows_size = fstat(store_fd(self), &before) == 0;

    g_autoptr(GString) mended = NULL;
    if (knows_size && is_torn(store_fd(self), before.st_size)) {
        mended = g_string_new("\n");
        g_string_append_len(mended, line, (gssize)size);
        line = mended->str;
        size = mended->len;
    }
    if (fd_write_all(store_fd(self), line, size, self->path, error)) {
        self->end = lseek(store_fd(self), 0, SEEK_CUR);
        self->appended_at = self->end - (off_t)line_size;
        return true;
    }

    // Giving space back needs none, so this works on a full disk too.
    if (knows_size)
        (void)!ftruncate(store_fd(self), before.st_size);
    return false;
}

static bool write_lines(int fd, const char *path, StoreLineFunc next_line, void *user_data,
                        GError **error)
{
    g_autoptr(GString) batch = g_string_sized_new(STORE_BATCH_BYTES);
    bool has_more = true;
    while (has_more) {
        size_t before = batch->len;
        if (!next_line(batch, user_data, error))
            return false;
        has_more = batch->len > before;
        if (has_more && batch->len < STORE_BATCH_BYTES)
            continue;
        if (!fd_write_all(fd, batch->str, batch->len, path, error))
            return false;
        g_string_truncate(batch, 0);
    }
    return true;
}

bool store_replace(Store *self, StoreLineFunc next_line, void *user_data, GError **error)
{
    g_auto(FileDraft) draft = FILE_DRAFT_INIT(self->path);
    if (!file_draft_open(&draft, O_RDWR | O_APPEND, 0600))
        return fail_with_errno(error, errno, "cannot make a new file beside %s", self->path);
    lock_file(draft.fd);
    if (!write_lines(draft.fd, self->path, next_line, user_data, error))
        return false;
    if (fsync(draft.fd) < 0)
        return fail_with_errno(error, errno, "cannot sync the new %s", self->path);
    if (!file_draft_replace(&draft))
        return fail_with_errno(error, errno, "cannot replace %s", self->path);
    file_sync_directory_of(self->path);
    line_file_unref(self->file);
    self->file = line_file_new(fd_steal(&draft.fd));
    self->end = 0;
    return true;
}

// ---- other programs ----

StorePlace store_look(const Store *self)
{
    struct stat ours, named;
    bool has_name = stat(self->path, &named) == 0;
    bool is_known = has_name || errno == ENOENT || errno == ENOTDIR;
    if (!is_known || fstat(store_fd(self), &ours) < 0)
        return PLACE_OURS;
    if (!has_name || ours.st_dev != named.st_dev || ours.st_ino != named.st_ino)
        return PLACE_LOST;
    if (ours.st_size == 0)
        return PLACE_EMPTY;
    return ours.st_size < self->end ? PLACE_CUT : PLACE_OURS;
}

#define REPLACED "Another program replaced the file of this session, %s"

/* A name of its own that no list of sessions has. Caller frees; NULL: it cannot be kept. */
static char *keep_beside(const char *path, const struct stat *other, GError **error)
{
    for (int i = 1; i <= STORE_ASIDE_MAX; i++) {
        struct stat kept;
        g_autofree char *aside = g_strdup_printf("%s.replaced-%d", path, i);
        if (link(path, aside) == 0)
            return g_steal_pointer(&aside);
        if (errno != EEXIST) {
            fail_with_errno(error, errno, "cannot keep what is now at %s", path);
            return NULL;
        }
        if (stat(aside, &kept) == 0 && kept.st_dev == other->st_dev && kept.st_ino == other->st_ino)
            return g_steal_pointer(&aside); // of a try before
    }
    fail_with(error, KEDGE_ERROR_LIMIT, "%s: replaced again and again", path);
    return NULL;
}

/* Beside a file that another process works in; sessions are found there, too. */
static bool store_step_aside(Store *self, char **ret_notice, GError **error)
{
    size_t stem = strlen(self->path) - (g_str_has_suffix(self->path, ".jsonl") ? 6 : 0);
    for (int i = 1; i <= STORE_ASIDE_MAX; i++) {
        g_autofree char *path = g_strdup_printf("%.*s-%d.jsonl", (int)stem, self->path, i);
        if (file_exists(path))
            continue;
        *ret_notice = g_strdup_printf(
            REPLACED ", and is at work in it. This session goes on in %s.", self->path, path);
        g_free(self->path);
        self->path = g_steal_pointer(&path);
        return true;
    }
    return fail_with(error, KEDGE_ERROR_LIMIT, "%s: replaced again and again", self->path);
}

bool store_make_way(Store *self, char **ret_notice, GError **error)
{
    g_autofree char *dir = g_path_get_dirname(self->path), *aside = NULL;
    if (!file_make_dirs(dir, 0700, error))
        return false;
    struct stat info;
    g_auto(Fd) fd = file_open_regular(self->path, 0, &info);
    if (fd < 0 && errno != ENOENT)
        return fail_with_errno(error, errno, "cannot open %s", self->path);
    if (fd >= 0 && !lock_file(fd))
        return store_step_aside(self, ret_notice, error);
    if (fd >= 0 && info.st_size > 0 && !(aside = keep_beside(self->path, &info, error)))
        return false;
    *ret_notice =
        aside ? g_strdup_printf(REPLACED ". It is written there again; what was there is now %s.",
                                self->path, aside)
              : g_strdup_printf("Another program removed the file of this session, %s. It is "
                                "written there again.",
                                self->path);
    return true;
}

bool store_sync(Store *self, GError **error)
{
    if (fsync(store_fd(self)) < 0 && errno != EINVAL && errno != EROFS)
        return fail_with_errno(error, errno, "cannot sync %s", self->path);
    return true;
}
