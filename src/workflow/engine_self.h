/*
 * What the files of an engine share: where this program is, and the commands that a run puts before
 * the others on its agent's PATH (task-engine §5.6). Internal to the engine.
 */
#pragma once

#include "workflow/engine.h"

/* Absolute path of this program. Caller frees. */
char *wm_engine_self(void);

/* Directory of the shims of a run; NULL: KEDGE_WM_SHIMS says that there are none. Caller frees. */
char *wm_shims_dir(const char *run_dir);
/* Writes `gh-wm`, `gh` and `kedge` there; nothing when there are none. */
bool wm_shims_write(const char *run_dir, GError **error);
