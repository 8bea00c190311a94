/*
 * What the files of an engine share: the commands that a run puts before
 * the others on its agent's PATH (task-engine §5.6). Internal to the engine and to judge.c.
 */
#pragma once

#include "wm/engine/engine.h"

/* What starts this program as `kedge`, whatever its file is called. Caller frees. */
char *wm_engine_program(const char *run_dir);

/* Where the agent works. Borrowed. */
const char *wm_agent_root(const WmAgentSpec *spec);

/* Directory of the shims of a run, for PATH; NULL: KEDGE_WM_SHIMS says that they are not wanted.
   Caller frees. */
char *wm_shims_dir(const char *run_dir);
/* Makes `gh-wm`, `gh` and `kedge` in <run dir>/bin. */
bool wm_shims_write(const char *run_dir, GError **error);

/* Of a child that only asks a model: its keys, no token. `home` NULL: the one that we have. Caller
   frees with g_strfreev(). */
char **wm_engine_judge_environment(const char *home);
