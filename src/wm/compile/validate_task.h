/*
 * What is wrong with one task, beyond what reading it says (task-engine §2.3, §3.4). Private to
 * validate*.c. Pure but for WM_AGENT_CMD.
 */
#pragma once

#include "wm/task/policy.h"
#include "wm/task/project.h"

/* `problems` and `warnings` are notes, here and below; a task's get no path. */
void wm_task_validate(const WmTask *task, const WmConfig *config, GPtrArray *problems,
                      GPtrArray *warnings);
/* Whether it says itself which engine it wants; else that of the configuration counts. */
bool wm_task_names_engine(const WmTask *task);
/* What in its keys and values has no effect, or not the one that was meant. */
void wm_task_validate_keys(const WmTask *task, GPtrArray *warnings);
/* The same of `.wm/config.yml`. */
void wm_config_validate(const char *root, const WmConfig *config, GPtrArray *warnings);
/* Whether `role` is one of GitHub's, or `all`. */
bool wm_role_is_known(const char *role);
/* Where what `task` writes may start `other`, or itself, because the token is a person's. */
void wm_task_validate_starts(const WmTask *task, const WmPolicy *policy, const WmTask *other,
                             GPtrArray *warnings);
