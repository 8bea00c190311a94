/*
 * The branch on which an agent works (task-engine §5.5).
 */
#pragma once

#include "wm/workspace/quarantine.h"

#define WM_BRANCH_PREFIX     "wm/" // of branches that kedge makes
#define WM_BRANCH_MAX_SUFFIX 99    // of branches that one second has made: -2 to -99

/* wm/fix-20260420-100607: of that task, at that time. Caller frees. */
char *wm_branch_name(const char *task_name, gint64 at_ms);

/* Makes one at `commit`, with a suffix while there is one of its name. Nothing is checked out. */
bool wm_branch_make(const WmGit *git, const char *task_name, gint64 at_ms, const char *commit,
                    Cancel *cancel, char **ret_name, GError **error);

typedef struct WmBranchWish { // all borrowed
    const char *task_name;
    const char *of_payload; // default branch that the event names; NULL
    const char *base;       // safe-outputs.create-pull-request.base-branch; NULL
    gint64 at_ms;
} WmBranchWish;

/* May commits of this local branch go to the pull request whose branch is `ref`? That itself, and
   one of kedge's own: a worktree cannot have the branch that its person may be on. */
bool wm_branch_is_for_pull(const char *branch, const char *ref);

/* Is the base that the policy names, if any, a name of a branch? */
bool wm_branch_check_base(const WmGit *git, const char *base, Cancel *cancel, GError **error);
/* In a checkout that is the run's alone: makes and checks out a branch, unless it is on one already
   that is neither the default branch nor the base. *ret_previous: where it was; "HEAD": on none.
   Callers free. */
bool wm_branch_prepare(const WmGit *git, const WmBranchWish *wish, Cancel *cancel, char **ret_name,
                       char **ret_previous, GError **error);
