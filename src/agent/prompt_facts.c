/*
 * What the model should know about where it works: machine, repository, the first levels of the
 * directory tree, the date. Reads a few small files and starts no process.
 */
#include "agent/prompt_private.h"

#include "base/env.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/visible.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#define FACT_FILE_BYTES   (64 * 1024)
#define TREE_MAX_BYTES    4096
#define TREE_MAX_ENTRIES  2000 // looked at in one directory
#define TREE_MAX_CHILDREN 12   // shown of a directory below the top
#define DEEPER_MAX_FILES  200

typedef struct TreeEntry {
    char *name;
    gint64 modified_at;
    bool is_directory;
} TreeEntry;

static void tree_entry_free(gpointer data)
{
    TreeEntry *self = data;
    g_free(self->name);
    g_free(self);
}

static gint newest_first(gconstpointer a, gconstpointer b)
{
    const TreeEntry *left = *(TreeEntry *const *)a;
    const TreeEntry *right = *(TreeEntry *const *)b;
    if (left->modified_at != right->modified_at)
        return left->modified_at < right->modified_at ? 1 : -1;
    return strcmp(left->name, right->name);
}

/* Directories full of what tools made. */
static bool is_skipped(const char *name)
{
    static const char *const names[] = { ".git",   "node_modules", "target",      "dist",
                                         "build",  ".venv",        "venv",        "__pycache__",
                                         ".cache", ".next",        ".mypy_cache", ".pytest_cache",
                                         NULL };
    return g_strv_contains(names, name);
}

static GPtrArray *list_directory(const char *path)
{
    GPtrArray *entries = g_ptr_array_new_with_free_func(tree_entry_free);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir && entries->len < TREE_MAX_ENTRIES && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);
        struct stat info;
        if (is_skipped(name) || lstat(child, &info) < 0)
            continue;
        TreeEntry *entry = g_new0(TreeEntry, 1);
        entry->name = utf8_from_bytes(name, strlen(name));
        g_strdelimit(entry->name, "\n\r\t", '?');
        entry->modified_at = info.st_mtim.tv_sec;
        entry->is_directory = S_ISDIR(info.st_mode);
        g_ptr_array_add(entries, entry);
    }
    g_ptr_array_sort(entries, newest_first);
    return entries;
}

/* False when there is no room for the line. */
static bool add_line(GString *tree, int indent, const char *name, const char *suffix)
{
    if (tree->len + (gsize)indent + strlen(name) + 8 > TREE_MAX_BYTES)
        return false;
    g_string_append_printf(tree, "%*s- %s%s\n", indent, "", name, suffix);
    return true;
}

static bool add_children(GString *tree, const char *path)
{
    g_autoptr(GPtrArray) children = list_directory(path);
    for (guint i = 0; i < children->len && i < TREE_MAX_CHILDREN; i++) {
        const TreeEntry *child = children->pdata[i];
        if (!add_line(tree, 2, child->name, child->is_directory ? "/" : ""))
            return false;
    }
    return children->len <= TREE_MAX_CHILDREN || add_line(tree, 2, "…", "");
}

/* Top-level names come first when room is short: directories are then shown without what is in
 * them. */
static void append_tree(GString *out, const char *cwd, const GPtrArray *top)
{
    g_autoptr(GString) tree = g_string_new(NULL);
    gsize names_bytes = 0;
    for (guint i = 0; i < top->len; i++)
        names_bytes += strlen(((const TreeEntry *)top->pdata[i])->name) + 8;
    bool has_room = names_bytes < TREE_MAX_BYTES / 2;

    guint shown = 0;
    for (; shown < top->len; shown++) {
        const TreeEntry *entry = top->pdata[shown];
        if (!add_line(tree, 0, entry->name, entry->is_directory ? "/" : ""))
            break;
        if (!entry->is_directory || !has_room)
            continue;
        g_autofree char *path = g_build_filename(cwd, entry->name, NULL);
        has_room = add_children(tree, path);
    }
    g_string_append_printf(out, "\nFiles here, most recently changed first:\n%s", tree->str);
    if (shown < top->len)
        g_string_append_printf(out, "- … %u more\n", top->len - shown);
}

static void append_deeper_files(GString *out, const char *cwd, const GPtrArray *top)
{
    guint count = 0;
    for (guint i = 0; i < top->len && count < DEEPER_MAX_FILES; i++) {
        const TreeEntry *entry = top->pdata[i];
        g_autofree char *path = g_build_filename(cwd, entry->name, "AGENTS.md", NULL);
        if (!entry->is_directory || entry->name[0] == '.' || !file_exists(path))
            continue;
        if (count++ == 0)
            g_string_append(out, "\nRead these before you work in their directories:\n");
        g_string_append_printf(out, "- %s/AGENTS.md\n", entry->name);
    }
}

/* The text after `key` in the first line of a file that begins with it. Caller frees; NULL: none.
 */
static char *value_in_file(const char *path, const char *key)
{
    g_autofree char *text = NULL;
    if (!file_read(path, FACT_FILE_BYTES, &text, NULL, NULL))
        return NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (size_t i = 0; lines[i]; i++)
        if (str_has_prefix(lines[i], key))
            return g_strdup(g_strstrip(g_strdelimit(lines[i] + strlen(key), "\"", ' ')));
    return NULL;
}

static void append_machine(GString *out)
{
    struct utsname names;
    if (uname(&names) < 0)
        return;
    g_autofree char *release = value_in_file("/etc/os-release", "PRETTY_NAME=");
    g_string_append_printf(out, "System: %s%s%s %s, %s\n", release ? release : "",
                           release ? ", " : "", names.sysname, names.release, names.machine);
    const char *terminal = env_get_raw("TERM_PROGRAM");
    terminal = terminal ? terminal : env_get_raw("TERM");
    if (terminal)
        g_string_append_printf(out, "Terminal: %s\n", terminal);
}

/* The directory with HEAD: .git, or where a worktree's .git file points. Caller frees. */
static char *git_dir_of(const char *root)
{
    g_autofree char *git = g_build_filename(root, ".git", NULL);
    if (file_is_directory(git))
        return g_steal_pointer(&git);
    g_autofree char *target = value_in_file(git, "gitdir:");
    return target ? path_absolute(target, root) : NULL;
}

static void append_repository(GString *out, const char *cwd)
{
    g_autofree char *root = prompt_repo_root(cwd);
    g_autofree char *git_dir = root ? git_dir_of(root) : NULL;
    if (!git_dir)
        return;
    g_autofree char *head = g_build_filename(git_dir, "HEAD", NULL);
    g_autofree char *branch = value_in_file(head, "ref: refs/heads/");
    g_autofree char *name = branch ? utf8_from_bytes(branch, strlen(branch)) : NULL;
    g_string_append_printf(out, "Git repository: %s, %s%s\n", root,
                           name ? "on branch " : "detached HEAD", name ? name : "");
}

static void append_place(GString *out, const char *cwd, int64_t now_ms)
{
    g_autoptr(GDateTime) now = g_date_time_new_from_unix_local(now_ms / 1000);
    g_autofree char *date = now ? g_date_time_format(now, "%Y-%m-%d") : g_strdup("unknown");
    g_autofree char *place = path_shorten_home(cwd);
    g_string_append_printf(out, "\nToday is %s, and the current working directory is '%s'.\n", date,
                           place);
}

char *prompt_facts(const char *cwd, int64_t now_ms)
{
    g_autoptr(GString) out = g_string_new("# Environment\n\n");
    append_machine(out);
    append_repository(out, cwd);
    g_autoptr(GPtrArray) top = list_directory(cwd);
    if (top->len > 0)
        append_tree(out, cwd, top);
    append_deeper_files(out, cwd, top);
    append_place(out, cwd, now_ms);
    GString *visible = g_string_new(NULL); // names of files and branches are anybody's
    visible_append_lines(visible, out->str);
    return g_string_free(visible, FALSE);
}
