/*
 * The one step of a checkout that writes a stranger's files: a new worktree, or one that is moved
 * (github-tool §3.3, steps 8 and 10). Nothing that these files bring along is run meanwhile, and
 * git has no token and connects to nothing: what a partial clone lacks is fetched before. Blocks.
 */
#pragma once

#include "github/ops/checkout.h"

/* A worktree of the branch at `path`, which is free. `root` is the primary root, here and below. */
bool checkout_tree_add(const char *root, const char *path, Checkout *self, Cancel *cancel,
                       GError **error);
/* Moves the clean worktree at `path` to the head. */
bool checkout_tree_reset(const char *root, const char *path, Checkout *self, Cancel *cancel,
                         GError **error);
