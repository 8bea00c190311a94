/*
 * The worktrees of a repository, and where those of pull requests go (github-tool §3.2). Blocks;
 * thread safe.
 */
#pragma once

#include "base/cancel.h"

#include <stdint.h>

typedef struct GitWorktree {
    char *path;
    char *ref; // "refs/heads/pr-90"; NULL when detached or bare
} GitWorktree;

/* An array of GitWorktree *, the main one first; owns them. */
bool git_worktree_list(const char *root, Cancel *cancel, GPtrArray **ret_worktrees, GError **error);

/* enc() of github-tool §3.2: a directory name for a path. Links are resolved when the path exists.
 * Caller frees. */
char *git_worktree_encode(const char *path);

/* <worktrees dir>/<enc(primary root)>/pr-<number>. Caller frees. */
char *git_worktree_path(const char *primary_root, int64_t number);
