/*
 * The prompt of a run: body, context files, checkpoint, outputs section (task-engine §5.4).
 */
#pragma once

#include "wm/task/expression.h"
#include "wm/task/policy.h"
#include "wm/task/project.h"

typedef struct WmPrompt { // all borrowed
    const WmProject *project;
    const WmTask *task;
    const WmPolicy *policy;
    const WmEvent *event;
    WmNumbers numbers;
    const char *checkpoint; // hint; NULL: none
} WmPrompt;

/* Errors `expand task body: expand "…": …`. Caller frees. */
bool wm_prompt_make(const WmPrompt *self, char **ret_prompt, GError **error);
/* For --append-system-prompt; NULL when nothing may be written. Caller frees. */
char *wm_prompt_system(const WmPolicy *policy);
