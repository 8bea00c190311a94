/*
 * `kedge wm compile` (task-engine §3.3): what of a repository is made from its tasks and its
 * configuration: the caller workflow, .wm/.gitignore, .wm/stop-after.json. Blocks.
 */
#pragma once

#include "base/error.h"
#include "wm/task/fresh_files.h"

typedef struct WmCompile {
    const char *root;
    bool only_checks;          // --check: nothing is written
    bool refreshes_stop_after; // deadlines are counted again (task-engine §10.3)
    /* Files (fresh_files.h) that count as if they were there, and are written with the rest, or
       instead of it; NULL: none. */
    const GPtrArray *fresh;
    bool only_fresh;
} WmCompile;

/* `warnings` gets texts (char *), also on failure. Nothing is written unless all tasks are good.
   With only_checks FAILED when a file on disk is another than would be written. */
bool wm_compile(const WmCompile *options, GPtrArray *warnings, GError **error);
