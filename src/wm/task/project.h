/*
 * A repository with tasks: its configuration and its tasks in order (task-engine §2.1). Immutable
 * once loaded.
 */
#pragma once

#include "wm/task/task.h"

#define WM_MAX_TASKS 5000 // files that are looked at, of one directory

typedef struct WmBadFile {
    char *name;       // that its task would have
    char *reason;     // "x.md: unclosed frontmatter"
    bool is_misnamed; // its name is the problem (D42)
} WmBadFile;

/* Is a task wanted? Called by several threads at once, by each for the tasks that it has read. */
typedef struct WmWanted {
    bool (*is_wanted)(const WmTask *task, void *user_data);
    void *user_data;
} WmWanted;

typedef struct WmProject {
    char *root; // absolute
    WmConfig *config;
    GPtrArray *tasks; // of WmTask *, byte-wise by file name
    GPtrArray *bad;   // of WmBadFile *: what could not be loaded; empty unless asked for
    guint left_out;   // good tasks that no one wanted
} WmProject;

/* `only` NULL: the first bad file, or file name, is an error. Else a task's name: problems of other
   files are warnings (notes.h), and so is the absence of the one that is wanted. `warnings` may be
   NULL. */
bool wm_project_load(const char *root, const char *only, GPtrArray *warnings,
                     WmProject **ret_project, GError **error);
/* The same without `only`, as if these files were there (fresh_files.h); NULL: none. */
bool wm_project_load_fresh(const char *root, const GPtrArray *fresh, GPtrArray *warnings,
                           WmProject **ret_project, GError **error);
/* All that can be loaded; the rest is in `bad`. An error is what concerns all: the configuration,
   the directory. */
bool wm_project_load_good(const char *root, GPtrArray *warnings, WmProject **ret_project,
                          GError **error);
/* Likewise, but of the good tasks only those that are wanted, which takes a third less time where
   these are few. */
bool wm_project_load_wanted(const char *root, const WmWanted *wanted, GPtrArray *warnings,
                            WmProject **ret_project, GError **error);
void wm_project_free(WmProject *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WmProject, wm_project_free)

/* NULL with `task not found: x`, and the nearest name. Borrowed. */
const WmTask *wm_project_find(const WmProject *self, const char *name, GError **error);

/* str_did_you_mean() with the names of the tasks. Caller frees. */
char *wm_project_did_you_mean(const WmProject *self, const char *name);

/* Everything that `validate` says (task-engine §3.4): `problems` fail it, `warnings` do not (char
 * *). */
void wm_project_validate(const char *root, GPtrArray *problems, GPtrArray *warnings);
