/*
 * Store objects as the API shows them, where agenttools/ does not have their JSON already, and how
 * the routes find them.
 */
#pragma once

#include "agenttools/emit/run_artifact.h"
#include "arcade/reply.h"

/* {docId, path, name, storageRoot, type, feature, step, subflow, createdAt}. New reference. */
json_t *view_artifact(const RunArtifact *artifact);

/* 404. */
bool view_find_artifact(Db *db, const char *doc_id, RunArtifact **ret_artifact, GError **error);
