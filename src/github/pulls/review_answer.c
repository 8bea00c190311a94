/*
 * How a call of gh_review is answered and recorded, in the forms of the gh tools: header line,
 * kinds, record, audit line (gh-policy §7.1, §9.2, §11).
 */
#include "base/redact.h"
#include "base/visible.h"
#include "github/audit/gh_audit_call.h"
#include "github/audit/gh_header.h"
#include "github/audit/gh_record.h"
#include "github/pulls/review.h"

#define TOOL_NAME "gh_review"

static void gh_review_free(void *data)
{
    GhReview *self = data;
    for (guint i = 0; i < self->comments->len; i++)
        g_free(g_array_index(self->comments, GhReviewComment, i).body);
    g_array_unref(self->comments);
    gh_context_clear(&self->target);
    g_free(self->repo);
    g_free(self->id);
    g_free(self->message);
    json_decref(self->record);
    g_free(self);
}

GhReview *gh_review_of(ToolCall *call)
{
    GhReview *self = tool_call_prepared(call);
    if (self)
        return self;
    self = g_new0(GhReview, 1);
    self->id = gh_audit_new_id();
    self->at = tool_call_now_ms(call);
    self->comments = g_array_new(false, true, sizeof(GhReviewComment));
    tool_call_prepare(call, self, gh_review_free);
    return self;
}

static void set_kind(GhReview *self, GhKind kind, const GhFacts *facts)
{
    self->kind = kind;
    g_free(self->message);
    self->message = gh_kind_message(kind, facts);
}

bool gh_review_note_error(GhReview *self, GError *cause, GError **error)
{
    g_autoptr(GError) owned = cause;
    if (error_is(owned, KEDGE_ERROR_USAGE)) {
        set_kind(self, GH_KIND_INVALID_ARGS, &(GhFacts) { .reason = owned->message });
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", self->message);
    }
    self->kind = gh_kind_of_error(owned);
    g_free(self->message);
    self->message = redact_text(owned->message);
    g_propagate_error(error, g_steal_pointer(&owned));
    return false;
}

static const char *class_name(const GhReview *self)
{
    if (!self->is_judged)
        return NULL;
    return effect_name(self->op == GH_REVIEW_THREADS ? EFFECT_READ : EFFECT_WRITE);
}

static const char *policy_name(const GhReview *self, const CallOutcome *outcome)
{
    static const char *const names[] = { "auto", "confirm", "block" };
    if (self->kind == GH_KIND_POLICY_BLOCKED)
        return names[ACTION_REFUSE];
    return outcome->judgement ? names[outcome->action] : NULL;
}

static void add_record(ToolCall *call, GhReview *self, const CallOutcome *outcome,
                       ToolResult *result)
{
    const GhRecord record = {
        .id = self->id,
        .at = self->at,
        .tool = TOOL_NAME,
        .via = tool_call_via(call),
        .host = self->target.host,
        .repo = self->target.repo,
        .source = self->is_judged ? gh_source_name(self->target.source) : NULL,
        .cwd = tool_call_cwd(call),
        .command = self->args ? self->args->op : NULL,
        .class_name = class_name(self),
        .policy = policy_name(self, outcome),
        .is_confirmed = outcome->is_confirmed,
        .exit_status = -1, // of several runs of gh none is the call's
        .duration_ms = self->duration_ms,
        .captured_bytes = self->shown_bytes,
        .kind = self->kind,
        .message = self->message,
    };
    json_decref(self->record);
    self->record = gh_record_to_json(&record);
    json_object_update(tool_result_details(result), self->record);
}

static void add_text(const GhReview *self, const CallOutcome *outcome, const char *text,
                     ToolResult *result)
{
    const GhHeader header = {
        .host = self->target.host,
        .repo = self->target.repo,
        .command = self->args ? self->args->op : NULL,
        .class_name = class_name(self),
        .kind = self->kind,
        .has_run = outcome->end == CALL_RAN,
        .is_confirmed = outcome->is_confirmed,
        .captured_bytes = self->shown_bytes,
    };
    g_autofree char *line = gh_header_line(&header);
    g_autofree char *error = text ? NULL : visible_lines(self->message); // GitHub's words
    g_autofree char *whole =
        g_strconcat(line, "\n", text ? "" : "Error: ", text ? text : error, NULL);
    tool_result_add_text(result, whole);
}

/* gh's own words are the message, since none of its runs stands for the call. A stop has words only
   where something may have been posted by then. */
static void note_failure(GhReview *self, const GError *failure)
{
    bool is_stopped = error_is(failure, KEDGE_ERROR_CANCELLED);
    if (is_stopped && g_ascii_strcasecmp(failure->message, "operation aborted") == 0) {
        set_kind(self, GH_KIND_CANCELLED, &(GhFacts) { 0 });
        return;
    }
    if (error_is(failure, KEDGE_ERROR_USAGE)) {
        set_kind(self, GH_KIND_INVALID_ARGS, &(GhFacts) { .reason = failure->message });
        return;
    }
    self->kind = is_stopped                               ? GH_KIND_CANCELLED
                 : error_is(failure, KEDGE_ERROR_TIMEOUT) ? GH_KIND_TIMEOUT
                                                          : GH_KIND_GH_EXIT;
    g_free(self->message);
    self->message = redact_text(failure->message);
}

void gh_review_answer(ToolCall *call, GhReview *self, const char *text, const GError *failure,
                      ToolResult *result)
{
    const CallOutcome *outcome = tool_call_outcome(call);
    if (failure)
        note_failure(self, failure);
    self->shown_bytes = text ? strlen(text) : 0;
    add_text(self, outcome, text, result);
    add_record(call, self, outcome, result);
    result->is_error = failure != NULL;
}

// ---- calls that did not run ----

/* The call as a person would word it. Caller frees. */
static char *call_words(const GhReview *self)
{
    return g_strdup_printf("review of pull request %" G_GINT64_FORMAT " in %s, op %s",
                           self->args->number, self->repo, self->args->op);
}

static void set_unconfirmed(ToolCall *call, const CallOutcome *outcome, GhReview *self)
{
    g_autofree char *words = call_words(self);
    if (outcome->end == CALL_DECLINED) {
        set_kind(self, GH_KIND_CONFIRM_DECLINED, &(GhFacts) { .command = words });
        return;
    }
    const char *hint = tool_call_allow_hint(call);
    self->kind = GH_KIND_CONFIRM_UNAVAILABLE;
    g_free(self->message);
    self->message =
        g_strdup_printf("This write needs confirmation and nobody can be asked here: %s.%s%s%s",
                        words, hint ? " " : "", hint ? hint : "", hint ? " allows it." : "");
}

/* The gate's reason without the tool's name and the summary in front. Caller frees. */
static char *policy_reason(const CallOutcome *outcome)
{
    const char *summary = outcome->judgement ? outcome->judgement->summary : NULL;
    g_autofree char *prefix =
        g_strdup_printf("refused: " TOOL_NAME " (%s): ", summary ? summary : "");
    const char *reason = outcome->reason;
    return g_strdup(g_str_has_prefix(reason, prefix) ? reason + strlen(prefix) : reason);
}

static void set_refusal(ToolCall *call, const CallOutcome *outcome, GhReview *self)
{
    g_autofree char *reason = NULL;
    switch (outcome->end) {
    case CALL_RAN:
        break;
    case CALL_INVALID:
        if (self->kind == GH_KIND_NONE) { // the decoder said no
            reason = gh_problem_text(outcome->reason);
            set_kind(self, GH_KIND_INVALID_ARGS, &(GhFacts) { .reason = reason });
        }
        break;
    case CALL_BLOCKED:
        reason = policy_reason(outcome);
        set_kind(self, GH_KIND_POLICY_BLOCKED, &(GhFacts) { .reason = reason });
        break;
    case CALL_DECLINED:
    case CALL_UNANSWERABLE:
        set_unconfirmed(call, outcome, self);
        break;
    case CALL_CANCELLED:
        set_kind(self, GH_KIND_CANCELLED, &(GhFacts) { 0 });
        break;
    }
}

static KedgeError failure_of(GhKind kind)
{
    switch (kind) {
    case GH_KIND_INVALID_ARGS:
        return KEDGE_ERROR_USAGE;
    case GH_KIND_POLICY_BLOCKED:
    case GH_KIND_CONFIRM_DECLINED:
    case GH_KIND_CONFIRM_UNAVAILABLE:
        return KEDGE_ERROR_DENIED;
    case GH_KIND_CANCELLED:
        return KEDGE_ERROR_CANCELLED;
    default:
        return KEDGE_ERROR_FAILED;
    }
}

void gh_review_refused(ToolCall *call, const CallOutcome *outcome, ToolResult *result)
{
    GhReview *self = gh_review_of(call);
    set_refusal(call, outcome, self);
    add_text(self, outcome, NULL, result);
    add_record(call, self, outcome, result);
    result->failure = failure_of(self->kind);
}

void gh_review_finished(ToolCall *call, const CallOutcome *outcome, const ToolResult *result)
{
    const GhReview *self = gh_review_of(call);
    bool has_run = outcome->end == CALL_RAN;
    g_autofree char *ref =
        self->args ? g_strdup_printf("%" G_GINT64_FORMAT, self->args->number) : NULL;
    const GhAuditLine line = {
        .at = self->at,
        .host = self->target.host,
        .repo = self->target.repo,
        .class_name = class_name(self),
        .policy = policy_name(self, outcome),
        .exit_status = !has_run           ? -1
                       : result->is_error ? 1
                                          : 0,
        .duration_ms = outcome->duration_ms,
        .bytes = self->shown_bytes,
        .tool = TOOL_NAME,
        .command = self->args ? self->args->op : NULL,
        .ref = ref,
        .kind = gh_kind_name(self->kind),
        .via = tool_call_via(call),
        .id = self->id,
    };
    gh_audit_call(call, &line);
    g_autofree char *dir = gh_audit_dir();
    g_autoptr(GError) error = NULL;
    bool has_session = tool_call_artifacts(call) != NULL; // which keeps its records itself
    if (!has_session && self->record && !gh_record_store(dir, self->record, &error))
        gh_audit_warn(call, error);
}
