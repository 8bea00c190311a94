/*
 * Fuzz target: `imports:` of a task (task-engine §10.13). The first line is a path, the rest a
 * task. A path that is accepted stays in .wm/ and .github/workflows/, and means the same again from
 * the root; a task that imports from a directory without files is read, or refused with its line.
 */
#include "base/str.h"
#include "wm/task/task_imports.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check_path(const char *import)
{
    g_autofree char *path = NULL, *again = NULL;
    if (!wm_import_path(".wm/tasks/shared/x.md", import, &path, NULL))
        return;
    g_autofree char *inner = g_strconcat("/", path, "/", NULL);
    g_assert(str_has_prefix(path, ".wm/") || str_has_prefix(path, ".github/workflows/"));
    g_assert(!strstr(inner, "/../") && !strstr(inner, "//"));
    g_assert(wm_import_path(".wm/tasks/x.md", path, &again, NULL) && g_str_equal(again, path));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    const unsigned char *end = memchr(data, '\n', size);
    if (!end)
        return 0;
    g_autofree char *import = g_strndup((const char *)data, (size_t)(end - data));
    size_t rest = size - (size_t)(end + 1 - data);
    g_autofree char *text = g_malloc0(rest + 1);
    memcpy(text, end + 1, rest);
    if (g_utf8_validate(import, -1, NULL))
        check_path(import);
    g_autoptr(WmTask) task = NULL;
    g_autoptr(GError) error = NULL;
    bool is_loaded = wm_task_parse(text, rest, ".wm/tasks/x.md", NULL, &task, &error) &&
                     wm_task_import(task, text, rest, "/nonexistent", NULL, &error);
    g_autoptr(GPtrArray) names = wm_import_names(text, rest, ".wm/tasks/x.md");
    g_assert(names);
    g_assert(is_loaded == (error == NULL));
    g_assert(error || task->body);
    return 0;
}
