/*
 * The tree of a directory, two levels deep, newest first (agent-tools §3.1.5).
 */
#include "base/str.h"
#include "base/utf8.h"
#include "tools/read_text.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 2, MAX_CHILDREN = 12, MAX_ENTRIES = 10000 };

typedef struct Entry {
    char *name;
    char *label; // the name as text, with a slash behind a directory
    unsigned depth;
    bool is_more; // "… n more"
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

static GPtrArray *list_children(const char *dir, unsigned depth, GError **error)
{
    DIR *handle = opendir(dir);
    if (!handle) {
        fail_with(error, KEDGE_ERROR_IO, "Cannot read directory: %s", g_strerror(errno));
        return NULL;
    }
    GPtrArray *children = g_ptr_array_new_with_free_func(entry_free);
    const struct dirent *found = NULL;
    while (children->len < MAX_ENTRIES && (found = readdir(handle))) {
        bool is_self = strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0;
        Entry *entry = is_self ? NULL : entry_new(dir, found->d_name, depth);
        if (entry)
            g_ptr_array_add(children, entry);
    }
    closedir(handle);
    g_ptr_array_sort(children, compare_newest);
    return children;
}

static void take_child(GPtrArray *tree, GPtrArray *children, unsigned index, const char *dir);

static void add_children(GPtrArray *tree, GPtrArray *children, const char *dir, unsigned cap)
{
    bool is_over = children->len > cap;
    unsigned head = is_over ? cap - 1 : children->len;
    for (unsigned i = 0; i < head; i++)
        take_child(tree, children, i, dir);
    if (!is_over)
        return;
    Entry *more = g_new0(Entry, 1);
    more->label = g_strdup_printf("… %u more", children->len - head);
    more->depth = ((Entry *)children->pdata[children->len - 1])->depth;
    more->is_more = true;
    g_ptr_array_add(tree, more);
    take_child(tree, children, children->len - 1, dir);
}

static void take_child(GPtrArray *tree, GPtrArray *children, unsigned index, const char *dir)
{
    Entry *entry = children->pdata[index];
    children->pdata[index] = NULL;
    g_ptr_array_add(tree, entry);
    if (!entry->is_directory || entry->depth >= MAX_DEPTH)
        return;
    if (is_never_entered(entry->name))
        return;
    g_autofree char *path = g_build_filename(dir, entry->name, NULL);
    g_autoptr(GPtrArray) grandchildren = list_children(path, entry->depth + 1, NULL);
    if (grandchildren && grandchildren->len > 0) {
        g_ptr_array_set_free_func(grandchildren, NULL);
        add_children(tree, grandchildren, path, MAX_CHILDREN);
        for (unsigned i = 0; i < grandchildren->len; i++)
            if (grandchildren->pdata[i])
                entry_free(grandchildren->pdata[i]);
    }
}

static char *age_text(int64_t age_ms)
{
    int64_t seconds = age_ms / 1000, minute = 60, hour = 3600, day = 86400;
    if (seconds <= 0)
        return g_strdup("");
    if (seconds < minute)
        return g_strdup("just now");
    if (seconds < hour)
        return g_strdup_printf("%" G_GINT64_FORMAT "m ago", seconds / minute);
    if (seconds < day)
        return g_strdup_printf("%" G_GINT64_FORMAT "h ago", seconds / hour);
    if (seconds < 7 * day)
        return g_strdup_printf("%" G_GINT64_FORMAT "d ago", seconds / day);
    if (seconds < 30 * day)
        return g_strdup_printf("%" G_GINT64_FORMAT "w ago", seconds / (7 * day));
    return g_strdup_printf("%" G_GINT64_FORMAT "mo ago", seconds / (30 * day));
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
    g_autofree char *age = entry->is_more ? g_strdup("") : age_text(now_ms - entry->mtime_ms);
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
 * went. */
static unsigned drop_lines(GPtrArray *tree, unsigned max_lines)
{
    unsigned dropped = 0;
    for (unsigned depth = MAX_DEPTH; depth > 1; depth--)
        for (unsigned i = tree->len; i > 0 && tree->len + 1 > max_lines; i--)
            if (((Entry *)tree->pdata[i - 1])->depth == depth) {
                g_ptr_array_remove_index(tree, i - 1);
                dropped++;
            }
    return dropped;
}

bool read_directory_show(const char *path, const ReadSelect *select, int64_t now_ms,
                         ToolResult *result, GError **error)
{
    g_autoptr(GPtrArray) children = list_children(path, 1, error);
    if (!children)
        return false;
    if (children->len == 0) {
        tool_result_add_text(result, "(empty directory)");
        return true;
    }
    g_autoptr(GPtrArray) tree = g_ptr_array_new_with_free_func(entry_free);
    g_ptr_array_set_free_func(children, NULL);
    add_children(tree, children, path, G_MAXUINT);

    unsigned dropped = 0;
    if (select->has_range && select->end > 0)
        dropped = drop_lines(tree, (unsigned)MIN(select->end - select->start + 1, MAX_ENTRIES));
    size_t width = 0;
    for (unsigned i = 0; i < tree->len; i++)
        width = MAX(width, label_width(tree->pdata[i]));
    g_autoptr(GString) out = g_string_new(".");
    for (unsigned i = 0; i < tree->len; i++)
        append_entry(out, tree->pdata[i], width, now_ms);
    if (dropped > 0)
        g_string_append_printf(out, "\n… (%u lines elided beyond depth/cap)", dropped);

    g_auto(Truncated) cut = truncate_head(out->str, MAX_ENTRIES * (MAX_CHILDREN + 1), 0);
    tool_result_set_truncation(result, &cut, RESULT_HEAD, 1, 0, NULL);
    tool_result_add_text(result, cut.content);
    json_set_bool(tool_result_details(result), "isDirectory", true);
    return true;
}
