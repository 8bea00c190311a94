/*
 * Run artifacts as annotations and edits see them. Errors are those of answer.h.
 */
#pragma once

#include "agenttools/emit/run_artifact.h"

/* NOT_FOUND `Artifact with doc_id 'x' not found`. */
bool artifact_view_get(Db *db, const char *doc_id, RunArtifact **ret_artifact, GError **error);

/* INVALID_STATE `Artifact 'x' does not belong to run R`. */
bool artifact_view_check_run(Db *db, const char *doc_id, const char *run_id, GError **error);

/* The text of its file, as a person sees it (edit_text_show()); NULL when it cannot be read, and
   then `warnings` (of char *, may be NULL) gets why, once. *ret_is_missing: there is no file.
   Caller frees. */
char *artifact_view_text(const RunArtifact *artifact, GPtrArray *warnings, bool *ret_is_missing);
