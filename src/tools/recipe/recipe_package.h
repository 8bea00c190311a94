/*
 * The scripts of package.json, run by npm, pnpm, yarn or bun: whose lock file is there. Constant.
 */
#pragma once

#include "tools/recipe/recipe_runner.h"

extern const RecipeKind recipe_pkg;
