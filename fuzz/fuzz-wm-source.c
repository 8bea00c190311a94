/*
 * Fuzz target: a task that comes from elsewhere. The first line is what `kedge wm add` was given,
 * the rest the text that was fetched. A name that is derived is a task's and leads nowhere; a
 * source that is recorded is read back, and inserting it again changes nothing.
 */
#include "wm/task/task.h"
#include "wm/task/task_source.h"

#include <string.h>

#define SOURCE "o/r/workflows/x \"y\".md@v1"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check_argument(const char *argument)
{
    g_auto(WmSource) source = { 0 }, again = { 0 };
    g_autofree char *name = NULL;
    if (!wm_source_of_argument(argument, &source, NULL) ||
        !wm_source_file_name(&source, &name, NULL))
        return;
    g_autofree char *stem = g_strndup(name, strlen(name) - strlen(".md"));
    g_assert(g_str_has_suffix(name, ".md") && !strstr(stem, ".."));
    g_assert(wm_task_name_is_valid(stem));
    if (source.kind != WM_FROM_REPOSITORY)
        return;
    g_autofree char *url = wm_source_raw_url(&source, source.path);
    g_autofree char *record = wm_source_record(&source, source.path);
    g_assert(!strstr(url, "/../") && !strpbrk(url, "?# "));
    g_assert(wm_source_of_task(record, &again));
    g_assert(g_str_equal(again.path, source.path) && g_strcmp0(again.ref, source.ref) == 0);
}

static void check_text(const char *text, size_t size)
{
    bool is_split = false, has_source = false;
    if (!wm_source_check(text, size, &is_split, &has_source, NULL))
        return;
    g_assert(is_split);
    g_autofree char *made = NULL, *again = NULL;
    if (!wm_source_insert(text, SOURCE, &made, NULL))
        return;
    g_assert(has_source == g_str_equal(made, text));
    g_autoptr(WmTask) task = NULL;
    g_assert(wm_task_parse(made, strlen(made), "x.md", NULL, &task, NULL));
    g_assert(has_source || g_strcmp0(wm_task_source(task), SOURCE) == 0);
    g_assert(wm_source_insert(made, "another", &again, NULL) && g_str_equal(again, made));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    const unsigned char *end = memchr(data, '\n', size);
    if (!end)
        return 0;
    g_autofree char *argument = g_strndup((const char *)data, (size_t)(end - data));
    size_t rest = size - (size_t)(end + 1 - data);
    g_autofree char *text = g_malloc0(rest + 1);
    memcpy(text, end + 1, rest);
    if (g_utf8_validate(argument, -1, NULL))
        check_argument(argument);
    check_text(text, rest);
    return 0;
}
