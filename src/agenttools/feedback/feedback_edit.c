/*
 * agent-tools feedback accept-edit, reject-edit (agent-tools-cli §5.2): what a person changed in a
 * file, or suggests, is settled.
 */
#include "agenttools/agenttools.h"
#include "agenttools/feedback/annotations.h"
#include "agenttools/feedback/artifact_view.h"
#include "agenttools/feedback/feedback.h"

typedef struct EditArgs {
    const char *run_id, *doc_id;
    int64_t edit_id;    // 0: the only one
    const char *reason; // reject: why; NULL: not said
    bool restores;      // reject: a direct edit is taken back in the file
} EditArgs;

static const char *const edit_words[] = { "docId", NULL };
static const char *const edit_modes[] = { "direct", "suggested", NULL };

// clang-format off
#define EDIT_FIELDS                                                                                \
    { "docId", FIELD_STRING, offsetof(EditArgs, doc_id), .is_required = true,                      \
      .refuses_blank = true, .help = "Artifact, as read names it" },                               \
    { "editId", FIELD_INTEGER, offsetof(EditArgs, edit_id), .min = 1,                              \
      .help = "Edit; needed when several of the artifact are pending" }
#define EDIT_OUTPUT                                                                                \
    { "docId", FIELD_STRING, 0, .is_required = true, .help = "The artifact" },                     \
    { "editId", FIELD_INTEGER, 0, .is_required = true, .help = "The edit" },                       \
    { "mode", FIELD_ENUM, 0, .is_required = true, .values = edit_modes,                            \
      .help = "direct: the file had it; suggested: it was only proposed" }
// clang-format on

static const FieldDef accept_output[] = {
    { "accepted", FIELD_BOOLEAN, 0, .is_required = true, .help = "true" },
    EDIT_OUTPUT,
    { "applied", FIELD_BOOLEAN, 0, .is_required = true, .help = "The suggestion is in the file" },
    { 0 },
};

static const FieldDef reject_output[] = {
    { "rejected", FIELD_BOOLEAN, 0, .is_required = true, .help = "true" },
    EDIT_OUTPUT,
    { "restored", FIELD_BOOLEAN, 0, .is_required = true, .help = "It was taken back in the file" },
    { 0 },
};

static bool feedback_settle_edit(OperationCall *call, const EditArgs *args, bool is_accepted,
                                 EditOutcome *ret_outcome, Answer *answer, GError **error)
{
    int64_t now_ms = tool_call_now_ms(call->tool_call), edit_id = 0;
    g_autoptr(Db) db = NULL;
    g_autoptr(RunArtifact) artifact = NULL;
    if (!feedback_open(call, args->run_id, answer, &db, error) ||
        !artifact_view_get(db, args->doc_id, &artifact, error) ||
        !artifact_view_check_run(db, args->doc_id, args->run_id, error) ||
        !edit_choose(db, artifact, args->run_id, args->edit_id, &edit_id, error))
        return false;
    return is_accepted ? edit_accept(db, artifact, edit_id, now_ms, ret_outcome, error)
                       : edit_reject(db, artifact, edit_id, args->reason, args->restores, now_ms,
                                     ret_outcome, error);
}

// ---- accept-edit ----

static const FieldDef accept_fields[] = {
    FEEDBACK_RUN_FIELD(EditArgs),
    EDIT_FIELDS,
    { 0 },
};

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
    const EditArgs *args = args_;
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
    const EditArgs *args = args_;
    g_auto(EditOutcome) outcome = { 0 };
    if (!feedback_settle_edit(call, args, true, &outcome, answer, error))
        return false;
    answer_set_data(answer,
                    json_make("accepted:%i docId:%s editId:%jd mode:%s applied:%i", true,
                              args->doc_id, outcome.edit_id, outcome.mode, outcome.is_applied));
    return true;
}

const OperationDef operation_feedback_accept_edit = {
    .tool = OPERATION_TOOL(
        accept, EditArgs, TOOL_CAN_DESTROY, .name = "feedback_accept_edit", .label = "Accept edit",
        .summary = "Accept a file edit that a person made or suggests",
        .description =
            "Accepts a pending edit of an artifact. A direct edit is in the file already and is "
            "only acknowledged. A suggestion is merged into the file; when it conflicts with later "
            "changes, nothing is written and the error names the lines.",
        .effect = EFFECT_WRITE, .judge = accept_judge),
    OPERATION_PARTS(accept, "feedback", "accept-edit", accept_output),
    .words = edit_words,
    .changes = "the artifact's file, when the edit is a suggestion",
};

// ---- reject-edit ----

static const FieldDef reject_fields[] = {
    FEEDBACK_RUN_FIELD(EditArgs),
    EDIT_FIELDS,
    { "reason", FIELD_STRING, offsetof(EditArgs, reason), .max_chars = ANNOTATION_MAX_CHARS,
      .help = "Why, kept with the edit" },
    { "restore", FIELD_BOOLEAN, offsetof(EditArgs, restores),
      .help = "Take a direct edit back in the file too" },
    { 0 },
};

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
    const EditArgs *args = args_;
    *ret_judgement = (Judgement) {
        .effect = EFFECT_WRITE,
        .summary = g_strdup_printf("rejects a person's edit of artifact %s%s", args->doc_id,
                                   args->restores ? " and takes it back in the file" : ""),
    };
    return true;
}

static bool reject_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const EditArgs *args = args_;
    g_auto(EditOutcome) outcome = { 0 };
    if (!feedback_settle_edit(call, args, false, &outcome, answer, error))
        return false;
    answer_set_data(answer,
                    json_make("rejected:%i docId:%s editId:%jd mode:%s restored:%i", true,
                              args->doc_id, outcome.edit_id, outcome.mode, outcome.is_applied));
    return true;
}

const OperationDef operation_feedback_reject_edit = {
    .tool = OPERATION_TOOL(
        reject, EditArgs, TOOL_CAN_DESTROY, .name = "feedback_reject_edit", .label = "Reject edit",
        .summary = "Reject a file edit that a person made or suggests",
        .description =
            "Rejects a pending edit of an artifact. A suggestion is dropped. A direct edit is only "
            "marked; with restore the file gets its old text back, later changes merged in.",
        .effect = EFFECT_WRITE, .judge = reject_judge),
    OPERATION_PARTS(reject, "feedback", "reject-edit", reject_output),
    .words = edit_words,
    .changes = "the artifact's file, with --restore and a direct edit",
};
