/*
 * The tree of a directory, two levels deep, newest first (agent-tools §3.1.5).
 */
#include "base/str.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "tools/read/read_text.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 2, MAX_CHILDREN = 12, MAX_ENTRIES = 10000 };

typedef struct Entry {
    char *name;
    char *label; // the name as text, with a slash behind a directory
    unsigned depth;
    unsigned left_out; // over 0: "… n not listed"
    bool is_directory;
    int64_t size, mtime_ms;
} Entry;

static void entry_free(void *data)
{
    Entry *self = data;
    g_free(self->name);
    g_free(self->label);
    g_free(self);
}

static int compare_newest(const void *a, const void *b)
{
    const Entry *left = *(Entry *const *)a, *right = *(Entry *const *)b;
    if (left->mtime_ms != right->mtime_ms)
        return left->mtime_ms > right->mtime_ms ? -1 : 1;
    return strcmp(left->label, right->label);
}

static bool is_never_entered(const char *name)
{
    static const char *const names[] = {
        ".git",        "node_modules", "target", "dist",   "build",       ".venv",         "venv",
        "__pycache__", ".cache",       ".next",  ".turbo", ".mypy_cache", ".pytest_cache", NULL
    };
    return g_strv_contains(names, name);
}

/* What is no part of somebody's work, unless the path that was asked for leads into it. */
static bool is_left_out(const char *name, const char *path)
{
    if (strcmp(name, ".git") != 0 && strcmp(name, "node_modules") != 0)
        return false;
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    return !g_strv_contains((const char *const *)parts, name);
}

static Entry *entry_new(const char *dir, const char *name, unsigned depth)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    struct stat info;
    if (lstat(path, &info) < 0)
        return NULL;
    g_autofree char *shown = g_strdelimit(utf8_from_bytes(name, strlen(name)), "\n\r\t", '?');
    Entry *entry = g_new0(Entry, 1);
    entry->name = g_strdup(name);
    entry->is_directory = S_ISDIR(info.st_mode);
    entry->label = entry->is_directory ? g_strconcat(shown, "/", NULL) : g_strdup(shown);
    entry->depth = depth;
    entry->size = info.st_size;
    entry->mtime_ms = (int64_t)info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000;
    return entry;
}

/* Newest first. Of a very large directory some are only counted. */
static GPtrArray *list_children(const char *root, const char *dir, unsigned depth,
                                unsigned *ret_unread, GError **error)
{
    DIR *handle = opendir(dir);
    if (!handle) {
        fail_with(error, KEDGE_ERROR_IO, "Cannot read directory: %s", g_strerror(errno));
        return NULL;
    }
    GPtrArray *children = g_ptr_array_new_with_free_func(entry_free);
    const struct dirent *found = NULL;
    *ret_unread = 0;
    while ((found = readdir(handle))) {
        if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0 ||
            is_left_out(found->d_name, root))
            continue;
        *ret_unread += children->len >= MAX_ENTRIES;
        Entry *entry = children->len < MAX_ENTRIES ? entry_new(dir, found->d_name, depth) : NULL;
        if (entry)
            g_ptr_array_add(children, entry);
    }
    closedir(handle);
    g_ptr_array_sort(children, compare_newest);
    return children;
}

typedef struct Tree {
    const char *root;
    GPtrArray *entries; // of Entry, as they are shown
} Tree;

static void take_child(const Tree *tree, GPtrArray *children, unsigned index, const char *dir);

static void add_left_out(const Tree *tree, unsigned count, unsigned depth)
{
    Entry *more = g_new0(Entry, 1);
    more->label = g_strdup_printf("… %u not listed", count);
    more->depth = depth;
    more->left_out = count;
    g_ptr_array_add(tree->entries, more);
}

/* At most `cap` of the children, then the newest but for one place, which is the oldest's. */
static void add_children(const Tree *tree, GPtrArray *children, const char *dir, unsigned cap,
                         unsigned unread)
{
    unsigned depth = ((Entry *)children->pdata[0])->depth;
    bool is_over = children->len > cap || unread > 0;
    unsigned head = is_over ? MIN(cap, children->len) - 1 : children->len;
    for (unsigned i = 0; i < head; i++)
        take_child(tree, children, i, dir);
    unsigned left_out = is_over ? children->len - head - 1 + unread : 0;
    if (left_out > 0)
        add_left_out(tree, left_out, depth);
    if (is_over)
        take_child(tree, children, children->len - 1, dir);
}

static void add_grandchildren(const Tree *tree, Entry *entry, const char *dir)
{
    unsigned unread = 0;
    g_autoptr(GPtrArray) children = list_children(tree->root, dir, entry->depth + 1, &unread, NULL);
    if (!children) {
        g_autofree char *name = g_steal_pointer(&entry->label);
        entry->label = g_strconcat(name, " (cannot be read)", NULL);
    }
    if (!children || children->len == 0)
        return;
    g_ptr_array_set_free_func(children, NULL);
    add_children(tree, children, dir, MAX_CHILDREN, unread);
    for (unsigned i = 0; i < children->len; i++)
        if (children->pdata[i])
            entry_free(children->pdata[i]);
}

static void take_child(const Tree *tree, GPtrArray *children, unsigned index, const char *dir)
{
    Entry *entry = children->pdata[index];
    children->pdata[index] = NULL;
    g_ptr_array_add(tree->entries, entry);
    if (!entry->is_directory || entry->depth >= MAX_DEPTH || is_never_entered(entry->name))
        return;
    g_autofree char *path = g_build_filename(dir, entry->name, NULL);
    add_grandchildren(tree, entry, path);
}

static size_t label_width(const Entry *entry)
{
    return entry->depth * 2 + 2 + utf8_length(entry->label);
}

static void append_padding(GString *out, size_t used, size_t width)
{
    for (; used < width; used++)
        g_string_append_c(out, ' ');
}

static void append_entry(GString *out, const Entry *entry, size_t width, int64_t now_ms)
{
    g_autoptr(GString) line = g_string_new(NULL);
    append_padding(line, 0, entry->depth * 2);
    g_string_append_printf(line, "- %s", entry->label);
    g_autofree char *age =
        entry->left_out > 0 ? g_strdup("") : time_age_text(now_ms - entry->mtime_ms);
    if (*age) {
        append_padding(line, label_width(entry), width + 2);
        g_autofree char *size =
            entry->is_directory ? g_strdup("") : str_format_bytes((guint64)entry->size);
        g_string_append_printf(line, "%-8s  %-4s", size, age);
    }
    g_strchomp(line->str);
    g_string_append_printf(out, "\n%s", line->str);
}

/* Drops the deepest, last lines until the tree fits; the root's children stay. Returns how many
 * entries are missing then. */
static unsigned drop_lines(GPtrArray *entries, unsigned max_lines)
{
    unsigned dropped = 0;
    for (unsigned depth = MAX_DEPTH; depth > 1; depth--)
        for (unsigned i = entries->len; i > 0 && entries->len + 1 > max_lines; i--) {
            const Entry *entry = entries->pdata[i - 1];
            if (entry->depth != depth)
                continue;
            dropped += entry->left_out > 0 ? entry->left_out : 1;
            g_ptr_array_remove_index(entries, i - 1);
        }
    return dropped;
}

static char *print_tree(const GPtrArray *entries, unsigned dropped, int64_t now_ms)
{
    size_t width = 0;
    for (unsigned i = 0; i < entries->len; i++)
        width = MAX(width, label_width(entries->pdata[i]));
    GString *out = g_string_new(".");
    for (unsigned i = 0; i < entries->len; i++)
        append_entry(out, entries->pdata[i], width, now_ms);
    if (dropped > 0)
        g_string_append_printf(out, "\n… %u not listed", dropped);
    return g_string_free(out, FALSE);
}

bool read_directory_show(const char *path, const ReadSelect *select, int64_t now_ms,
                         ToolResult *result, GError **error)
{
    unsigned unread = 0;
    g_autoptr(GPtrArray) children = list_children(path, path, 1, &unread, error);
    if (!children)
        return false;
    json_set_bool(tool_result_details(result), "isDirectory", true);
    if (children->len == 0) {
        tool_result_add_text(result, "(empty directory)");
        return true;
    }
    g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func(entry_free);
    const Tree tree = { .root = path, .entries = entries };
    g_ptr_array_set_free_func(children, NULL); // what is taken belongs to the tree
    add_children(&tree, children, path, MAX_ENTRIES, unread);
    unsigned dropped = 0;
    if (select->has_range && select->end > 0)
        dropped = drop_lines(entries, (unsigned)MIN(select->end - select->start + 1, MAX_ENTRIES));

    g_autofree char *text = print_tree(entries, dropped, now_ms);
    g_auto(Truncated) cut = truncate_head(text, MAX_ENTRIES * (MAX_CHILDREN + 1), 0);
    tool_result_set_truncation(result, &cut, RESULT_HEAD, 1, 0, NULL);
    tool_result_add_text(result, cut.content);
    return true;
}
