/*
 * agent-tools emit events and export: the log of a run, a page of it or all of it (agent-tools-cli
 * §4.6, §9 B14).
 */
#include "agenttools/agenttools.h"
#include "agenttools/emit/emit_options.h"
#include "agenttools/emit/run_artifact.h"
#include "agenttools/emit/runs.h"
#include "base/limits.h"
#include "base/timefmt.h"

#define MAX_PAGE           1000
#define LIMIT_EXPORT_BYTES (32 * MIB)

/* The id of the last of the events, else `after`. */
static int64_t last_id(const json_t *events, int64_t after)
{
    size_t count = json_array_size(events);
    return count > 0 ? json_get_int(json_array_get(events, count - 1), "id", after) : after;
}

// ---- events ----

typedef struct EventsArgs {
    const char *run_id;
    int64_t after, limit;
} EventsArgs;

static const FieldDef events_fields[] = {
    { "runId", FIELD_STRING, offsetof(EventsArgs, run_id), EMIT_RUN_ID },
    { "after", FIELD_INTEGER, offsetof(EventsArgs, after), .min = 0, .max = INT64_MAX,
      .default_text = "0", .help = "Only events after that id" },
    { "limit", FIELD_INTEGER, offsetof(EventsArgs, limit), .min = 1, .max = MAX_PAGE,
      .default_text = "100", .help = "At most so many" },
    { 0 },
};

static const FieldDef event_fields[] = {
    { "id", FIELD_INTEGER, 0, .is_required = true, .help = "Ascending over all runs" },
    { "type", FIELD_STRING, 0, .is_required = true, .help = "What happened" },
    { "step", FIELD_STRING, 0, .help = "Where" },
    { "unit", FIELD_STRING, 0, .help = "Part of the step" },
    { "data", FIELD_JSON, 0, .help = "As it was given" },
    { "createdAt", FIELD_STRING, 0, .is_required = true, .help = "When" },
    { 0 },
};

static const FieldDef events_output[] = {
    { "runId", FIELD_STRING, 0, .is_required = true, .help = "The run" },
    { "events", FIELD_OBJECT_LIST, 0, .is_required = true, .item_fields = event_fields,
      .help = "Ascending" },
    { "nextAfter", FIELD_INTEGER, 0, .is_required = true, .help = "after of the next page" },
    { 0 },
};

#define EXAMPLE_EVENT                                                                              \
    "{\"id\":42,\"type\":\"status_change\",\"step\":\"design\",\"unit\":null,"                     \
    "\"data\":{\"status\":\"running\"},\"createdAt\":\"2026-03-04T05:06:07.089Z\"}"

static const OperationExample events_examples[] = {
    { "kedge agent-tools emit events --run-id R --after 40 --limit 2",
      "{\"runId\":\"R\",\"after\":40,\"limit\":2}",
      "{\"runId\":\"R\",\"events\":[" EXAMPLE_EVENT "],\"nextAfter\":42}" },
    { "kedge agent-tools emit events --run-id R", "{\"runId\":\"R\"}",
      "{\"runId\":\"R\",\"events\":[],\"nextAfter\":0}" },
    { 0 },
};

static bool events_run(OperationCall *call G_GNUC_UNUSED, const void *args_, Answer *answer,
                       GError **error)
{
    const EventsArgs *args = args_;
    g_autoptr(Db) db = NULL;
    json_t *events = NULL;
    if (!emit_open_state(call, &db, answer, error) ||
        !run_events(db, args->run_id, args->after, args->limit, &events, error))
        return false;
    answer_set_data(answer, json_make("runId:%s events:%p nextAfter:%jd", args->run_id, events,
                                      last_id(events, args->after)));
    return true;
}

const OperationDef operation_emit_events = {
    .tool = OPERATION_TOOL(events, EventsArgs, 0, .name = "emit_events", .label = "List events",
                           .summary = "List the events of a workflow run"),
    EMIT_PARTS(events, "events"),
};

// ---- export ----

typedef struct ExportArgs {
    const char *run_id, *format;
} ExportArgs;

static const char *const formats[] = { "jsonl", NULL };

static const FieldDef export_fields[] = {
    { "runId", FIELD_STRING, offsetof(ExportArgs, run_id), EMIT_RUN_ID },
    { "format", FIELD_ENUM, offsetof(ExportArgs, format), .values = formats,
      .default_text = "\"jsonl\"", .help = "One JSON object a line" },
    { 0 },
};

static const FieldDef export_output[] = {
    { "runId", FIELD_STRING, 0, .is_required = true, .help = "The run" },
    { "format", FIELD_ENUM, 0, .is_required = true, .values = formats, .help = "Of content" },
    { "lines", FIELD_INTEGER, 0, .is_required = true, .help = "How many lines content has" },
    { "content", FIELD_STRING, 0, .is_required = true,
      .help = "The run, its artifacts, its events: {kind, run | artifact | event} each" },
    { 0 },
};

static const OperationExample export_examples[] = {
    { "kedge agent-tools emit export --run-id R --format jsonl | jq -r .data.content",
      "{\"runId\":\"R\",\"format\":\"jsonl\"}",
      "{\"runId\":\"R\",\"format\":\"jsonl\",\"lines\":1,"
      "\"content\":\"{\\\"kind\\\":\\\"run\\\",\\\"run\\\":{\\\"id\\\":\\\"R\\\"}}\\n\"}" },
    { "kedge agent-tools emit export --run-id R", "{\"runId\":\"R\"}",
      "{\"runId\":\"R\",\"format\":\"jsonl\",\"lines\":1,"
      "\"content\":\"{\\\"kind\\\":\\\"run\\\",\\\"run\\\":{\\\"id\\\":\\\"R\\\"}}\\n\"}" },
    { 0 },
};

typedef struct Export {
    GString *content;
    int64_t lines;
} Export;

/* Takes `value`. */
static bool add_line(Export *self, const char *kind, json_t *value, GError **error)
{
    g_autoptr(json_t) line = json_make("kind:%s", kind);
    json_set_take(line, kind, value);
    g_autofree char *text = json_to_text(line);
    g_string_append(self->content, text);
    g_string_append_c(self->content, '\n');
    self->lines++;
    return self->content->len <= LIMIT_EXPORT_BYTES ||
           answer_error(error, ANSWER_VALIDATION, NULL,
                        "The run is too large to export: more than %zu bytes", LIMIT_EXPORT_BYTES);
}

static json_t *artifact_to_json(const RunArtifact *artifact)
{
    g_autofree char *created = time_format_iso(artifact->created_at);
    return json_make("docId:%s path:%s storageRoot:%s type:%s feature:%s? step:%s? subflow:%s? "
                     "sha256:%s? createdAt:%s",
                     artifact->doc_id, artifact->path, artifact->storage_root, artifact->type,
                     artifact->feature, artifact->step, artifact->subflow, artifact->sha256,
                     created);
}

static bool add_artifacts(Export *self, Db *db, const char *run_id, GError **error)
{
    g_autoptr(GPtrArray) artifacts = NULL;
    if (!run_artifact_list(db, run_id, &artifacts, error))
        return false;
    for (unsigned i = 0; i < artifacts->len; i++)
        if (!add_line(self, "artifact", artifact_to_json(g_ptr_array_index(artifacts, i)), error))
            return false;
    return true;
}

static bool add_events(Export *self, Db *db, const char *run_id, Cancel *cancel, GError **error)
{
    for (int64_t after = 0;;) {
        g_autoptr(json_t) events = NULL;
        if (cancel_has_fired(cancel))
            return fail_with(error, KEDGE_ERROR_CANCELLED, "the export was stopped");
        if (!run_events(db, run_id, after, MAX_PAGE, &events, error))
            return false;
        json_each (events, index, event)
            if (!add_line(self, "event", json_incref(event), error))
                return false;
        if (json_array_size(events) < MAX_PAGE)
            return true;
        after = last_id(events, after);
    }
}

static bool export_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ExportArgs *args = args_;
    g_autoptr(Db) db = NULL;
    json_t *run = NULL;
    if (!emit_open_state(call, &db, answer, error) ||
        !run_get(db, args->run_id, tool_call_now_ms(call->tool_call), &run, error))
        return false;
    Export export = { .content = g_string_new(NULL) };
    bool is_whole = add_line(&export, "run", run, error) &&
                    add_artifacts(&export, db, args->run_id, error) &&
                    add_events(&export, db, args->run_id, call->cancel, error);
    g_autofree char *content = g_string_free(export.content, FALSE);
    if (!is_whole)
        return false;
    answer_set_data(answer, json_make("runId:%s format:%s lines:%jd content:%s", args->run_id,
                                      args->format, export.lines, content));
    return true;
}

const OperationDef operation_emit_export = {
    .tool = OPERATION_TOOL(export, ExportArgs, 0, .name = "emit_export", .label = "Export run",
                           .summary =
                               "Export a workflow run with its artifacts and events as JSON lines"),
    EMIT_PARTS(export, "export"),
};
