/*
 * A model's opinion on what a run is about to write (task-engine §10.7, stage 2): kedge itself as a
 * child without tools, in an empty directory, with keys of models and no token. What it is shown
 * was written by the agent, or by whoever led it: it can be talked into a wrong opinion, so it
 * comes beside the checks that ask no one, never in their place.
 */
#pragma once

#include "base/cancel.h"
#include "wm/engine/engine.h"
#include "wm/task/project.h"

typedef struct WmJudge { // all borrowed
    const WmConfig *config;
    const WmTask *task;
    const json_t *option; // threat-detection
    const json_t *items;  // that are to be applied
    const char *diff;     // what the commits add; NULL: there are none
    bool is_elsewhere;    // the agent could write in this machine's home: nothing of it is read
} WmJudge;

/* Does the option want one, and can it be had? `engine` says whose; only kedge runs without tools.
 */
bool wm_judge_is_wanted(const json_t *option);
bool wm_judge_check(const json_t *option, GError **error);

/* `reasons` (of char *) gets what the model has found; false: there is no opinion. What the model
   used is added to `usage` either way (begin with WM_USAGE_UNKNOWN); it may be NULL. */
bool wm_judge_ask(const WmJudge *self, Cancel *cancel, WmUsage *usage, GPtrArray *reasons,
                  GError **error);
