/*
 * Opening the database for a feedback operation.
 */
#include "agenttools/feedback/feedback.h"

#include "agenttools/emit/runs.h"

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
