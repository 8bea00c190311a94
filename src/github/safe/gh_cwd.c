/*
 * Which directories gh may work in: local ones, below the home directory, the workspace or a
 * directory that the user allows.
 */
#include "github/safe/gh_cwd.h"

#include "base/dirs.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"
#include "github/classify/gh_kind.h"

#include <fcntl.h>

#define MOUNTINFO       "/proc/self/mountinfo"
#define MOUNTINFO_BYTES (16 * MIB)
#define LOWEST_FD       3 // a standard descriptor would be overwritten in the child
#define MOUNT_POINT     4 // fields of a line of mountinfo
#define FIRST_OPTIONAL  6

void gh_cwd_clear(GhCwd *self)
{
    g_free(self->path);
    if (self->fd >= LOWEST_FD)
        fd_close(self->fd);
    *self = (GhCwd) { .fd = -1 };
}

char *gh_cwd_spawn_path(const GhCwd *self)
{
    return g_strdup_printf("/proc/self/fd/%d", self->fd);
}

/* ssh://host/dir, \\server\share, /ssh:host:/dir. */
static bool has_remote_syntax(const char *text)
{
    if (str_has_prefix(text, "\\\\"))
        return true;
    size_t scheme =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
    if (scheme > 0 && str_has_prefix(text + scheme, "://"))
        return true;
    if (*text != '/')
        return false;
    size_t method = strcspn(text + 1, ":/");
    return method > 0 && text[1 + method] == ':' && strchr(text + method + 2, ':') != NULL;
}

/* host:/dir, unless there is a local directory of that name. */
static bool looks_remote(const char *text, const char *local)
{
    if (has_remote_syntax(text))
        return true;
    const char *colon = strstr(text, ":/");
    if (!colon || colon == text || strcspn(text, "/") < (size_t)(colon - text))
        return false;
    return !file_is_directory(local);
}

/* The path of what is open; NULL when it was removed meanwhile. */
static char *path_of_fd(int fd)
{
    g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autofree char *path = g_file_read_link(link, NULL);
    return path != NULL && *path == '/' && file_is_directory(path) ? g_steal_pointer(&path) : NULL;
}

static bool open_directory(const char *path, GhCwd *ret_cwd)
{
    g_auto(Fd) opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0)
        return false;
    g_auto(Fd) fd = fcntl(opened, F_DUPFD_CLOEXEC, LOWEST_FD);
    char *real = fd >= 0 ? path_of_fd(fd) : NULL;
    if (!real)
        return false;
    *ret_cwd = (GhCwd) { .path = real, .fd = fd_steal(&fd) };
    return true;
}

typedef struct Mount {
    char *type;
    size_t depth; // length of the mount point
} Mount;

static void mount_clear(Mount *self)
{
    g_free(self->type);
    *self = (Mount) { 0 };
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Mount, mount_clear)

/* One line of mountinfo; false when its mount point does not hold `path`. */
static bool mount_parse(const char *line, const char *path, Mount *ret_mount)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    guint count = g_strv_length(words);
    guint separator = FIRST_OPTIONAL;
    while (separator < count && strcmp(words[separator], "-") != 0)
        separator++;
    if (separator + 1 >= count)
        return false;
    g_autofree char *point = g_strcompress(words[MOUNT_POINT]); // \040 is a blank
    if (!g_path_is_absolute(point) || !path_is_inside(path, point))
        return false;
    *ret_mount = (Mount) { .type = g_strdup(words[separator + 1]), .depth = strlen(point) };
    return true;
}

/* Of the longest mount point; of several, the last was mounted over the others. Zero: unknown. */
static Mount mount_find(const char *path, const char *mounts)
{
    g_autofree char *data = NULL;
    Mount best = { 0 };
    if (!file_read(mounts, MOUNTINFO_BYTES, &data, NULL, NULL))
        return best;
    g_auto(GStrv) lines = g_strsplit(data, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(Mount) mount = { 0 };
        if (!mount_parse(*line, path, &mount) || mount.depth < best.depth)
            continue;
        mount_clear(&best);
        best = mount;
        mount = (Mount) { 0 };
    }
    return best;
}

static bool is_remote_type(const Settings *settings, const char *type)
{
    size_t i;
    json_t *remote;
    json_array_foreach (settings_get_json(settings, "gh.remoteFsTypes"), i, remote) {
        if (g_strcmp0(json_string_value(remote), type) == 0)
            return true;
    }
    return false;
}

static bool is_below(const char *path, const char *root)
{
    g_autofree char *real = root != NULL ? path_real(root) : NULL;
    return real != NULL && path_is_inside(path, real);
}

static bool is_allowed(const GhCwdSpec *spec, const char *path)
{
    g_autofree char *home = dirs_home();
    if (is_below(path, home) || is_below(path, spec->workspace))
        return true;
    size_t i;
    json_t *root;
    json_array_foreach (settings_get_json(spec->settings, "gh.allowedRoots"), i, root) {
        const char *text = json_string_value(root);
        g_autofree char *expanded = text != NULL ? path_expand_home(text) : NULL;
        if (expanded && g_path_is_absolute(expanded) && is_below(path, expanded))
            return true;
    }
    return false;
}

bool gh_cwd_open(const GhCwdSpec *spec, GhCwd *ret_cwd, GError **error)
{
    const char *text = spec->text != NULL ? spec->text : spec->workspace;
    const GhFacts facts = { .cwd = text };
    g_autofree char *expanded = path_expand_home(text);
    g_autofree char *absolute = path_absolute(expanded, spec->workspace);
    if (looks_remote(text, absolute))
        return fail_with_kind(error, GH_KIND_REMOTE_CWD, &facts);

    g_auto(GhCwd) cwd = { .fd = -1 };
    // not the absolute path: its .. were resolved in text, which goes wrong behind a link
    g_autofree char *opened = g_path_is_absolute(expanded)
                                  ? g_strdup(expanded)
                                  : g_build_filename(spec->workspace, expanded, NULL);
    if (!open_directory(opened, &cwd))
        return fail_with_kind(error, GH_KIND_INVALID_CWD, &facts);
    g_auto(Mount) mount = mount_find(cwd.path, spec->mounts != NULL ? spec->mounts : MOUNTINFO);
    if (mount.type && is_remote_type(spec->settings, mount.type))
        return fail_with_kind(error, GH_KIND_REMOTE_CWD, &facts);
    if (!spec->is_anywhere && !is_allowed(spec, cwd.path)) {
        const GhFacts outside = { .cwd = text, .is_outside = true };
        return fail_with_kind(error, GH_KIND_INVALID_CWD, &outside);
    }
    *ret_cwd = cwd;
    cwd = (GhCwd) { .fd = -1 };
    return true;
}
