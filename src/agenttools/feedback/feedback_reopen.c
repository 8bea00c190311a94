/*
 * agent-tools feedback reopen: a thread counts as open again.
 */
#include "agenttools/agenttools.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/feedback.h"

typedef struct ReopenArgs {
    const char *run_id;
    int64_t annotation_id;
} ReopenArgs;

static const FieldDef reopen_fields[] = {
    FEEDBACK_RUN_FIELD(ReopenArgs),
    FEEDBACK_ANNOTATION_FIELD(ReopenArgs),
    { 0 },
};

static const FieldDef reopen_output[] = {
    { "reopened", FIELD_BOOLEAN, 0, .is_required = true, .help = "true" },
    { "annotationId", FIELD_INTEGER, 0, .is_required = true, .help = "The annotation" },
    { "alreadyOpen", FIELD_BOOLEAN, 0, .help = "true when it was open before" },
    { 0 },
};

static const char *const reopen_words[] = { "annotationId", NULL };

static const OperationExample reopen_examples[] = {
    { "kedge agent-tools feedback reopen 42 --run-id 550e8400-e29b-41d4-a716-446655440000",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"annotationId\":42}",
      "{\"reopened\":true,\"annotationId\":42}" },
    { "echo '{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"annotationId\":42}' | "
      "kedge agent-tools feedback reopen",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"annotationId\":42}",
      "{\"reopened\":true,\"annotationId\":42,\"alreadyOpen\":true}" },
    { 0 },
};

static bool reopen_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ReopenArgs *args = args_;
    g_autoptr(Db) db = NULL;
    bool was_open = false;
    if (!feedback_open_annotation(call, args->run_id, args->annotation_id, answer, &db, error) ||
        !annotation_set_status(db, args->annotation_id, false, tool_call_now_ms(call->tool_call),
                               &was_open, error))
        return false;
    json_t *data = json_make("reopened:%hhd annotationId:%jd", true, args->annotation_id);
    if (was_open)
        json_set_bool(data, "alreadyOpen", true);
    answer_set_data(answer, data);
    return true;
}

const OperationDef operation_feedback_reopen = {
    .tool = { .name = "feedback_reopen",
              .label = "Reopen feedback",
              .summary = "Mark a resolved annotation as open again",
              .fields = reopen_fields,
              OPERATION_OF(ReopenArgs, OPERATION_FLAGS | TOOL_CHANGES_RECORDS) },
    OPERATION_PARTS(reopen, "feedback", "reopen", reopen_output),
    .words = reopen_words,
};
