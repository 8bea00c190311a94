/*
 * agent-tools feedback reply: answers in a thread. The body is raw standard input.
 */
#include "agenttools/agenttools.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/feedback.h"
#include "base/utf8.h"

#define EMPTY_BODY "Reply body is empty"

typedef struct ReplyArgs {
    const char *run_id;
    int64_t annotation_id;
    const char *content;
} ReplyArgs;

static const FieldDef reply_fields[] = {
    FEEDBACK_RUN_FIELD(ReplyArgs),
    FEEDBACK_ANNOTATION_FIELD(ReplyArgs),
    { "content", FIELD_STRING, offsetof(ReplyArgs, content), .is_required = true,
      .refuses_blank = true, .max_chars = ANNOTATION_MAX_CHARS, .problem = EMPTY_BODY,
      .value_name = "TEXT", .help = "Text of the reply; white space at its ends is dropped" },
    { 0 },
};

static const FieldDef reply_output[] = {
    { "replyId", FIELD_INTEGER, 0, .is_required = true, .help = "The reply" },
    { "annotationId", FIELD_INTEGER, 0, .is_required = true,
      .help = "The annotation that was named" },
    { 0 },
};

static const char *const reply_words[] = { "annotationId", NULL };

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
    const ReplyArgs *args = args_;
    g_autofree char *content = utf8_trim(args->content);
    g_autoptr(Db) db = NULL;
    int64_t reply_id = 0;
    if (!feedback_open_annotation(call, args->run_id, args->annotation_id, answer, &db, error) ||
        !annotation_reply(db, args->annotation_id, content, "agent",
                          tool_call_now_ms(call->tool_call), &reply_id, error))
        return false;
    answer_set_data(answer,
                    json_make("replyId:%jd annotationId:%jd", reply_id, args->annotation_id));
    return true;
}

const OperationDef operation_feedback_reply = {
    .tool = { .name = "feedback_reply",
              .label = "Reply to feedback",
              .summary = "Reply to an annotation thread",
              .description = "Adds a reply to an annotation's thread. A resolved thread stays "
                             "resolved.",
              .fields = reply_fields,
              OPERATION_OF(ReplyArgs, OPERATION_FLAGS | TOOL_CHANGES_RECORDS) },
    OPERATION_PARTS(reply, "feedback", "reply", reply_output),
    .words = reply_words,
    .stdin_field = "content",
};
