/*
 * agent-tools feedback reject-edit: drops a suggestion, or says no to what a person changed.
 */
#include "agenttools/agenttools.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/feedback.h"

typedef struct RejectArgs {
    const char *run_id;
    const char *doc_id;
    int64_t edit_id;    // 0: the only one
    const char *reason; // NULL: none
    bool restores;
} RejectArgs;

static const FieldDef reject_fields[] = {
    FEEDBACK_RUN_FIELD(RejectArgs),
    FEEDBACK_DOC_FIELD(RejectArgs),
    FEEDBACK_EDIT_FIELD(RejectArgs),
    { "reason", FIELD_STRING, offsetof(RejectArgs, reason), .max_chars = ANNOTATION_MAX_CHARS,
      .help = "Why, kept with the edit" },
    { "restore", FIELD_BOOLEAN, offsetof(RejectArgs, restores),
      .help = "Take a direct edit back in the file too" },
    { 0 },
};

static const FieldDef reject_output[] = {
    FEEDBACK_EDIT_OUTPUT("rejected", "restored", "It was taken back in the file"),
    { 0 },
};

static const char *const reject_words[] = { "docId", NULL };

static const OperationExample reject_examples[] = {
    { "kedge agent-tools feedback reject-edit 1b4e28ba-2fa1-41d2-883f-0016d3cca427 --edit-id 5 "
      "--reason 'Section 3 says it better' --run-id 550e8400-e29b-41d4-a716-446655440000",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\","
      "\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\",\"editId\":5,"
      "\"reason\":\"Section 3 says it better\"}",
      "{\"rejected\":true,\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\",\"editId\":5,"
      "\"mode\":\"suggested\",\"restored\":false}" },
    { "kedge agent-tools feedback reject-edit 1b4e28ba-2fa1-41d2-883f-0016d3cca427 --restore "
      "--run-id 550e8400-e29b-41d4-a716-446655440000",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\","
      "\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\",\"restore\":true}",
      "{\"rejected\":true,\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\",\"editId\":3,"
      "\"mode\":\"direct\",\"restored\":true}" },
    { 0 },
};

static bool reject_judge(ToolCall *call G_GNUC_UNUSED, const void *args_, Judgement *ret_judgement,
                         GError **error G_GNUC_UNUSED)
{
    const RejectArgs *args = args_;
    *ret_judgement = (Judgement) {
        .effect = EFFECT_WRITE,
        .summary = g_strdup_printf("rejects a person's edit of artifact %s%s", args->doc_id,
                                   args->restores ? " and takes it back in the file" : ""),
    };
    return true;
}

static bool reject_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const RejectArgs *args = args_;
    g_autoptr(Db) db = NULL;
    g_autoptr(RunArtifact) artifact = NULL;
    g_auto(EditOutcome) outcome = { 0 };
    int64_t edit_id = 0;
    if (!feedback_open_edit(call, args->run_id, args->doc_id, args->edit_id, answer, &db, &artifact,
                            &edit_id, error) ||
        !edit_reject(db, artifact, edit_id, args->reason, args->restores,
                     tool_call_now_ms(call->tool_call), &outcome, error))
        return false;
    feedback_answer_edit(answer, "rejected", args->doc_id, &outcome, "restored");
    return true;
}

const OperationDef operation_feedback_reject_edit = {
    .tool = { .name = "feedback_reject_edit",
              .label = "Reject edit",
              .summary = "Reject a file edit that a person made or suggests",
              .description = "Rejects a pending edit of an artifact. A suggestion is dropped. A "
                             "direct edit is only marked; with restore the file gets its old text "
                             "back, later changes merged in.",
              .fields = reject_fields,
              .effect = EFFECT_WRITE,
              .judge = reject_judge,
              OPERATION_OF(RejectArgs, OPERATION_FLAGS | TOOL_CAN_DESTROY) },
    OPERATION_PARTS(reject, "feedback", "reject-edit", reject_output),
    .words = reject_words,
    .changes = "the artifact's file, with --restore and a direct edit",
};
