/*
 * Where kedge keeps its files (common §3). All strings belong to the caller.
 * Nothing is created here; see file_make_dirs().
 */
#pragma once

#include <glib.h>

char *dirs_home(void);        // $HOME, else the password entry
char *dirs_config_root(void); // ~/.kedge, or ~/$KEDGE_CONFIG_DIR
char *dirs_agent(void);       // <config root>/agent, or $KEDGE_AGENT_DIR
char *dirs_cache(void);       // <config root>/cache
char *dirs_worktrees(
    void); // <config root>/wt; KEDGE_WORKTREE_DIR or OMP_WORKTREE_DIR (absolute or ~/…)
const char *dirs_temp(void); // $TMPDIR when absolute, else /tmp; borrowed
