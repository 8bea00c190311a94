/*
 * The branch on which an agent works when its task may open a pull request, and the way back
 * (task-engine §5.5).
 */
#pragma once

#include "wm/workspace/quarantine.h"

#define WM_BRANCH_MAX_SUFFIX 9 // of branches that one second has made: -2 to -9

typedef struct WmBranchWish { // all borrowed
    const char *task_name;
    const char *of_payload; // default branch that the event names; NULL
    const char *base;       // safe-outputs.create-pull-request.base-branch; NULL
    gint64 at_ms;
} WmBranchWish;

typedef struct WmBranch {
    char *name;     // on which the work tree is now
    char *previous; // "HEAD": none
    bool is_new;
} WmBranch;
void wm_branch_clear(WmBranch *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmBranch, wm_branch_clear)

/* Makes and checks out a branch, unless the work tree is on one already that is neither the default
   branch nor the base. */
bool wm_branch_prepare(const WmGit *git, const WmBranchWish *wish, Cancel *cancel,
                       WmBranch *ret_branch, GError **error);
/* `git checkout previous branch: <reason>`. */
bool wm_branch_go_back(const WmGit *git, const char *previous, Cancel *cancel, GError **error);
