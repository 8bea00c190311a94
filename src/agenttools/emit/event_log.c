/* See event_log.h. */
#include "agenttools/emit/event_log.h"

#include "agenttools/emit/run_state.h"
#include "base/timefmt.h"
#include "base/utf8.h"

// ---- what the data of each type must hold (agent-tools-cli §4.2) ----

const char *const event_type_names[] = {
    [EVENT_STATUS_CHANGE] = "status_change",
    [EVENT_ARTIFACT_REGISTERED] = "artifact_registered",
    [EVENT_ANNOTATION_UPDATED] = "annotation_updated",
    [EVENT_WAITING_FOR_USER] = "waiting_for_user",
    [EVENT_BTW_UPDATE] = "btw_update",
    [EVENT_SUBFLOW_REGISTERED] = "subflow_registered",
    [EVENT_TYPES] = NULL,
};

static const char *const artifact_types[] = { "markdown", "code",  "diagram", "diff",
                                              "report",   "other", NULL };
static const char *const storage_roots[] = { "work_dir", "project", "absolute", NULL };

typedef enum { DATA_TEXT, DATA_STATUS, DATA_CHOICE, DATA_TEXTS, DATA_ID, DATA_ANY } DataKind;

static const struct DataField {
    EventType type;
    const char *name;
    bool is_required;
    DataKind kind;
    const char *const *choices;
} data_fields[] = {
    { EVENT_STATUS_CHANGE, "status", true, DATA_STATUS, NULL },
    { EVENT_STATUS_CHANGE, "message", false, DATA_TEXT, NULL },
    { EVENT_ARTIFACT_REGISTERED, "path", true, DATA_TEXT, NULL },
    { EVENT_ARTIFACT_REGISTERED, "feature", true, DATA_TEXT, NULL },
    { EVENT_ARTIFACT_REGISTERED, "type", false, DATA_CHOICE, artifact_types },
    { EVENT_ARTIFACT_REGISTERED, "storageRoot", false, DATA_CHOICE, storage_roots },
    { EVENT_ARTIFACT_REGISTERED, "subflow", false, DATA_TEXT, NULL },
    { EVENT_ANNOTATION_UPDATED, "docId", true, DATA_TEXT, NULL },
    { EVENT_ANNOTATION_UPDATED, "content", true, DATA_TEXT, NULL },
    { EVENT_ANNOTATION_UPDATED, "data", false, DATA_ANY, NULL },
    { EVENT_ANNOTATION_UPDATED, "parentId", false, DATA_ID, NULL },
    { EVENT_WAITING_FOR_USER, "prompt", true, DATA_TEXT, NULL },
    { EVENT_WAITING_FOR_USER, "context", false, DATA_ANY, NULL },
    { EVENT_BTW_UPDATE, "message", true, DATA_TEXT, NULL },
    { EVENT_BTW_UPDATE, "metadata", false, DATA_ANY, NULL },
    { EVENT_SUBFLOW_REGISTERED, "parentStepId", true, DATA_TEXT, NULL },
    { EVENT_SUBFLOW_REGISTERED, "subflowName", true, DATA_TEXT, NULL },
    { EVENT_SUBFLOW_REGISTERED, "steps", false, DATA_TEXTS, NULL },
};

EventType event_type_parse(const char *name)
{
    for (EventType type = EVENT_STATUS_CHANGE; type < EVENT_TYPES; type++)
        if (strcmp(event_type_names[type], name) == 0)
            return type;
    g_assert_not_reached();
}

bool event_is_allowed_after_end(EventType type)
{
    return type == EVENT_ARTIFACT_REGISTERED || type == EVENT_ANNOTATION_UPDATED ||
           type == EVENT_BTW_UPDATE;
}

static bool is_text_list(const json_t *value)
{
    json_each ((json_t *)value, index, item)
        if (!json_is_string(item))
            return false;
    return json_is_array(value);
}

static bool event_field_fits(const struct DataField *field, const json_t *value)
{
    const char *text = json_string_value(value);
    switch (field->kind) {
    case DATA_TEXT:
        return text && (!field->is_required || !utf8_is_blank(text));
    case DATA_CHOICE:
        return text && g_strv_contains(field->choices, text);
    case DATA_TEXTS:
        return is_text_list(value);
    case DATA_ID:
        return text || json_is_integer(value);
    case DATA_STATUS: // says for itself which it knows
    case DATA_ANY:
        return true;
    }
    g_assert_not_reached();
}

/* A value of the wrong kind. */
static void event_fail_value(const struct DataField *field, const char *path, Answer *answer)
{
    const char *type = event_type_names[field->type];
    if (field->kind == DATA_CHOICE) {
        g_autofree char *choices = g_strjoinv(", ", (char **)field->choices);
        answer_fail_field(answer, path, "'%s' of %s events must be one of: %s", field->name, type,
                          choices);
    } else {
        const char *what = field->kind == DATA_TEXTS ? "an array of strings"
                           : field->kind == DATA_ID  ? "an id"
                                                     : "a string";
        answer_fail_field(answer, path, "'%s' of %s events must be %s", field->name, type, what);
    }
}

static void check_status(const char *path, const json_t *value, Answer *answer)
{
    StepStatus status;
    if (json_is_string(value) && step_status_parse(json_string_value(value), &status))
        return;
    g_autofree char *text =
        json_is_string(value) ? g_strdup(json_string_value(value)) : json_to_text(value);
    g_autofree char *shown = utf8_ellipsize(text, 200);
    g_autofree char *all = g_strjoinv(", ", (char **)step_status_names);
    answer_fail_field(answer, path, "Invalid status value: '%s'. Must be one of: %s", shown, all);
}

static void check_field(const struct DataField *field, const json_t *data, Answer *answer)
{
    const json_t *value = json_object_get(data, field->name);
    g_autofree char *path = g_strconcat("data.", field->name, NULL);
    bool is_given = value != NULL && !json_is_null(value);
    if (field->is_required && (!is_given || !event_field_fits(field, value)))
        answer_fail_field(answer, path, "%s events require a '%s' field%s in data",
                          event_type_names[field->type], field->name,
                          field->kind == DATA_STATUS ? "" : " (string)");
    else if (is_given && field->kind == DATA_STATUS)
        check_status(path, value, answer);
    else if (is_given && !event_field_fits(field, value))
        event_fail_value(field, path, answer);
}

void event_check(EventType type, const char *step, const json_t *data, Answer *answer)
{
    bool needs_step = type == EVENT_STATUS_CHANGE || type == EVENT_SUBFLOW_REGISTERED;
    if (needs_step && !step)
        answer_fail_field(answer, "step", "--step is required for '%s' events",
                          event_type_names[type]);
    for (size_t i = 0; i < G_N_ELEMENTS(data_fields); i++)
        if (data_fields[i].type == type)
            check_field(&data_fields[i], data, answer);
}

// ---- the log ----

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
