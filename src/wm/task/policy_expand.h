/*
 * `${{ }}` in title prefixes of a policy (task-engine §2.6), for those who have the event. An emit
 * has none that it may believe: there such a prefix waits until the item is applied.
 */
#pragma once

#include "wm/task/event.h"
#include "wm/task/policy.h"

#define WM_MAX_PREFIX_CHARS 100 // of one that is expanded: a title has 256

/* Before the policy is used. `title-prefix` and `required-title-prefix`; what cannot be expanded
   stays as it is. */
void wm_policy_expand(WmPolicy *self, const char *task_name, const WmEvent *event);
