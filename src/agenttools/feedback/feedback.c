/* See feedback.h. */
#include "agenttools/feedback/feedback.h"

#include "agenttools/emit/emit_options.h"
#include "agenttools/emit/runs.h"

bool feedback_open(OperationCall *call, const char *run_id, Answer *answer, Db **ret_db,
                   GError **error)
{
    g_autoptr(Db) db = NULL;
    g_autoptr(json_t) run = NULL;
    if (!emit_open_state(call, &db, answer, error) ||
        !run_get(db, run_id, tool_call_now_ms(call->tool_call), &run, error))
        return false;
    *ret_db = g_steal_pointer(&db);
    return true;
}
