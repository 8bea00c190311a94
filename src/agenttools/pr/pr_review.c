/*
 * agent-tools github-pr submit-review (agent-tools-cli §2.6): a review with comments on lines. None
 * of them is lost: what GitHub does not take on a line goes to the file, the review's text or a
 * comment on the pull request, and the answer says which went where, and why.
 */
#include "agenttools/pr/pr_review.h"
#include "agenttools/agenttools.h"

#include "base/str.h"

#define OPERATION "submit-review"

static const char *const events[] = { "APPROVE", "REQUEST_CHANGES", "COMMENT", NULL };
static const char *const sides[] = { "RIGHT", "LEFT", NULL };
static const char *const subjects[] = { "line", "file", NULL };
static const char *const line_policies[] = { "body", "fail", "file", NULL };
static const char *const pending_policies[] = { "fail", "delete", NULL };

#define BODY_PROBLEM "Validation failed: body is required and must be a non-empty string"

static const FieldDef comment_fields[] = {
    { "path", FIELD_STRING, .is_required = true, .refuses_blank = true,
      .help = "File, relative to the repository" },
    { "line", FIELD_INTEGER, .min = 1,
      .help = "Line number in the file (not a diff position); required unless subject_type is "
              "file" },
    { "body", FIELD_STRING, .is_required = true, .refuses_blank = true,
      .max_chars = PULL_MAX_BODY_CHARS, .help = "Text in Markdown" },
    { "side", FIELD_ENUM, .values = sides, .default_text = "\"RIGHT\"",
      .help = "RIGHT: the new file; LEFT: the old one" },
    { "start_line", FIELD_INTEGER, .min = 1, .help = "First line of several" },
    { "start_side", FIELD_ENUM, .values = sides, .help = "Side of start_line; default: side" },
    { "subject_type", FIELD_ENUM, .values = subjects, .default_text = "\"line\"",
      .help = "file: a comment on the whole file" },
    { 0 },
};

static const FieldDef review_fields[] = {
    PR_REPO_FIELDS(ReviewArgs),
    PR_NUMBER_FIELD(ReviewArgs, pr_number),
    { "body", FIELD_STRING, offsetof(ReviewArgs, body), .is_required = true,
      .missing = BODY_PROBLEM, .problem = BODY_PROBLEM, .max_chars = PULL_MAX_BODY_CHARS,
      .help = "Text of the review in Markdown; may be empty with APPROVE" },
    { "event", FIELD_ENUM, offsetof(ReviewArgs, event), .is_required = true, .values = events,
      .help = "What the review says" },
    { "comments", FIELD_OBJECT_LIST, offsetof(ReviewArgs, comments), .item_fields = comment_fields,
      .max_items = 200, .help = "Comments on lines or files" },
    { "commit_id", FIELD_STRING, offsetof(ReviewArgs, commit_id),
      .help = "Commit that is reviewed; default: the pull request's head" },
    { "on_invalid_line", FIELD_ENUM, offsetof(ReviewArgs, on_invalid_line), .values = line_policies,
      .default_text = "\"body\"",
      .help = "Comments outside the diff: into the review's body, on the file, or refuse" },
    { "on_pending_review", FIELD_ENUM, offsetof(ReviewArgs, on_pending_review),
      .values = pending_policies, .default_text = "\"fail\"",
      .help = "When you have an unsubmitted review there" },
    { "idempotency_key", FIELD_STRING, offsetof(ReviewArgs, idempotency_key),
      .help = "A review with the same key is not posted again" },
    { "dry_run", FIELD_BOOLEAN, offsetof(ReviewArgs, is_dry_run),
      .help = "Only say what would be posted" },
    PR_SERVER_FIELDS(ReviewArgs),
    { 0 },
};

static const FieldDef placement_fields[] = {
    { "index", FIELD_INTEGER, .is_required = true, .help = "Of the input's comments" },
    { "path", FIELD_STRING, .is_required = true, .help = "File" },
    { "line", FIELD_INTEGER, .help = "Line; absent for a file comment without one" },
    { "placed_as", FIELD_STRING, .is_required = true,
      .help = "inline, file, body, issue_comment, not_posted" },
    { "reason", FIELD_STRING, .help = "Why not inline" },
    { "nearest_line", FIELD_INTEGER, .help = "Nearest line that can be commented" },
    { "error", FIELD_STRING, .help = "What GitHub said about it" },
    { 0 },
};

static const FieldDef review_output[] = {
    { "review_id", FIELD_INTEGER, .help = "ID of the review" },
    { "html_url", FIELD_STRING, .help = "Its page" },
    { "comments_posted", FIELD_INTEGER, .is_required = true, .help = "On lines and on files" },
    { "state", FIELD_STRING, .help = "APPROVED, CHANGES_REQUESTED, COMMENTED" },
    { "commit_id", FIELD_STRING, .help = "Commit that was reviewed" },
    { "comments", FIELD_OBJECT_LIST, .item_fields = placement_fields,
      .help = "Where each comment went" },
    { "issue_comments", FIELD_INTEGER_LIST, .help = "IDs of general comments that were needed" },
    { "recovered", FIELD_BOOLEAN, .help = "GitHub's answer was lost; the review was found" },
    { "already_submitted", FIELD_BOOLEAN, .help = "An earlier call had posted this key" },
    { "deleted_pending", FIELD_OBJECT, .help = "Texts of the pending review that was deleted" },
    { "dry_run", FIELD_BOOLEAN, .help = "Nothing was posted" },
    { "request", FIELD_OBJECT, .help = "With dry_run: what would be posted" },
    { 0 },
};

static const OperationExample review_examples[] = {
    { "echo '{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"pr_number\":42,\"body\":\"Looks good.\","
      "\"event\":\"COMMENT\",\"comments\":[{\"path\":\"src/"
      "auth.ts\",\"line\":67,\"body\":\"Validate "
      "input here.\"}]}' | kedge agent-tools github-pr submit-review",
      "{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"pr_number\":42,\"body\":\"Looks good.\","
      "\"event\":\"COMMENT\",\"comments\":[{\"path\":\"src/"
      "auth.ts\",\"line\":67,\"body\":\"Validate "
      "input here.\"}]}",
      "{\"review_id\":123456789,\"html_url\":\"https://github.com/rp1-run/rp1/pull/42"
      "#pullrequestreview-123456789\",\"comments_posted\":1,\"state\":\"COMMENTED\",\"commit_id\":"
      "\"9fceb02d0ae598e95dc970b74767f19372d61af8\",\"comments\":[{\"index\":0,\"path\":"
      "\"src/auth.ts\",\"line\":67,\"placed_as\":\"inline\"}]}" },
    { "kedge agent-tools github-pr submit-review --owner rp1-run --repo rp1 --pr-number 42 --event "
      "APPROVE --body ''",
      "{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"pr_number\":42,\"event\":\"APPROVE\",\"body\":"
      "\"\"}",
      "{\"review_id\":123456790,\"html_url\":\"https://github.com/rp1-run/rp1/pull/42"
      "#pullrequestreview-123456790\",\"comments_posted\":0,\"state\":\"APPROVED\",\"commit_id\":"
      "\"9fceb02d0ae598e95dc970b74767f19372d61af8\"}" },
    { 0 },
};

void review_clear(Review *self)
{
    for (size_t i = 0; i < self->count; i++)
        g_free(self->comments[i].problem);
    g_free(self->comments);
    g_clear_pointer(&self->overflow, g_ptr_array_unref);
    g_free(self->commit_id);
    g_free(self->body);
    g_free(self->html_url);
    g_free(self->state);
    json_decref(self->deleted_pending);
    json_decref(self->general);
}

// ---- data ----

static const char *placed_name(Placed placed)
{
    static const char *const names[] = {
        [PLACED_NOT_POSTED] = "not_posted",
        [PLACED_INLINE] = "inline",
        [PLACED_FILE] = "file",
        [PLACED_BODY] = "body",
        [PLACED_ISSUE_COMMENT] = "issue_comment",
    };
    return names[placed];
}

static json_t *review_placement(const Review *self, const ReviewComment *comment)
{
    const ReviewComment *real = comment->same ? comment->same : comment;
    return json_make(
        "index:%zu path:%s line:%jd? placed_as:%s reason:%s nearest_line:%jd? error:%s",
        comment->index, comment->spot.path, comment->spot.line,
        placed_name(self->args->is_dry_run ? real->planned : real->placed),
        diff_place_name(real->place), real->nearest_line, real->problem);
}

json_t *review_data(const Review *self)
{
    gint64 posted = 0;
    g_autoptr(json_t) placements = json_array();
    for (size_t i = 0; i < self->count; i++) {
        const ReviewComment *comment = &self->comments[i];
        posted +=
            !comment->same && (comment->placed == PLACED_INLINE || comment->placed == PLACED_FILE);
        json_append_take(placements, review_placement(self, comment));
    }
    bool has_places = self->count > 0 && !self->was_there;
    bool has_general = json_array_size(self->general) > 0;
    return json_make("review_id:%jd? html_url:%s comments_posted:%jd state:%s commit_id:%s "
                     "comments:%p issue_comments:%p recovered:%i? already_submitted:%i? "
                     "deleted_pending:%p",
                     self->review_id, self->html_url, posted, self->state, self->commit_id,
                     has_places ? json_incref(placements) : NULL,
                     has_general ? json_incref(self->general) : NULL, self->is_recovered,
                     self->was_there, json_incref(self->deleted_pending));
}

// ---- the review ----

static bool is_refusal(const GError *failure)
{
    return g_error_matches(failure, REST_ERROR, REST_ERROR_UNPROCESSABLE);
}

/* GitHub's 422 about a comment's place; it does not say which. */
static bool is_about_lines(const GError *failure)
{
    static const char *const texts[] = { "could not be resolved", "must be part of the diff",
                                         "same hunk", "diff hunk can't be blank", "must precede" };
    for (size_t i = 0; is_refusal(failure) && i < G_N_ELEMENTS(texts); i++)
        if (str_contains_nocase(failure->message, texts[i]))
            return true;
    return false;
}

static bool is_about_pending(const GError *failure)
{
    return is_refusal(failure) && str_contains_nocase(failure->message, "pending review");
}

/* As review_post(), with a pending review out of the way. */
static bool pr_review_do_post(Review *self, bool has_inline, GError **error)
{
    g_autoptr(GError) failure = NULL;
    if (review_post(self, has_inline, &failure))
        return true;
    if (is_about_pending(failure))
        return review_clear_pending(self, error) && review_post(self, has_inline, error);
    return pass_error(error, &failure);
}

static void mark_placed(Review *self, Placed planned)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->comments[i].planned == planned)
            self->comments[i].placed = planned;
    for (unsigned i = 0; planned == PLACED_BODY && i < self->overflow->len; i++)
        ((ReviewComment *)self->overflow->pdata[i])->placed = PLACED_NOT_POSTED;
}

/* Comments that GitHub refuses to take together, one by one. *ret_refused gets those that it does
   not take at all. */
static bool post_singly(Review *self, GPtrArray *refused, GError **error)
{
    for (size_t i = 0; i < self->count; i++) {
        ReviewComment *comment = &self->comments[i];
        if (comment->planned != PLACED_INLINE || comment->same)
            continue;
        g_autoptr(GError) failure = NULL;
        if (review_post_line_comment(self, comment, &failure)) {
            comment->placed = PLACED_INLINE;
            continue;
        }
        if (!is_refusal(failure) && !g_error_matches(failure, REST_ERROR, REST_ERROR_NOT_FOUND))
            return pass_error(error, &failure);
        comment->problem = g_strdup(failure->message);
        g_ptr_array_add(refused, comment);
    }
    return true;
}

/* Steps 4 and 7: the review, with as many of its comments inline as GitHub takes. */
static bool post_review(Review *self, GPtrArray *refused, GError **error)
{
    g_autoptr(GError) failure = NULL;
    if (pr_review_do_post(self, true, &failure)) {
        mark_placed(self, PLACED_INLINE);
        return true;
    }
    if (!is_about_lines(failure) || self->count == 0)
        return pass_error(error, &failure);
    g_autoptr(DiffPlaces) diff = NULL; // the head may have moved
    if (!review_fetch_diff(self, &diff, error))
        return false;
    review_plan(self, diff, false);
    review_compose(self);
    g_clear_error(&failure);
    if (pr_review_do_post(self, true, &failure)) {
        mark_placed(self, PLACED_INLINE);
        return true;
    }
    if (!is_about_lines(failure))
        return pass_error(error, &failure);
    if (!pr_review_do_post(self, false, error))
        return false;
    mark_placed(self, PLACED_BODY);
    return post_singly(self, refused, error);
}

static bool post_file_comments(Review *self, GPtrArray *refused, GError **error)
{
    for (size_t i = 0; i < self->count; i++) {
        ReviewComment *comment = &self->comments[i];
        if (comment->planned != PLACED_FILE || comment->same)
            continue;
        g_autoptr(GError) failure = NULL;
        if (review_post_file_comment(self, comment, &failure)) {
            comment->placed = PLACED_FILE;
        } else if (is_refusal(failure)) {
            comment->problem = g_strdup(failure->message);
            g_ptr_array_add(refused, comment);
        } else {
            return pass_error(error, &failure);
        }
    }
    return true;
}

/* What has found no other place. */
static bool post_general(Review *self, const GPtrArray *comments, GError **error)
{
    if (comments->len == 0)
        return true;
    g_autoptr(GPtrArray) texts = review_general_texts(comments);
    for (unsigned i = 0; i < texts->len; i++)
        if (!review_post_general(self, texts->pdata[i], error))
            return false;
    for (unsigned i = 0; i < comments->len; i++)
        ((ReviewComment *)comments->pdata[i])->placed = PLACED_ISSUE_COMMENT;
    return true;
}

static bool post_all(Review *self, GError **error)
{
    g_autoptr(GPtrArray) refused = g_ptr_array_new();
    if (!post_review(self, refused, error))
        return false;
    mark_placed(self, PLACED_BODY);
    if (!post_file_comments(self, refused, error))
        return false;
    for (unsigned i = 0; i < self->overflow->len; i++)
        g_ptr_array_add(refused, self->overflow->pdata[i]);
    return post_general(self, refused, error);
}

static void warn_about_places(const Review *self)
{
    static const char *const where[] = {
        [PLACED_FILE] = "placed on the file",
        [PLACED_BODY] = "placed in the review body",
        [PLACED_ISSUE_COMMENT] = "placed in a general comment",
    };
    for (size_t i = 0; i < self->count; i++) {
        const ReviewComment *comment = &self->comments[i];
        bool is_moved = diff_place_name(comment->place) || comment->problem;
        if (!is_moved || comment->same || !where[comment->placed])
            continue;
        answer_warn(self->pr->answer,
                    "comments[%zu] (%s:%" G_GINT64_FORMAT ") is outside the diff and was %s", i,
                    comment->spot.path, comment->spot.line, where[comment->placed]);
    }
}

/* Known refusals get a hint; the rest is GitHub's own. Takes `failure`. */
static bool pr_review_fail(GError *failure, GError **error)
{
    if (is_refusal(failure) && str_contains_nocase(failure->message, "your own pull request")) {
        g_autoptr(GError) owned = failure;
        return answer_error(
            error, ANSWER_UNPROCESSABLE,
            json_make("hint:%s status:%d", "Use event COMMENT on your own pull request", 422), "%s",
            owned->message);
    }
    return pr_fail(failure, error);
}

static void answer_dry_run(Review *self)
{
    json_t *data = review_data(self);
    json_set_bool(data, "dry_run", true);
    json_set_take(data, "request", review_request(self, true));
    answer_set_data(self->pr->answer, data);
}

/* Steps 1 to 3. *ret_is_done: the answer is complete. */
static bool review_prepare(Review *self, bool *ret_is_done, GError **error)
{
    const ReviewArgs *args = self->args;
    *ret_is_done = false;
    self->commit_id = g_strdup(args->commit_id);
    if (args->idempotency_key && !review_find_key(self, error))
        return false;
    if (!self->was_there && self->count > 0) {
        g_autoptr(DiffPlaces) diff = NULL;
        if (!review_fetch_diff(self, &diff, error))
            return false;
        review_plan(self, diff, true);
        if (strcmp(args->on_invalid_line, "fail") == 0 && !review_check_lines(self)) {
            *ret_is_done = true;
            return true;
        }
    }
    review_compose(self);
    if (self->was_there)
        answer_set_data(self->pr->answer, review_data(self));
    else if (args->is_dry_run)
        answer_dry_run(self);
    *ret_is_done = self->was_there || args->is_dry_run;
    return true;
}

static bool review_submit(Review *self, GError **error)
{
    g_autoptr(GError) failure = NULL;
    bool is_done = false;
    if (!review_prepare(self, &is_done, &failure))
        return pr_review_fail(g_steal_pointer(&failure), error);
    if (is_done)
        return true;
    bool is_posted = post_all(self, &failure);
    if (is_posted || self->review_id > 0 || self->deleted_pending) {
        warn_about_places(self);
        answer_set_data(self->pr->answer, review_data(self)); // also of a failure: step 12
    }
    return is_posted || pr_review_fail(g_steal_pointer(&failure), error);
}

static bool review_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ReviewArgs *args = args_;
    g_auto(Pr) pr = { .call = call, .target = &args->target, .answer = answer };
    g_auto(Review) review = { .pr = &pr, .args = args };
    bool has_target = pr_check_target(&args->target, answer);
    if (!review_read(&review) || !has_target)
        return true;
    return pr_open(call, &args->target, OPERATION, answer, &pr, error) &&
           review_submit(&review, error);
}

static bool review_judge(ToolCall *call, const void *args_, Judgement *ret_judgement,
                         GError **error)
{
    const ReviewArgs *args = args_;
    pr_judge_write(&args->target, ret_judgement,
                   "submits a review (%s) with %zu comments on pull request %" G_GINT64_FORMAT,
                   args->event, json_array_size(args->comments), args->pr_number);
    if (args->is_dry_run)
        ret_judgement->effect = EFFECT_READ;
    return true;
}

const OperationDef operation_github_pr_submit_review = {
    .tool = OPERATION_TOOL(review, ReviewArgs, PR_FLAGS, .name = "github_pr_submit_review",
                           .label = "Submit review",
                           .summary = "Submit a PR review with optional inline comments",
                           .effect = EFFECT_WRITE, .judge = review_judge),
    PR_PARTS(review, OPERATION),
    .changes = "posts a review and, where needed, comments on GitHub",
    .timeout_ms = PR_TIMEOUT_MS,
};
