/*
 * The `tools:` of a workflow task, for the kedge that a run of it starts as its agent (task-engine
 * §5.7): what a task turns off is not offered, and `bash` may be limited to some commands.
 *
 * Immutable once made; thread safe. It keeps a model to what its task is for; it is no sandbox.
 */
#pragma once

#include "tool/context.h"
#include "tool/tool_set.h"

typedef struct WmTools WmTools;

/* Of WM_TASK_TOOLS; NULL: this process is no agent of a run (KEDGE_WM_RUN_ID), or its task limits
   nothing. `base` is what every conversation has; it is borrowed, and may be NULL. */
WmTools *wm_tools_new(const ContextTables *base);
void wm_tools_free(WmTools *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmTools, wm_tools_free)

/* Those of `tools` that stay; all when `self` is NULL. New reference. */
ToolSet *wm_tools_filter(const WmTools *self, const ToolSet *tools);
/* The same, and behind them `wm_emit` where this process is the agent of a run. New reference. */
ToolSet *wm_tools_of_run(const WmTools *self, const ToolSet *tools, const Settings *settings);
/* `base` with the limit of commands; as long as `self` lives. */
const ContextTables *wm_tools_tables(const WmTools *self);

/* May `command` run? `prefixes` is NULL-terminated. */
bool wm_tools_allow_command(const char *const *prefixes, const char *command, GError **error);
