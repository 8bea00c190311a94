/* See special_files.h. */
#include "base/special_files.h"

#include "base/dirs.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/git_dir.h"
#include "base/path.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <dirent.h>
#include <fcntl.h>

#define MAX_WAITING  100000 // folders; what is beyond is not looked at
#define MAX_INCLUDES 10     // of git's configuration, one in another: as git has it
#define MAX_CONFIGS  100    // read for one search
#define CONFIG_BYTES ((size_t)1024 * 1024)

/* What is opened in every folder. */
static const char *const names[] = {
    ".gitignore", ".ignore", ".rgignore", ".gitattributes", ".gitmodules", ".mailmap", ".git", NULL,
};

/* Of the kernel: no one keeps a repository there, and they are large. */
static const char *const skipped[] = { "/proc", "/sys", "/dev", NULL };

typedef struct Folder {
    char *path;
    bool is_git; // a git directory, or in one: every file counts
} Folder;

struct SpecialSearch {
    GArray *waiting; // of Folder
    char *found;
    unsigned configs; // that were read
};

static void folder_clear(void *self_)
{
    Folder *self = self_;
    g_free(self->path);
}

bool special_file_is(const struct stat *info)
{
    return !S_ISREG(info->st_mode) && !S_ISDIR(info->st_mode) && !S_ISSOCK(info->st_mode) &&
           !file_is_null_device(info);
}

bool special_file_fail(const char *path, GError **error)
{
    struct stat info;
    const char *kind =
        stat(path, &info) == 0 && S_ISFIFO(info.st_mode)
            ? "a FIFO, and what reads it waits for a writer"
            : "a device, or leads to one, and what reads it may never come to its end";
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s is %s; remove it", path, kind);
}

static void search_add(SpecialSearch *self, char *path, bool is_git)
{
    const Folder folder = { .path = path, .is_git = is_git };
    if (self->waiting->len < MAX_WAITING && !g_strv_contains(skipped, path))
        g_array_append_val(self->waiting, folder);
    else
        g_free(path);
}

/* Keeps it when it is special. */
static void search_look_at(SpecialSearch *self, const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    struct stat info;
    if (!self->found && stat(path, &info) == 0 && special_file_is(&info))
        self->found = g_steal_pointer(&path);
}

// ---- files that git's configuration names ----

/* `path = X` of a line; NULL: it names no file that git opens by itself. Caller frees. */
static char *named_file(const char *line)
{
    static const char *const keys[] = { "path", "excludesfile",   "attributesfile",
                                        "file", "ignorerevsfile", "template",
                                        NULL };
    const char *section = *line == '[' ? strrchr(line, ']') : NULL;
    g_auto(GStrv) parts = g_strsplit(section ? section + 1 : line, "=", 2);
    if (g_strv_length(parts) != 2)
        return NULL;
    g_autofree char *key = g_ascii_strdown(g_strstrip(parts[0]), -1);
    const char *value = g_strstrip(parts[1]);
    if (!g_strv_contains(keys, key))
        return NULL;
    bool is_quoted = *value == '"';
    return g_strndup(value + is_quoted, strcspn(value + is_quoted, is_quoted ? "\"" : "#;"));
}

static void search_read_config(SpecialSearch *self, const char *config, unsigned depth);

static void search_look_at_named(SpecialSearch *self, const char *config, char *name,
                                 unsigned depth)
{
    g_autofree char *dir = g_path_get_dirname(config);
    g_autofree char *tree = g_path_get_dirname(dir);
    const char *bases[] = { dir, tree };
    g_strchomp(name);
    bool is_home = str_has_prefix(name, "~/");
    g_autofree char *home = is_home ? dirs_home() : NULL;
    g_autofree char *whole = home ? g_build_filename(home, name + 2, NULL) : g_strdup(name);
    for (size_t i = 0; i < G_N_ELEMENTS(bases) && !self->found; i++) {
        g_autofree char *path = path_absolute(whole, bases[i]);
        search_look_at(self, "/", path);
        search_read_config(self, path, depth + 1);
    }
}

/* A file that it includes may include others. */
static void search_read_config(SpecialSearch *self, const char *config, unsigned depth)
{
    g_autofree char *text = NULL;
    if (self->found || depth > MAX_INCLUDES || self->configs++ > MAX_CONFIGS ||
        !file_read(config, CONFIG_BYTES, &text, NULL, NULL))
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line && !self->found; line++) {
        g_autofree char *name = named_file(g_strstrip(*line));
        if (name && *name)
            search_look_at_named(self, config, name, depth);
    }
}

static void search_add_git(SpecialSearch *self, const char *dir)
{
    static const char *const configs[] = { "config", "config.worktree" };
    char *git = git_dir_at(dir);
    if (!git)
        return;
    char *common = git_dir_common(git);
    for (size_t i = 0; i < G_N_ELEMENTS(configs); i++) {
        g_autofree char *config = g_build_filename(i == 0 ? common : git, configs[i], NULL);
        search_read_config(self, config, 0);
    }
    if (strcmp(common, git) != 0)
        search_add(self, common, true);
    else
        g_free(common);
    search_add(self, git, true);
}

/* Ignore files of folders above a tree count in it. */
static void search_look_above(SpecialSearch *self, const char *tree)
{
    g_autofree char *dir = g_strdup(tree);
    while (strcmp(dir, "/") != 0 && strcmp(dir, ".") != 0) {
        char *above = g_path_get_dirname(dir);
        g_free(dir);
        dir = above;
        for (size_t i = 0; names[i]; i++)
            search_look_at(self, dir, names[i]);
        search_add_git(self, dir);
    }
}

SpecialSearch *special_search_new(const char *const *trees, const char *cwd)
{
    SpecialSearch *self = g_new0(SpecialSearch, 1);
    self->waiting = g_array_new(FALSE, FALSE, sizeof(Folder));
    g_array_set_clear_func(self->waiting, folder_clear);
    for (; *trees; trees++) {
        bool is_below = cwd && !g_path_is_absolute(*trees);
        g_autofree char *named = is_below ? g_build_filename(cwd, *trees, NULL) : g_strdup(*trees);
        char *tree = path_real(named);
        if (!tree)
            continue;
        search_look_above(self, tree);
        search_add_git(self, tree);
        search_add(self, tree, false);
    }
    return self;
}

void special_search_free(SpecialSearch *self)
{
    if (!self)
        return;
    g_array_unref(self->waiting);
    g_free(self->found);
    g_free(self);
}

static bool may_be_special(const struct dirent *entry)
{
    return entry->d_type != DT_REG && entry->d_type != DT_SOCK && entry->d_type != DT_DIR;
}

static bool is_folder(DIR *dir, const struct dirent *entry)
{
    struct stat info;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(info.st_mode);
}

static void search_read_folder(SpecialSearch *self, const Folder *folder)
{
    g_auto(Fd) fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir)
        return;
    fd_steal(&fd); // belongs to `dir` now
    const struct dirent *entry;
    while (!self->found && (entry = readdir(dir))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (is_folder(dir, entry))
            search_add(self, g_build_filename(folder->path, name, NULL),
                       folder->is_git || strcmp(name, ".git") == 0);
        else if (may_be_special(entry) && (folder->is_git || g_strv_contains(names, name)))
            search_look_at(self, folder->path, name);
    }
    closedir(dir);
}

bool special_search_step(SpecialSearch *self, int64_t budget_ms, char **ret_path)
{
    int64_t until = time_monotonic_ms() + budget_ms;
    while (!self->found && self->waiting->len > 0) {
        if (time_monotonic_ms() >= until)
            return false;
        Folder folder = g_array_index(self->waiting, Folder, self->waiting->len - 1);
        folder.path = g_strdup(folder.path);
        g_array_set_size(self->waiting, self->waiting->len - 1);
        search_read_folder(self, &folder);
        folder_clear(&folder);
    }
    *ret_path = g_steal_pointer(&self->found);
    return true;
}
