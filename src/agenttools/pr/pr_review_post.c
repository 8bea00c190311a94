/*
 * submit-review: its requests (pr_review.h). What is posted is posted once: when the answer to a
 * POST is lost, GitHub is asked whether it arrived before it is sent again.
 */
#include "agenttools/pr/pr_review.h"

static char *path_of(const Review *self, const char *rest)
{
    const PrTarget *target = &self->args->target;
    return rest_repo_path(target->owner, target->repo, "/pulls/%" G_GINT64_FORMAT "%s",
                          self->args->pr_number, rest);
}

static bool review_list(const Review *self, const char *path, json_t **ret_items, GError **error)
{
    g_autofree char *subject = pr_subject(self->pr, self->args->pr_number);
    return pr_list(self->pr, path, subject, ret_items, error);
}

bool review_fetch_diff(Review *self, DiffPlaces **ret_diff, GError **error)
{
    g_autofree char *path = path_of(self, "");
    g_autofree char *files_path = path_of(self, "/files");
    g_autofree char *subject = pr_subject(self->pr, self->args->pr_number);
    const RestCall call = { .method = "GET", .path = path, .subject = subject };
    g_auto(RestAnswer) answer = { 0 };
    g_autoptr(json_t) files = NULL;
    if (!pr_call(self->pr, &call, &answer, error) || !review_list(self, files_path, &files, error))
        return false;
    const json_t *head = json_get_path(answer.body, "head.sha");
    if (!json_is_string(head))
        return rest_fail_unreadable(self->pr->operation, error);
    if (json_array_size(files) == 3000)
        answer_warn(self->pr->answer, "The pull request has more files than GitHub lists (3000)");
    g_free(self->commit_id);
    self->commit_id =
        g_strdup(self->args->commit_id ? self->args->commit_id : json_string_value(head));
    *ret_diff = diff_places_new(files);
    return true;
}

/* Takes over what GitHub says of the review. */
static bool review_accept(Review *self, const json_t *review, GError **error)
{
    self->review_id = json_get_int(review, "id", 0);
    if (self->review_id <= 0)
        return rest_fail_unreadable(self->pr->operation, error);
    g_free(self->html_url);
    g_free(self->state);
    self->html_url = g_strdup(json_get_text(review, "html_url"));
    self->state = g_strdup(json_get_text(review, "state"));
    if (!self->commit_id)
        self->commit_id = g_strdup(json_get_text(review, "commit_id"));
    return true;
}

bool review_find_key(Review *self, GError **error)
{
    g_autofree char *path = path_of(self, "/reviews");
    g_autofree char *mark = g_strdup_printf("<!-- kedge-key:%s -->", self->args->idempotency_key);
    g_autoptr(json_t) reviews = NULL;
    if (!review_list(self, path, &reviews, error))
        return false;
    json_each (reviews, i, review) {
        const char *body = json_get_text(review, "body");
        if (!body || !strstr(body, mark))
            continue;
        self->was_there = true;
        return review_accept(self, review, error);
    }
    return true;
}

/* The review that a lost answer was about? */
static bool is_posted(const json_t *item, const void *review)
{
    const Review *self = review;
    return g_strcmp0(json_get_text(item, "state"), pull_event_state(self->args->event)) == 0 &&
           (!self->commit_id || g_strcmp0(json_get_text(item, "commit_id"), self->commit_id) == 0);
}

bool review_post(Review *self, bool has_inline, GError **error)
{
    g_autofree char *path = path_of(self, "/reviews");
    g_autofree char *subject = pr_subject(self->pr, self->args->pr_number);
    g_autoptr(json_t) body = review_request(self, has_inline), review = NULL;
    const PrPost post = {
        .what = "review",
        .path = path,
        .subject = subject,
        .body = body,
        .needs_id = true,
        .list_path = path,
        .list_subject = subject,
        .is_it = is_posted,
        .data = self,
    };
    return pr_post_once(self->pr, &post, &review, &self->is_recovered, error) &&
           review_accept(self, review, error);
}

/* A comment outside the review. `ids` (NULL: not wanted) gets its id. */
static bool post_single(Review *self, PrPost post, json_t *ids, GError **error)
{
    g_autofree char *subject = pr_subject(self->pr, self->args->pr_number);
    g_autofree char *since = pr_start_time(self->pr);
    g_autofree char *list_path = g_strconcat(post.path, "?since=", since, NULL);
    g_autoptr(json_t) item = NULL;
    bool is_found = false;
    post.what = "comment";
    post.subject = post.list_subject = subject;
    post.list_path = list_path;
    if (!pr_post_once(self->pr, &post, &item, &is_found, error))
        return false;
    json_t *id = json_object_get(item, "id");
    if (ids && id)
        json_append_take(ids, json_incref(id));
    return true;
}

static bool is_about(const json_t *item, const void *path)
{
    return g_strcmp0(json_get_text(item, "path"), path) == 0;
}

/* A comment on the diff by itself. */
static bool post_on_diff(Review *self, const DiffSpot *spot, const char *text, GError **error)
{
    g_autofree char *path = path_of(self, "/comments");
    g_autoptr(json_t) body = json_make("commit_id:%s", self->commit_id);
    pull_comment_fill(body, spot, text, false);
    const PrPost post = { .path = path, .body = body, .is_it = is_about, .data = spot->path };
    return post_single(self, post, NULL, error);
}

bool review_post_file_comment(Review *self, const ReviewComment *comment, GError **error)
{
    g_autofree char *text = review_file_text(comment);
    const DiffSpot file = { .path = comment->spot.path };
    return post_on_diff(self, &file, text, error);
}

bool review_post_line_comment(Review *self, const ReviewComment *comment, GError **error)
{
    return post_on_diff(self, &comment->spot, comment->body, error);
}

bool review_post_general(Review *self, const char *text, GError **error)
{
    const PrTarget *target = &self->args->target;
    g_autofree char *path =
        rest_repo_path(target->owner, target->repo, "/issues/%" G_GINT64_FORMAT "/comments",
                       self->args->pr_number);
    g_autoptr(json_t) body = json_make("body:%s", text);
    if (!self->general)
        self->general = json_array();
    return post_single(self, (PrPost) { .path = path, .body = body }, self->general, error);
}

// ---- a review that this account began and did not submit is in the way of a new one ----

static char *reviews_path(const Review *self, int64_t id, const char *rest)
{
    const PrTarget *target = &self->args->target;
    g_autofree char *one = id > 0 ? g_strdup_printf("/%" G_GINT64_FORMAT, id) : g_strdup("");
    return rest_repo_path(target->owner, target->repo, "/pulls/%" G_GINT64_FORMAT "/reviews%s%s",
                          self->args->pr_number, one, rest);
}

/* Only its author sees it. NULL in *ret_review: none. New reference. */
static bool find_pending(Review *self, json_t **ret_review, GError **error)
{
    g_autofree char *path = reviews_path(self, 0, "");
    g_autofree char *subject = pr_subject(self->pr, self->args->pr_number);
    g_autoptr(json_t) reviews = NULL;
    if (!pr_list(self->pr, path, subject, &reviews, error))
        return false;
    *ret_review = NULL;
    size_t i;
    json_t *review;
    json_array_foreach (reviews, i, review)
        if (!*ret_review && g_strcmp0(json_get_text(review, "state"), "PENDING") == 0)
            *ret_review = json_incref(review);
    return true;
}

/* What is lost on GitHub by deleting it is handed to the caller. */
static bool keep_texts(Review *self, const json_t *review, GError **error)
{
    int64_t id = json_get_int(review, "id", 0);
    g_autofree char *path = reviews_path(self, id, "/comments");
    g_autofree char *subject = pr_subject(self->pr, self->args->pr_number);
    g_autoptr(json_t) comments = NULL;
    if (!pr_list(self->pr, path, subject, &comments, error))
        return false;
    json_t *texts = json_array();
    size_t i;
    json_t *comment;
    json_array_foreach (comments, i, comment) {
        static const char *const keys[] = { "path", "line", "original_line", "side", "body", NULL };
        json_t *item = json_object();
        for (const char *const *key = keys; *key; key++) {
            json_t *value = json_object_get(comment, *key);
            if (value && !json_is_null(value))
                json_set_take(item, *key, json_incref(value));
        }
        json_append_take(texts, item);
    }
    json_decref(self->deleted_pending);
    self->deleted_pending =
        json_make("review_id:%jd body:%s? comments:%p", id, json_get_text(review, "body"), texts);
    return true;
}

static bool fail_pending(const json_t *review, GError **error)
{
    return answer_error(error, ANSWER_CONFLICT,
                        json_make("status:%d hint:%s", 422, json_get_text(review, "html_url")),
                        "Conflict: you already have a pending review (ID %" G_GINT64_FORMAT
                        ") on this pull request; submit or delete it first",
                        json_get_int(review, "id", 0));
}

bool review_clear_pending(Review *self, GError **error)
{
    g_autoptr(json_t) review = NULL;
    if (!find_pending(self, &review, error))
        return false;
    if (!review)
        return answer_error(error, ANSWER_CONFLICT, NULL,
                            "Conflict: GitHub says that you have a pending review on this pull "
                            "request, and lists none; try again");
    if (strcmp(self->args->on_pending_review, "delete") != 0)
        return fail_pending(review, error);
    int64_t id = json_get_int(review, "id", 0);
    g_autofree char *path = reviews_path(self, id, "");
    const RestCall call = { .method = "DELETE", .path = path };
    g_auto(RestAnswer) answer = { 0 };
    if (!keep_texts(self, review, error) || !pr_call(self->pr, &call, &answer, error))
        return false;
    answer_warn(self->pr->answer, "Deleted your pending review %" G_GINT64_FORMAT, id);
    return true;
}
