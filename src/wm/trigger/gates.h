/*
 * What keeps a task from starting although its trigger matches (task-engine §10.1 to §10.3,
 * §10.13): who the actor is, deadlines, what is open already, how often it ran. Asks GitHub only
 * for what a task names, and once for each actor. Refusals and doubts are said on standard error.
 * Blocks; one thread.
 */
#pragma once

#include "wm/trigger/match.h"

typedef struct WmGates WmGates;

/* `resolve` is borrowed and outlives it. `now_ms` is the time that deadlines are compared with. */
WmGates *wm_gates_new(const WmResolve *resolve, int64_t now_ms);
void wm_gates_free(WmGates *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmGates, wm_gates_free)

/* Does the task let an event of a bot through (on.bots)? */
bool wm_gates_let_bot(const WmTask *task, const WmEvent *event);
/* False: the task is skipped, *ret_reason (caller frees) says why. */
bool wm_gates_pass(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason);
