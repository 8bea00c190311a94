/*
 * A rehearsal: a task in a clone that is thrown away, with every way to write closed, and what it
 * would have done (task-engine §10.4, and the part 8). Blocks.
 *
 * The agent sees the repository as it is committed here, with the tasks and the configuration as
 * they are in the work tree. It gets no token but the one in KEDGE_WM_AGENT_TOKEN, its remote leads
 * nowhere, and what it asks for is planned, not applied. kedge itself reads from GitHub.
 */
#pragma once

#include "wm/task/api.h"
#include "wm/task/event.h"
#include "wm/task/project.h"

#define WM_MAX_REHEARSED_DIFF_BYTES ((size_t)1024 * 1024)

/* An event that starts `task` on an issue or pull request as it is now: of the first trigger that
   fits. `number` 0: a dispatch by hand. `api` may be NULL with 0. */
bool wm_rehearse_event(const WmTask *task, WmApi *api, int64_t number, bool is_pull, Cancel *cancel,
                       WmEvent *ret_event, GError **error);

/* The last `count` events of the repository (100 at most), newest first, as an array of {"name",
   "payload", "at", "actor"}: those that have a webhook of the same form. */
bool wm_rehearse_history(WmApi *api, int64_t count, Cancel *cancel, json_t **ret_events,
                         GError **error);

/*
 * The report: {"task","event","number"?,"success","phase","errors"?,"duration_ms","usage"?,
 * "branch"?,"commits":[subject…],"diff","diff_is_cut","writes":[as items of plan.json],"skipped":
 * [{"kind","reason"}],"response"?}. A run that failed is a report, too; false only when there could
 * be none. `repo` as in wm_repo_find().
 */
bool wm_rehearse(const char *root, const char *repo, const char *task_name, const WmEvent *event,
                 Cancel *cancel, json_t **ret_report, GError **error);
