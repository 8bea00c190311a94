/*
 * What a task from elsewhere brings along (task-engine §3.7): the Markdown files that it imports
 * and that this repository has not. Blocks.
 */
#pragma once

#include "base/cancel.h"
#include "wm/task/fresh_files.h"
#include "wm/task/task_source.h"

/* Adds to `files` what the file at `path` there imports, and what that imports; `from` is where it
   came from, with its own path. One that is on disk below `root` is only said, unless `is_forced`;
   what is nowhere, or may not be written, is left to whoever loads the task. */
bool wm_bundle(const WmSource *from, const char *root, const char *path, bool is_forced,
               Cancel *cancel, GPtrArray *files, GError **error);
