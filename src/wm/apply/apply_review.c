/*
 * Reviews of pull requests: who is asked, the review itself, threads that are done (task-engine
 * §6.3).
 */
#include "wm/apply/apply_private.h"

#include "base/str.h"
#include "github/pulls/pull_comment.h"
#include "wm/apply/item_target.h"
#include "wm/task/wm_log.h"

#define THREAD_QUERY                                                                               \
    "query($id:ID!){node(id:$id){... on PullRequestReviewThread{pullRequest{number "               \
    "repository{nameWithOwner}}}}}"
#define RESOLVE_MUTATION                                                                           \
    "mutation($id:ID!){resolveReviewThread(input:{threadId:$id}){thread{isResolved}}}"

/* `org/team` and `team/…` are teams, by their slug. */
static bool sort_reviewers(const json_t *given, json_t *people, json_t *teams, GError **error)
{
    for (size_t i = 0; i < json_array_size(given); i++) {
        const char *name = json_string_value(json_array_get(given, i));
        const char *slash = strchr(name, '/');
        if (slash && slash[1] != '\0' && !strchr(slash + 1, '/'))
            json_append_take(teams, json_text(slash + 1));
        else if (!slash && wm_login_is_valid(name))
            json_append_take(people, json_text(name));
        else
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "reviewer \"%s\" is neither a login nor org/team", name);
    }
    return true;
}

bool apply_request_reviewers(Applier *self, const char *pull, const json_t *reviewers,
                             GError **error)
{
    g_autoptr(json_t) people = json_array(), teams = json_array(), body = json_object();
    if (!sort_reviewers(reviewers, people, teams, error))
        return false;
    if (json_array_size(people) > 0)
        json_object_set(body, "reviewers", people);
    if (json_array_size(teams) > 0)
        json_object_set(body, "team_reviewers", teams);
    g_autofree char *path = apply_path(self, "/pulls/%s/requested_reviewers", pull);
    return apply_call(self, "POST", path, body, NULL, error);
}

bool apply_add_reviewer(Applier *self, GError **error)
{
    return apply_request_reviewers(self, self->target,
                                   json_get_array(self->item.fields, "reviewers"), error);
}

/* Of the state that a review has afterwards. */
static bool is_same_review(const json_t *element, const json_t *body)
{
    const char *state = pull_event_state(json_get_text(body, "event"));
    const char *there = json_get_text(element, "body"), *wanted = json_get_text(body, "body");
    return g_strcmp0(there ? there : "", wanted ? wanted : "") == 0 && state &&
           g_strcmp0(json_get_text(element, "state"), state) == 0 &&
           g_strcmp0(json_get_text(element, "commit_id"), json_get_text(body, "commit_id")) == 0;
}

/* The commit that is reviewed: the item's, else the newest. NULL: staged, without a token. */
static bool find_commit(Applier *self, char **ret_commit, GError **error)
{
    if (*apply_text(self, "commit_id") != '\0') {
        *ret_commit = g_strdup(apply_text(self, "commit_id"));
        return true;
    }
    g_autofree char *path = apply_path(self, "/pulls/%s", self->target);
    g_autoptr(json_t) pull = NULL;
    if (!apply_get(self, path, &pull, error))
        return false;
    const char *commit = json_string_value(json_get_path(pull, "head.sha"));
    if (pull && !commit)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "pull request #%" G_GINT64_FORMAT " has no head commit",
                         self->item.number);
    *ret_commit = g_strdup(commit);
    return true;
}

bool apply_post_review(Applier *self, const char *pull, const json_t *body, json_t **ret_answer,
                       GError **error)
{
    g_autofree char *path = apply_path(self, "/pulls/%s/reviews", pull);
    const ApplyPost post = {
        .step = "review", .path = path, .body = body, .list = path, .is_it = is_same_review
    };
    return apply_post(self, &post, ret_answer, error);
}

bool apply_submit_review(Applier *self, GError **error)
{
    g_autofree char *commit = NULL;
    if (!find_commit(self, &commit, error))
        return false;
    g_autofree char *text = apply_comment_text(self, apply_text(self, "body"), true);
    g_autoptr(json_t) body = json_object(), answer = NULL;
    json_add(body, "event:%s commit_id:%s", apply_text(self, "event"), commit);
    if (*text != '\0')
        json_set_text(body, "body", text);
    if (!apply_post_review(self, self->target, body, &answer, error))
        return false;
    apply_take(self, answer);
    return true;
}

/* An id says nothing of where its thread is: a policy is about pull requests of this repository. */
static bool check_thread(Applier *self, const json_t *variables, GError **error)
{
    if (!self->spec->api) {
        wm_say("wm %s: safe-outputs: staged resolve_pull_request_review_thread: not checked: whose "
               "thread it is",
               self->spec->actor);
        return true;
    }
    g_autoptr(json_t) data = NULL;
    if (!wm_api_graphql(self->spec->api, THREAD_QUERY, variables, self->cancel, &data, error))
        return false;
    const json_t *pull = json_get_path(data, "node.pullRequest");
    const char *repo = json_string_value(json_get_path(pull, "repository.nameWithOwner"));
    int64_t number = json_get_int(pull, "number", 0);
    if (!repo || number <= 0)
        return fail_with(error, KEDGE_ERROR_DENIED, "\"%s\" is not the id of a review thread",
                         apply_text(self, "thread_id"));
    if (!str_equal_nocase(repo, self->spec->repo))
        return fail_with(error, KEDGE_ERROR_DENIED, "cross-repository output is not supported");
    if (!wm_target_is_free(self->handler) && number != self->item.number)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "the thread is one of #%" G_GINT64_FORMAT
                         ", the policy (target:) allows #%" G_GINT64_FORMAT,
                         number, self->item.number);
    return true;
}

bool apply_resolve_thread(Applier *self, GError **error)
{
    g_autoptr(json_t) variables = json_make("id:%s", apply_text(self, "thread_id"));
    if (!check_thread(self, variables, error))
        return false;
    if (self->is_staged) {
        g_autoptr(json_t) body =
            json_pack("{s:s, s:O}", "query", RESOLVE_MUTATION, "variables", variables);
        return apply_call(self, "POST", "/graphql", body, NULL, error);
    }
    return wm_api_graphql(self->spec->api, RESOLVE_MUTATION, variables, self->cancel, NULL, error);
}
