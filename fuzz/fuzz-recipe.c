/*
 * Makefiles and justfiles: whatever is in them, a name of a task is one word that a shell, a runner
 * and a model take for nothing else, the command that it makes has it as its last word, and the
 * lists are bounded. And patterns of a workspace: the first line as one, the second as a path.
 */
#include "base/limits.h"
#include "tools/recipe/recipe_files.h"
#include "tools/recipe/recipe_lines.h"
#include "tools/recipe/recipe_pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const RecipeTask *task)
{
    if (!recipe_is_name(task->name, strlen(task->name)) || *task->name == '-' ||
        strpbrk(task->name, " \t\r\n'\"`$;&|<>(){}*?!#~\\="))
        abort();
    g_auto(GStrv) argv = NULL;
    int count = 0;
    if (!g_shell_parse_argv(task->command, &count, &argv, NULL) || count != 2 ||
        strcmp(argv[1], task->name) != 0)
        abort();
}

static void parse(const char *text, const RecipeKind *kind, unsigned max_tasks,
                  void (*parser)(const char *text, RecipeRunner *runner))
{
    g_autoptr(RecipeRunner) runner = recipe_runner_new(kind, max_tasks);
    parser(text, runner);
    if (runner->tasks->len > max_tasks)
        abort();
    for (guint i = 0; i < runner->tasks->len; i++)
        check(runner->tasks->pdata[i]);
}

/* At most a product of the lengths. */
static void match(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", 3);
    g_autoptr(RecipePattern) pattern = lines[0] ? recipe_pattern_new(lines[0]) : NULL;
    if (!pattern)
        return;
    size_t names = lines[1] ? strlen(lines[1]) + 1 : 1, size = strlen(lines[0]) + 1;
    size_t enough = 4 * (names + 1) * (size + 1), steps = enough + 1;
    recipe_pattern_matches(pattern, lines[1] ? lines[1] : "", &steps);
    if (steps == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *raw = g_strndup((const char *)data, MIN(size, LIMIT_RECIPE_FILE_BYTES));
    g_autofree char *text = g_utf8_make_valid(raw, -1);
    parse(text, &recipe_make, LIMIT_RECIPE_TASKS, recipe_parse_make);
    parse(text, &recipe_just, LIMIT_RECIPE_TASKS, recipe_parse_just);
    parse(text, &recipe_make, 1, recipe_parse_make);
    match(text);
    return 0;
}
