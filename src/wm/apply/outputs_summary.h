/*
 * What outputs add to the step summary of Actions (task-engine §6.8, §10.4), and the file itself.
 * Texts of an agent stand in it as data.
 */
#pragma once

#include "base/json.h"

/* A list of what was applied, skipped and refused. Caller frees, here and below. */
char *wm_outputs_summary(const char *task_name, const json_t *outputs);
/* What would have been written. */
char *wm_staged_summary(const char *task_name, const json_t *plan);

/* Appends to the file that GITHUB_STEP_SUMMARY names, where there is one; at most 900 KiB. Errors
   are no one's business. NULL: nothing. */
void wm_summary_append(const char *text);
