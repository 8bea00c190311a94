/*
 * Walking directories by their ignore files (file_walk.h).
 */
#include "tools/file/file_walk.h"

#include "base/fd.h"
#include "base/path.h"
#include "base/timefmt.h"
#include "tools/file/ignore_levels.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define WORK_OF_ENTRY     10 // as much as so many bytes of a rule
#define WORK_OF_DIRECTORY 1000

typedef struct Waiting { // a directory that is to be read
    char *path;
    IgnoreLevel *above; // NULL for the first one
} Waiting;

typedef struct Walker {
    const FileWalk *walk;
    Cancel *cancel;
    FileWalkFunc func;
    void *user_data;
    int64_t deadline;
    IgnoreWatch watch;
    GError *error;   // why the watch has stopped
    GArray *waiting; // of Waiting
    bool is_stopped; // by the caller: that was enough
} Walker;

static void waiting_clear(void *waiting)
{
    Waiting *self = waiting;
    g_free(self->path);
    ignore_level_unref(self->above);
}

static bool look_at_clock(void *walker)
{
    Walker *self = walker;
    return cancel_check(self->cancel, &self->error) &&
           (time_monotonic_ms() < self->deadline ||
            fail_with(&self->error, KEDGE_ERROR_TIMEOUT,
                      "%s has too many files to be listed in %" G_GINT64_FORMAT
                      " s; name a directory in it",
                      self->walk->dir, self->walk->timeout_ms / 1000));
}

static FileWalkKind kind_of(int dir_fd, const struct dirent *entry)
{
    struct stat info;
    switch (entry->d_type) {
    case DT_REG:
        return FILE_WALK_FILE;
    case DT_DIR:
        return FILE_WALK_DIRECTORY;
    case DT_LNK:
        return FILE_WALK_LINK;
    case DT_UNKNOWN: // the file system does not tell
        if (fstatat(dir_fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0)
            return FILE_WALK_SPECIAL;
        return S_ISREG(info.st_mode)   ? FILE_WALK_FILE
               : S_ISDIR(info.st_mode) ? FILE_WALK_DIRECTORY
               : S_ISLNK(info.st_mode) ? FILE_WALK_LINK
                                       : FILE_WALK_SPECIAL;
    default:
        return FILE_WALK_SPECIAL;
    }
}

static bool is_passed_over(const FileWalk *walk, const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
           (!walk->enters_all && (strcmp(name, ".git") == 0 || strcmp(name, "node_modules") == 0));
}

static void take_entry(Walker *self, IgnoreLevel *level, const char *path, FileWalkKind kind)
{
    bool is_directory = kind == FILE_WALK_DIRECTORY;
    if (ignore_level_leaves_out(level, path, is_directory, self->walk->excludes_hidden,
                                &self->watch) ||
        self->watch.is_stopped)
        return;
    size_t skip = strcmp(self->walk->dir, "/") == 0 ? 1 : strlen(self->walk->dir) + 1;
    self->is_stopped = !self->func(path + skip, kind, self->user_data);
    if (!is_directory || self->is_stopped)
        return;
    const Waiting waiting = { .path = g_strdup(path), .above = ignore_level_ref(level) };
    g_array_append_val(self->waiting, waiting);
}

static void read_entries(Walker *self, DIR *dir, IgnoreLevel *level, const char *path)
{
    for (const struct dirent *entry; !self->is_stopped && (entry = readdir(dir));) {
        if (is_passed_over(self->walk, entry->d_name))
            continue;
        if (!ignore_watch_goes_on(&self->watch, WORK_OF_ENTRY))
            return;
        g_autofree char *entry_path = g_build_filename(path, entry->d_name, NULL);
        take_entry(self, level, entry_path, kind_of(dirfd(dir), entry));
    }
}

/* One that is no folder any more is not missed. */
static void note_unread(const FileWalk *walk, const char *path, int number)
{
    if (!walk->notes || number == ENOENT || number == ENOTDIR)
        return;
    g_autofree char *shown = path_display(path, walk->cwd);
    search_notes_add_unread(walk->notes, shown);
}

static bool read_directory(Walker *self, const Waiting *waiting, GError **error)
{
    bool is_first = waiting->above == NULL;
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (is_first ? 0 : O_NOFOLLOW);
    g_auto(Fd) fd = open(waiting->path, flags);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir && is_first)
        return fail_with_errno(error, errno, "cannot read %s", waiting->path);
    if (!dir) {
        note_unread(self->walk, waiting->path, errno);
        return true;
    }
    fd_steal(&fd);
    g_autoptr(IgnoreLevel) level = is_first ? ignore_level_new(waiting->path, self->walk->cwd)
                                            : ignore_level_enter(waiting->above, waiting->path);
    if (ignore_watch_goes_on(&self->watch, WORK_OF_DIRECTORY))
        read_entries(self, dir, level, waiting->path);
    closedir(dir);
    if (!self->error)
        return true;
    return pass_error(error, &self->error);
}

bool file_walk(const FileWalk *walk, Cancel *cancel, FileWalkFunc func, void *user_data,
               GError **error)
{
    g_autoptr(GArray) waiting = g_array_new(FALSE, FALSE, sizeof(Waiting));
    g_array_set_clear_func(waiting, waiting_clear);
    Walker self = {
        .walk = walk,
        .cancel = cancel,
        .func = func,
        .user_data = user_data,
        .deadline = time_monotonic_ms() + walk->timeout_ms,
        .waiting = waiting,
        .watch = { .look = look_at_clock, .user_data = &self },
    };
    const Waiting first = { .path = g_strdup(walk->dir) };
    g_array_append_val(waiting, first);
    while (waiting->len > 0 && !self.is_stopped) {
        Waiting next = g_array_index(waiting, Waiting, waiting->len - 1);
        waiting->len--; // taken, not cleared
        bool is_good = read_directory(&self, &next, error);
        waiting_clear(&next);
        if (!is_good)
            return false;
    }
    return cancel_check(cancel, error);
}
