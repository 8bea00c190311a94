/*
 * agent-tools feedback accept-edit: acknowledges what a person changed, or writes what one
 * suggests.
 */
#include "agenttools/agenttools.h"
#include "agenttools/feedback/feedback.h"

typedef struct AcceptArgs {
    const char *run_id;
    const char *doc_id;
    int64_t edit_id; // 0: the only one
} AcceptArgs;

static const FieldDef accept_fields[] = {
    FEEDBACK_RUN_FIELD(AcceptArgs),
    FEEDBACK_DOC_FIELD(AcceptArgs),
    FEEDBACK_EDIT_FIELD(AcceptArgs),
    { 0 },
};

static const FieldDef accept_output[] = {
    FEEDBACK_EDIT_OUTPUT("accepted", "applied", "The suggestion is in the file"),
    { 0 },
};

static const char *const accept_words[] = { "docId", NULL };

static const OperationExample accept_examples[] = {
    { "kedge agent-tools feedback accept-edit 1b4e28ba-2fa1-41d2-883f-0016d3cca427 --run-id "
      "550e8400-e29b-41d4-a716-446655440000",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\","
      "\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\"}",
      "{\"accepted\":true,\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\",\"editId\":3,"
      "\"mode\":\"direct\",\"applied\":false}" },
    { "kedge agent-tools feedback accept-edit 1b4e28ba-2fa1-41d2-883f-0016d3cca427 --edit-id 5 "
      "--run-id 550e8400-e29b-41d4-a716-446655440000",
      "{\"runId\":\"550e8400-e29b-41d4-a716-446655440000\","
      "\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\",\"editId\":5}",
      "{\"accepted\":true,\"docId\":\"1b4e28ba-2fa1-41d2-883f-0016d3cca427\",\"editId\":5,"
      "\"mode\":\"suggested\",\"applied\":true}" },
    { 0 },
};

static bool accept_judge(ToolCall *call G_GNUC_UNUSED, const void *args_, Judgement *ret_judgement,
                         GError **error G_GNUC_UNUSED)
{
    const AcceptArgs *args = args_;
    *ret_judgement = (Judgement) {
        .effect = EFFECT_WRITE,
        .summary =
            g_strdup_printf("accepts a person's edit of artifact %s; a suggestion is written "
                            "to the file",
                            args->doc_id),
    };
    return true;
}

static bool accept_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const AcceptArgs *args = args_;
    g_autoptr(Db) db = NULL;
    g_autoptr(RunArtifact) artifact = NULL;
    g_auto(EditOutcome) outcome = { 0 };
    int64_t edit_id = 0;
    if (!feedback_open_edit(call, args->run_id, args->doc_id, args->edit_id, answer, &db, &artifact,
                            &edit_id, error) ||
        !edit_accept(db, artifact, edit_id, tool_call_now_ms(call->tool_call), &outcome, error))
        return false;
    feedback_answer_edit(answer, "accepted", args->doc_id, &outcome, "applied");
    return true;
}

const OperationDef operation_feedback_accept_edit = {
    .tool = { .name = "feedback_accept_edit",
              .label = "Accept edit",
              .summary = "Accept a file edit that a person made or suggests",
              .description = "Accepts a pending edit of an artifact. A direct edit is in the file "
                             "already and is only acknowledged. A suggestion is merged into the "
                             "file; when it conflicts with later changes, nothing is written and "
                             "the error names the lines.",
              .fields = accept_fields,
              .effect = EFFECT_WRITE,
              .judge = accept_judge,
              OPERATION_OF(AcceptArgs, OPERATION_FLAGS | TOOL_CAN_DESTROY) },
    OPERATION_PARTS(accept, "feedback", "accept-edit", accept_output),
    .words = accept_words,
    .changes = "the artifact's file, when the edit is a suggestion",
};
