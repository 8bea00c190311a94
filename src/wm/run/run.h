/*
 * A run: one task, one event, five phases (task-engine §5), and the outputs of a run whose agent
 * ran elsewhere (task-engine §3.12). Blocks.
 */
#pragma once

#include "wm/engine/engine.h"
#include "wm/task/event.h"

typedef struct WmRunOptions { // all borrowed
    const char *root;         // absolute
    const char *task_name;
    const WmEvent *event;
    const char *repo; // OWNER/NAME; NULL: found from `root`, wm_repo_find()
    int64_t issue;    // --issue; 0: none
    bool allows_dirty, is_agent_only, is_staged;
    bool is_in_place;   // the agent works in `root`, which is this run's alone
    bool is_rehearsal;  // nothing is written anywhere but in the run directory; implies staged
    int64_t grace_ms;   // 0: as specified; tests shorten it
    int64_t timeout_ms; // 0: the task's
} WmRunOptions;

typedef struct WmRunResult {
    char *phase; // last one reached, or the failing one; never "conclusion"
    bool is_success, has_agent, was_interrupted;
    int64_t duration_ms;
    GPtrArray *errors; // char *
    char *run_dir;     // NULL: none was made
    char *worktree;    // what is left in it is nowhere else; NULL: there is none
    WmAgentResult agent;
    WmUsage judge_usage; // of the model that looked for threats
    json_t *outputs;     // array
    json_t *plan;        // of staged items; NULL
} WmRunResult;
void wm_run_result_clear(WmRunResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmRunResult, wm_run_result_clear)

/* False: the first error, which is in `errors` as well. The result is filled either way. The
   checks before (task, clean tree) are in it. */
bool wm_run(const WmRunOptions *options, Cancel *cancel, WmRunResult *ret_result, GError **error);

typedef struct WmOutputsOptions {   // all borrowed
    const char *root, *policy_root; // absolute; policy_root NULL: root
    const char *run_dir;            // NULL: the newest run of the task
    const char *task_name;          // NULL: the one that the directory names
    const WmEvent *event;
    bool is_staged;
} WmOutputsOptions;

bool wm_process_outputs(const WmOutputsOptions *options, Cancel *cancel, WmRunResult *ret_result,
                        GError **error);
