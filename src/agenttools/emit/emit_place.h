/*
 * Where a run is: its project, the .rp1 directory, the work directory (agent-tools-cli §4.2, §6).
 * Runs git for a run that is not known yet; blocks; thread safe.
 */
#pragma once

#include "agenttools/emit/workflow.h"
#include "base/cancel.h"
#include "base/db.h"

typedef struct EmitPlace {
    char *project; // absolute
    char *root;    // the .rp1 directory
    char *work_root;
} EmitPlace;

void emit_place_clear(EmitPlace *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(EmitPlace, emit_place_clear)

/* `given` is --project (NULL: the project of `cwd`). VALIDATION when it is not absolute. `warnings`
   (of char *) may be NULL. */
bool emit_place_find(const char *cwd, const char *given, Cancel *cancel, GPtrArray *warnings,
                     EmitPlace *ret_place, GError **error);
/* As the run stores it; false in *ret_is_known when it is not there, or stores none. */
bool emit_place_of_run(Db *db, const char *run_id, EmitPlace *ret_place, bool *ret_is_known,
                       GError **error);
/* What --project of a filter means: in a linked worktree the main repository. NULL for NULL. */
bool emit_project_filter(const char *given, Cancel *cancel, char **ret_project, GError **error);

/* Borrows. */
WorkflowPlaces emit_place_workflows(const EmitPlace *self);
