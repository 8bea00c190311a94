/*
 * Phase 4: items become writes on GitHub, one by one, within the policy (task-engine §6.2–6.11,
 * task-engine §10.4, §10.7, §10.8, §10.11). What was written is recorded as it happens in
 * `<run dir>/applied.jsonl`, so that a second attempt after a crash writes nothing twice.
 */
#pragma once

#include "wm/apply/item.h"
#include "wm/engine/engine.h"
#include "wm/task/api.h"
#include "wm/task/event.h"
#include "wm/task/project.h"
#include "wm/workspace/push_place.h"

typedef struct WmApply {      // all borrowed
    const WmProject *project; // the trusted one: policy and configuration
    const WmTask *task;
    const WmPolicy *policy;
    const WmEvent *event;
    WmNumbers numbers;
    WmApi *api;        // NULL: there is no token; only where everything is staged
    const char *repo;  // slug; without `api` perhaps a stand-in for one, which is only shown
    const char *root;  // work tree with the agent's commits
    const char *start; // the commit that the agent began with; NULL: not known
    WmPushPlace
        *push; // from where they are pushed, made when there is something to push; NULL: root
    const char *run_dir;
    const char *output_path;   // of the items
    const char *last_response; // NULL: none
    const char *actor;         // "run" or "process-outputs": for progress lines
    WmUsage *judge_usage;      // the model that looks for threats adds its own; NULL: not kept
    bool is_staged;
    bool is_quarantined; // .git was replaced (quarantine.h): pushes go with the token
} WmApply;

/* `outputs` (an array) gets {"kind","status","number"?,"url"?,"reason"?} for each item, also on
   failure; with staged items `plan` (an array) gets those of plan.json. Whoever calls holds the
   run's lock. The time is the token's. */
bool wm_apply(const WmApply *self, Cancel *cancel, json_t *outputs, json_t *plan, GError **error);

/* What of a policy would be refused once there is something to apply: it is refused before an agent
   begins. */
bool wm_apply_check_policy(const WmPolicy *policy, GError **error);
/* Can something be pushed to the branch of this pull request at all? What is said here holds
   whatever its title and labels will be. */
bool wm_pull_check(const json_t *pull, const char *own_repo, const char *default_branch,
                   GError **error);

/* Posts a comment, which has its marker already, on an issue or pull request: for comments that are
   no items. */
bool wm_post_comment(WmApi *api, int64_t number, const char *body, Cancel *cancel, GError **error);
