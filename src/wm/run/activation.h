/*
 * Phase 1 (task-engine §5.1, §5.2, §5.5): what a task and its event must be, the run's directory,
 * what is said and made before the agent starts.
 */
#pragma once

#include "wm/run/pipeline.h"

typedef struct WmActivation {
    WmEngineKind engine;
    const char *reaction; // NULL: none; borrowed from the task
    bool is_in_place;     // no worktree is made
} WmActivation;

/* Before anything is made. */
bool wm_activation_check(const WmPipeline *self, WmActivation *ret_activation, GError **error);
/* The rest of it; `cancel` ends when the run's time is over. */
bool wm_activate(WmPipeline *self, const WmActivation *activation, Cancel *cancel, GError **error);
