/*
 * Artifacts as JSON, and finding them (views.h).
 */
#include "arcade/views.h"

#include "base/timefmt.h"

json_t *view_artifact(const RunArtifact *artifact)
{
    g_autofree char *name = g_path_get_basename(artifact->path);
    g_autofree char *created_at = time_format_iso(artifact->created_at);
    json_t *view = json_object();
    json_set_text(view, "docId", artifact->doc_id);
    json_set_text(view, "path", artifact->path);
    json_set_text(view, "name", name);
    json_set_text(view, "storageRoot", artifact->storage_root);
    json_set_text(view, "type", artifact->type);
    json_set_take(view, "feature", json_text(artifact->feature));
    json_set_take(view, "step", json_text(artifact->step));
    json_set_take(view, "subflow", json_text(artifact->subflow));
    json_set_text(view, "createdAt", created_at);
    return view;
}

bool view_find_artifact(Db *db, const char *doc_id, RunArtifact **ret_artifact, GError **error)
{
    if (!run_artifact_get(db, doc_id, ret_artifact, error))
        return false;
    return *ret_artifact || reply_fail(error, 404, "Artifact with doc_id '%s' not found", doc_id);
}
