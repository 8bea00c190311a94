/*
 * What the phases of a run share (run.h): whose task it is, its directory, its way to GitHub, and
 * what has happened so far. Private to the room; one thread at a time.
 */
#pragma once

#include "wm/run/run.h"
#include "wm/task/policy.h"
#include "wm/workspace/push_place.h"
#include "wm/workspace/quarantine.h"
#include "wm/workspace/run_dir.h"
#include "wm/workspace/run_tree.h"

#include "wm/task/api.h"

typedef struct WmPipeline {
    const char *actor;    // "run", "process-outputs": begins the lines of progress
    const char *root;     // with .wm/: whose policy and runs they are; borrowed, here and below
    const WmEvent *event; // as the runner has it
    WmNumbers numbers;
    Cancel *cancel;      // of who asked for the run: a signal fires it
    WmRunResult *result; // filled as it goes
    bool is_staged;      // nothing is written on GitHub
    bool is_rehearsal;   // nor is GitHub asked
    bool is_agent_only;  // outputs are somebody else's
    bool is_elsewhere;   // the agent has run already
    bool is_reported;    // a failure is known to have been told in a comment
    WmProject *project;  // owned, here and below: the one whose policy counts
    const WmTask *task;  // borrowed from it
    WmPolicy *policy;
    WmRunDir dir;     // `path` NULL: none yet
    WmGit git;        // where the agent works: the run's worktree, or the root
    WmRunTree tree;   // `top` NULL: it works in the root itself
    char *start;      // the commit that the agent began with; NULL: not known
    WmPushPlace push; // `root` NULL: nothing is pushed, or the work tree is one that no agent wrote
    char *checkpoint; // hint; NULL: none
    const char *given_repo; // OWNER/NAME, borrowed; NULL: of `root`
    WmRepo repo;            // `slug` NULL: not known, or not looked for yet
    bool has_agent_been;    // what its .git says of the repository now does not count
    WmApi *api;             // NULL: not asked for yet
    gint64 started_ms;      // monotonic
    int64_t earlier_ms;     // that the agent took, elsewhere
} WmPipeline;

void wm_pipeline_init(WmPipeline *self, const char *actor, const char *root, const WmEvent *event,
                      Cancel *cancel, WmRunResult *result);
void wm_pipeline_clear(WmPipeline *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmPipeline, wm_pipeline_clear)

/* The task of the project at `root`, its policy, and whether all is staged: `is_staged`,
   KEDGE_WM_STAGED, the task. What is wrong elsewhere in the project is said. */
bool wm_pipeline_load(WmPipeline *self, const char *root, const char *task_name, bool is_staged,
                      GError **error);

/* `wm run: <text>`. */
void wm_pipeline_say(const WmPipeline *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* An error that does not end the run: to its list, and told. */
void wm_pipeline_note(WmPipeline *self, const char *prefix, const GError *error);

#define WM_TIMED_OUT "timed out (context deadline exceeded)"
/* The error that ends the run, to its list. Of one that was stopped, or whose time (`cancel`) is
   over, it becomes that; what it looked like to a part of the run follows it. */
void wm_pipeline_fail(WmPipeline *self, Cancel *cancel, GError **failure);

/* A record of the pipeline log (task-engine §3.1), where that is wanted. */
void wm_pipeline_log_phase(const WmPipeline *self, const char *phase);
/* The phase begins: result, meta.json and the pipeline log say so. */
bool wm_pipeline_enter(WmPipeline *self, const char *phase, GError **error);

/* owner/name; NULL: it cannot be told. Asks git at most once. */
const char *wm_pipeline_repo(WmPipeline *self, Cancel *cancel, GError **error);
/* The way to GitHub, made on first use. Borrowed. */
bool wm_pipeline_api(WmPipeline *self, Cancel *cancel, WmApi **ret_api, GError **error);
/* Whether comments and reactions are made at all: not when staged, not without GITHUB_REPOSITORY.
 */
bool wm_pipeline_speaks(const WmPipeline *self);
/* Does the task's policy let something be pushed? */
bool wm_pipeline_pushes(const WmPipeline *self);
/* Where a comment of the run belongs: the pull request, else the issue; 0: nowhere. */
int64_t wm_pipeline_number(const WmPipeline *self);

/* Since the start, and what the agent took elsewhere. */
int64_t wm_pipeline_duration_ms(const WmPipeline *self);
/* Somebody stopped the run; that its time is over is something else. */
bool wm_pipeline_is_interrupted(const WmPipeline *self);
