/*
 * Phase 5 (task-engine §5.13): what a run says at its end, the way back to the branch before, its
 * files, the step summary.
 */
#pragma once

#include "wm/run/pipeline.h"

/* `failure` NULL: phases 1 to 4 succeeded. `spec` is what the agent was started with, for the step
   summary; NULL: it ran elsewhere, or not at all. What goes wrong is added to the result's errors
   and changes nothing else, but for one: an agent's run whose result.json cannot be written has
   failed, since its outputs could never be applied. */
void wm_conclude(WmPipeline *self, const WmAgentSpec *spec, const GError *failure);
