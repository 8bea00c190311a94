/* See fresh_files.h. */
#include "wm/task/fresh_files.h"

#include <string.h>

static void free_file(void *file_)
{
    WmFreshFile *file = file_;
    g_free(file->path);
    g_free(file->text);
    g_free(file);
}

GPtrArray *wm_fresh_new(void)
{
    return g_ptr_array_new_with_free_func(free_file);
}

void wm_fresh_add_first(GPtrArray *files, const char *path, const char *text)
{
    WmFreshFile *file = g_new0(WmFreshFile, 1);
    file->path = g_strdup(path);
    file->text = g_strdup(text);
    g_ptr_array_insert(files, 0, file);
}

const char *wm_fresh_find(const GPtrArray *files, const char *path)
{
    for (guint i = 0; files && i < files->len; i++) {
        const WmFreshFile *file = files->pdata[i];
        if (strcmp(file->path, path) == 0)
            return file->text;
    }
    return NULL;
}
