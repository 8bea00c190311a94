/*
 * The worktree of one run: a directory of its own with a branch of its own, so that no run moves
 * the checkout in which it was started, whatever its agent does and however it ends. It is removed
 * when nothing in it is lost by that. Blocks.
 */
#pragma once

#include "base/fd.h"
#include "wm/workspace/quarantine.h"
#include "wm/workspace/run_dir.h"

typedef struct WmRunTree { // all owned
    char *top;             // the worktree; NULL: there is none
    char *root;            // in it: what the run's root is in its checkout
    char *branch;          // that it began on
    char *start;           // the commit that it began with; NULL: not known
    int64_t filled_at_ns;  // when git had written its files; 0: not known
    Fd lock;               // held while somebody works in it; -1: the file system has no locks
} WmRunTree;
#define WM_RUN_TREE_NONE ((WmRunTree) { .lock = -1 })
/* The worktree itself stays. */
void wm_run_tree_clear(WmRunTree *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmRunTree, wm_run_tree_clear)

/* Can a run in `root` have one: is it a checkout with a commit? */
bool wm_run_tree_is_possible(const WmGit *git, Cancel *cancel);
/* Made in the repository of git->root, with the files of `commit`. Without it nothing is left. */
bool wm_run_tree_make(const WmGit *git, const char *run_id, const char *task_name,
                      const char *commit, Cancel *cancel, WmRunTree *ret_tree, GError **error);
/* That of an earlier run, to go on in, by what it noted. False: it is gone, or another process
   works in it. */
bool wm_run_tree_find(const WmGit *git, const WmRunDir *dir, Cancel *cancel, WmRunTree *ret_tree);
/* What that goes by, for activation.json. */
void wm_run_tree_note(const WmRunTree *self, json_t *note);
/* Removes it, with its branch, unless something is in it and nowhere else: *ret_left then says what
   that is ("2 commits that are not on GitHub"). The checkout is git->root. Caller frees. */
void wm_run_tree_end(WmRunTree *self, const WmGit *git, Cancel *cancel, char **ret_left);
/* Ends those of runs that were killed, whose run directories are in `runs`. *ret_left: paths of
   those that hold something (char *). */
void wm_run_tree_prune(const WmGit *git, const char *runs, Cancel *cancel, GPtrArray **ret_left);
