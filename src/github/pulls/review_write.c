/*
 * The operations of gh_review that write. GitHub keeps one review of each person that is not sent
 * yet; it is neither lost nor sent by what is done here, unless the call says so: REST refuses to
 * post beside it, GraphQL is asked to add to it by its id.
 */
#include "base/utf8.h"
#include "github/pulls/review.h"
#include "github/text.h"

#define DISCUSSION_MARK "#discussion_r"
#define ADD_THREAD                                                                                 \
    "mutation($input:AddPullRequestReviewThreadInput!){addPullRequestReviewThread(input:$input){"  \
    "thread{id}}}"
#define ADD_REPLY                                                                                  \
    "mutation($input:AddPullRequestReviewThreadReplyInput!){addPullRequestReviewThreadReply("      \
    "input:$input){comment{url}}}"
#define SUBMIT                                                                                     \
    "mutation($input:SubmitPullRequestReviewInput!){submitPullRequestReview(input:$input){"        \
    "pullRequestReview{url state}}}"
#define RESOLVE                                                                                    \
    "mutation($input:ResolveReviewThreadInput!){resolveReviewThread(input:$input){thread{"         \
    "isResolved}}}"
#define UNRESOLVE                                                                                  \
    "mutation($input:UnresolveReviewThreadInput!){unresolveReviewThread(input:$input){thread{"     \
    "isResolved}}}"

/* `input` is taken. */
static bool review_write_mutate(ToolCall *call, const GhReview *self, const char *query,
                                json_t *input, json_t **ret_data, GError **error)
{
    g_autoptr(json_t) variables = json_make("input:%p", input);
    return gh_review_mutate(call, self, query, variables, ret_data, error);
}

static const char *review_write_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* A review that is not sent is in the way, unless the call speaks of it. */
static bool check_pending(const GhReview *self, const GhReviewFacts *facts, GError **error)
{
    if (!facts->pending_id || self->args->includes_pending)
        return true;
    bool has_url = *facts->pending_url != '\0';
    return fail_with(
        error, KEDGE_ERROR_USAGE,
        "you have a review of %s#%" G_GINT64_FORMAT " with %" G_GINT64_FORMAT
        " comment%s that is not sent%s%s%s, and GitHub posts nothing of yours beside it; nothing "
        "was posted. Finish it on GitHub, or %s",
        self->target->repo, self->args->number, facts->pending_comments,
        review_write_plural(facts->pending_comments), has_url ? " (" : "", facts->pending_url,
        has_url ? ")" : "",
        self->op == GH_REVIEW_SUBMIT
            ? "send it together with this: include_pending"
            : "add this to it, to be sent with op submit: include_pending");
}

/* What was pushed since then has not been reviewed. */
static bool check_head(const GhReview *self, const GhReviewFacts *facts, GError **error)
{
    const char *commit = self->args->commit;
    if (!commit || g_ascii_strncasecmp(facts->head_sha, commit, strlen(commit)) == 0)
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE, "the head is %.12s now, not %s; nothing was posted",
                     facts->head_sha, commit);
}

static bool review_write_begin(ToolCall *call, const GhReview *self, GhReviewFacts *ret_facts,
                               GError **error)
{
    return gh_review_fetch_facts(call, self, ret_facts, error) &&
           check_head(self, ret_facts, error) && check_pending(self, ret_facts, error);
}

/* The answer's first line and what is worth knowing. Caller frees. */
static char *answer_text(const GhReview *self, const GhReviewFacts *facts, const char *done,
                         const char *url)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "# %s %s#%" G_GINT64_FORMAT "\n\n", done, self->target->repo,
                           self->args->number);
    text_line(text, "", "URL", url);
    if (facts->pending_id && self->op != GH_REVIEW_SUBMIT)
        g_string_append(text, "It is not sent: op submit with include_pending sends your pending "
                              "review.\n");
    return g_string_free(text, false);
}

// ---- threads ----

/* REST's number of the thread's first comment: databaseId ends at 2^31, and fullDatabaseId is not
   on every server. Caller frees; NULL: GitHub did not say. */
static char *first_comment_id(const GhReviewFacts *facts)
{
    const json_t *first = json_array_get(json_get_path(facts->thread, "comments.nodes"), 0);
    const char *url = json_get_text(first, "url");
    const char *mark = url ? strstr(url, DISCUSSION_MARK) : NULL;
    int64_t id;
    if (!mark || !text_parse_posint(mark + strlen(DISCUSSION_MARK), &id))
        return NULL;
    return g_strdup_printf("%" G_GINT64_FORMAT, id);
}

static bool reply_now(ToolCall *call, const GhReview *self, const GhReviewFacts *facts,
                      char **ret_url, GError **error)
{
    g_autofree char *id = first_comment_id(facts);
    if (!id)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "GitHub does not say where thread %s begins; nothing was posted",
                         self->args->thread);
    g_autofree char *path =
        g_strdup_printf("/pulls/%" G_GINT64_FORMAT "/comments/%s/replies", self->args->number, id);
    g_autoptr(json_t) body = json_object(), answer = NULL;
    json_set_text(body, "body", self->args->body);
    if (!gh_review_post(call, self, path, body, &answer, error))
        return false;
    *ret_url = g_strdup(json_get_text(answer, "html_url"));
    return true;
}

static bool reply_pending(ToolCall *call, const GhReview *self, const GhReviewFacts *facts,
                          char **ret_url, GError **error)
{
    json_t *input = json_make("pullRequestReviewId:%s pullRequestReviewThreadId:%s body:%s",
                              facts->pending_id, self->args->thread, self->args->body);
    g_autoptr(json_t) data = NULL;
    if (!review_write_mutate(call, self, ADD_REPLY, input, &data, error))
        return false;
    const json_t *comment = json_get_path(data, "addPullRequestReviewThreadReply.comment");
    *ret_url = g_strdup(json_get_text(comment, "url"));
    return true;
}

bool gh_review_reply(ToolCall *call, const GhReview *self, char **ret_text, GError **error)
{
    g_auto(GhReviewFacts) facts = { 0 };
    g_autofree char *url = NULL;
    if (!review_write_begin(call, self, &facts, error))
        return false;
    bool is_posted = facts.pending_id ? reply_pending(call, self, &facts, &url, error)
                                      : reply_now(call, self, &facts, &url, error);
    if (!is_posted)
        return false;
    g_autofree char *done = g_strdup_printf("Replied to thread %s of", self->args->thread);
    *ret_text = answer_text(self, &facts, done, url);
    return true;
}

bool gh_review_resolve(ToolCall *call, const GhReview *self, char **ret_text, GError **error)
{
    g_auto(GhReviewFacts) facts = { 0 };
    if (!gh_review_fetch_facts(call, self, &facts, error))
        return false;
    bool is_wanted = self->op == GH_REVIEW_RESOLVE;
    bool is_so = json_get_bool(facts.thread, "isResolved", false) == is_wanted;
    if (!is_so) {
        json_t *input = json_make("threadId:%s", self->args->thread);
        g_autoptr(json_t) data = NULL;
        if (!review_write_mutate(call, self, is_wanted ? RESOLVE : UNRESOLVE, input, &data, error))
            return false;
    }
    *ret_text = g_strdup_printf("# Thread %s of %s#%" G_GINT64_FORMAT " %s %s\n",
                                self->args->thread, self->target->repo, self->args->number,
                                is_so ? "was already" : "is now", is_wanted ? "resolved" : "open");
    return true;
}

// ---- comments ----

static bool add_pending(ToolCall *call, const GhReview *self, const GhReviewFacts *facts,
                        const GhReviewComment *comment, GError **error)
{
    json_t *input = json_object();
    pull_comment_fill(input, &comment->spot, comment->body, true);
    json_set_text(input, "pullRequestReviewId", facts->pending_id);
    g_autoptr(json_t) data = NULL;
    if (!review_write_mutate(call, self, ADD_THREAD, input, &data, error))
        return false;
    // GitHub answers null, and no error, for some lines that it does not take
    return json_get_path(data, "addPullRequestReviewThread.thread.id") ||
           fail_with(error, KEDGE_ERROR_FAILED, "GitHub did not take the comment");
}

static bool comment_now(ToolCall *call, const GhReview *self, const GhReviewFacts *facts,
                        char **ret_url, GError **error)
{
    g_autofree char *path =
        g_strdup_printf("/pulls/%" G_GINT64_FORMAT "/comments", self->args->number);
    const GhReviewComment *comment = &g_array_index(self->comments, GhReviewComment, 0);
    g_autoptr(json_t) body = json_object(), answer = NULL;
    pull_comment_fill(body, &comment->spot, comment->body, false);
    json_set_text(body, "commit_id", facts->head_sha);
    if (!gh_review_post(call, self, path, body, &answer, error))
        return false;
    *ret_url = g_strdup(json_get_text(answer, "html_url"));
    return true;
}

bool gh_review_comment(ToolCall *call, const GhReview *self, char **ret_text, GError **error)
{
    const GhReviewComment *comment = &g_array_index(self->comments, GhReviewComment, 0);
    g_auto(GhReviewFacts) facts = { 0 };
    g_autofree char *url = NULL;
    if (!review_write_begin(call, self, &facts, error) ||
        !gh_review_check_places(call, self, error))
        return false;
    bool is_posted = facts.pending_id ? add_pending(call, self, &facts, comment, error)
                                      : comment_now(call, self, &facts, &url, error);
    if (!is_posted)
        return false;
    g_autofree char *place = gh_review_place_text(comment);
    g_autofree char *done = g_strdup_printf("Commented on %s of", place);
    *ret_text = answer_text(self, &facts, done, url);
    return true;
}

// ---- reviews ----

static const struct {
    const char *name, *event, *done;
} events[] = {
    { "approve", "APPROVE", "Approved" },
    { "request_changes", "REQUEST_CHANGES", "Requested changes on" },
    { "comment", "COMMENT", "Reviewed" },
};

static size_t event_of(const GhReview *self)
{
    size_t i = 0;
    while (strcmp(events[i].name, self->args->event) != 0) // the decoder knows the same names
        i++;
    return i;
}

/* No one judges their own. */
static bool check_own(const GhReview *self, const GhReviewFacts *facts, GError **error)
{
    const char *event = self->args->event;
    if (!facts->is_own || strcmp(event, "comment") == 0)
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "%s#%" G_GINT64_FORMAT " is your own pull request, which GitHub does not let "
                     "you %s; nothing was posted. event comment is possible",
                     self->target->repo, self->args->number,
                     strcmp(event, "approve") == 0 ? "approve" : "request changes on");
}

static bool submit_new(ToolCall *call, const GhReview *self, const GhReviewFacts *facts,
                       char **ret_url, GError **error)
{
    g_autoptr(json_t) body = json_object(), answer = NULL;
    json_add(body, "commit_id:%s event:%s body:%s", facts->head_sha, events[event_of(self)].event,
             self->args->body);
    json_t *comments = json_array();
    for (guint i = 0; i < self->comments->len; i++) {
        const GhReviewComment *comment = &g_array_index(self->comments, GhReviewComment, i);
        json_t *item = json_object();
        pull_comment_fill(item, &comment->spot, comment->body, false);
        json_append_take(comments, item);
    }
    json_set_take(body, "comments", comments);
    g_autofree char *path =
        g_strdup_printf("/pulls/%" G_GINT64_FORMAT "/reviews", self->args->number);
    if (!gh_review_post(call, self, path, body, &answer, error))
        return false;
    *ret_url = g_strdup(json_get_text(answer, "html_url"));
    return true;
}

/* What the pending review says, and then what the call says. NULL: more than GitHub takes. */
static char *joined_body(const GhReview *self, const GhReviewFacts *facts)
{
    const char *body = self->args->body ? self->args->body : "";
    bool has_both = *facts->pending_body != '\0' && *body != '\0';
    g_autofree char *joined = g_strconcat(facts->pending_body, has_both ? "\n\n" : "", body, NULL);
    return utf8_length(joined) <= PULL_MAX_BODY_CHARS ? g_steal_pointer(&joined) : NULL;
}

static bool fill_pending(ToolCall *call, const GhReview *self, const GhReviewFacts *facts,
                         GError **error)
{
    for (guint i = 0; i < self->comments->len; i++) {
        const GhReviewComment *comment = &g_array_index(self->comments, GhReviewComment, i);
        GError *failure = NULL;
        if (add_pending(call, self, facts, comment, &failure))
            continue;
        g_autofree char *place = gh_review_place_text(comment);
        g_propagate_prefixed_error(
            error, failure,
            "your pending review is not sent, and has %u of the %u comments now; %s: ", i,
            self->comments->len, place);
        return false;
    }
    return true;
}

static bool submit_pending(ToolCall *call, const GhReview *self, const GhReviewFacts *facts,
                           char **ret_url, GError **error)
{
    g_autofree char *body = joined_body(self, facts);
    if (!body)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "body is longer than the %d characters that GitHub takes, together with "
                         "that of your pending review; nothing was posted",
                         PULL_MAX_BODY_CHARS);
    if (!fill_pending(call, self, facts, error))
        return false;
    json_t *input = json_make("pullRequestReviewId:%s event:%s body:%s", facts->pending_id,
                              events[event_of(self)].event, body);
    g_autoptr(json_t) data = NULL;
    if (!review_write_mutate(call, self, SUBMIT, input, &data, error)) {
        if (self->comments->len > 0)
            g_prefix_error(error, "your pending review has the comments now, but was not sent: ");
        return false;
    }
    const json_t *review = json_get_path(data, "submitPullRequestReview.pullRequestReview");
    *ret_url = g_strdup(json_get_text(review, "url"));
    return true;
}

bool gh_review_submit(ToolCall *call, const GhReview *self, char **ret_text, GError **error)
{
    g_auto(GhReviewFacts) facts = { 0 };
    g_autofree char *url = NULL;
    if (!review_write_begin(call, self, &facts, error) || !check_own(self, &facts, error) ||
        !gh_review_check_places(call, self, error))
        return false;
    bool is_posted = facts.pending_id ? submit_pending(call, self, &facts, &url, error)
                                      : submit_new(call, self, &facts, &url, error);
    if (!is_posted)
        return false;
    g_autofree char *text = answer_text(self, &facts, events[event_of(self)].done, url);
    GString *out = g_string_new(text);
    g_autofree char *commit = text_sha12(facts.head_sha);
    if (!facts.pending_id)
        text_line(out, "", "Commit", commit);
    g_string_append_printf(out, "Comments: %" G_GINT64_FORMAT "\n",
                           self->comments->len + facts.pending_comments);
    if (facts.pending_id)
        g_string_append_printf(
            out, "Sent with it: your pending review with %" G_GINT64_FORMAT " comment%s\n",
            facts.pending_comments, review_write_plural(facts.pending_comments));
    *ret_text = g_string_free(out, false);
    return true;
}
