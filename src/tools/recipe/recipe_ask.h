/*
 * Asking the runner of a project which tasks there are. Thread safe.
 */
#pragma once

#include "tool/context.h"
#include "tools/recipe/recipe_tasks.h"

/* Asks the runner of a choice that is not known: false when it says that there is no such task. A
   runner that cannot be asked will say itself what is wrong. Blocks, at most 10 s. This may run
   code of the project. */
bool recipe_confirm(const char *dir, const RecipeChoice *choice, ToolContext *context,
                    Cancel *cancel, GError **error);
