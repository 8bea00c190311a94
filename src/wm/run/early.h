/*
 * What is refused before the agent begins, because it would be refused when the agent's work is
 * done and paid for; and the pull request that a task may push to, which is checked out first
 * (task-engine §5.2, §5.5).
 */
#pragma once

#include "wm/run/pipeline.h"

/* Options that cannot be obeyed, a missing token, a fork's pull request without a key for a model.
   Nothing is made. */
bool wm_early_check(WmPipeline *self, WmEngineKind engine, Cancel *cancel, GError **error);

typedef struct WmPullHead { // all owned
    json_t *pull;           // as GitHub has it; NULL: there is none that the task may push to
    char *ref;              // its branch
    char *commit;           // of that, which is here now; NULL: nothing can be pushed to it
    char *refusal;          // why; NULL
} WmPullHead;
void wm_pull_head_clear(WmPullHead *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmPullHead, wm_pull_head_clear)

/* That of the event, with its newest commit fetched. False: it cannot be had, or it is refused and
   the task may do nothing else. */
bool wm_pull_head_find(WmPipeline *self, Cancel *cancel, WmPullHead *ret_head, GError **error);
/* In a checkout that is the run's alone: on the branch, at that commit. */
bool wm_pull_head_check_out(const WmPullHead *self, const WmGit *git, Cancel *cancel,
                            GError **error);
