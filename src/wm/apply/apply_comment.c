/*
 * Comments: on issues and pull requests, on lines of a pull request, and replies to those
 * (task-engine §6.3, §6.6). Older ones of the same task are hidden on demand (task-engine §10.11).
 */
#include "wm/apply/apply_private.h"

#include "github/pulls/pull_comment.h"

#define MAX_COMMENT_PAGES 10 // of a hundred, that are looked through for older ones
#define COMMENTS_QUERY                                                                             \
    "query($owner:String!,$name:String!,$number:Int!,$before:String){repository(owner:$owner,"     \
    "name:$name){issueOrPullRequest(number:$number){"                                              \
    "... on Issue{comments(last:100,before:$before){nodes{id url body isMinimized "                \
    "viewerDidAuthor}pageInfo{hasPreviousPage startCursor}}}"                                      \
    "... on PullRequest{comments(last:100,before:$before){nodes{id url body isMinimized "          \
    "viewerDidAuthor}pageInfo{hasPreviousPage startCursor}}}}}}"
#define HIDE_MUTATION                                                                              \
    "mutation($id:ID!){minimizeComment(input:{subjectId:$id,classifier:OUTDATED})"                 \
    "{minimizedComment{isMinimized}}}"

static bool has_same_text(const json_t *element, const json_t *body, const char *key)
{
    return g_strcmp0(json_get_text(element, key), json_get_text(body, key)) == 0;
}

static bool has_same_number(const json_t *element, const json_t *body, const char *key)
{
    return json_get_int(element, key, 0) == json_get_int(body, key, 0);
}

static bool is_same_comment(const json_t *element, const json_t *body)
{
    return has_same_text(element, body, "body");
}

static bool is_same_review_comment(const json_t *element, const json_t *body)
{
    return has_same_text(element, body, "body") && has_same_text(element, body, "path") &&
           has_same_number(element, body, "line");
}

static bool applier_hide(Applier *self, const char *id, GError **error)
{
    g_autoptr(json_t) variables = json_pack("{s:s}", "id", id);
    return wm_api_graphql(self->spec->api, HIDE_MUTATION, variables, self->cancel, NULL, error);
}

/* Those of one page that carry the task's marker, were written by us, and are neither `own` nor of
   an earlier item of this run. */
static bool hide_page(Applier *self, const json_t *nodes, const char *own, GError **error)
{
    g_autofree char *whole = wm_body_marker(self->spec->task->name);
    const char *marker = g_strchug(whole);
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *node = json_array_get(nodes, i);
        const char *id = json_get_text(node, "id"), *body = json_get_text(node, "body");
        if (!id || !body || g_strcmp0(id, own) == 0 || !strstr(body, marker) ||
            json_get_bool(node, "isMinimized", true) ||
            !json_get_bool(node, "viewerDidAuthor", false) ||
            apply_is_of_run(self, json_get_text(node, "url")))
            continue;
        if (!applier_hide(self, id, error))
            return false;
    }
    return true;
}

static bool hide_older(Applier *self, const char *own, GError **error)
{
    const WmRepo *repo = wm_api_repo(self->spec->api);
    g_autofree char *before = NULL;
    for (int page = 0; page < MAX_COMMENT_PAGES; page++) {
        g_autoptr(json_t) variables =
            json_pack("{s:s, s:s, s:I, s:s?}", "owner", repo->owner, "name", repo->name, "number",
                      (json_int_t)self->item.number, "before", before);
        g_autoptr(json_t) data = NULL;
        if (!wm_api_graphql(self->spec->api, COMMENTS_QUERY, variables, self->cancel, &data, error))
            return false;
        const json_t *comments = json_get_path(data, "repository.issueOrPullRequest.comments");
        if (!hide_page(self, json_get_array(comments, "nodes"), own, error))
            return false;
        const json_t *info = json_get_object(comments, "pageInfo");
        if (!json_get_bool(info, "hasPreviousPage", false))
            return true;
        g_free(before);
        before = g_strdup(json_get_text(info, "startCursor"));
    }
    return true;
}

bool apply_add_comment(Applier *self, GError **error)
{
    g_autofree char *text = apply_comment_text(self, apply_text(self, "body"), true);
    g_autoptr(json_t) body = json_make("body:%s", text);
    g_autofree char *path = apply_path(self, "/issues/%s/comments", self->target);
    const ApplyPost post = {
        .step = "comment", .path = path, .body = body, .list = path, .is_it = is_same_comment
    };
    g_autoptr(json_t) answer = NULL;
    if (!apply_post(self, &post, &answer, error))
        return false;
    apply_take(self, answer);
    if (self->is_staged || !json_get_bool(self->handler->options, "hide-older-comments", false))
        return true;
    g_autoptr(GError) failed = NULL;
    if (!hide_older(self, json_get_text(answer, "node_id"), &failed))
        apply_warn(self, "older comments of #%" G_GINT64_FORMAT " are not hidden: %s",
                   self->item.number, failed->message);
    return true;
}

bool apply_review_comment(Applier *self, GError **error)
{
    const json_t *fields = self->item.fields;
    DiffSpot spot = {
        .path = json_get_text(fields, "path"),
        .line = json_get_int(fields, "line", 0),
        .side = json_get_text(fields, "side"),
        .start_line = json_get_int(fields, "start_line", 0),
        .start_side = json_get_text(fields, "side"),
    };
    if (spot.start_line >= spot.line)
        spot.start_line = 0; // of one line: GitHub wants none
    g_autofree char *text = apply_comment_text(self, apply_text(self, "body"), true);
    g_autoptr(json_t) body =
        json_make("body:%s commit_id:%s", text, json_get_text(fields, "commit_id"));
    pull_comment_fill(body, &spot, text, false);
    g_autofree char *path = apply_path(self, "/pulls/%s/comments", self->target);
    const ApplyPost post = {
        .step = "comment", .path = path, .body = body, .list = path, .is_it = is_same_review_comment
    };
    g_autoptr(json_t) answer = NULL;
    if (!apply_post(self, &post, &answer, error))
        return false;
    apply_take(self, answer);
    return true;
}

bool apply_reply(Applier *self, GError **error)
{
    g_autofree char *text = apply_comment_text(self, apply_text(self, "body"), false);
    g_autoptr(json_t) body = json_make("body:%s", text);
    int64_t comment = json_get_int(self->item.fields, "comment_id", 0);
    g_autofree char *list = apply_path(self, "/pulls/%s/comments", self->target);
    g_autofree char *path = g_strdup_printf("%s/%" G_GINT64_FORMAT "/replies", list, comment);
    const ApplyPost post = {
        .step = "reply", .path = path, .body = body, .list = list, .is_it = is_same_comment
    };
    g_autoptr(json_t) answer = NULL;
    if (!apply_post(self, &post, &answer, error))
        return false;
    apply_take(self, answer);
    return true;
}

bool wm_post_comment(WmApi *api, int64_t number, const char *body, Cancel *cancel, GError **error)
{
    g_autoptr(json_t) request = json_make("body:%s", body);
    g_autofree char *path = wm_path(api, "/issues/%" G_GINT64_FORMAT "/comments", number);
    const WmCall call = { .method = "POST", .path = path, .body = request };
    return wm_api_call(api, &call, cancel, NULL, error);
}
