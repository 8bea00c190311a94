/*
 * What the operations of github-pr share (pr_common.h).
 */
#include "agenttools/pr/pr_common.h"

#include "base/timefmt.h"
#include "tool/context.h"

#define MAX_OWNER_CHARS 39
#define MAX_REPO_CHARS  100
#define LOOK_WAIT_MS    2000
#define MAX_ATTEMPTS    2           // of a request that must take effect once
#define CLOCK_SLACK_MS  (60 * 1000) // between GitHub's clock and ours

/* GitHub's rule; accounts that an enterprise manages also have an underscore. */
static bool is_owner(const char *text)
{
    size_t length = strlen(text);
    if (length > MAX_OWNER_CHARS || !g_ascii_isalnum(text[0]) || text[length - 1] == '-' ||
        strstr(text, "--"))
        return false;
    for (const char *p = text; *p; p++) {
        if (!g_ascii_isalnum(*p) && *p != '-' && *p != '_')
            return false;
    }
    return true;
}

static bool is_repo(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (!g_ascii_isalnum(*p) && !strchr("._-", *p))
            return false;
    }
    return strlen(text) <= MAX_REPO_CHARS && strcmp(text, ".") != 0 && strcmp(text, "..") != 0;
}

bool pr_check_target(const PrTarget *target, Answer *answer)
{
    bool has_owner = is_owner(target->owner), has_repo = is_repo(target->repo);
    if (!has_owner)
        answer_fail_field(
            answer, "owner",
            "Validation failed: owner must be an account name: letters, digits and single "
            "hyphens, at most %d characters",
            MAX_OWNER_CHARS);
    if (!has_repo)
        answer_fail_field(
            answer, "repo",
            "Validation failed: repo must be a repository name: letters, digits, \".\", "
            "\"_\" and \"-\", at most %d characters",
            MAX_REPO_CHARS);
    return has_owner && has_repo;
}

static void judge_place(const PrTarget *target, Judgement *judgement)
{
    g_autoptr(GUri) uri =
        target->api_url ? g_uri_parse(target->api_url, G_URI_FLAGS_NONE, NULL) : NULL;
    const char *host = uri ? g_uri_get_host(uri) : NULL;
    judgement->is_github = true;
    judgement->host = g_strdup(host ? host : target->host);
    judgement->repo = g_strconcat(target->owner, "/", target->repo, NULL);
}

bool pr_judge_write(const PrTarget *target, Judgement *ret_judgement, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *ret_judgement = (Judgement) {
        .effect = EFFECT_WRITE,
        .summary = g_strdup_vprintf(format, args),
    };
    va_end(args);
    judge_place(target, ret_judgement);
    return true;
}

bool pr_judge_read(const PrTarget *target, Judgement *ret_judgement)
{
    *ret_judgement = (Judgement) { .effect = EFFECT_READ };
    judge_place(target, ret_judgement);
    return true;
}

/* Waits as the conversation does, but no longer than this operation may take. */
static bool pr_sleep(void *call_, int64_t duration_ms, Cancel *cancel, GError **error)
{
    const OperationCall *call = call_;
    const ToolClock *clock = tool_context_clock(tool_call_context(call->tool_call));
    return clock->sleep(clock->user_data, duration_ms, cancel, error);
}

static bool fail_without_token(GError **error)
{
    return answer_error(error, ANSWER_AUTH_MISSING,
                        answer_hint("Set GITHUB_TOKEN with a valid GitHub token"),
                        "GITHUB_TOKEN environment variable not set");
}

void pr_clear(Pr *self)
{
    rest_free(self->rest);
    pull_link_clear(&self->link);
    *self = (Pr) { 0 };
}

static bool pr_query(void *pr, const char *query, const json_t *variables, json_t **ret_data,
                     GError **error)
{
    const Pr *self = pr;
    return rest_graphql(self->rest, query, variables, self->operation, self->call->cancel, ret_data,
                        error);
}

bool pr_open(OperationCall *call, const PrTarget *target, const char *operation, Answer *answer,
             Pr *ret_pr, GError **error)
{
    int64_t allowed_ms = tool_call_timeout_ms(call->tool_call);
    g_autofree char *repo = g_strconcat(target->owner, "/", target->repo, NULL);
    const RestOptions options = {
        .repo = repo,
        .api_url = target->api_url,
        .host = target->host,
        .is_from_argument = target->api_url || target->host,
        .is_from_model = strcmp(tool_call_via(call->tool_call), "cli") != 0,
        .prefers_github_token = true,
        .uses_login = target->use_login,
        .cwd = call->cwd,
        .user_agent_part = "agent-tools",
        .max_wait_s = target->has_max_wait ? target->max_wait : -1,
        .timeout_ms = allowed_ms > 0 ? allowed_ms : PR_TIMEOUT_MS,
        .settings = call->settings,
        .context = tool_call_context(call->tool_call),
        .sleep = pr_sleep,
        .user_data = call,
    };
    Rest *rest = NULL;
    g_autoptr(GError) failure = NULL;
    if (!rest_new(&options, call->cancel, &rest, &failure)) {
        if (g_error_matches(failure, REST_ERROR, REST_ERROR_AUTH))
            return fail_without_token(error);
        return pr_fail(g_steal_pointer(&failure), error);
    }
    *ret_pr = (Pr) {
        .call = call,
        .target = target,
        .operation = operation,
        .answer = answer,
        .rest = rest,
        .link = { .owner = g_strdup(target->owner),
                  .repo = g_strdup(target->repo),
                  .is_strict = true,
                  .query = pr_query,
                  .data = ret_pr },
        .started_at = tool_call_now_ms(call->tool_call),
    };
    return true;
}

/* "OWNER/REPO" of the path that a redirect led to; asks when it holds a number only. Caller frees;
   NULL: unknown. */
static char *moved_name(Pr *self, const char *moved_to)
{
    g_auto(GStrv) parts = g_strsplit_set(moved_to, "/?", -1); // "", "repos", owner, repo, …
    guint count = g_strv_length(parts);
    if (count >= 4 && strcmp(parts[1], "repos") == 0)
        return g_strconcat(parts[2], "/", parts[3], NULL);
    if (count < 3 || strcmp(parts[1], "repositories") != 0)
        return NULL;
    g_autofree char *path = g_strconcat("/repositories/", parts[2], NULL);
    const RestCall call = { .method = "GET", .path = path, .operation = self->operation };
    g_auto(RestAnswer) answer = { 0 };
    if (!rest_call(self->rest, &call, self->call->cancel, &answer, NULL))
        return NULL;
    return g_strdup(json_get_text(answer.body, "full_name"));
}

void pr_tell_move(Pr *self, const char *moved_to)
{
    if (!moved_to || self->has_told_move)
        return;
    self->has_told_move = true;
    g_autofree char *name = moved_name(self, moved_to);
    answer_warn(self->answer, "Repository has moved to %s", name ? name : moved_to);
}

bool pr_call(Pr *self, const RestCall *call, RestAnswer *ret_answer, GError **error)
{
    RestCall own = *call;
    own.operation = self->operation;
    if (!rest_call(self->rest, &own, self->call->cancel, ret_answer, error))
        return false;
    pr_tell_move(self, ret_answer->moved_to);
    return true;
}

bool pr_list(Pr *self, const char *path, const char *subject, json_t **ret_items, GError **error)
{
    const RestCall call = {
        .method = "GET",
        .path = path,
        .operation = self->operation,
        .subject = subject,
    };
    g_autofree char *moved_to = NULL;
    if (!rest_list(self->rest, &call, NULL, self->call->cancel, ret_items, &moved_to, error))
        return false;
    pr_tell_move(self, moved_to);
    return true;
}

char *pr_subject(const Pr *self, int64_t number)
{
    return g_strdup_printf("%s/%s pull request %" G_GINT64_FORMAT, self->target->owner,
                           self->target->repo, number);
}

char *pr_comment_subject(const Pr *self, int64_t comment_id)
{
    return g_strdup_printf("comment %" G_GINT64_FORMAT " in %s/%s", comment_id, self->target->owner,
                           self->target->repo);
}

static AnswerCode code_of(const GError *failure)
{
    switch ((RestErrorCode)failure->code) {
    case REST_ERROR_AUTH:
    case REST_ERROR_PERMISSION:
        return ANSWER_PERMISSION;
    case REST_ERROR_NOT_FOUND:
        return ANSWER_NOT_FOUND;
    case REST_ERROR_CONFLICT:
        return ANSWER_CONFLICT;
    case REST_ERROR_UNPROCESSABLE:
        return ANSWER_UNPROCESSABLE;
    case REST_ERROR_RATE_LIMIT:
        return ANSWER_RATE_LIMITED;
    case REST_ERROR_UNAVAILABLE:
    case REST_ERROR_UNKNOWN_OUTCOME:
        return ANSWER_UNAVAILABLE;
    case REST_ERROR_USAGE:
        return ANSWER_VALIDATION;
    case REST_ERROR_UNREADABLE:
    case REST_ERROR_OTHER:
        break;
    }
    return ANSWER_INTERNAL;
}

/* What a program needs apart from the text. New reference. */
static json_t *details_of(const GError *failure)
{
    const RestFailure *facts = rest_error_failure(failure);
    bool is_retryable =
        failure->code == REST_ERROR_RATE_LIMIT || failure->code == REST_ERROR_UNAVAILABLE;
    return json_make("status:%d? request_id:%s retryable:%i? retry_after_seconds:%jd? hint:%s",
                     facts->status, facts->request_id, is_retryable, facts->retry_after_s,
                     facts->hint);
}

bool pr_fail(GError *failure, GError **error)
{
    g_autoptr(GError) owned = failure;
    if (!rest_error_failure(owned))
        return pass_error(error, &owned);
    const char *prefix = owned->code == REST_ERROR_USAGE ? "Validation failed: " : "";
    return answer_error(error, code_of(owned), details_of(owned), "%s%s", prefix, owned->message);
}

static bool fail_unknown(const char *what, const GError *cause, GError **error)
{
    json_t *details = details_of(cause);
    json_set_bool(details, "retryable", false);
    json_set_text(details, "hint", cause->message);
    return answer_error(error, ANSWER_UNAVAILABLE, details,
                        "The %s may have been posted; check before retrying", what);
}

/* May the request of this error have been carried out all the same? */
static bool is_unknown(const GError *failure)
{
    return g_error_matches(failure, REST_ERROR, REST_ERROR_UNKNOWN_OUTCOME) ||
           g_error_matches(failure, REST_ERROR, REST_ERROR_UNREADABLE);
}

char *pr_start_time(const Pr *self)
{
    return time_format_iso(self->started_at - CLOCK_SLACK_MS);
}

static bool is_of_this_run(const Pr *self, const char *timestamp)
{
    g_autoptr(GDateTime) made = timestamp ? g_date_time_new_from_iso8601(timestamp, NULL) : NULL;
    return made && g_date_time_to_unix(made) * 1000 >= self->started_at - CLOCK_SLACK_MS;
}

/* GitHub may store line ends and the end of a text otherwise than they were sent. */
static bool is_same_text(const char *a, const char *b)
{
    g_auto(GStrv) a_lines = g_strsplit(a, "\r\n", -1);
    g_auto(GStrv) b_lines = g_strsplit(b, "\r\n", -1);
    g_autofree char *a_text = g_strchomp(g_strjoinv("\n", a_lines));
    g_autofree char *b_text = g_strchomp(g_strjoinv("\n", b_lines));
    return strcmp(a_text, b_text) == 0;
}

/* False: it could not be found out. *ret_item NULL: it is not there. */
static bool look_for(Pr *self, const PrPost *post, json_t **ret_item)
{
    const char *text = json_get_text(post->body, "body");
    g_autoptr(json_t) items = NULL;
    if (!pr_list(self, post->list_path, post->list_subject, &items, NULL))
        return false;
    *ret_item = NULL;
    json_each (items, i, item) {
        const char *body = json_get_text(item, "body"), *at = json_get_text(item, "created_at");
        if (!is_same_text(body ? body : "", text ? text : "") ||
            !is_of_this_run(self, at ? at : json_get_text(item, "submitted_at")) ||
            (post->is_it && !post->is_it(item, post->data)))
            continue;
        *ret_item = json_incref(item);
        return !post->needs_id || json_get_int(item, "id", 0) > 0;
    }
    return true;
}

static bool send_post(Pr *self, const PrPost *post, json_t **ret_item, GError **error)
{
    const RestCall call = {
        .method = "POST",
        .path = post->path,
        .body = post->body,
        .subject = post->subject,
    };
    g_auto(RestAnswer) answer = { 0 };
    if (!pr_call(self, &call, &answer, error))
        return false;
    if (post->needs_id && json_get_int(answer.body, "id", 0) <= 0)
        return rest_fail_unreadable(self->operation, error);
    *ret_item = json_incref(answer.body);
    return true;
}

bool pr_post_once(Pr *self, const PrPost *post, json_t **ret_item, bool *ret_found, GError **error)
{
    g_autoptr(GError) unknown = NULL;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        g_autoptr(GError) failure = NULL;
        g_autoptr(json_t) found = NULL;
        *ret_found = false;
        if (send_post(self, post, ret_item, &failure))
            return true;
        if (!is_unknown(failure))
            return pass_error(error, &failure);
        g_clear_error(&unknown);
        unknown = g_steal_pointer(&failure);
        // never a second time without having looked
        if (!pr_sleep(self->call, LOOK_WAIT_MS, self->call->cancel, NULL) ||
            !look_for(self, post, &found))
            break;
        if (found) {
            *ret_item = g_steal_pointer(&found);
            *ret_found = true;
            return true;
        }
    }
    return fail_unknown(post->what, unknown, error);
}
