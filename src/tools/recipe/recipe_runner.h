/*
 * Runners of a project (make, npm, just …) and the tasks that are known of them, for recipe_tasks.h
 * and those who read the files. One thread at a time.
 *
 * A name is text from outside that goes into a command and to a model: it has letters, digits and
 * `. _ : / @ + -`, does not begin with `-`, and has 100 bytes at most. What is named otherwise is
 * no task.
 */
#pragma once

#include "base/json.h"

#define RECIPE_NAME_BYTES 100

typedef struct RecipeTask {
    char *name;
    char *command; // without arguments: "npm run build"
    char *dir;     // below the project; NULL: its own
} RecipeTask;

typedef struct RecipeKind RecipeKind;

typedef struct RecipeRunner { // that a project has a file for
    const RecipeKind *kind;
    GPtrArray *tasks;      // of RecipeTask *: those that are known
    GHashTable *by_name;   // name → the same
    unsigned max_tasks;    // no more are looked for
    unsigned main_tasks;   // the first of them, if there are others that are files; 0: all
    bool has_more;         // there may be others: only its program knows all
    const char *separator; // between a task and its arguments, "--"; NULL: a blank
    const char *program;   // of pkg: "npm"
} RecipeRunner;

struct RecipeKind {
    const char *name; // before a colon: "make"
    /* What the files of `dir` say; false: there is none for it. Runs nothing. */
    bool (*read)(const char *dir, RecipeRunner *runner);
    /* The command of a task that is not among the known ones; NULL: there is none. Caller frees. */
    char *(*command)(const RecipeRunner *runner, const char *name);
    /* What prints all tasks as JSON, and takes them from it. NULL: no one can be asked. */
    const char *const *argv;
    void (*take)(const json_t *list, RecipeRunner *runner);
};

RecipeRunner *recipe_runner_new(const RecipeKind *kind, unsigned max_tasks); // without tasks
void recipe_runner_free(RecipeRunner *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecipeRunner, recipe_runner_free)

bool recipe_is_name(const char *text, size_t size);
/* Unless it is none, is there already, or there are enough. False: no more are wanted. */
bool recipe_add(RecipeRunner *runner, const char *name, const char *command, const char *dir);
/* The same with the command that the kind makes of a name. */
bool recipe_add_name(RecipeRunner *runner, const char *name);
const RecipeTask *recipe_find(const RecipeRunner *runner, const char *name); // NULL: not known

/* A file of a project, at most LIMIT_RECIPE_FILE_BYTES, as valid text; NULL when it is not there,
   cannot be used, or could have been put there by others (base/own_file.h). Caller frees. */
char *recipe_file_text(const char *dir, const char *name);
/* The first of `names` (NULL-terminated) that is there; NULL: none, or others could have put it
   there. Borrowed. */
const char *recipe_first_file(const char *dir, const char *const *names);

/* A line "- make: all, test" for each of these RecipeRunner *, with at most `max_tasks` of its
   tasks; when `wants_main` without those that are files, and those with long names or addresses for
   names. Caller frees. */
char *recipe_list(const GPtrArray *runners, unsigned max_tasks, bool wants_main);
