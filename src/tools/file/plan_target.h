/*
 * What may be written to while the conversation plans (agent-tools §1.7): the plan file alone,
 * which is also meant wherever a path has its name. Without plan mode nothing is looked at. Thread
 * safe.
 */
#pragma once

#include "tool/tool.h"

/* As workspace_target(), past this guard. DENIED: `Plan mode: only the plan file may be modified
   (<URL>).` Caller frees both. */
bool plan_target(ToolContext *context, const char *asked, char **ret_path, char **ret_shown,
                 GError **error);

/* Adds to a judgement the file that a call would write when it asks for `asked`; nothing when it
   may not. `is_name`: the name is removed or moved. */
void plan_target_judge(ToolContext *context, const char *asked, bool is_name, Judgement *judgement);

/* For what is written inside a file, or to several: DENIED as above. */
bool plan_target_check_other(ToolContext *context, GError **error);
/* DENIED: `Plan mode: renaming files is not allowed.`, `… deleting …` */
bool plan_target_check_rename(ToolContext *context, GError **error);
bool plan_target_check_delete(ToolContext *context, GError **error);
