/* See event_log.h. */
#include "agenttools/emit/event_log.h"

#include "agenttools/emit/event_data.h"
#include "base/timefmt.h"

json_t *event_to_json(int64_t id, const char *type, const char *step, const char *unit,
                      json_t *data, int64_t created_at)
{
    g_autofree char *time = time_format_iso(created_at);
    return json_make("id:%jd type:%s step:%s? unit:%s? data:%p createdAt:%s", id, type, step, unit,
                     data ? data : json_null(), time);
}

bool event_log_append(Db *db, const LoggedEvent *event, int64_t *ret_id, GError **error)
{
    g_autofree char *data = event->data ? json_to_text(event->data) : NULL;
    if (!db_run(db, error,
                "INSERT INTO event (run_id, type, step, unit, data, parent_step_id, event_key, "
                "created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                "sssssssi", event->run_id, event->type, event->step, event->unit, data,
                event->parent_step_id, event->key, event->now_ms))
        return false;
    *ret_id = db_last_id(db);
    g_autoptr(json_t) shown = event_to_json(*ret_id, event->type, event->step, event->unit,
                                            json_incref((json_t *)event->data), event->now_ms);
    return feed_append(db, "event", event->run_id, NULL, shown, event->now_ms, error);
}

bool event_log_status(Db *db, RunState *run, const char *step, const char *unit, StepStatus status,
                      const json_t *data, const char *key, int64_t now_ms, int64_t *ret_id,
                      GError **error)
{
    g_autoptr(json_t) made = json_make("status:%s", step_status_names[status]);
    const LoggedEvent event = {
        .run_id = run->id,
        .type = event_type_names[EVENT_STATUS_CHANGE],
        .step = step,
        .unit = unit && *unit ? unit : NULL,
        .data = data ? data : made,
        .key = key,
        .now_ms = now_ms,
    };
    if (!event_log_append(db, &event, ret_id, error))
        return false;
    run_state_apply(run, step, unit, status, *ret_id);
    return true;
}

bool event_log_end(Db *db, RunState *run, const char *outcome, const char *message, int64_t now_ms,
                   int64_t *ret_id, GError **error)
{
    g_autoptr(json_t) data = json_make("outcome:%s message:%s", outcome, message);
    const LoggedEvent event = {
        .run_id = run->id,
        .type = EVENT_RUN_ENDED,
        .step = run->current_step,
        .data = data,
        .now_ms = now_ms,
    };
    if (!event_log_append(db, &event, ret_id, error))
        return false;
    g_free(run->outcome);
    run->outcome = g_strdup(outcome);
    run->waiting_event = 0;
    return true;
}

bool event_log_save_run(Db *db, RunState *run, const Workflow *machine, int64_t since_event,
                        const char *old_status, const char *old_step, int64_t now_ms,
                        GError **error)
{
    run->updated_at = now_ms;
    run_state_settle(run, machine, now_ms);
    if (!run_state_store(db, run, since_event, error))
        return false;
    if (g_strcmp0(old_status, run->status) == 0 && g_strcmp0(old_step, run->current_step) == 0)
        return true;
    g_autoptr(json_t) data = json_make("id:%s workflow:%s status:%s currentStep:%s?", run->id,
                                       run->workflow, run->status, run->current_step);
    return feed_append(db, "run", run->id, NULL, data, now_ms, error);
}
