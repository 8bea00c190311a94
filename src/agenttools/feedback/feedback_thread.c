/*
 * agent-tools feedback resolve, reply, reopen (agent-tools-cli §5.2): what an agent does with a
 * thread.
 */
#include "agenttools/agenttools.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/feedback.h"
#include "base/utf8.h"

typedef struct ThreadArgs { // each operation has a part of them
    const char *run_id;
    int64_t annotation_id;
    const char *text; // of the reply; resolve: NULL for none
} ThreadArgs;

static const char *const thread_words[] = { "annotationId", NULL };

/* The database, which is the caller's in any case, and in it an annotation of the run. */
static bool thread_open(OperationCall *call, const ThreadArgs *args, Answer *answer, Db **ret_db,
                        GError **error)
{
    return feedback_open(call, args->run_id, answer, ret_db, error) &&
           annotation_check_run(*ret_db, args->annotation_id, args->run_id, error);
}

// ---- resolve ----

static const FieldDef resolve_fields[] = {
    FEEDBACK_RUN_FIELD(ThreadArgs),
    FEEDBACK_ANNOTATION_FIELD(ThreadArgs),
    { "reply", FIELD_STRING, offsetof(ThreadArgs, text), .refuses_blank = true,
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
    const ThreadArgs *args = args_;
    g_autofree char *reply = args->text ? utf8_trim(args->text) : NULL;
    g_autoptr(Db) db = NULL;
    int64_t reply_id = 0;
    bool was_resolved = false;
    if (!thread_open(call, args, answer, &db, error) ||
        !annotation_resolve(db, args->annotation_id, reply, "agent",
                            tool_call_now_ms(call->tool_call), &reply_id, &was_resolved, error))
        return false;
    answer_set_data(answer, json_make("resolved:%i annotationId:%jd replyId:%jd? "
                                      "alreadyResolved:%i?",
                                      true, args->annotation_id, reply_id, was_resolved));
    return true;
}

const OperationDef operation_feedback_resolve = {
    .tool = OPERATION_TOOL(
        resolve, ThreadArgs, TOOL_CHANGES_RECORDS | TOOL_IDEMPOTENT, .name = "feedback_resolve",
        .label = "Resolve feedback", .summary = "Mark an annotation as resolved",
        .description = "Marks an annotation as resolved after its feedback was dealt with, and may "
                       "leave a reply. Resolving it again changes nothing."),
    OPERATION_PARTS(resolve, "feedback", "resolve", resolve_output),
    .words = thread_words,
};

// ---- reply ----

static const FieldDef reply_fields[] = {
    FEEDBACK_RUN_FIELD(ThreadArgs),
    FEEDBACK_ANNOTATION_FIELD(ThreadArgs),
    { "content", FIELD_STRING, offsetof(ThreadArgs, text), .is_required = true,
      .refuses_blank = true, .max_chars = ANNOTATION_MAX_CHARS, .problem = "Reply body is empty",
      .value_name = "TEXT", .help = "Text of the reply; white space at its ends is dropped" },
    { 0 },
};

static const FieldDef reply_output[] = {
    { "replyId", FIELD_INTEGER, 0, .is_required = true, .help = "The reply" },
    { "annotationId", FIELD_INTEGER, 0, .is_required = true,
      .help = "The annotation that was named" },
    { 0 },
};

static const OperationExample reply_examples[] = {
    { "printf 'It runs before init.\\nThe text says so now.' | kedge agent-tools feedback reply 42 "
      "--run-id 550e8400-e29b-41d4-a716-446655440000",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"annotationId\":42,"
      "\"content\":\"It runs before init.\\nThe text says so now.\"}",
      "{\"replyId\":43,\"annotationId\":42}" },
    { "kedge agent-tools feedback reply 42 --run-id 550e8400-e29b-41d4-a716-446655440000 "
      "--content Before.",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\",\"annotationId\":42,"
      "\"content\":\"Before.\"}",
      "{\"replyId\":43,\"annotationId\":42}" },
    { 0 },
};

static bool reply_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ThreadArgs *args = args_;
    g_autofree char *content = utf8_trim(args->text);
    g_autoptr(Db) db = NULL;
    int64_t reply_id = 0;
    if (!thread_open(call, args, answer, &db, error) ||
        !annotation_reply(db, args->annotation_id, content, "agent",
                          tool_call_now_ms(call->tool_call), &reply_id, error))
        return false;
    answer_set_data(answer,
                    json_make("replyId:%jd annotationId:%jd", reply_id, args->annotation_id));
    return true;
}

const OperationDef operation_feedback_reply = {
    .tool = OPERATION_TOOL(
        reply, ThreadArgs, TOOL_CHANGES_RECORDS, .name = "feedback_reply",
        .label = "Reply to feedback", .summary = "Reply to an annotation thread",
        .description = "Adds a reply to an annotation's thread. A resolved thread stays resolved."),
    OPERATION_PARTS(reply, "feedback", "reply", reply_output),
    .words = thread_words,
    .stdin_field = "content",
};

// ---- reopen ----

static const FieldDef reopen_fields[] = {
    FEEDBACK_RUN_FIELD(ThreadArgs),
    FEEDBACK_ANNOTATION_FIELD(ThreadArgs),
    { 0 },
};

static const FieldDef reopen_output[] = {
    { "reopened", FIELD_BOOLEAN, 0, .is_required = true, .help = "true" },
    { "annotationId", FIELD_INTEGER, 0, .is_required = true, .help = "The annotation" },
    { "alreadyOpen", FIELD_BOOLEAN, 0, .help = "true when it was open before" },
    { 0 },
};

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
    const ThreadArgs *args = args_;
    g_autoptr(Db) db = NULL;
    bool was_open = false;
    if (!thread_open(call, args, answer, &db, error) ||
        !annotation_set_status(db, args->annotation_id, false, tool_call_now_ms(call->tool_call),
                               &was_open, error))
        return false;
    answer_set_data(answer, json_make("reopened:%i annotationId:%jd alreadyOpen:%i?", true,
                                      args->annotation_id, was_open));
    return true;
}

const OperationDef operation_feedback_reopen = {
    .tool = OPERATION_TOOL(reopen, ThreadArgs, TOOL_CHANGES_RECORDS, .name = "feedback_reopen",
                           .label = "Reopen feedback",
                           .summary = "Mark a resolved annotation as open again"),
    OPERATION_PARTS(reopen, "feedback", "reopen", reopen_output),
    .words = thread_words,
};
