/*
 * `imports:` of a task (task-engine §10.13): Markdown files of the same repository whose bodies
 * come before the task's own, and whose `tools` and `safe-outputs` hold where the task does not
 * say otherwise. Only files in .wm/ and .github/workflows/: those are what an outputs job has of
 * the trusted commit (task-engine §9.3).
 */
#pragma once

#include "wm/task/fresh_files.h"
#include "wm/task/task.h"

#define WM_MAX_IMPORTS      32 // files of one task; all of them together have WM_MAX_TASK_BYTES
#define WM_MAX_IMPORT_DEPTH 8

/* Adds what a task, just parsed from `text`, imports from the repository at `root`; `fresh` are
   files that will be there (NULL: none). Reads files. Errors name the importing file, the line and
   the path: `fix.md: line 4: imports "x.md": …`; the task is of no use then. */
bool wm_task_import(WmTask *task, const char *text, size_t size, const char *root,
                    const GPtrArray *fresh, GError **error);

/* What the file with `text` imports, as it names them (char *): all of its `imports` and in its
   body. None where it is no task. */
GPtrArray *wm_import_names(const char *text, size_t size, const char *path);

/* What `import`, written in the file at `importer` (".wm/tasks/fix.md"), means: a path below the
   root. It begins at the importing file's directory, or with .wm/ or .github/ at the root. Pure.
   Caller frees. */
bool wm_import_path(const char *importer, const char *import, char **ret_path, GError **error);
