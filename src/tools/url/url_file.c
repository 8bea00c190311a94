/* See url_file.h. */
#include "tools/url/url_file.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"

#include <sys/stat.h>

enum { MAX_DEPTH = 16 };

/* The deepest part of the path that exists, as a link or otherwise. Caller frees. */
static char *existing_part(const char *path)
{
    g_autofree char *part = g_strdup(path);
    struct stat info;
    while (strcmp(part, "/") != 0 && lstat(part, &info) < 0) {
        char *parent = g_path_get_dirname(part);
        g_free(part);
        part = parent;
    }
    return g_steal_pointer(&part);
}

bool url_file_below(const char *scheme, const char *what, const char *root, const char *relative,
                    char **ret_path, GError **error)
{
    g_autofree char *path = path_absolute(relative, root);
    g_autofree char *real_root = path_real(root);
    g_autofree char *part = existing_part(path);
    g_autofree char *real = path_real(part);
    bool is_inside =
        path_is_inside(path, root) && (!real_root || (real && path_is_inside(real, real_root)));
    if (!is_inside)
        return fail_with(error, KEDGE_ERROR_USAGE, "%s:// URL escapes %s", scheme, what);
    *ret_path = g_steal_pointer(&path);
    return true;
}

static void list_below(const char *dir_path, const char *prefix, int depth, GPtrArray *names)
{
    g_autoptr(GDir) dir = depth > 0 ? g_dir_open(dir_path, 0, NULL) : NULL;
    const char *name = NULL;
    while (dir && names->len < LIMIT_URL_LIST_FILES && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(dir_path, name, NULL);
        g_autofree char *relative = g_strconcat(prefix, name, NULL);
        g_autofree char *below = g_strconcat(relative, "/", NULL);
        struct stat info;
        if (lstat(path, &info) < 0)
            continue;
        if (S_ISDIR(info.st_mode))
            list_below(path, below, depth - 1, names);
        else if (S_ISREG(info.st_mode) && g_utf8_validate(relative, -1, NULL))
            g_ptr_array_add(names, g_steal_pointer(&relative));
    }
}

GPtrArray *url_file_list(const char *dir)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    list_below(dir, "", MAX_DEPTH, names);
    g_ptr_array_sort(names, str_compare);
    return names;
}

GPtrArray *url_file_names(const char *dir_path, const char *suffix)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(dir_path, 0, NULL);
    const char *name = NULL;
    while (dir && names->len < LIMIT_URL_LIST_FILES && (name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, suffix) && g_utf8_validate(name, -1, NULL))
            g_ptr_array_add(names, g_strndup(name, strlen(name) - strlen(suffix)));
    g_ptr_array_sort(names, str_compare);
    return names;
}

char *url_file_join(const GPtrArray *names)
{
    if (names->len == 0)
        return g_strdup("none");
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < names->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", (const char *)names->pdata[i]);
    return g_string_free(text, FALSE);
}

void url_file_append_list(GString *out, const char *scheme, const GPtrArray *names)
{
    g_string_append_printf(out, "%u file%s available:\n\n", names->len, names->len == 1 ? "" : "s");
    for (unsigned i = 0; i < names->len; i++) {
        g_autofree char *address = g_uri_escape_string(names->pdata[i], "/", TRUE);
        g_string_append_printf(out, "- [%s](%s://%s)\n", (const char *)names->pdata[i], scheme,
                               address);
    }
    if (names->len == 0)
        g_string_append(out, "(empty)\n");
}
