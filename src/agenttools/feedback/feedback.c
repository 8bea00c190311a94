/*
 * Opening the database for a feedback operation.
 */
#include "agenttools/feedback/feedback.h"

#include "agenttools/emit/runs.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/artifact_view.h"

void feedback_warn(Answer *answer, GPtrArray *warnings)
{
    for (unsigned i = 0; i < warnings->len; i++)
        answer_warn(answer, "%s", (const char *)warnings->pdata[i]);
    g_ptr_array_set_size(warnings, 0);
}

bool feedback_open(OperationCall *call, const char *run_id, Answer *answer, Db **ret_db,
                   GError **error)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Db) db = NULL;
    g_autoptr(json_t) run = NULL;
    if (!state_open(NULL, call->cancel, &db, warnings, error))
        return false;
    feedback_warn(answer, warnings);
    if (!run_get(db, run_id, tool_call_now_ms(call->tool_call), &run, error))
        return false;
    *ret_db = g_steal_pointer(&db);
    return true;
}

bool feedback_open_annotation(OperationCall *call, const char *run_id, int64_t annotation_id,
                              Answer *answer, Db **ret_db, GError **error)
{
    g_autoptr(Db) db = NULL;
    if (!feedback_open(call, run_id, answer, &db, error) ||
        !annotation_check_run(db, annotation_id, run_id, error))
        return false;
    *ret_db = g_steal_pointer(&db);
    return true;
}

bool feedback_open_artifact(OperationCall *call, const char *run_id, const char *doc_id,
                            Answer *answer, Db **ret_db, RunArtifact **ret_artifact, GError **error)
{
    g_autoptr(Db) db = NULL;
    g_autoptr(RunArtifact) artifact = NULL;
    if (!feedback_open(call, run_id, answer, &db, error) ||
        !artifact_view_get(db, doc_id, &artifact, error) ||
        !artifact_view_check_run(db, doc_id, run_id, error))
        return false;
    *ret_db = g_steal_pointer(&db);
    *ret_artifact = g_steal_pointer(&artifact);
    return true;
}

const char *const feedback_edit_modes[] = { "direct", "suggested", NULL };

bool feedback_open_edit(OperationCall *call, const char *run_id, const char *doc_id,
                        int64_t edit_id, Answer *answer, Db **ret_db, RunArtifact **ret_artifact,
                        int64_t *ret_edit_id, GError **error)
{
    g_autoptr(Db) db = NULL;
    g_autoptr(RunArtifact) artifact = NULL;
    if (!feedback_open_artifact(call, run_id, doc_id, answer, &db, &artifact, error) ||
        !edit_choose(db, artifact, run_id, edit_id, ret_edit_id, error))
        return false;
    *ret_db = g_steal_pointer(&db);
    *ret_artifact = g_steal_pointer(&artifact);
    return true;
}

void feedback_answer_edit(Answer *answer, const char *done, const char *doc_id,
                          const EditOutcome *outcome, const char *in_file)
{
    json_t *data = json_object();
    json_set_bool(data, done, true);
    json_set_text(data, "docId", doc_id);
    json_set_int(data, "editId", outcome->edit_id);
    json_set_text(data, "mode", outcome->mode);
    json_set_bool(data, in_file, outcome->is_applied);
    answer_set_data(answer, data);
}
