/*
 * Where the temporary name of a file stands while it is put in another one's place
 * (file_private.h). Names are "<prefix><pid>-<random>.tmp".
 */
#include "base/file_private.h"

#include "base/fd.h"
#include "base/git_dir.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#define STAGING_NAME "kedge-tmp"
#define LOCAL_PREFIX ".kedge-"
#define SUFFIX       ".tmp"

/* A directory of ours that no one else may write in; links are not followed. */
static int open_own_directory(int parent, const char *name)
{
    g_auto(Fd) fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) < 0 || info.st_uid != geteuid() ||
        (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return -1;
    return fd_steal(&fd);
}

static char *find_git_dir(const char *target)
{
    g_autofree char *dir = g_path_get_dirname(target);
    while (g_path_is_absolute(dir)) {
        char *found = git_dir_at(dir);
        if (found || strcmp(dir, "/") == 0)
            return found;
        char *parent = g_path_get_dirname(dir);
        g_free(dir);
        dir = parent;
    }
    return NULL;
}

/* -1 when there is no git directory of ours, or it is on another file system. */
static int open_in_git_dir(const char *target)
{
    g_autofree char *git_dir = find_git_dir(target);
    g_autofree char *target_dir = g_path_get_dirname(target);
    if (!git_dir)
        return -1;
    g_auto(Fd) fd = open_own_directory(AT_FDCWD, git_dir);
    struct stat there, here;
    // what a repository names as its git directory has to look like one
    if (fd < 0 || faccessat(fd, "HEAD", F_OK, 0) < 0 || fstat(fd, &there) < 0 ||
        stat(target_dir, &here) < 0 || there.st_dev != here.st_dev)
        return -1;
    if (mkdirat(fd, STAGING_NAME, 0700) < 0 && errno != EEXIST)
        return -1;
    return open_own_directory(fd, STAGING_NAME);
}

/* The process that made the name is gone. */
static bool is_left_over(const char *name, const char *prefix)
{
    if (!str_has_prefix(name, prefix) || !g_str_has_suffix(name, SUFFIX))
        return false;
    char *end = NULL;
    gint64 pid = g_ascii_strtoll(name + strlen(prefix), &end, 10);
    return *end == '-' && pid > 1 && pid <= G_MAXINT && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static void remove_left_over(int dir_fd, const char *prefix)
{
    int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        fd_close(fd);
        return;
    }
    const struct dirent *entry = NULL;
    while ((entry = readdir(dir)))
        if (is_left_over(entry->d_name, prefix))
            unlinkat(dir_fd, entry->d_name, 0);
    closedir(dir);
}

int file_open_staging(const char *target, const char **ret_prefix)
{
    *ret_prefix = "";
    g_auto(Fd) fd = open_in_git_dir(target);
    if (fd < 0) {
        g_autofree char *dir = g_path_get_dirname(target);
        *ret_prefix = LOCAL_PREFIX;
        fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC); // it need not be readable
    }
    if (fd >= 0)
        remove_left_over(fd, *ret_prefix);
    return fd_steal(&fd);
}
