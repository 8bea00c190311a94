/*
 * The arguments of gh_review: which of them an operation takes, and the comments that they make.
 */
#include "base/str.h"
#include "base/utf8.h"
#include "github/pulls/review.h"

#define CHANGES_THREAD   (GH_REVIEW_REPLY | GH_REVIEW_RESOLVE | GH_REVIEW_UNRESOLVE)
#define POSTS            (GH_REVIEW_REPLY | GH_REVIEW_COMMENT | GH_REVIEW_SUBMIT)
#define MAX_THREAD_CHARS 200
#define MIN_SHA_DIGITS   7
#define MAX_SHA_DIGITS   64

static const struct {
    const char *name;
    GhReviewOp op;
} ops[] = {
    { "threads", GH_REVIEW_THREADS }, { "reply", GH_REVIEW_REPLY },
    { "resolve", GH_REVIEW_RESOLVE }, { "unresolve", GH_REVIEW_UNRESOLVE },
    { "comment", GH_REVIEW_COMMENT }, { "submit", GH_REVIEW_SUBMIT },
};

// what a field is not taken by is refused: a text that is silently dropped would seem to be posted
static const struct {
    const char *name;
    unsigned takes, needs; // GhReviewOp
} uses[] = {
    { "thread", GH_REVIEW_THREADS | CHANGES_THREAD, CHANGES_THREAD },
    { "path", GH_REVIEW_THREADS | GH_REVIEW_COMMENT, GH_REVIEW_COMMENT },
    { "unresolved", GH_REVIEW_THREADS, 0 },
    { "line", GH_REVIEW_COMMENT, 0 },
    { "start_line", GH_REVIEW_COMMENT, 0 },
    { "side", GH_REVIEW_COMMENT, 0 },
    { "start_side", GH_REVIEW_COMMENT, 0 },
    { "body", POSTS, GH_REVIEW_REPLY },
    { "suggestion", GH_REVIEW_COMMENT, 0 },
    { "event", GH_REVIEW_SUBMIT, GH_REVIEW_SUBMIT },
    { "comments", GH_REVIEW_SUBMIT, 0 },
    { "include_pending", POSTS, 0 },
    { "commit", GH_REVIEW_COMMENT | GH_REVIEW_SUBMIT, 0 },
};

GhReviewOp gh_review_op_of(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ops); i++) {
        if (strcmp(ops[i].name, name) == 0)
            return ops[i].op;
    }
    g_assert_not_reached(); // the decoder knows the same names
}

static bool check_fields(const GhReview *self, const json_t *given, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(uses); i++) {
        const json_t *value = json_object_get(given, uses[i].name);
        bool is_given = value && !json_is_null(value);
        if (is_given && !(uses[i].takes & self->op))
            return fail_with(error, KEDGE_ERROR_USAGE, "op %s takes no %s", self->args->op,
                             uses[i].name);
        if (!is_given && (uses[i].needs & self->op))
            return fail_with(error, KEDGE_ERROR_USAGE, "op %s needs %s", self->args->op,
                             uses[i].name);
    }
    return true;
}

static bool check_thread(const char *thread, GError **error)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "_-=+/";
    size_t length = thread ? strlen(thread) : 1;
    if (length > 0 && length <= MAX_THREAD_CHARS && (!thread || strspn(thread, allowed) == length))
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "thread is no id of a thread; op threads shows the ids");
}

static bool check_commit(const char *commit, GError **error)
{
    size_t length = commit ? strlen(commit) : MIN_SHA_DIGITS;
    bool is_hex = !commit || strspn(commit, "0123456789abcdefABCDEF") == length;
    if (is_hex && length >= MIN_SHA_DIGITS && length <= MAX_SHA_DIGITS)
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "commit is no id of a commit, of which %d digits are enough; op threads shows "
                     "the head",
                     MIN_SHA_DIGITS);
}

static bool check_range(const char *where, const DiffSpot *spot, GError **error)
{
    if (spot->line == 0 && spot->start_line > 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "%sstart_line needs line, the last of the range",
                         where);
    bool is_one_side = strcmp(spot->side, spot->start_side) == 0;
    if (is_one_side && spot->start_line > spot->line)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "%sstart_line %" G_GINT64_FORMAT " is after line %" G_GINT64_FORMAT, where,
                         spot->start_line, spot->line);
    return true;
}

static bool check_suggestion(const char *where, const DiffSpot *spot, GError **error)
{
    if (spot->line == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "%sa suggestion needs line", where);
    bool is_new = strcmp(spot->side, "RIGHT") == 0 && strcmp(spot->start_side, "RIGHT") == 0;
    return is_new ||
           fail_with(error, KEDGE_ERROR_USAGE,
                     "%sa suggestion is for lines of side RIGHT: the others are gone", where);
}

static bool check_body(const char *where, const char *body, GError **error)
{
    if (!body || utf8_is_blank(body))
        return fail_with(error, KEDGE_ERROR_USAGE, "%sneeds body or suggestion", where);
    size_t length = utf8_length(body);
    return length <= PULL_MAX_BODY_CHARS ||
           fail_with(error, KEDGE_ERROR_USAGE,
                     "%sbody has %zu characters with its suggestion; GitHub takes %d", where,
                     length, PULL_MAX_BODY_CHARS);
}

/* `item` is an entry of `comments`, or the arguments of op comment, which have the same names. */
static bool take_comment(GhReview *self, const char *where, const json_t *item, GError **error)
{
    const char *side = json_get_text(item, "side"), *start_side = json_get_text(item, "start_side");
    const char *suggestion = json_get_text(item, "suggestion");
    GhReviewComment comment = { 0 };
    DiffSpot *spot = &comment.spot;
    *spot = (DiffSpot) {
        .path = json_get_text(item, "path"),
        .side = side ? side : "RIGHT",
        .line = json_get_int(item, "line", 0),
        .start_line = json_get_int(item, "start_line", 0),
    };
    spot->start_side = start_side ? start_side : spot->side;
    if (str_is_empty(spot->path))
        return fail_with(error, KEDGE_ERROR_USAGE, "%spath is empty", where);
    if (start_side && spot->start_line == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "%sstart_side needs start_line", where);
    if (!check_range(where, spot, error) || (suggestion && !check_suggestion(where, spot, error)))
        return false;
    if (spot->start_line == spot->line && strcmp(spot->side, spot->start_side) == 0)
        spot->start_line = 0; // a range of one line GitHub refuses
    g_autofree char *body = pull_comment_text(json_get_text(item, "body"), suggestion);
    if (!check_body(where, body, error))
        return false;
    comment.body = g_steal_pointer(&body);
    g_array_append_val(self->comments, comment);
    return true;
}

static bool take_comments(GhReview *self, GError **error)
{
    json_each (self->args->comments, i, item) {
        g_autofree char *where = g_strdup_printf("comments[%zu]: ", i);
        if (!take_comment(self, where, item, error))
            return false;
    }
    return true;
}

static bool check_event(const GhReview *self, GError **error)
{
    const GhReviewArgs *args = self->args;
    bool has_body = args->body && !utf8_is_blank(args->body);
    if (has_body || self->comments->len > 0 || strcmp(args->event, "approve") == 0 ||
        args->includes_pending)
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE, "event %s needs body or comments", args->event);
}

bool gh_review_take_args(GhReview *self, const json_t *given, GError **error)
{
    if (!check_fields(self, given, error) || !check_thread(self->args->thread, error) ||
        !check_commit(self->args->commit, error))
        return false;
    switch (self->op) {
    case GH_REVIEW_REPLY:
        return check_body("", self->args->body, error);
    case GH_REVIEW_COMMENT:
        return take_comment(self, "", given, error);
    case GH_REVIEW_SUBMIT:
        return take_comments(self, error) && check_event(self, error);
    default:
        return true;
    }
}
