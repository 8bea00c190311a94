/*
 * agent-tools github-pr add-reaction (agent-tools-cli §2.7): a reaction to a comment, of the diff
 * or of the conversation. GitHub numbers the two kinds apart, and a number does not tell its kind.
 */
#include "agenttools/agenttools.h"
#include "agenttools/pr/pr_common.h"

#define OPERATION "add-reaction"

typedef struct ReactionArgs {
    PrTarget target;
    int64_t comment_id;
    const char *reaction;
    const char *comment_type;
} ReactionArgs;

static const char *const reactions[] = { "+1",     "-1",     "laugh", "confused", "heart",
                                         "hooray", "rocket", "eyes",  NULL };
static const char *const comment_types[] = { "review", "issue", "auto", NULL };
static const char *const found_types[] = { "review", "issue", NULL };

static const FieldDef reaction_fields[] = {
    PR_REPO_FIELDS(ReactionArgs),
    { "comment_id", FIELD_INTEGER, offsetof(ReactionArgs, comment_id), .is_required = true,
      .min = 1, .help = "Comment to react to" },
    { "reaction", FIELD_ENUM, offsetof(ReactionArgs, reaction), .is_required = true,
      .values = reactions, .help = "Which reaction" },
    { "comment_type", FIELD_ENUM, offsetof(ReactionArgs, comment_type), .values = comment_types,
      .default_text = "\"auto\"",
      .help = "A comment on the diff (review) or in the conversation (issue); auto: the one that "
              "exists" },
    PR_SERVER_FIELDS(ReactionArgs),
    { 0 },
};

static const FieldDef reaction_output[] = {
    { "reaction_id", FIELD_INTEGER, 0, .is_required = true, .help = "Id of the reaction" },
    { "content", FIELD_ENUM, 0, .is_required = true, .values = reactions, .help = "The reaction" },
    { "comment_type", FIELD_ENUM, 0, .is_required = true, .values = found_types,
      .help = "What the comment is" },
    { "created", FIELD_BOOLEAN, 0, .is_required = true, .help = "False: it was there before" },
    { 0 },
};

static const OperationExample reaction_examples[] = {
    { "echo '{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"comment_id\":123456,\"reaction\":\"+1\"}' | "
      "kedge agent-tools github-pr add-reaction",
      "{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"comment_id\":123456,\"reaction\":\"+1\"}",
      "{\"reaction_id\":987654321,\"content\":\"+1\",\"comment_type\":\"review\","
      "\"created\":true}" },
    { "kedge agent-tools github-pr add-reaction --owner rp1-run --repo rp1 --comment-id 789012 "
      "--reaction eyes --comment-type issue",
      "{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"comment_id\":789012,\"reaction\":\"eyes\","
      "\"comment_type\":\"issue\"}",
      "{\"reaction_id\":987654322,\"content\":\"eyes\",\"comment_type\":\"issue\","
      "\"created\":false}" },
    { 0 },
};

/* Errors of REST_ERROR. */
static bool pr_react(Pr *pr, const ReactionArgs *args, const char *type, json_t **ret_data,
                     GError **error)
{
    const char *room = strcmp(type, "review") == 0 ? "pulls" : "issues";
    g_autofree char *path =
        rest_repo_path(args->target.owner, args->target.repo,
                       "/%s/comments/%" G_GINT64_FORMAT "/reactions", room, args->comment_id);
    g_autofree char *subject = pr_comment_subject(pr, args->comment_id);
    g_autoptr(json_t) body = json_make("content:%s", args->reaction);
    const RestCall call = {
        .method = "POST",
        .path = path,
        .body = body,
        .subject = subject,
        .is_repeatable = true, // a second one finds the first
    };
    g_auto(RestAnswer) answer = { 0 };
    if (!pr_call(pr, &call, &answer, error))
        return false;
    int64_t id = json_get_int(answer.body, "id", 0);
    if (id <= 0)
        return rest_fail_unreadable(OPERATION, error);
    *ret_data = json_make("reaction_id:%jd content:%s comment_type:%s created:%i", id,
                          args->reaction, type, answer.status == 201);
    return true;
}

static bool fail_nowhere(const Pr *pr, const ReactionArgs *args, GError **error)
{
    g_autofree char *subject = pr_comment_subject(pr, args->comment_id);
    return answer_error(error, ANSWER_NOT_FOUND, json_make("status:%d", 404),
                        "Not found: %s (neither a review comment nor a general comment)", subject);
}

static bool reaction_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ReactionArgs *args = args_;
    if (!pr_check_target(&args->target, answer))
        return true;
    g_auto(Pr) pr = { 0 };
    if (!pr_open(call, &args->target, OPERATION, answer, &pr, error))
        return false;

    bool is_auto = strcmp(args->comment_type, "auto") == 0;
    json_t *data = NULL;
    g_autoptr(GError) failure = NULL;
    bool is_done = pr_react(&pr, args, is_auto ? "review" : args->comment_type, &data, &failure);
    if (is_auto && g_error_matches(failure, REST_ERROR, REST_ERROR_NOT_FOUND)) {
        g_clear_error(&failure);
        is_done = pr_react(&pr, args, "issue", &data, &failure);
        if (g_error_matches(failure, REST_ERROR, REST_ERROR_NOT_FOUND))
            return fail_nowhere(&pr, args, error);
    }
    if (!is_done)
        return pr_fail(g_steal_pointer(&failure), error);
    answer_set_data(answer, data);
    return true;
}

static bool reaction_judge(ToolCall *call G_GNUC_UNUSED, const void *args_,
                           Judgement *ret_judgement, GError **error G_GNUC_UNUSED)
{
    const ReactionArgs *args = args_;
    return pr_judge_write(&args->target, ret_judgement,
                          "reacts with %s to comment %" G_GINT64_FORMAT, args->reaction,
                          args->comment_id);
}

const OperationDef operation_github_pr_add_reaction = {
    .tool = OPERATION_TOOL(reaction, ReactionArgs, PR_FLAGS | TOOL_IDEMPOTENT,
                           .name = "github_pr_add_reaction", .label = "Add reaction",
                           .summary = "Add a reaction to an existing PR comment",
                           .effect = EFFECT_WRITE, .judge = reaction_judge),
    PR_PARTS(reaction, OPERATION),
    .changes = "adds a reaction on GitHub",
    .timeout_ms = PR_TIMEOUT_MS,
};
