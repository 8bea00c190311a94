/*
 * How a call of gh_review is answered, in the forms of the gh tools, whose frame records it too
 * (gh-policy §7.1, §9.2, §11).
 */
#include "base/redact.h"
#include "base/visible.h"
#include "github/pulls/review.h"

static void gh_review_free(void *data)
{
    GhReview *self = data;
    for (guint i = 0; i < self->comments->len; i++)
        g_free(g_array_index(self->comments, GhReviewComment, i).body);
    g_array_unref(self->comments);
    g_free(self->repo);
    gh_call_clear(&self->frame);
    g_free(self);
}

GhReview *gh_review_of(ToolCall *call)
{
    GhReview *self = tool_call_prepared(call);
    if (self)
        return self;
    self = g_new0(GhReview, 1);
    gh_call_init(&self->frame, call);
    self->frame.cwd.path = g_strdup(tool_call_cwd(call));
    self->target = &self->frame.target.context;
    self->comments = g_array_new(false, true, sizeof(GhReviewComment));
    tool_call_prepare(call, self, gh_review_free);
    return self;
}

/* What GitHub says is in it, so it cannot command a terminal. */
static void set_message(GhReview *self, GhKind kind, const GError *failure)
{
    g_autofree char *text = redact_text(failure->message);
    self->frame.kind = kind;
    g_free(self->frame.message);
    self->frame.message = visible_lines(text);
}

bool gh_review_note_error(GhReview *self, GError *cause, GError **error)
{
    g_autoptr(GError) owned = cause;
    if (error_is(owned, KEDGE_ERROR_USAGE)) {
        gh_call_set_kind(&self->frame, GH_KIND_INVALID_ARGS,
                         &(GhFacts) { .reason = owned->message });
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", self->frame.message);
    }
    set_message(self, gh_kind_of_error(owned), owned);
    return pass_error(error, &owned);
}

/* gh's own words are the message, since none of its runs is the call. A stop has words only
   where something may have been posted by then. */
static void note_failure(GhReview *self, const GError *failure)
{
    bool is_stopped = error_is(failure, KEDGE_ERROR_CANCELLED);
    if (is_stopped && g_ascii_strcasecmp(failure->message, "operation aborted") == 0)
        gh_call_set_kind(&self->frame, GH_KIND_CANCELLED, &(GhFacts) { 0 });
    else if (error_is(failure, KEDGE_ERROR_USAGE))
        gh_call_set_kind(&self->frame, GH_KIND_INVALID_ARGS,
                         &(GhFacts) { .reason = failure->message });
    else
        set_message(self,
                    is_stopped                               ? GH_KIND_CANCELLED
                    : error_is(failure, KEDGE_ERROR_TIMEOUT) ? GH_KIND_TIMEOUT
                                                             : GH_KIND_GH_EXIT,
                    failure);
}

void gh_review_answer(ToolCall *call, GhReview *self, const char *text, const GError *failure,
                      ToolResult *result)
{
    GhOutcome *end = &self->frame.outcome;
    if (failure)
        note_failure(self, failure);
    end->has_run = true;
    end->captured_bytes = text ? strlen(text) : 0;
    gh_call_report(call, &self->frame, text, result);
    // for the audit line alone: of gh's own, which the record has, none is the call's
    end->exit_status = failure ? 1 : 0;
}

void gh_review_refused(ToolCall *call, const CallOutcome *outcome, ToolResult *result)
{
    gh_review_of(call);
    gh_call_refused(call, outcome, result);
}
