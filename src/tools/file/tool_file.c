/* See tool_file.h. */
#include "tools/file/tool_file.h"

#include "base/file.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "directory";
    case S_IFIFO:
        return "fifo";
    case S_IFSOCK:
        return "socket";
    case S_IFCHR:
        return "character device";
    case S_IFBLK:
        return "block device";
    default:
        return NULL; // a regular file, or nothing that has a name
    }
}

static bool is_process_secret(const char *name)
{
    static const char *const names[] = { "environ", "mem",   "maps",    "smaps",   "auxv",
                                         "cmdline", "stack", "syscall", "pagemap", NULL };
    return g_strv_contains(names, name);
}

/* "<pid>/…" or "<pid>/task/<tid>/…" below /proc. */
static bool is_secret_of_process(const char *below)
{
    g_auto(GStrv) parts = g_strsplit(below, "/", 5);
    guint count = g_strv_length(parts);
    bool is_process = count >= 2 && *parts[0] && strspn(parts[0], "0123456789") == strlen(parts[0]);
    if (is_process && count == 4 && strcmp(parts[1], "task") == 0)
        return is_process_secret(parts[3]);
    return is_process && count == 2 && is_process_secret(parts[1]);
}

bool tool_file_is_on_proc(const char *path)
{
    struct statfs info;
    return statfs(path, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

bool tool_file_is_secret(const char *path)
{
    g_autofree char *real = path_real(path);
    const char *found = real ? real : path;
    if (strcmp(found, "/dev/mem") == 0 || strcmp(found, "/dev/kmem") == 0 ||
        strcmp(found, "/proc/kcore") == 0)
        return true;
    if (str_has_prefix(found, "/proc/"))
        return is_secret_of_process(found + strlen("/proc/"));
    g_autofree char *name = g_path_get_basename(found); // of a /proc that is mounted elsewhere
    return is_process_secret(name) && tool_file_is_on_proc(found);
}

static bool check_info(const struct stat *info, const char *shown, GError **error)
{
    const char *kind = kind_of(info->st_mode);
    return !kind || fail_with(error, KEDGE_ERROR_USAGE, "Not a regular file: %s (%s)", shown, kind);
}

static bool fail_secret(const char *shown, GError **error)
{
    return fail_with(error, KEDGE_ERROR_DENIED, "Refused: %s can hold secrets of other programs.",
                     shown);
}

static bool check(const char *path, const char *shown, struct stat *ret_info, GError **error)
{
    if (tool_file_is_secret(path))
        return fail_secret(shown, error);
    if (stat(path, ret_info) < 0)
        return fail_with_errno(error, errno, "cannot read %s", shown);
    return check_info(ret_info, shown, error);
}

bool tool_file_open(const char *path, const char *shown, Fd *ret_fd, struct stat *ret_info,
                    GError **error)
{
    struct stat info;
    if (!check(path, shown, &info, error))
        return false;
    g_auto(Fd) fd = file_open_regular(path, 0, &info);
    if (fd < 0)
        return file_fail_open(shown, error);
    // the path may have come to mean something else in between
    g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autofree char *opened = g_file_read_link(link, NULL);
    if (opened && tool_file_is_secret(opened))
        return fail_secret(shown, error);
    if (!check_info(&info, shown, error))
        return false;
    *ret_fd = fd_steal(&fd);
    *ret_info = info;
    return true;
}

bool tool_file_check_target(const char *path, const char *shown, GError **error)
{
    struct stat info;
    return stat(path, &info) < 0 || check(path, shown, &info, error);
}
