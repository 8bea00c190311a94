/*
 * What a person reads about a call of gh_review, and is asked before it writes (gh-policy §5.4).
 */
#include "base/str.h"
#include "base/visible.h"
#include "github/pulls/review.h"

char *gh_review_place_text(const GhReviewComment *comment)
{
    const DiffSpot *spot = &comment->spot;
    GString *text = g_string_new(NULL);
    visible_append(text, spot->path);
    if (spot->line == 0)
        return g_string_free(text, false);
    g_string_append_c(text, ':');
    if (spot->start_line > 0)
        g_string_append_printf(text, "%" G_GINT64_FORMAT "-", spot->start_line);
    g_string_append_printf(text, "%" G_GINT64_FORMAT, spot->line);
    if (spot->start_line > 0 && strcmp(spot->side, spot->start_side) != 0)
        g_string_append_printf(text, " (%s to %s)", spot->start_side, spot->side);
    else if (strcmp(spot->side, "LEFT") == 0)
        g_string_append(text, " (LEFT)");
    return g_string_free(text, false);
}

static const char *event_verb(const char *event)
{
    return strcmp(event, "approve") == 0           ? "approves"
           : strcmp(event, "request_changes") == 0 ? "requests changes on"
                                                   : "reviews";
}

/* Without the pull request. Caller frees. */
static char *verb_of(const GhReview *self)
{
    const GhReviewArgs *args = self->args;
    switch (self->op) {
    case GH_REVIEW_THREADS:
        return g_strdup("reads the review threads of");
    case GH_REVIEW_REPLY:
        return g_strdup_printf("replies to thread %s of", args->thread);
    case GH_REVIEW_RESOLVE:
        return g_strdup_printf("resolves thread %s of", args->thread);
    case GH_REVIEW_UNRESOLVE:
        return g_strdup_printf("reopens thread %s of", args->thread);
    case GH_REVIEW_COMMENT: {
        g_autofree char *place =
            gh_review_place_text(&g_array_index(self->comments, GhReviewComment, 0));
        return g_strdup_printf("comments on %s of", place);
    }
    case GH_REVIEW_SUBMIT:
        return g_strdup(event_verb(args->event));
    }
    g_assert_not_reached();
}

char *gh_review_summary(const GhReview *self)
{
    const GhReviewArgs *args = self->args;
    g_autofree char *verb = verb_of(self);
    GString *text = g_string_new(NULL);
    visible_append(text, verb);
    g_string_append_printf(text, " pull request %" G_GINT64_FORMAT, args->number);
    if (args->commit)
        g_string_append_printf(text, " at %s", args->commit); // hex digits
    if (self->op == GH_REVIEW_SUBMIT && self->comments->len > 0)
        g_string_append_printf(text, " with %u comment%s", self->comments->len,
                               self->comments->len == 1 ? "" : "s");
    if (args->includes_pending)
        g_string_append(text, self->op == GH_REVIEW_SUBMIT
                                  ? ", sending a pending review of yours with it"
                                  : ", as a part of your pending review if there is one");
    return g_string_free(text, false);
}

char *gh_review_question(const GhReview *self, const char *summary)
{
    const GhContext *target = self->target;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "WRITE on %s/%s: %s", target->host, target->repo, summary);
    if (!str_is_empty(self->args->body) && self->op != GH_REVIEW_COMMENT)
        visible_append_block(text, "    | ", self->args->body);
    for (guint i = 0; i < self->comments->len; i++) {
        const GhReviewComment *comment = &g_array_index(self->comments, GhReviewComment, i);
        g_autofree char *place = gh_review_place_text(comment);
        g_string_append(text, "\n  on ");
        visible_append(text, place);
        visible_append_block(text, "    | ", comment->body);
    }
    g_string_append_printf(text, "\n  (context: %s)", gh_source_name(target->source));
    return g_string_free(text, false);
}
