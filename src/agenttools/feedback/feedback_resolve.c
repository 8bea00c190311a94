/*
 * agent-tools feedback resolve: marks a thread as resolved, with or without a word.
 */
#include "agenttools/agenttools.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/feedback.h"
#include "base/utf8.h"

typedef struct ResolveArgs {
    const char *run_id;
    int64_t annotation_id;
    const char *reply; // NULL: none
} ResolveArgs;

static const FieldDef resolve_fields[] = {
    FEEDBACK_RUN_FIELD(ResolveArgs),
    FEEDBACK_ANNOTATION_FIELD(ResolveArgs),
    { "reply", FIELD_STRING, offsetof(ResolveArgs, reply), .refuses_blank = true,
      .max_chars = ANNOTATION_MAX_CHARS, .problem = "--reply must be non-empty when provided",
      .help = "Reply to leave in the thread" },
    { 0 },
};

static const FieldDef resolve_output[] = {
    { "resolved", FIELD_BOOLEAN, 0, .is_required = true, .help = "true" },
    { "annotationId", FIELD_INTEGER, 0, .is_required = true, .help = "The annotation" },
    { "replyId", FIELD_INTEGER, 0, .help = "The reply" },
    { "alreadyResolved", FIELD_BOOLEAN, 0, .help = "true when it was resolved before" },
    { 0 },
};

static const char *const resolve_words[] = { "annotationId", NULL };

static const OperationExample resolve_examples[] = {
    { "kedge agent-tools feedback resolve 42 --run-id 550e8400-e29b-41d4-a716-446655440000",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"annotationId\":42}",
      "{\"resolved\":true,\"annotationId\":42}" },
    { "kedge agent-tools feedback resolve 42 --run-id 550e8400-e29b-41d4-a716-446655440000 "
      "--reply 'Before init; see section 2.'",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"annotationId\":42,"
      "\"reply\":\"Before init; see section 2.\"}",
      "{\"resolved\":true,\"annotationId\":42,\"replyId\":44}" },
    { 0 },
};

static bool resolve_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ResolveArgs *args = args_;
    g_autofree char *reply = args->reply ? utf8_trim(args->reply) : NULL;
    g_autoptr(Db) db = NULL;
    int64_t reply_id = 0;
    bool was_resolved = false;
    if (!feedback_open_annotation(call, args->run_id, args->annotation_id, answer, &db, error) ||
        !annotation_resolve(db, args->annotation_id, reply, "agent",
                            tool_call_now_ms(call->tool_call), &reply_id, &was_resolved, error))
        return false;
    json_t *data = json_make("resolved:%hhd annotationId:%jd", true, args->annotation_id);
    if (reply_id != 0)
        json_set_int(data, "replyId", reply_id);
    if (was_resolved)
        json_set_bool(data, "alreadyResolved", true);
    answer_set_data(answer, data);
    return true;
}

const OperationDef operation_feedback_resolve = {
    .tool = { .name = "feedback_resolve",
              .label = "Resolve feedback",
              .summary = "Mark an annotation as resolved",
              .description = "Marks an annotation as resolved after its feedback was dealt with, "
                             "and may leave a reply. Resolving it again changes nothing.",
              .fields = resolve_fields,
              OPERATION_OF(ResolveArgs, OPERATION_FLAGS | TOOL_CHANGES_RECORDS | TOOL_IDEMPOTENT) },
    OPERATION_PARTS(resolve, "feedback", "resolve", resolve_output),
    .words = resolve_words,
};
