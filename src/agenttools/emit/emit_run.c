/*
 * Beginning and ending runs (emit_record.h). Each is one transaction, so that two calls at once
 * agree.
 */
#include "agenttools/emit/emit_record.h"

#include "agenttools/answer.h"
#include "agenttools/emit/event_log.h"
#include "agenttools/emit/runs.h"

typedef struct Resuming {
    const char *feature, *workflow;
    const EmitPlace *place;
    int64_t now_ms;
    char *run_id; // the answer
    bool is_resumed;
} Resuming;

static bool find_open_run(Db *db, Resuming *self, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(db, &query, error,
                  "SELECT id FROM run WHERE feature_id = ? AND workflow = ? AND project_path = ? "
                  "AND status NOT IN ('completed', 'cancelled', 'abandoned', 'failed') "
                  "ORDER BY created_at DESC, rowid DESC LIMIT 1",
                  "sss", self->feature, self->workflow, self->place->project) ||
        !db_query_step(query, &self->is_resumed, error))
        return false;
    if (self->is_resumed)
        self->run_id = g_strdup(db_query_text(query, 0));
    return true;
}

static bool resume(Db *db, void *resuming_, GError **error)
{
    Resuming *self = resuming_;
    if (!find_open_run(db, self, error))
        return false;
    if (self->is_resumed)
        return true;
    self->run_id = g_uuid_string_random();
    g_autoptr(RunState) run = run_state_new(self->run_id, self->workflow);
    run->feature_id = g_strdup(self->feature);
    run->project_path = g_strdup(self->place->project);
    run->root_path = g_strdup(self->place->root);
    run->work_root = g_strdup(self->place->work_root);
    run->created_at = self->now_ms;
    return event_log_save_run(db, run, NULL, 0, NULL, NULL, self->now_ms, error);
}

bool emit_resume_run(Db *db, const char *feature, const char *workflow, const EmitPlace *place,
                     int64_t now_ms, json_t **ret_data, GError **error)
{
    Resuming resuming = {
        .feature = feature, .workflow = workflow, .place = place, .now_ms = now_ms
    };
    bool is_done = db_transaction(db, resume, &resuming, error);
    g_autofree char *run_id = resuming.run_id;
    if (!is_done)
        return false;
    json_t *data = json_make("runId:%s resumed:%hhd workflow:%s featureId:%s", run_id,
                             resuming.is_resumed, workflow, feature);
    *ret_data = data;
    return true;
}

typedef struct Ending {
    const char *run_id, *outcome, *message;
    int64_t now_ms;
    int64_t event_id; // the answer
} Ending;

static bool end_run(Db *db, void *ending_, GError **error)
{
    Ending *self = ending_;
    g_autoptr(RunState) run = NULL;
    if (!run_state_load(db, self->run_id, &run, error))
        return false;
    if (!run)
        return run_fail_not_found(self->run_id, error);
    if (run->ended_at > 0) {
        return answer_error(error, ANSWER_INVALID_STATE, json_make("status:%s", run->status),
                            "Run \"%s\" is already terminal (%s) and cannot be ended again",
                            run->id, run->status);
    }
    g_autofree char *old_status = g_strdup(run->status);
    return event_log_end(db, run, self->outcome, self->message, self->now_ms, &self->event_id,
                         error) &&
           event_log_save_run(db, run, NULL, self->event_id, old_status, run->current_step,
                              self->now_ms, error);
}

bool emit_end_run(Db *db, const char *run_id, const char *outcome, const char *message,
                  int64_t now_ms, json_t **ret_data, GError **error)
{
    Ending ending = { .run_id = run_id, .outcome = outcome, .message = message, .now_ms = now_ms };
    if (!db_transaction(db, end_run, &ending, error))
        return false;
    json_t *data = json_make("runId:%s eventId:%jd runStatus:%s", run_id, ending.event_id, outcome);
    *ret_data = data;
    return true;
}
