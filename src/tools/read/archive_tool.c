/* See archive_tool.h. */
#include "tools/read/archive_tool.h"

#include "base/archive.h"
#include "base/file.h"
#include "base/mask.h"
#include "base/str.h"
#include "tool/write_guard.h"
#include "tools/file/secret_file.h"
#include "tools/file/tool_file.h"
#include "tools/read/read_memory.h"

enum { MAX_LISTED = 500 };

bool archive_tool_is(const char *path G_GNUC_UNUSED)
{
    return true; // by its name; what is none is an error that says so
}

typedef struct Found { // of the member that is looked for: a directory, a file or nothing
    bool is_directory, is_file;
    ArchiveMember member; // of a file; owned
    GString *content;     // of a file
    GHashTable *children; // of a directory: name → how it is listed
    unsigned left_out;    // members whose name leads out of the archive
} Found;

static void found_init(Found *self)
{
    self->content = g_string_new(NULL);
    self->children = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static void found_clear(Found *self)
{
    g_string_free(self->content, TRUE);
    g_hash_table_unref(self->children);
    g_free(self->member.name);
    g_free(self->member.target);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Found, found_clear)

/* A name is one line of a list, whatever is in it: changes `text` and returns it. */
static char *one_line(char *text)
{
    for (char *at = text; *at; at++)
        if (g_ascii_iscntrl(*at))
            *at = '?';
    return text;
}

/* Caller frees. */
static char *archive_tool_listed(const char *name, const ArchiveMember *member)
{
    g_autofree char *size = member->size > 0 ? str_format_bytes((uint64_t)member->size) : NULL;
    if (member->target)
        return one_line(g_strdup_printf("%s -> %s", name, member->target));
    return one_line(size ? g_strdup_printf("%s (%s)", name, size) : g_strdup(name));
}

/* A member below the directory that is looked for; `below` is its path there. */
static void add_child(Found *self, const char *below, const ArchiveMember *member)
{
    const char *slash = strchr(below, '/');
    self->is_directory = true;
    if (!*below)
        return;
    g_autofree char *name = slash ? g_strndup(below, (size_t)(slash - below)) : g_strdup(below);
    if (slash || member->kind == ARCHIVE_MEMBER_DIRECTORY)
        g_hash_table_replace(self->children, g_strdup(name),
                             one_line(g_strconcat(name, "/", NULL)));
    else
        g_hash_table_replace(self->children, g_strdup(name), archive_tool_listed(name, member));
}

/* The path of `name` inside the directory `dir`; NULL: it is not inside. */
static const char *path_below(const char *name, const char *dir)
{
    size_t size = strlen(dir);
    if (size == 0)
        return name;
    if (strncmp(name, dir, size) != 0)
        return NULL;
    return name[size] == '/' ? name + size + 1 : name[size] == '\0' ? name + size : NULL;
}

static bool take_file(Found *self, Archive *archive, GError **error)
{
    const ArchiveMember *member = archive_member(archive);
    g_free(self->member.name);
    g_free(self->member.target);
    self->member = *member;
    self->member.name = g_strdup(member->name);
    self->member.target = g_strdup(member->target);
    self->is_file = true;
    return member->kind != ARCHIVE_MEMBER_FILE ||
           archive_read_member(archive, self->content, error);
}

/* Looks through all of the archive: of two members of one name the last counts. */
static bool look_for(ToolCall *call, const InnerPath *inner, const char *wanted, Found *self,
                     GError **error)
{
    g_autoptr(Archive) archive = NULL;
    bool has_member = false;
    if (!archive_open(inner->path, inner->shown, tool_call_cancel(call), &archive, error))
        return false;
    self->is_directory = !*wanted;
    for (;;) {
        if (!archive_next(archive, &has_member, error))
            return false;
        if (!has_member)
            return true;
        const ArchiveMember *member = archive_member(archive);
        g_autofree char *name = archive_clean_name(member->name, false);
        const char *below = name ? path_below(name, wanted) : NULL;
        self->left_out += !name;
        bool is_it = below && !*below && *wanted && member->kind != ARCHIVE_MEMBER_DIRECTORY;
        if (is_it && !take_file(self, archive, error))
            return false;
        if (below && !is_it)
            add_child(self, below, member);
    }
}

static int compare_listed(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    bool is_left_dir = g_str_has_suffix(*left, "/"), is_right_dir = g_str_has_suffix(*right, "/");
    return is_left_dir == is_right_dir ? strcmp(*left, *right) : is_right_dir - is_left_dir;
}

static void show_directory(const Found *self, ToolResult *result)
{
    guint count = g_hash_table_size(self->children), at = 0;
    g_autoptr(GPtrArray) sorted = g_ptr_array_new();
    GHashTableIter iter;
    void *row = NULL;
    g_hash_table_iter_init(&iter, self->children);
    while (g_hash_table_iter_next(&iter, NULL, &row))
        g_ptr_array_add(sorted, row);
    g_ptr_array_sort(sorted, compare_listed);
    g_autoptr(GString) out = g_string_new(count ? NULL : "(empty archive directory)");
    for (; at < MIN(count, MAX_LISTED); at++)
        g_string_append_printf(out, "%s%s", at > 0 ? "\n" : "",
                               (char *)g_ptr_array_index(sorted, at));
    if (at < count)
        g_string_append_printf(out, "\n… %u not listed", count - at);
    if (self->left_out > 0)
        g_string_append_printf(out, "\n[%u with '..' in the name are left out]", self->left_out);
    json_set_bool(tool_result_details(result), "isDirectory", true);
    read_memory_show_head(out->str, result);
}

static bool show_found(ToolCall *call, const Found *self, const ReadSelect *select,
                       ToolResult *result, GError **error)
{
    if (!self->is_file) {
        show_directory(self, result);
        return true;
    }
    const GString *content = self->content;
    g_autofree char *size = str_format_bytes(content->len);
    g_autofree char *text = NULL;
    if (self->member.target)
        text = g_strdup_printf("[Archive entry '%s' is a link to '%s']", select->path,
                               self->member.target);
    else if (self->member.kind != ARCHIVE_MEMBER_FILE)
        text = g_strdup_printf("[Archive entry '%s' is no regular file]", select->path);
    else if (!g_utf8_validate(content->str, (gssize)content->len, NULL))
        text = g_strdup_printf("[Cannot read binary archive entry '%s' (%s)]", select->path, size);
    if (!text)
        return read_memory_show(call, NULL, content->str, content->len, "archive entry", select,
                                result, error);
    tool_result_add_text(result, text);
    return true;
}

/* *ret_is_shown false: there is no such member. */
static bool try_member(ToolCall *call, const InnerPath *inner, const ReadSelect *select,
                       bool *ret_is_shown, ToolResult *result, GError **error)
{
    *ret_is_shown = false;
    g_autofree char *wanted = archive_clean_name(select->path, true);
    if (!wanted)
        return true;
    g_auto(Found) found = { 0 };
    found_init(&found);
    if (!look_for(call, inner, wanted, &found, error))
        return false;
    *ret_is_shown = found.is_file || found.is_directory;
    ReadSelect clean = *select;
    clean.path = wanted;
    return !*ret_is_shown || show_found(call, &found, &clean, result, error);
}

bool archive_tool_show(ToolCall *call, const InnerPath *inner, ToolResult *result, GError **error)
{
    const char *member = *inner->rest == ':' ? inner->rest + 1 : inner->rest;
    g_auto(ReadSelect) select = { 0 };
    bool is_shown = false;
    if (!tool_file_check_target(inner->path, inner->shown, error) ||
        !read_select_parse(member, 2, &select, error))
        return false;
    tool_result_set_source_path(result, inner->path);
    json_set_text(tool_result_details(result), "resolvedPath", inner->path);
    if (!try_member(call, inner, &select, &is_shown, result, error))
        return false;
    if (!is_shown && strcmp(select.path, member) != 0) { // a name that ends like a selector
        const ReadSelect literal = { .path = (char *)member, .start = 1 };
        if (!try_member(call, inner, &literal, &is_shown, result, error))
            return false;
    }
    return is_shown || fail_with(error, KEDGE_ERROR_NOT_FOUND, "Path '%s' not found inside archive",
                                 inner->asked);
}

/* Only a text with a mask makes it worth reading the old member. */
static bool check_masks(ToolCall *call, const InnerPath *inner, const char *wanted,
                        const char *content, GError **error)
{
    if (!inner->exists || !strstr(content, MASK_TEXT))
        return true;
    g_auto(Found) found = { 0 };
    found_init(&found);
    return look_for(call, inner, wanted, &found, error) &&
           secret_file_check_masks(found.content->str, found.content->len, content, error);
}

bool archive_tool_write(ToolCall *call, const InnerPath *inner, const char *content,
                        ToolResult *result, GError **error)
{
    const char *member = *inner->rest == ':' ? inner->rest + 1 : inner->rest;
    g_autofree char *clean = archive_clean_name(member, true);
    if (!clean)
        return fail_with(error, KEDGE_ERROR_USAGE, "Archive path cannot contain '..'");
    if (!*clean)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Archive write path must target a file inside the archive");
    if (strchr("/\\", member[strlen(member) - 1]))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Archive write path must target a file, not a directory");
    g_autofree char *real = NULL;
    size_t size = strlen(content);
    if (!tool_file_check_target(inner->path, inner->shown, error) ||
        !write_guard_pass(call, inner->path, false, &real, error))
        return false;
    g_autofree char *dir = g_path_get_dirname(real);
    if (!check_masks(call, inner, clean, content, error) || !file_make_dirs(dir, 0777, error) ||
        !archive_put(real, inner->shown, clean, content, size, tool_call_cancel(call), error))
        return false;
    g_autofree char *text =
        g_strdup_printf("Successfully wrote %zu bytes to %s:%s", size, inner->shown, clean);
    tool_result_add_text(result, text);
    json_set_text(tool_result_details(result), "op", inner->exists ? "update" : "create");
    return true;
}
