/*
 * What a worktree holds that a commit does not: changed and untracked files, an operation under
 * way, and how it compares with a commit. Blocks; runs nothing of the repository.
 */
#pragma once

#include "base/cancel.h"

#include <stdint.h>

typedef struct WorktreeState {
    const char *operation; // "rebase", "merge" …; NULL: none
    unsigned changed, untracked;
    GPtrArray *paths; // char *, of both, in git's order
} WorktreeState;

void worktree_state_clear(WorktreeState *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WorktreeState, worktree_state_clear)

bool worktree_state_read(const char *path, Cancel *cancel, WorktreeState *ret_state,
                         GError **error);
bool worktree_state_is_clean(const WorktreeState *self);

/* "clean", "dirty (3 changed, 1 untracked)", "rebase in progress, dirty (1 changed)". The callers
   of all three free. */
char *worktree_state_text(const WorktreeState *self);
/* "3 changed, 1 untracked". */
char *worktree_state_counts(const WorktreeState *self);
/* "a, b, c, and 4 more": at most ten. */
char *worktree_state_paths(const WorktreeState *self);

/* Commits that HEAD has and `commit` has not, and the other way round. */
bool worktree_compare(const char *path, const char *commit, Cancel *cancel, int64_t *ret_ahead,
                      int64_t *ret_behind, GError **error);

/* "refs/heads/pr-90" while that branch is rebased in this worktree, whose HEAD is detached then;
   NULL otherwise. Caller frees. */
bool worktree_rebased_ref(const char *path, Cancel *cancel, char **ret_ref, GError **error);
