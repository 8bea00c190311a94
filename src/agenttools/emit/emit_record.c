/* See emit_record.h. */
#include "agenttools/emit/emit_record.h"

#include "agenttools/answer.h"
#include "agenttools/emit/artifact_register.h"
#include "agenttools/emit/event_log.h"
#include "agenttools/emit/transition.h"
#include "base/str.h"

typedef struct Recording { // what the transaction works with
    const EmitEvent *event;
    GPtrArray *warnings;
    RunState *run;
    int64_t event_id;
    char *doc_id;
    Transition transition;
    json_t *data; // the answer; NULL until it is made
} Recording;

static void recording_clear(Recording *self)
{
    run_state_free(self->run);
    g_free(self->doc_id);
    transition_clear(&self->transition);
    json_decref(self->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Recording, recording_clear)

// ---- the run ----

static bool start_run(Db *db, Recording *self, GError **error)
{
    const EmitEvent *event = self->event;
    RunState *run = run_state_new(event->run_id, event->workflow);
    self->run = run;
    run->project_path = g_strdup(event->place->project);
    run->root_path = g_strdup(event->place->root);
    run->work_root = g_strdup(event->place->work_root);
    run->created_at = run->updated_at = event->now_ms;
    return run_state_store(db, run, 0, error);
}

static bool open_run(Db *db, Recording *self, bool *ret_is_new, GError **error)
{
    const EmitEvent *event = self->event;
    if (!run_state_load(db, event->run_id, &self->run, error))
        return false;
    *ret_is_new = self->run == NULL;
    if (!self->run)
        return start_run(db, self, error);
    if (strcmp(self->run->workflow, event->workflow) == 0)
        return true;
    return answer_error(error, ANSWER_CONFLICT, json_make("workflow:%s", self->run->workflow),
                        "Run \"%s\" belongs to workflow \"%s\", not \"%s\"", event->run_id,
                        self->run->workflow, event->workflow);
}

static void set_once(char **field, const char *value)
{
    if (!*field && !str_is_empty(value))
        *field = g_strdup(value);
}

static void set_fields_once(RunState *run, const EmitEvent *event)
{
    set_once(&run->name, event->name);
    set_once(&run->harness, event->harness);
    set_once(&run->feature_id,
             event->feature ? event->feature : json_get_text(event->data, "feature"));
}

// ---- repeats ----

static bool is_same_text(const char *a, const char *b)
{
    return g_strcmp0(a ? a : "", b ? b : "") == 0;
}

/* The stored data but for what was added at recording. */
static bool is_same_data(const char *stored_text, const json_t *given)
{
    g_autoptr(json_t) stored = NULL;
    if (!stored_text || !json_parse_text(stored_text, &stored, NULL))
        return given == NULL;
    if (!json_object_get(given, "docId"))
        json_object_del(stored, "docId");
    return given != NULL && json_equal(stored, given);
}

/* Was there an event of that key? Then it answers, if it is the same. */
static bool find_repeat(Db *db, Recording *self, bool *ret_is_repeat, GError **error)
{
    const EmitEvent *event = self->event;
    *ret_is_repeat = false;
    if (!event->event_key)
        return true;
    g_autoptr(DbQuery) query = NULL;
    if (!db_query(db, &query, error,
                  "SELECT id, type, step, unit, data, json_extract(data, '$.docId') FROM event "
                  "WHERE run_id = ? AND event_key = ?",
                  "ss", event->run_id, event->event_key) ||
        !db_query_step(query, ret_is_repeat, error))
        return false;
    if (!*ret_is_repeat)
        return true;
    self->event_id = db_query_int(query, 0);
    if (strcmp(db_query_text(query, 1), event_type_names[event->type]) == 0 &&
        is_same_text(db_query_text(query, 2), event->step) &&
        is_same_text(db_query_text(query, 3), event->unit) &&
        is_same_data(db_query_text(query, 4), event->data)) {
        if (event->type == EVENT_ARTIFACT_REGISTERED)
            self->doc_id = g_strdup(db_query_text(query, 5));
        return true;
    }
    return answer_error(error, ANSWER_CONFLICT, json_make("eventId:%jd", self->event_id),
                        "Event key \"%s\" was already used for event %" G_GINT64_FORMAT
                        " with different content",
                        event->event_key, self->event_id);
}

// ---- what the types do ----

static bool record_status(Db *db, Recording *self, GError **error)
{
    const EmitEvent *event = self->event;
    StatusChange change = {
        .step = event->step,
        .unit = event->unit,
        .allows_skip = event->allows_skip,
        .machine = event->machine,
        .agent = event->agent,
    };
    step_status_parse(json_get_text(event->data, "status"), &change.status);
    if (!transition_check(self->run, &change, &self->transition, error))
        return false;
    for (unsigned i = 0; i < self->transition.before->len; i++) {
        const PlannedEvent *planned = &g_array_index(self->transition.before, PlannedEvent, i);
        int64_t id;
        if (!event_log_status(db, self->run, planned->step, event->unit, planned->status, NULL,
                              NULL, event->now_ms, &id, error))
            return false;
    }
    return event_log_status(db, self->run, event->step, event->unit, change.status, event->data,
                            event->event_key, event->now_ms, &self->event_id, error);
}

static LoggedEvent logged_event(const EmitEvent *event, const json_t *data)
{
    return (LoggedEvent) {
        .run_id = event->run_id,
        .type = event_type_names[event->type],
        .step = event->step,
        .unit = event->unit,
        .data = data,
        .key = event->event_key,
        .now_ms = event->now_ms,
    };
}

/* The document's id is part of what the log keeps. */
static bool record_artifact(Db *db, Recording *self, GError **error)
{
    const EmitEvent *event = self->event;
    const ArtifactDraft draft = {
        .path = json_get_text(event->data, "path"),
        .storage_root = json_get_text(event->data, "storageRoot"),
        .type = json_get_text(event->data, "type"),
        .feature = json_get_text(event->data, "feature"),
        .step = event->step,
        .subflow = json_get_text(event->data, "subflow"),
        .stamps = event->stamps,
    };
    if (!artifact_register(db, event->run_id, event->place, &draft, event->now_ms, self->warnings,
                           &self->doc_id, error))
        return false;
    g_autoptr(json_t) data = json_copy((json_t *)event->data);
    json_set_text(data, "docId", self->doc_id);
    const LoggedEvent logged = logged_event(event, data);
    return event_log_append(db, &logged, &self->event_id, error);
}

static bool record_plain(Db *db, Recording *self, GError **error)
{
    const EmitEvent *event = self->event;
    LoggedEvent logged = logged_event(event, event->data);
    if (event->type == EVENT_SUBFLOW_REGISTERED)
        logged.parent_step_id = json_get_text(event->data, "parentStepId");
    if (!event_log_append(db, &logged, &self->event_id, error))
        return false;
    if (event->type == EVENT_WAITING_FOR_USER)
        self->run->waiting_event = self->event_id;
    return true;
}

/* --close-run: every step and unit still open is completed, then the run itself; a failed step
   leaves it failed. */
static bool close_run(Db *db, Recording *self, GError **error)
{
    RunState *run = self->run;
    for (unsigned i = 0; i < run->steps->len; i++) {
        const StepState *step = g_ptr_array_index(run->steps, i);
        bool is_open = step->status == STEP_NOT_STARTED || step->status == STEP_RUNNING ||
                       step->status == STEP_WAITING;
        int64_t id;
        if (!is_open)
            continue;
        // completing a step is no move to it
        g_autofree char *current = g_strdup(run->current_step);
        if (!event_log_status(db, run, step->step, step->unit, STEP_COMPLETED, NULL, NULL,
                              self->event->now_ms, &id, error))
            return false;
        g_free(run->current_step);
        run->current_step = g_steal_pointer(&current);
    }
    run_state_settle(run, self->event->machine, self->event->now_ms);
    int64_t id;
    return run->outcome != NULL || strcmp(run->status, step_status_names[STEP_FAILED]) == 0 ||
           event_log_end(db, run, step_status_names[STEP_COMPLETED], NULL, self->event->now_ms, &id,
                         error);
}

// ---- the transaction ----

static json_t *make_data(const Recording *self, bool is_repeat)
{
    const EmitEvent *event = self->event;
    json_t *completed = self->transition.completed_steps, *skipped = self->transition.skipped_steps;
    return json_make("eventId:%jd runId:%s type:%s docId:%s completedPredecessors:%p "
                     "skippedSteps:%p runStatus:%s state:%p duplicate:%i?",
                     self->event_id, event->run_id, event_type_names[event->type], self->doc_id,
                     json_array_size(completed) > 0 ? json_incref(completed) : NULL,
                     json_array_size(skipped) > 0 ? json_incref(skipped) : NULL, self->run->status,
                     run_state_to_json(self->run, event->machine), is_repeat);
}

static bool record_new(Db *db, Recording *self, bool is_new_run, GError **error)
{
    const EmitEvent *event = self->event;
    RunState *run = self->run;
    g_autofree char *old_status = is_new_run ? NULL : g_strdup(run->status);
    g_autofree char *old_step = g_strdup(run->current_step);
    int64_t newest = 0; // what has been stored of the steps
    for (unsigned i = 0; i < run->steps->len; i++)
        newest = MAX(newest, ((const StepState *)g_ptr_array_index(run->steps, i))->event_id);

    if (!event_is_allowed_after_end(event->type) && !transition_check_open(run, error))
        return false;
    set_fields_once(run, event);
    bool is_recorded = event->type == EVENT_STATUS_CHANGE         ? record_status(db, self, error)
                       : event->type == EVENT_ARTIFACT_REGISTERED ? record_artifact(db, self, error)
                                                                  : record_plain(db, self, error);
    return is_recorded && (!event->closes_run || close_run(db, self, error)) &&
           event_log_save_run(db, run, event->machine, newest, old_status, old_step, event->now_ms,
                              error);
}

static bool emit_record_run(Db *db, void *recording_, GError **error)
{
    Recording *self = recording_;
    bool is_new_run = false, is_repeat = false;
    if (!open_run(db, self, &is_new_run, error) || !find_repeat(db, self, &is_repeat, error))
        return false;
    if (!is_repeat && !record_new(db, self, is_new_run, error))
        return false;
    self->data = make_data(self, is_repeat);
    return true;
}

bool emit_record(Db *db, const EmitEvent *event, GPtrArray *warnings, json_t **ret_data,
                 GError **error)
{
    g_auto(Recording) recording = { .event = event, .warnings = warnings };
    if (!db_transaction(db, emit_record_run, &recording, error))
        return false;
    *ret_data = g_steal_pointer(&recording.data);
    return true;
}
