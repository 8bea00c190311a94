/*
 * Which directories a pattern of a workspace names (`workspaces` of package.json, `packages` of
 * pnpm-workspace.yaml): `*` and `?` within a part of the path, `**` for parts. It comes with a
 * repository that is only opened, so nothing in it makes matching take long. Thread safe.
 */
#pragma once

#include "base/error.h"

#define RECIPE_PATTERN_BYTES 256 // of the longest that is understood

typedef struct RecipePattern RecipePattern;

/* NULL: it is too long, or has `[ ] { }` or a backslash, which are not understood. */
RecipePattern *recipe_pattern_new(const char *text);
void recipe_pattern_free(RecipePattern *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecipePattern, recipe_pattern_free)

/* Of a whole path without a slash at its ends. Every comparison of characters takes one of `steps`;
   when none is left nothing matches. */
bool recipe_pattern_matches(const RecipePattern *self, const char *path, size_t *steps);
