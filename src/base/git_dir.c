/* See git_dir.h. */
#include "base/git_dir.h"

#include "base/file.h"
#include "base/path.h"
#include "base/str.h"

#include <sys/stat.h>

#define GITFILE_PREFIX "gitdir: "
#define GITFILE_BYTES  4096

/* The line that is the whole file; NULL: no such file. Caller frees. */
static char *read_line(const char *path)
{
    struct stat info;
    char *text = NULL;
    if (stat(path, &info) < 0 || !S_ISREG(info.st_mode) ||
        !file_read(path, GITFILE_BYTES, &text, NULL, NULL))
        return NULL;
    return g_strchomp(text);
}

static char *path_from(const char *dir, const char *named)
{
    return g_path_is_absolute(named) ? g_strdup(named) : g_build_filename(dir, named, NULL);
}

char *git_dir_at(const char *dir)
{
    g_autofree char *path = g_build_filename(dir, ".git", NULL);
    struct stat info;
    if (lstat(path, &info) < 0)
        return NULL;
    if (S_ISDIR(info.st_mode))
        return g_steal_pointer(&path);
    g_autofree char *text = S_ISREG(info.st_mode) ? read_line(path) : NULL;
    bool is_named = text && str_has_prefix(text, GITFILE_PREFIX);
    return is_named ? path_from(dir, text + strlen(GITFILE_PREFIX)) : NULL;
}

/* Goes up from `dir` (taken) to where `has_git` is true. */
static char *find_above(char *dir, bool (*has_git)(const char *dir))
{
    g_autofree char *each = dir;
    while (each && !has_git(each)) {
        char *parent = g_path_get_dirname(each);
        bool is_root = strcmp(parent, each) == 0;
        g_free(each);
        each = parent;
        if (is_root)
            return NULL;
    }
    return g_steal_pointer(&each);
}

static bool has_git_dir(const char *dir)
{
    g_autofree char *git = git_dir_at(dir);
    return git != NULL;
}

static bool is_marked(const char *dir)
{
    g_autofree char *mark = g_build_filename(dir, ".git", NULL);
    return file_exists(mark);
}

char *git_dir_work_tree(const char *dir)
{
    return find_above(path_real(dir), has_git_dir);
}

char *git_dir_marked(const char *dir)
{
    return find_above(g_strdup(dir), is_marked);
}

char *git_dir_common(const char *git_dir)
{
    g_autofree char *path = g_build_filename(git_dir, "commondir", NULL);
    g_autofree char *named = read_line(path);
    return named ? path_from(git_dir, named) : g_strdup(git_dir);
}

static bool is_git_dir(const char *dir)
{
    static const char *const parts[] = { "HEAD", "objects", "refs" };
    size_t found = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        g_autofree char *part = g_build_filename(dir, parts[i], NULL);
        found += file_exists(part);
    }
    return found == G_N_ELEMENTS(parts);
}

bool git_dir_is_inside(const char *path)
{
    g_autofree char *dir = find_above(g_strdup(path), is_git_dir);
    return dir != NULL;
}
