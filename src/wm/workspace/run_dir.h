/*
 * The directory of a run and its files (task-engine §5.3): names, forms, pruning. Files are
 * replaced whole; nothing is written through a symlink that leads out of the root.
 */
#pragma once

#include "base/fd.h"
#include "base/json.h"
#include "wm/task/event.h"

#include <stdint.h>

typedef struct WmRunDir {
    char *id;                                  // fix-20260420T100607-fafb8e57
    char *path;                                // absolute
    char *task_name, *event_name, *started_at; // of meta.json
} WmRunDir;
void wm_run_dir_clear(WmRunDir *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WmRunDir, wm_run_dir_clear)

/* Makes the directory of a new run; removes old ones first. */
bool wm_run_dir_make(const char *root, const char *task_name, const WmEvent *event,
                     WmRunDir *ret_dir, GError **error);
/* Reads the meta.json of a run that is there. Never follows links. */
bool wm_run_dir_open(const char *path, WmRunDir *ret_dir, GError **error);
/* Held by the process that applies the outputs of the run, until *ret_lock is closed. DENIED while
   another process does. */
bool wm_run_dir_lock(const WmRunDir *self, Fd *ret_lock, GError **error);
/* The newest of a task below <root>/.wm/runs (task-engine §3.12). Caller frees. */
bool wm_run_dir_newest(const char *root, const char *task_name, char **ret_path, GError **error);

bool wm_run_dir_set_phase(const WmRunDir *self, const char *phase, bool is_success, GError **error);
/* Two blanks of indentation, < > & escaped, replaced whole. */
bool wm_run_dir_write_json(const WmRunDir *self, const char *name, const json_t *value,
                           GError **error);
/* A regular file, not through links. NOT_FOUND. */
bool wm_run_dir_read_json(const WmRunDir *self, const char *name, json_t **ret_value,
                          GError **error);

/* `My Task_v2!` → `my-task-v2`; 2m3.004s. Callers free. */
char *wm_slug(const char *task_name);
char *wm_duration_text(int64_t milliseconds);
