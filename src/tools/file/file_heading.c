/* See file_heading.h. */
#include "tools/file/file_heading.h"

#include <stdbool.h>
#include <string.h>

void file_heading_append(GString *text, const char *path, const char *suffix, char **last_dir)
{
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);
    bool is_top = strcmp(dir, ".") == 0;
    bool is_new = !*last_dir || strcmp(*last_dir, dir) != 0;
    if (is_top || is_new)
        g_string_append(text, text->len > 0 ? "\n" : "");
    if (is_top) {
        g_string_append_printf(text, "# %s%s\n", name, suffix);
    } else {
        if (is_new)
            g_string_append_printf(text, "# %s/\n", dir);
        g_string_append_printf(text, "## %s%s\n", name, suffix);
    }
    g_free(*last_dir);
    *last_dir = g_strdup(dir);
}
