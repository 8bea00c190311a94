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

static char *general_path(const Review *self, const char *rest)
{
    const PrTarget *target = &self->args->target;
    return rest_repo_path(target->owner, target->repo, "/issues/%" G_GINT64_FORMAT "/comments%s",
                          self->args->pr_number, rest);
}

static bool list(const Review *self, const char *path, json_t **ret_items, GError **error)
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
    if (!pr_call(self->pr, &call, &answer, error) || !list(self, files_path, &files, error))
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
static bool accept(Review *self, const json_t *review, GError **error)
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
    if (!list(self, path, &reviews, error))
        return false;
    size_t i;
    json_t *review;
    json_array_foreach (reviews, i, review) {
        const char *body = json_get_text(review, "body");
        if (!body || !strstr(body, mark))
            continue;
        self->was_there = true;
        return accept(self, review, error);
    }
    return true;
}

static bool has_body(const json_t *item, const char *body)
{
    const char *text = json_get_text(item, "body");
    return pr_is_same_text(text ? text : "", body);
}

/* The review that a lost answer was about; *ret_found false: it is not there. */
static bool find_posted(Review *self, bool *ret_found, GError **error)
{
    g_autofree char *path = path_of(self, "/reviews");
    g_autoptr(json_t) reviews = NULL;
    *ret_found = false;
    if (!list(self, path, &reviews, error))
        return false;
    size_t i;
    json_t *review;
    json_array_foreach (reviews, i, review) {
        const char *commit = json_get_text(review, "commit_id");
        bool is_ours =
            has_body(review, self->body) &&
            g_strcmp0(json_get_text(review, "state"), pull_event_state(self->args->event)) == 0 &&
            (!self->commit_id || g_strcmp0(commit, self->commit_id) == 0) &&
            pr_is_of_this_run(self->pr, json_get_text(review, "submitted_at"));
        if (!is_ours)
            continue;
        *ret_found = true;
        return accept(self, review, error);
    }
    return true;
}

static bool send(Review *self, const char *path, const json_t *body, RestAnswer *ret_answer,
                 GError **error)
{
    g_autofree char *subject = pr_subject(self->pr, self->args->pr_number);
    const RestCall call = { .method = "POST", .path = path, .body = body, .subject = subject };
    return pr_call(self->pr, &call, ret_answer, error);
}

typedef struct Whole { // the review itself
    Review *review;
    const char *path;
    const json_t *body;
} Whole;

static bool send_whole(void *whole, GError **error)
{
    const Whole *self = whole;
    g_auto(RestAnswer) answer = { 0 };
    return send(self->review, self->path, self->body, &answer, error) &&
           accept(self->review, answer.body, error);
}

static bool find_whole(void *whole, bool *ret_found)
{
    const Whole *self = whole;
    bool is_looked_for = find_posted(self->review, &self->review->is_recovered, NULL);
    *ret_found = self->review->is_recovered;
    return is_looked_for;
}

bool review_post(Review *self, bool has_inline, GError **error)
{
    g_autofree char *path = path_of(self, "/reviews");
    g_autoptr(json_t) body = review_request(self, has_inline);
    Whole whole = { self, path, body };
    const PrPost post = { "review", send_whole, find_whole, &whole };
    return pr_post_once(self->pr, &post, error);
}

typedef struct Single { // one comment outside the review
    Review *review;
    const char *path, *list_path;
    json_t *body;
    const char *file; // path that a posted one has; NULL: a general comment
    json_t *ids;      // gets its id; NULL: not wanted
} Single;

static bool find_single(void *data, bool *ret_found)
{
    const Single *single = data;
    Review *self = single->review;
    g_autoptr(json_t) items = NULL;
    if (!list(self, single->list_path, &items, NULL))
        return false;
    size_t i;
    json_t *item;
    json_array_foreach (items, i, item) {
        if (!has_body(item, json_get_text(single->body, "body")) ||
            (single->file && g_strcmp0(json_get_text(item, "path"), single->file) != 0) ||
            !pr_is_of_this_run(self->pr, json_get_text(item, "created_at")))
            continue;
        *ret_found = true;
        if (single->ids)
            json_append_take(single->ids, json_incref(json_object_get(item, "id")));
        return true;
    }
    return true;
}

static bool send_single(void *data, GError **error)
{
    const Single *single = data;
    g_auto(RestAnswer) answer = { 0 };
    if (!send(single->review, single->path, single->body, &answer, error))
        return false;
    json_t *id = json_object_get(answer.body, "id");
    if (single->ids && id)
        json_append_take(single->ids, json_incref(id));
    return true;
}

static bool post_single(Single *single, GError **error)
{
    const PrPost post = { "comment", send_single, find_single, single };
    return pr_post_once(single->review->pr, &post, error);
}

/* A comment on the diff by itself. Takes `body`. */
static bool post_on_diff(Review *self, const ReviewComment *comment, json_t *body, GError **error)
{
    g_autoptr(json_t) owned = body;
    g_autofree char *since = pr_start_time(self->pr);
    g_autofree char *query = g_strconcat("/comments?since=", since, NULL);
    g_autofree char *path = path_of(self, "/comments");
    g_autofree char *list_path = path_of(self, query);
    Single single = {
        .review = self,
        .path = path,
        .list_path = list_path,
        .body = owned,
        .file = comment->spot.path,
    };
    return post_single(&single, error);
}

bool review_post_file_comment(Review *self, const ReviewComment *comment, GError **error)
{
    g_autofree char *text = review_file_text(comment);
    const DiffSpot file = { .path = comment->spot.path };
    json_t *body = json_object();
    json_set_text(body, "commit_id", self->commit_id);
    pull_comment_fill(body, &file, text, false);
    return post_on_diff(self, comment, body, error);
}

bool review_post_line_comment(Review *self, const ReviewComment *comment, GError **error)
{
    json_t *body = json_object();
    json_set_text(body, "commit_id", self->commit_id);
    pull_comment_fill(body, &comment->spot, comment->body, false);
    return post_on_diff(self, comment, body, error);
}

bool review_post_general(Review *self, const char *text, GError **error)
{
    g_autofree char *since = pr_start_time(self->pr);
    g_autofree char *query = g_strconcat("?since=", since, NULL);
    g_autofree char *path = general_path(self, "");
    g_autofree char *list_path = general_path(self, query);
    g_autoptr(json_t) body = json_object();
    json_set_text(body, "body", text);
    if (!self->general)
        self->general = json_array();
    Single single = {
        .review = self,
        .path = path,
        .list_path = list_path,
        .body = body,
        .ids = self->general,
    };
    return post_single(&single, error);
}
