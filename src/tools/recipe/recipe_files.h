/*
 * The runners with a file of their own. Constant.
 */
#pragma once

#include "tools/recipe/recipe_runner.h"

extern const RecipeKind recipe_just, recipe_cargo, recipe_make, recipe_task;
