/*
 * Tasks in files that are read by lines, without running anything. Pure; the tasks go to `runner`,
 * as many as it wants.
 */
#pragma once

#include "tools/recipe/recipe_runner.h"

/* A Makefile. Phony targets come first. */
void recipe_parse_make(const char *text, RecipeRunner *runner);
/* A justfile. */
void recipe_parse_just(const char *text, RecipeRunner *runner);
