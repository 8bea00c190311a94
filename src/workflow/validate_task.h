/*
 * What is wrong with one task, beyond what reading it says (task-engine §2.3, §3.4). Private to
 * validate*.c. Pure but for WM_AGENT_CMD.
 */
#pragma once

#include "workflow/policy.h"
#include "workflow/project.h"

/* `problems` and `warnings` get texts that begin with the task's path (char *). */
void wm_task_validate(const WmTask *task, const WmConfig *config, GPtrArray *problems,
                      GPtrArray *warnings);
/* The labels that start it when they are added. New reference. */
json_t *wm_task_trigger_labels(const WmTask *task);
