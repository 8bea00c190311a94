/*
 * agent-tools github-pr reply-comment (agent-tools-cli §2.8): an answer in the thread of a review
 * comment. GitHub takes answers to a thread's first comment only and says no more than 404 or 422
 * about others, so the comment is looked at then: an answer to an answer goes to its thread.
 */
#include "agenttools/agenttools.h"
#include "agenttools/pr/pr_common.h"

#include "base/str.h"

#define OPERATION "reply-comment"

typedef struct ReplyArgs {
    PrTarget target;
    int64_t pr_number;
    int64_t comment_id;
    const char *body;
} ReplyArgs;

static const FieldDef reply_fields[] = {
    PR_REPO_FIELDS(ReplyArgs),
    PR_NUMBER_FIELD(ReplyArgs, pr_number),
    { "comment_id", FIELD_INTEGER, offsetof(ReplyArgs, comment_id), .is_required = true, .min = 1,
      .help = "Review comment to reply to, any of its thread" },
    { "body", FIELD_STRING, offsetof(ReplyArgs, body), .is_required = true, .refuses_blank = true,
      .max_chars = PULL_MAX_BODY_CHARS, .help = "Reply (Markdown)" },
    PR_SERVER_FIELDS(ReplyArgs),
    { 0 },
};

static const FieldDef reply_output[] = {
    { "comment_id", FIELD_INTEGER, 0, .is_required = true, .help = "Id of the reply" },
    { "html_url", FIELD_STRING, 0, .is_required = true, .help = "Address of the reply" },
    { "thread_root_id", FIELD_INTEGER, 0, .is_required = true,
      .help = "First comment of the thread" },
    { "recovered", FIELD_BOOLEAN, 0,
      .help = "True: GitHub's answer was lost, and the reply was found there" },
    { 0 },
};

static const OperationExample reply_examples[] = {
    { "echo '{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"pr_number\":42,\"comment_id\":123456,"
      "\"body\":\"This pattern is used for XSS prevention.\"}' | "
      "kedge agent-tools github-pr reply-comment",
      "{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"pr_number\":42,\"comment_id\":123456,"
      "\"body\":\"This pattern is used for XSS prevention.\"}",
      "{\"comment_id\":456789,\"html_url\":\"https://github.com/rp1-run/rp1/pull/42"
      "#discussion_r456789\",\"thread_root_id\":123456}" },
    { "kedge agent-tools github-pr reply-comment --owner rp1-run --repo rp1 --pr-number 42 "
      "--comment-id 456789 --body 'Fixed.'",
      "{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"pr_number\":42,\"comment_id\":456789,"
      "\"body\":\"Fixed.\"}",
      "{\"comment_id\":456801,\"html_url\":\"https://github.com/rp1-run/rp1/pull/42"
      "#discussion_r456801\",\"thread_root_id\":123456}" },
    { 0 },
};

static bool is_code(const GError *error, RestErrorCode code)
{
    return g_error_matches(error, REST_ERROR, (int)code);
}

static bool is_in_thread(const json_t *comment, const void *root_id)
{
    return json_get_int(comment, "in_reply_to_id", 0) == *(const int64_t *)root_id;
}

static bool post_reply(Pr *pr, const ReplyArgs *args, int64_t root_id, json_t **ret_data,
                       GError **error)
{
    g_autofree char *since = pr_start_time(pr);
    g_autofree char *all = rest_repo_path(args->target.owner, args->target.repo,
                                          "/pulls/%" G_GINT64_FORMAT "/comments", args->pr_number);
    g_autofree char *path = g_strdup_printf("%s/%" G_GINT64_FORMAT "/replies", all, root_id);
    g_autofree char *list_path = g_strconcat(all, "?since=", since, NULL);
    g_autofree char *subject = pr_comment_subject(pr, root_id);
    g_autofree char *list_subject = pr_subject(pr, args->pr_number);
    g_autoptr(json_t) body = json_object(), comment = NULL;
    json_set_text(body, "body", args->body);
    const PrPost post = {
        .what = "reply",
        .path = path,
        .subject = subject,
        .body = body,
        .needs_id = true,
        .list_path = list_path,
        .list_subject = list_subject,
        .is_it = is_in_thread,
        .data = &root_id,
    };
    bool is_recovered = false;
    if (!pr_post_once(pr, &post, &comment, &is_recovered, error))
        return false;
    *ret_data = json_make("comment_id:%jd html_url:%s? thread_root_id:%jd recovered:%i?",
                          json_get_int(comment, "id", 0), json_get_text(comment, "html_url"),
                          root_id, is_recovered);
    return true;
}

static bool get_comment(Pr *pr, const ReplyArgs *args, const char *room, RestAnswer *ret_answer,
                        GError **error)
{
    g_autofree char *path =
        rest_repo_path(args->target.owner, args->target.repo, "/%s/comments/%" G_GINT64_FORMAT,
                       room, args->comment_id);
    g_autofree char *subject = pr_comment_subject(pr, args->comment_id);
    const RestCall call = { .method = "GET", .path = path, .subject = subject };
    return pr_call(pr, &call, ret_answer, error);
}

/* The number at the end of "https://…/pulls/41"; 0: none. */
static int64_t pull_number(const json_t *comment)
{
    const char *url = json_get_text(comment, "pull_request_url");
    const char *slash = url ? strrchr(url, '/') : NULL;
    int64_t number = 0;
    return slash && str_parse_int(slash + 1, &number) ? number : 0;
}

/* No review comment has that number: is it a general one? Takes `failure`, the refusal. */
static bool explain_missing(Pr *pr, const ReplyArgs *args, GError *failure, GError **error)
{
    g_autoptr(GError) refusal = failure;
    g_auto(RestAnswer) answer = { 0 };
    if (get_comment(pr, args, "issues", &answer, NULL))
        return answer_error_field(error, "comment_id",
                                  "Validation failed: comment %" G_GINT64_FORMAT
                                  " is a general comment; only review comments have threads",
                                  args->comment_id);
    return pr_fail(g_steal_pointer(&refusal), error);
}

/* GitHub refused with 404 or 422 (`failure`, taken). On success *ret_root_id is the comment that
   the reply belongs to instead. */
static bool find_root(Pr *pr, const ReplyArgs *args, GError *failure, int64_t *ret_root_id,
                      GError **error)
{
    g_autoptr(GError) refusal = failure;
    g_autoptr(GError) missing = NULL;
    g_auto(RestAnswer) answer = { 0 };
    if (!get_comment(pr, args, "pulls", &answer, &missing)) {
        if (is_code(missing, REST_ERROR_NOT_FOUND))
            return explain_missing(pr, args, g_steal_pointer(&missing), error);
        return pr_fail(g_steal_pointer(&missing), error);
    }
    int64_t number = pull_number(answer.body);
    if (number > 0 && number != args->pr_number)
        return answer_error_field(error, "comment_id",
                                  "Validation failed: comment %" G_GINT64_FORMAT
                                  " belongs to pull request %" G_GINT64_FORMAT
                                  ", not %" G_GINT64_FORMAT,
                                  args->comment_id, number, args->pr_number);
    int64_t root_id = json_get_int(answer.body, "in_reply_to_id", 0);
    if (root_id <= 0 || root_id == args->comment_id)
        return pr_fail(g_steal_pointer(&refusal), error);
    *ret_root_id = root_id;
    return true;
}

static bool fail_pending(GError **error)
{
    return answer_error(error, ANSWER_CONFLICT, json_make("status:%d", 422),
                        "Conflict: you have a pending review on this pull request; GitHub refuses "
                        "replies until it is submitted or deleted");
}

static bool is_about_pending(const GError *failure)
{
    return is_code(failure, REST_ERROR_UNPROCESSABLE) &&
           str_contains_nocase(failure->message, "pending review");
}

static bool pr_reply(Pr *pr, const ReplyArgs *args, json_t **ret_data, GError **error)
{
    g_autoptr(GError) failure = NULL;
    if (post_reply(pr, args, args->comment_id, ret_data, &failure))
        return true;
    bool may_be_elsewhere =
        is_code(failure, REST_ERROR_NOT_FOUND) || is_code(failure, REST_ERROR_UNPROCESSABLE);
    if (may_be_elsewhere && !is_about_pending(failure)) {
        int64_t root_id = 0;
        if (!find_root(pr, args, g_steal_pointer(&failure), &root_id, error))
            return false;
        if (post_reply(pr, args, root_id, ret_data, &failure))
            return true;
    }
    if (is_about_pending(failure))
        return fail_pending(error);
    return pr_fail(g_steal_pointer(&failure), error);
}

static bool reply_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ReplyArgs *args = args_;
    g_auto(Pr) pr = { 0 };
    json_t *data = NULL;
    if (!pr_check_target(&args->target, answer))
        return true;
    if (!pr_open(call, &args->target, OPERATION, answer, &pr, error) ||
        !pr_reply(&pr, args, &data, error))
        return false;
    answer_set_data(answer, data);
    return true;
}

static bool reply_judge(ToolCall *call G_GNUC_UNUSED, const void *args_, Judgement *ret_judgement,
                        GError **error G_GNUC_UNUSED)
{
    const ReplyArgs *args = args_;
    return pr_judge_write(&args->target, ret_judgement,
                          "replies to comment %" G_GINT64_FORMAT
                          " of pull request %" G_GINT64_FORMAT,
                          args->comment_id, args->pr_number);
}

const OperationDef operation_github_pr_reply_comment = {
    .tool = OPERATION_TOOL(reply, ReplyArgs, PR_FLAGS, .name = "github_pr_reply_comment",
                           .label = "Reply to comment",
                           .summary = "Reply to an existing PR review comment thread",
                           .effect = EFFECT_WRITE, .judge = reply_judge),
    PR_PARTS(reply, OPERATION),
    .changes = "posts a comment on GitHub",
    .timeout_ms = PR_TIMEOUT_MS,
};
