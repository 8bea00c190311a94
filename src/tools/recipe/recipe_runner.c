/*
 * Runners, their tasks and their files (recipe_runner.h).
 */
#include "tools/recipe/recipe_runner.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/own_file.h"
#include "base/utf8.h"
#include "tools/file/tool_file.h"

#include <string.h>
#include <sys/stat.h>

#define LIST_LINE_BYTES  ((size_t)600) // of the tasks of one runner, for a model
#define SHOWN_NAME_BYTES ((size_t)40)  // of one that it is told without having asked

bool recipe_is_name(const char *text, size_t size)
{
    if (size == 0 || size > RECIPE_NAME_BYTES || *text == '-' ||
        !g_utf8_validate(text, (gssize)size, NULL))
        return false;
    bool has_letter = false;
    for (const char *at = text; at < text + size; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        bool is_letter = g_unichar_isalnum(c);
        bool is_mark = c > 0 && c < 0x80 && strchr("._:/@+-", (int)c);
        if (!is_mark && !is_letter)
            return false;
        has_letter = has_letter || is_letter;
    }
    return has_letter;
}

// ---- runners ----

static void task_free(void *task)
{
    RecipeTask *self = task;
    g_free(self->name);
    g_free(self->command);
    g_free(self->dir);
    g_free(self);
}

RecipeRunner *recipe_runner_new(const RecipeKind *kind, unsigned max_tasks)
{
    RecipeRunner *self = g_new0(RecipeRunner, 1);
    self->kind = kind;
    self->max_tasks = max_tasks;
    self->tasks = g_ptr_array_new_with_free_func(task_free);
    self->by_name = g_hash_table_new(g_str_hash, g_str_equal);
    return self;
}

void recipe_runner_free(RecipeRunner *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->by_name);
    g_ptr_array_unref(self->tasks);
    g_free(self);
}

bool recipe_add(RecipeRunner *runner, const char *name, const char *command, const char *dir)
{
    if (runner->tasks->len >= runner->max_tasks) {
        runner->has_more = true;
        return false;
    }
    if (!recipe_is_name(name, strlen(name)) || recipe_find(runner, name))
        return true;
    RecipeTask *task = g_new0(RecipeTask, 1);
    *task = (RecipeTask) { g_strdup(name), g_strdup(command), g_strdup(dir) };
    g_ptr_array_add(runner->tasks, task);
    g_hash_table_insert(runner->by_name, task->name, task);
    return true;
}

bool recipe_add_name(RecipeRunner *runner, const char *name)
{
    if (!recipe_is_name(name, strlen(name)))
        return true;
    g_autofree char *command = runner->kind->command(runner, name);
    return !command || recipe_add(runner, name, command, NULL);
}

const RecipeTask *recipe_find(const RecipeRunner *runner, const char *name)
{
    return g_hash_table_lookup(runner->by_name, name);
}

// ---- files ----

char *recipe_file_text(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *data = NULL;
    size_t size = 0;
    if (tool_file_is_secret(path) ||
        !own_file_read(path, LIMIT_RECIPE_FILE_BYTES, &data, &size, NULL))
        return NULL;
    return utf8_from_bytes(data, size);
}

const char *recipe_first_file(const char *dir, const char *const *names)
{
    for (; *names; names++) {
        g_autofree char *path = g_build_filename(dir, *names, NULL);
        struct stat info;
        if (!file_exists(path) || file_is_directory(path))
            continue;
        // the runner would take this one, and no later one; what is no file is not ours to judge
        bool is_file = stat(path, &info) == 0 && S_ISREG(info.st_mode);
        return !is_file || own_file_check(path, &info, NULL) ? *names : NULL;
    }
    return NULL;
}

// ---- lists ----

/* It could say something to a model that is only told of it: a sentence, or an address. */
static bool is_telling(const char *name)
{
    return strlen(name) > SHOWN_NAME_BYTES || strstr(name, "://");
}

static void append_runner(GString *out, const RecipeRunner *runner, unsigned max_tasks,
                          bool wants_main)
{
    unsigned max =
        wants_main && runner->main_tasks > 0 ? MIN(runner->main_tasks, max_tasks) : max_tasks;
    g_string_append_printf(out, "%s- %s%s%s%s:", out->len > 0 ? "\n" : "", runner->kind->name,
                           runner->program ? " (" : "", runner->program ? runner->program : "",
                           runner->program ? ")" : "");
    size_t start = out->len;
    guint i = 0, shown = 0;
    for (; i < runner->tasks->len && i < max && out->len - start < LIST_LINE_BYTES; i++) {
        const char *name = ((const RecipeTask *)runner->tasks->pdata[i])->name;
        if (wants_main && is_telling(name))
            continue;
        g_string_append_printf(out, "%s %s", shown > 0 ? "," : "", name);
        shown++;
    }
    if (shown < runner->tasks->len)
        g_string_append(out, shown > 0 ? ", …" : " …");
    else if (shown == 0)
        g_string_append(out, " not known before a call");
}

char *recipe_list(const GPtrArray *runners, unsigned max_tasks, bool wants_main)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < runners->len; i++)
        append_runner(out, runners->pdata[i], max_tasks, wants_main);
    return g_string_free(out, FALSE);
}
