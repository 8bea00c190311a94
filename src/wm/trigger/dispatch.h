/*
 * A run on GitHub instead of here: starts the caller workflow by hand (task-engine §3.11 --remote).
 * Blocks.
 */
#pragma once

#include "base/cancel.h"
#include "wm/task/project.h"

#include <stdint.h>

typedef struct WmDispatch { // all borrowed
    const WmProject *project;
    const WmTask *task;
    const char *repo;     // --repo; NULL: detected
    const char *workflow; // file name
    const char *ref;      // NULL: the default branch
    int64_t issue;        // 0: none
} WmDispatch;

bool wm_dispatch(const WmDispatch *self, Cancel *cancel, GError **error);
