/*
 * What `kedge wm init` writes into a repository: a configuration and three tasks (task-engine
 * Appendix A).
 */
#pragma once

typedef struct WmStarter {
    const char *path; // below the root
    const char *text;
} WmStarter;

extern const WmStarter wm_starters[]; // ends with one without a path
