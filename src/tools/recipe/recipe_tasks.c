/*
 * The tasks of a project, and which of them an op means (recipe_tasks.h).
 */
#include "tools/recipe/recipe_tasks.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tools/recipe/recipe_files.h"
#include "tools/recipe/recipe_package.h"

#include <string.h>

#define ERROR_TASKS 100           // of one runner
#define ERROR_CHARS ((size_t)200) // of arguments
#define BLANKS      " \t\r\n"

static const RecipeKind *const kinds[] = { &recipe_just, &recipe_pkg, &recipe_cargo, &recipe_make,
                                           &recipe_task };

static void free_runner(void *runner)
{
    recipe_runner_free(runner);
}

GPtrArray *recipe_read(const char *dir, unsigned max_tasks)
{
    GPtrArray *runners = g_ptr_array_new_with_free_func(free_runner);
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autoptr(RecipeRunner) runner = recipe_runner_new(kinds[i], max_tasks);
        bool is_there = kinds[i]->read(dir, runner);
        if (is_there && (runner->tasks->len > 0 || runner->has_more))
            g_ptr_array_add(runners, g_steal_pointer(&runner));
    }
    return runners;
}

// ---- which task is meant ----

void recipe_choice_free(RecipeChoice *self)
{
    if (!self)
        return;
    g_free(self->name);
    g_free(self->command);
    g_free(self->dir);
    g_free(self);
}

typedef struct Wanted {
    const char *dir;
    GPtrArray *runners;        // of RecipeRunner *
    char *head;                // the op's first word
    const char *args;          // what is after it
    const RecipeRunner *named; // that the head begins with; NULL: none
    const char *name;          // behind that, or the head
} Wanted;

static bool fail_with_list(const Wanted *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static bool fail_with_list(const Wanted *self, GError **error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    g_autofree char *list = recipe_list(self->runners, ERROR_TASKS, false);
    if (self->runners->len == 0)
        return fail_with(
            error, KEDGE_ERROR_NOT_FOUND,
            "%s. There are no tasks in %s: no justfile, scripts in package.json, "
            "Cargo.toml, targets in a Makefile, or Taskfile.yml that is the user's own "
            "and in a directory that not everybody can write to",
            text, self->dir);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s. Available tasks:\n%s", text, list);
}

static void find_prefix(Wanted *self)
{
    self->name = self->head;
    const char *colon = strchr(self->head, ':');
    for (guint i = 0; colon && i < self->runners->len; i++) {
        const RecipeRunner *runner = self->runners->pdata[i];
        size_t size = (size_t)(colon - self->head);
        if (strlen(runner->kind->name) != size ||
            strncmp(runner->kind->name, self->head, size) != 0)
            continue;
        self->named = runner;
        self->name = colon + 1;
    }
}

/* "just:x or pkg:x" */
static char *join_ways(const GPtrArray *runners, const char *name)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < runners->len; i++)
        g_string_append_printf(out, "%s%s:%s", i > 0 ? " or " : "",
                               ((const RecipeRunner *)runners->pdata[i])->kind->name, name);
    return g_string_free(out, FALSE);
}

/* Those that know `name`, or else those that may have it and say how it would be run. Of borrowed
   RecipeRunner *. */
static GPtrArray *runners_for(const Wanted *self, const char *name, bool is_known)
{
    GPtrArray *found = g_ptr_array_new();
    for (guint i = 0; i < self->runners->len; i++) {
        RecipeRunner *runner = self->runners->pdata[i];
        g_autofree char *command = is_known ? NULL : runner->kind->command(runner, name);
        if (is_known ? recipe_find(runner, name) != NULL : runner->has_more && command)
            g_ptr_array_add(found, runner);
    }
    return found;
}

/* NULL: none, or too many (then the error is set). */
static const RecipeRunner *only_runner(const Wanted *self, const char *name, bool is_known,
                                       GError **error)
{
    g_autoptr(GPtrArray) found = runners_for(self, name, is_known);
    if (found->len < 2)
        return found->len == 1 ? found->pdata[0] : NULL;
    g_autofree char *ways = join_ways(found, name);
    fail_with_list(self, error, "\"%s\" may be a task of several runners: say %s", name, ways);
    return NULL;
}

static RecipeChoice *make_choice(const Wanted *self, const RecipeRunner *runner, const char *name)
{
    const RecipeTask *task = recipe_find(runner, name);
    g_autofree char *command = task ? g_strdup(task->command) : runner->kind->command(runner, name);
    if (!command)
        return NULL;
    const char *args = self->args;
    bool has_own = str_has_prefix(args, "--") && (args[2] == '\0' || strchr(BLANKS, args[2]));
    bool is_parted = runner->separator && *args != '\0' && !has_own;
    RecipeChoice *choice = g_new0(RecipeChoice, 1);
    *choice = (RecipeChoice) {
        .name = g_strdup(name),
        .command = g_strconcat(command, is_parted ? " " : "", is_parted ? runner->separator : "",
                               *args != '\0' ? " " : "", args, NULL),
        .dir = task ? g_strdup(task->dir) : NULL,
        .kind = runner->kind,
        .is_known = task != NULL,
    };
    return choice;
}

/* Known tasks before unknown ones, and "pkg:x" of pkg before a task with that whole name. */
static bool wanted_choose(const Wanted *self, RecipeChoice **ret_choice, GError **error)
{
    GError *doubt = NULL;
    const RecipeRunner *runner = self->named;
    const char *name = self->name;
    if (!runner || !recipe_find(runner, name)) {
        runner = only_runner(self, self->head, true, &doubt);
        name = self->head;
    }
    if (!runner && !doubt && self->named && self->named->has_more) {
        runner = self->named;
        name = self->name;
    }
    if (!runner && !doubt && !self->named)
        runner = only_runner(self, self->head, false, &doubt);
    if (doubt)
        return pass_error(error, &doubt);
    bool is_fit = runner && recipe_is_name(name, strlen(name));
    g_autoptr(RecipeChoice) choice = is_fit ? make_choice(self, runner, name) : NULL;
    if (!choice)
        return fail_with_list(self, error, "There is no task \"%s\"", self->head);
    *ret_choice = g_steal_pointer(&choice);
    return true;
}

/* "a 'b c' $x" → "a 'b c' '$x'", so that no shell finds more in it. */
static bool quote_words(const char *text, char **ret_quoted, GError **error)
{
    g_auto(GStrv) words = NULL;
    if (*text != '\0' && !g_shell_parse_argv(text, NULL, &words, NULL)) {
        g_autofree char *shown = utf8_ellipsize(text, ERROR_CHARS);
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "the arguments in `op` cannot be split into words: %s. Without the bash "
                         "tool they are words only: close every quote, and quote a # and a "
                         "backslash",
                         shown);
    }
    GString *out = g_string_new(NULL);
    for (char **word = words; word && *word; word++) {
        bool is_path_of_zsh = **word == '='; // =ls
        g_autofree char *quoted = is_path_of_zsh ? g_shell_quote(*word) : str_shell_quote(*word);
        g_string_append_printf(out, "%s%s", out->len > 0 ? " " : "", quoted);
    }
    *ret_quoted = g_string_free(out, FALSE);
    return true;
}

bool recipe_choose(const char *dir, const char *op, RecipeArguments arguments,
                   RecipeChoice **ret_choice, GError **error)
{
    g_autofree char *text = utf8_trim(op);
    size_t size = strcspn(text, BLANKS);
    g_autofree char *head = g_strndup(text, size);
    g_autoptr(GPtrArray) runners = recipe_read(dir, LIMIT_RECIPE_TASKS);
    const char *args = text + size + strspn(text + size, BLANKS);
    g_autofree char *quoted = NULL;
    if (arguments == RECIPE_WORDS && !quote_words(args, &quoted, error))
        return false;
    Wanted wanted = {
        .dir = dir,
        .runners = runners,
        .head = head,
        .args = quoted ? quoted : args,
    };
    if (*head == '\0')
        return fail_with_list(&wanted, error, "`op` names no task");
    if (!recipe_is_name(head, size)) {
        g_autofree char *shown = utf8_ellipsize(head, (size_t)RECIPE_NAME_BYTES);
        return fail_with_list(&wanted, error,
                              "\"%s\" is no name of a task (letters, digits and ._:/@+-, at most "
                              "%zu bytes; arguments come after a blank)",
                              shown, (size_t)RECIPE_NAME_BYTES);
    }
    find_prefix(&wanted);
    return wanted_choose(&wanted, ret_choice, error);
}
