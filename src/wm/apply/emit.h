/*
 * Asking for a write on GitHub from inside of a run (task-engine §6.4): whose policy counts and
 * which file takes the items is what the environment of the agent says. No network.
 */
#pragma once

#include "tool/dynamic_tool.h"
#include "wm/apply/item.h"
#include "wm/task/project.h"

typedef struct WmEmit {
    json_t *given;      // what activation noted; NULL: nothing did
    WmProject *project; // in place of that
    WmPolicy *policy;
    WmItemScope scope; // borrows from the rest, and from the environment
    const char *path;  // of output.jsonl
} WmEmit;

/* What emit goes by in a run is noted beside output.jsonl before the agent begins: the agent may
   check out a commit in which the task is another one, or is not. `pull` is that of the event, as
   GitHub has it, and `refusal` why nothing can be pushed to it; both may be NULL. */
bool wm_emit_note(const char *run_dir, const WmTask *task, const json_t *pull, const char *refusal,
                  GError **error);

/* By what was noted, else by the files in WM_REPO_ROOT. Errors `WM_TASK is not set`, `task not
 * found: x`, and those of the files. */
bool wm_emit_open(WmEmit *ret_emit, GError **error);
void wm_emit_clear(WmEmit *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmEmit, wm_emit_clear)
/* As wm_items_append(), with `emit: ` before its errors. */
bool wm_emit_append(const WmEmit *self, const json_t *raw, GError **error);

/* The same as a tool, `wm_emit`, for the kedge that is a run's agent. NULL: this process is none
   (KEDGE_WM_RUN_ID), or its task may ask for nothing. */
DynamicTool *wm_emit_tool_new(void);
