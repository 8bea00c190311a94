/*
 * Globs, kinds of files, directories that hold no sources of one's own (comment_filter.h).
 */
#include "agenttools/comments/comment_filter.h"

#include "agenttools/answer.h"
#include "base/glob.h"
#include "base/utf8.h"

void comment_filter_clear(CommentFilter *self)
{
    g_clear_pointer(&self->include, g_ptr_array_unref);
    g_clear_pointer(&self->exclude, g_ptr_array_unref);
}

/* As a glob for whole paths. Caller frees. */
static char *whole_glob(const char *glob)
{
    bool is_path = strchr(glob, '/') != NULL;
    const char *from_root = *glob == '/' ? glob + 1 : glob;
    const char *below = g_str_has_suffix(glob, "/") ? "**" : "";
    return g_strconcat(is_path ? "" : "**/", from_root, below, NULL);
}

static bool compile(const json_t *globs, const char *field, GPtrArray **ret_regexes, GError **error)
{
    if (json_array_size(globs) == 0)
        return true;
    g_autoptr(GPtrArray) regexes = g_ptr_array_new_with_free_func((GDestroyNotify)g_regex_unref);
    size_t i;
    const json_t *item;
    json_array_foreach (globs, i, item) {
        g_autofree char *glob = whole_glob(json_string_value(item));
        g_autoptr(GError) cause = NULL;
        GRegex *regex = NULL;
        if (!glob_compile(glob, &regex, &cause)) {
            return answer_error_field(error, field, "Validation failed: %s[%zu]: %s", field, i,
                                      cause->message);
        }
        g_ptr_array_add(regexes, regex);
    }
    *ret_regexes = g_steal_pointer(&regexes);
    return true;
}

bool comment_filter_init(CommentFilter *self, const json_t *include, const json_t *exclude,
                         GError **error)
{
    return compile(include, "include", &self->include, error) &&
           compile(exclude, "exclude", &self->exclude, error);
}

static bool is_matched(const GPtrArray *regexes, const char *path)
{
    for (guint i = 0; regexes && i < regexes->len; i++) {
        if (g_regex_match(g_ptr_array_index(regexes, i), path, 0, NULL))
            return true;
    }
    return false;
}

bool comment_filter_takes(const CommentFilter *self, const char *path)
{
    g_autofree char *text = utf8_from_bytes(path, strlen(path));
    return (self->include == NULL || is_matched(self->include, text)) &&
           !is_matched(self->exclude, text);
}

static bool is_in_unread_directory(const char *path)
{
    static const char *const names[] = { ".git", ".next",        ".rp1",   "build", "coverage",
                                         "dist", "node_modules", "vendor", NULL };
    g_autofree char *dir = g_path_get_dirname(path);
    g_auto(GStrv) parts = g_strsplit(dir, "/", -1);
    for (char **part = parts; *part; part++) {
        if (g_strv_contains(names, *part))
            return true;
    }
    return false;
}

const char *comment_filter_reason(const ScopeFile *file)
{
    switch (file->sort) {
    case FILE_DELETED:
        return "deleted";
    case FILE_SUBMODULE:
        return "submodule";
    case FILE_SYMLINK:
        return "symlink";
    case FILE_TEXT:
        break;
    }
    return !file->is_named && is_in_unread_directory(file->path) ? "excluded directory" : NULL;
}
