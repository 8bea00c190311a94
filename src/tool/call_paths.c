/* See call_paths.h. */
#include "tool/call_paths.h"

#include "base/str.h"
#include "base/utf8.h"

#define MAX_HEADERS 100 // of one edit

static void add_value(const json_t *value, GPtrArray *paths)
{
    if (json_is_string(value))
        g_ptr_array_add(paths, g_strdup(json_string_value(value)));
    json_each (value, i, item)
        add_value(item, paths);
}

/* What a header says behind its mark; NULL: the line is none. */
static const char *behind_mark(const char *line)
{
    static const char *const marks[] = { "*** Add File:", "*** Update File:", "*** Delete File:",
                                         "*** Move to:" };
    if (*line == '@')
        return line + strspn(line, "@");
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        if (str_has_prefix(line, marks[i]))
            return line + strlen(marks[i]);
    return NULL;
}

static char *clean(const char *text, size_t size)
{
    g_autofree char *part = g_strndup(text, size);
    g_autofree char *path = utf8_trim(part);
    if (g_str_has_suffix(path, " @@"))
        path[strlen(path) - strlen(" @@")] = '\0';
    size_t length = strlen(g_strchomp(path));
    bool is_quoted = length >= 2 && strchr("\"'`", path[0]) && path[length - 1] == path[0];
    return g_strndup(path + is_quoted, length - (is_quoted ? 2 : 0));
}

static void add_headers(const char *input, GPtrArray *paths)
{
    unsigned most = paths->len + MAX_HEADERS;
    for (const char *line = input; *line && paths->len < most;) {
        const char *end = strchrnul(line, '\n'), *path = behind_mark(line);
        if (path && path < end) {
            char *cleaned = clean(path, (size_t)(end - path));
            if (*cleaned)
                g_ptr_array_add(paths, cleaned);
            else
                g_free(cleaned);
        }
        line = *end ? end + 1 : end;
    }
}

void call_paths_add(const json_t *arguments, GPtrArray *paths)
{
    static const char *const keys[] = { "path", "paths", "file", "files", "file_path" };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        add_value(json_object_get(arguments, keys[i]), paths);
    const char *input = json_get_text(arguments, "input");
    if (input)
        add_headers(input, paths);
}

char *call_paths_of_input(const json_t *arguments)
{
    const char *input = json_get_text(arguments, "input");
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    if (input)
        add_headers(input, paths);
    if (paths->len == 0)
        return NULL;
    g_ptr_array_add(paths, NULL);
    return g_strjoinv(", ", (char **)paths->pdata);
}
