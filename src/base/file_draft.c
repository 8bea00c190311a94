/* See file_draft.h. */
#include "base/file_draft.h"

#include "base/file_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/random.h>

#define MAX_NAME_TRIES 16

void file_draft_clear(FileDraft *self)
{
    if (self->name)
        unlinkat(self->dir, self->name, 0);
    g_clear_pointer(&self->name, g_free);
    fd_close(fd_steal(&self->fd));
    fd_close(fd_steal(&self->dir));
}

static char *make_name(FileDraft *self)
{
    if (self->dir < 0)
        self->dir = file_open_staging(self->target, &self->prefix);
    uint64_t unique = 0;
    if (getrandom(&unique, sizeof(unique), 0) != (ssize_t)sizeof(unique))
        return NULL;
    return g_strdup_printf("%s%d-%016" G_GINT64_MODIFIER "x.tmp", self->prefix, (int)getpid(),
                           unique);
}

bool file_draft_open(FileDraft *self, int flags, mode_t mode)
{
    g_autofree char *dir =
        self->place == AT_FDCWD ? g_path_get_dirname(self->target) : g_strdup(".");
    self->fd = openat(self->place, dir, O_TMPFILE | O_CLOEXEC | flags, mode);
    if (self->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return self->fd >= 0;
    for (int i = 0; i < MAX_NAME_TRIES; i++) {
        g_autofree char *name = make_name(self);
        if (!name)
            return false;
        self->fd = openat(self->dir, name, O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | flags, mode);
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

bool file_draft_replace(FileDraft *self)
{
    for (int i = 0; !self->name && i < MAX_NAME_TRIES; i++) {
        g_autofree char *name = make_name(self);
        if (name && link_as(self->fd, self->dir, name))
            self->name = g_steal_pointer(&name);
        else if (errno != EEXIST)
            return false;
    }
    if (!self->name || renameat(self->dir, self->name, self->place, self->last_part) < 0)
        return false;
    g_clear_pointer(&self->name, g_free);
    return true;
}

bool file_draft_create(FileDraft *self)
{
    if (self->name)
        return file_draft_replace(self);
    if (link_as(self->fd, self->place, self->last_part))
        return true;
    // somebody else's file of that name, made meanwhile, is replaced like any other
    return errno == EEXIST && file_draft_replace(self);
}

bool file_draft_claim(FileDraft *self)
{
    if (!self->name)
        return link_as(self->fd, self->place, self->last_part);
    // its own name goes when the draft is cleared
    return linkat(self->dir, self->name, self->place, self->last_part, 0) == 0;
}

void file_sync_directory_of(const char *path)
{
    g_autofree char *dir = g_path_get_dirname(path);
    g_auto(Fd) fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        fsync(fd);
}
