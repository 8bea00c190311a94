/*
 * The tasks of a project, as the recipe tool names them (agent-tools §3.28): what its files say,
 * read and never run, and which of them a text means. Thread safe; files and lists are bounded
 * (LIMIT_RECIPE_…).
 */
#pragma once

#include "tools/recipe/recipe_runner.h"

/* Of RecipeRunner *, in the order in which they are told; those without a file, or without a task,
   are not there. */
GPtrArray *recipe_read(const char *dir, unsigned max_tasks);

typedef struct RecipeChoice {
    char *name, *command; // with its arguments
    char *dir;            // as in RecipeTask
    const RecipeKind *kind;
    bool is_known; // false: its runner may have it
} RecipeChoice;

void recipe_choice_free(RecipeChoice *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecipeChoice, recipe_choice_free)

typedef enum {
    RECIPE_WORDS, // of the arguments a shell makes just words: each is quoted
    RECIPE_SHELL, // they stay as they are written, for who may run any command anyway
} RecipeArguments;

/* What `op` means in `dir`. Runs nothing. When there is no such task the error ends with those that
   there are; USAGE when the arguments cannot be split into words. */
bool recipe_choose(const char *dir, const char *op, RecipeArguments arguments,
                   RecipeChoice **ret_choice, GError **error);
