/*
 * submit-review: a review that this account began and did not submit is in the way of a new one
 * (agent-tools-cli §2.6, step 8).
 */
#include "agenttools/pr/pr_review.h"

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
    self->deleted_pending = json_object();
    json_set_int(self->deleted_pending, "review_id", id);
    json_set_take(self->deleted_pending, "body", json_text(json_get_text(review, "body")));
    json_set_take(self->deleted_pending, "comments", texts);
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
