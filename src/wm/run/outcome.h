/*
 * What is left of a run: result.json, run.json, plan.json (task-engine §5.3, §6.8, §10.4, §10.5),
 * and a result.json that an agent may have written, read again.
 */
#pragma once

#include "wm/run/pipeline.h"

/* result.json, then run.json. Errors `write run result: …`, `write run.json: …`. */
bool wm_outcome_write_result(const WmPipeline *self, GError **error);
bool wm_outcome_write_run(const WmPipeline *self, GError **error);
/* Of staged items; nothing when there are none and nothing is staged. */
bool wm_outcome_write_plan(const WmPipeline *self, GError **error);

/* result.json says from now on that its failure is in a comment. */
bool wm_outcome_mark_reported(const WmRunDir *dir, GError **error);

typedef struct WmEarlier { // what result.json says of the run so far
    char *phase;           // NULL: nothing
    bool has_success, is_success, has_agent;
    bool is_staged;    // its outputs were planned only
    bool is_reported;  // its failure is in a comment
    char *first_error; // NULL: none
    int64_t duration_ms;
} WmEarlier;
void wm_earlier_clear(WmEarlier *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmEarlier, wm_earlier_clear)

/* `ret_agent` (zeroed) gets what it says of the agent, but for paths: those are the directory's
   own. */
bool wm_outcome_read(const WmRunDir *dir, WmEarlier *ret_earlier, WmAgentResult *ret_agent,
                     GError **error);
