/*
 * Reports as one HTML page each: everything is in it, nothing is loaded, no script is needed. Pure.
 */
#pragma once

#include "base/json.h"

/* What the sessions used (agent-core §1.8). `report` is usage_db_report()'s; `made_at` says when,
   in words. Caller frees. */
char *stats_page(const json_t *report, const char *made_at);
/* Rehearsals of tasks: `reports` is an array of those of wm_rehearse() (wm/run/rehearse.h). Texts
   are rendered by the renderer of the browser page, which takes no markup from them. Caller frees.
 */
char *rehearsal_page(const json_t *reports);
