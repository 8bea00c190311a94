/*
 * Phase 4 as a part of a run (task-engine §5.12): finds out whether GitHub is needed, and hands the
 * items on (apply.h).
 */
#pragma once

#include "wm/run/pipeline.h"

/* Outputs and plan of the result are filled, also on failure. */
bool wm_phase_outputs(WmPipeline *self, Cancel *cancel, GError **error);
