/*
 * The caller workflow .github/workflows/wm-agent.yml, made of the configuration and the tasks
 * (task-engine §7.2, §7.3). What comes from a file stands in it only where it can be nothing but
 * the value it is (task-engine §7.6). Reads KEDGE_WM_REPO and GH_WM_REPO, nothing else.
 */
#pragma once

#include "wm/task/project.h"

#define WM_CALLER_PATH ".github/workflows/wm-agent.yml"

/* `warnings` gets what was left out (char *, without "wm: "). The same input gives the same bytes.
   Caller frees *ret_text. */
bool wm_caller_render(const WmProject *project, GPtrArray *warnings, char **ret_text,
                      GError **error);
