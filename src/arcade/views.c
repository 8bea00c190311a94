/*
 * Artifacts as JSON, and finding them (views.h).
 */
#include "arcade/views.h"

#include "base/timefmt.h"

json_t *view_artifact(const RunArtifact *artifact)
{
    g_autofree char *name = g_path_get_basename(artifact->path);
    g_autofree char *created_at = time_format_iso(artifact->created_at);
    return json_make("docId:%s path:%s name:%s storageRoot:%s type:%s feature:%s? step:%s? "
                     "subflow:%s? createdAt:%s",
                     artifact->doc_id, artifact->path, name, artifact->storage_root, artifact->type,
                     artifact->feature, artifact->step, artifact->subflow, created_at);
}

bool view_find_artifact(Db *db, const char *doc_id, RunArtifact **ret_artifact, GError **error)
{
    if (!run_artifact_get(db, doc_id, ret_artifact, error))
        return false;
    return *ret_artifact || reply_fail(error, 404, "Artifact with doc_id '%s' not found", doc_id);
}
