/*
 * The calls of gh that gh_review makes.
 */
#include "base/str.h"
#include "github/body_file.h"
#include "github/gh.h"
#include "github/pulls/pull_threads.h"
#include "github/pulls/review.h"

// GitHub shows no one the pending reviews of others
#define PULL_FIELDS                                                                                \
    "repository(owner:$owner,name:$repo){pullRequest(number:$number){id headRefOid "               \
    "viewerDidAuthor reviews(first:10,states:[PENDING]){nodes{id url body viewerDidAuthor "        \
    "comments(first:1){totalCount}}}}}"
#define FACTS_QUERY "query($owner:String!,$repo:String!,$number:Int!){" PULL_FIELDS "}"
#define THREAD_FACTS_QUERY                                                                         \
    "query($owner:String!,$repo:String!,$number:Int!,$thread:ID!){" PULL_FIELDS                    \
    " node(id:$thread){... on PullRequestReviewThread{id isResolved pullRequest{id} "              \
    "comments(first:1){nodes{url}}}}}"
#define UNSURE "; it may have been posted all the same: look with op threads before you try again"

void gh_review_facts_clear(GhReviewFacts *self)
{
    g_free(self->head_sha);
    g_free(self->pending_id);
    g_free(self->pending_url);
    g_free(self->pending_body);
    json_decref(self->thread);
    *self = (GhReviewFacts) { 0 };
}

static void take_pending(GhReviewFacts *facts, const json_t *pull)
{
    json_each (json_get_path(pull, "reviews.nodes"), i, review) {
        const char *id = json_get_text(review, "id");
        if (facts->pending_id || str_is_empty(id) ||
            !json_get_bool(review, "viewerDidAuthor", false))
            continue;
        const char *url = json_get_text(review, "url"), *body = json_get_text(review, "body");
        facts->pending_id = g_strdup(id);
        facts->pending_url = g_strdup(url ? url : "");
        facts->pending_body = g_strdup(body ? body : "");
        facts->pending_comments =
            json_get_int(json_get_object(review, "comments"), "totalCount", 0);
    }
}

/* By the pull request's own id: names of repositories change. */
static bool take_thread(const GhReview *self, GhReviewFacts *facts, const json_t *data,
                        const json_t *pull, GError **error)
{
    json_t *node = json_get_object(data, "node");
    const char *own = json_get_text(json_get_object(node, "pullRequest"), "id");
    if (!own || g_strcmp0(own, json_get_text(pull, "id")) != 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "thread %s is none of pull request %" G_GINT64_FORMAT
                         " of %s; op threads shows those",
                         self->args->thread, self->args->number, self->repo);
    facts->thread = json_incref(node);
    return true;
}

bool gh_review_fetch_facts(ToolCall *call, const GhReview *self, GhReviewFacts *ret_facts,
                           GError **error)
{
    const GhReviewArgs *args = self->args;
    g_auto(PullGh) gh = { 0 };
    pull_gh_init(&gh, call, self->repo);
    g_autoptr(json_t) variables = pull_variables(&gh.link, args->number), data = NULL;
    json_set_text(variables, "thread", args->thread);
    if (!gh.link.query(&gh, args->thread ? THREAD_FACTS_QUERY : FACTS_QUERY, variables, &data,
                       error))
        return false;
    const json_t *pull = json_get_path(data, "repository.pullRequest");
    const char *head = json_get_text(pull, "headRefOid");
    if (str_is_empty(head))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "GitHub's answer about pull request %" G_GINT64_FORMAT
                         " of %s names no commit",
                         args->number, self->repo);
    g_auto(GhReviewFacts) facts = { .head_sha = g_strdup(head) };
    facts.is_own = json_get_bool(pull, "viewerDidAuthor", false);
    take_pending(&facts, pull);
    if (args->thread && !take_thread(self, &facts, data, pull, error))
        return false;
    *ret_facts = facts;
    facts = (GhReviewFacts) { 0 };
    return true;
}

/* gh has no answer of GitHub's that says no. */
static bool is_unsure(const GError *failure)
{
    const char *message = failure->message;
    if (error_is(failure, KEDGE_ERROR_TIMEOUT) || error_is(failure, KEDGE_ERROR_PROTOCOL) ||
        error_is(failure, KEDGE_ERROR_CANCELLED))
        return true;
    if (!error_is(failure, KEDGE_ERROR_FAILED))
        return false;
    bool is_network = strstr(message, "Post \"") != NULL || strstr(message, "EOF") != NULL;
    return is_network || strstr(message, "HTTP 5") != NULL;
}

/* `gh api` with a JSON body from a file. */
static bool send(ToolCall *call, const GhReview *self, const char *endpoint, const json_t *body,
                 json_t **ret_answer, GError **error)
{
    g_autofree char *text = json_to_text(body);
    g_auto(BodyFile) file = { 0 };
    if (!body_file_write("body.json", text, &file, error))
        return false;
    const GhSpec spec = {
        .argv = (const char *const[]) { "api", "--hostname", self->target->host, "--method", "POST",
                                        endpoint, "--input", file.path, NULL },
        .has_explicit_repo = true,
    };
    g_autoptr(GError) failure = NULL;
    if (gh_json(call, &spec, JSON_OBJECT, ret_answer, &failure))
        return true;
    g_set_error(error, failure->domain, failure->code, "%s%s", failure->message,
                is_unsure(failure) ? UNSURE : "");
    return false;
}

bool gh_review_post(ToolCall *call, const GhReview *self, const char *path, const json_t *body,
                    json_t **ret_answer, GError **error)
{
    g_autofree char *endpoint = g_strconcat("/repos/", self->target->repo, path, NULL);
    return send(call, self, endpoint, body, ret_answer, error);
}

bool gh_review_mutate(ToolCall *call, const GhReview *self, const char *query,
                      const json_t *variables, json_t **ret_answer, GError **error)
{
    g_autoptr(json_t) body =
        json_make("query:%s variables:%p", query, json_incref((json_t *)variables));
    g_autoptr(json_t) answer = NULL;
    if (!send(call, self, "graphql", body, &answer, error))
        return false;
    json_t *data = json_get_object(answer, "data");
    if (!data)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "GitHub's answer has no data");
    *ret_answer = json_incref(data);
    return true;
}
