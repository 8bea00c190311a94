/*
 * Looking at artifacts: those that must exist, and files that may be gone.
 */
#include "agenttools/feedback/artifact_view.h"

#include "agenttools/answer.h"
#include "agenttools/feedback/edit_text.h"
#include "agenttools/feedback/edits.h"

bool artifact_view_get(Db *db, const char *doc_id, RunArtifact **ret_artifact, GError **error)
{
    g_autoptr(RunArtifact) artifact = NULL;
    if (!run_artifact_get(db, doc_id, &artifact, error))
        return false;
    if (!artifact)
        return answer_error(error, ANSWER_NOT_FOUND, NULL, "Artifact with doc_id '%s' not found",
                            doc_id);
    *ret_artifact = g_steal_pointer(&artifact);
    return true;
}

bool artifact_view_check_run(Db *db, const char *doc_id, const char *run_id, GError **error)
{
    bool is_in_run = false;
    if (!run_artifact_is_in_run(db, doc_id, run_id, &is_in_run, error))
        return false;
    return is_in_run || answer_error(error, ANSWER_INVALID_STATE, NULL,
                                     "Artifact '%s' does not belong to run %s", doc_id, run_id);
}

/* Takes the text. */
static void warn_once(GPtrArray *warnings, char *text)
{
    if (warnings && !g_ptr_array_find_with_equal_func(warnings, text, g_str_equal, NULL))
        g_ptr_array_add(warnings, text);
    else
        g_free(text);
}

char *artifact_view_text(const RunArtifact *artifact, GPtrArray *warnings, bool *ret_is_missing)
{
    g_autofree char *data = NULL;
    size_t size = 0;
    g_autoptr(GError) failure = NULL;
    *ret_is_missing = false;
    if (run_artifact_read(artifact, LIMIT_EDIT_BYTES, &data, &size, &failure))
        return edit_text_show(data, size);
    *ret_is_missing = answer_error_is(failure, ANSWER_NOT_FOUND);
    warn_once(warnings, *ret_is_missing
                            ? g_strdup_printf("Artifact file is missing: %s", artifact->path)
                            : g_strdup(failure->message));
    return NULL;
}
