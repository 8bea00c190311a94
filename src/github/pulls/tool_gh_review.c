/*
 * The tool gh_review: review threads and reviews of a pull request, one operation a call.
 */
#include "base/timefmt.h"
#include "github/github.h"
#include "github/pulls/review.h"
#include "github/safe/gh_call_context.h"
#include "github/safe/gh_profile.h"
#include "github/view_cache.h"

static const char *const op_names[] = { "threads", "reply",  "resolve", "unresolve",
                                        "comment", "submit", NULL };
static const char *const side_names[] = { "RIGHT", "LEFT", NULL };
static const char *const event_names[] = { "approve", "request_changes", "comment", NULL };

#define FIELD(name_, type_, member)                                                                \
    .name = name_, .type = type_, .offset = offsetof(GhReviewArgs, member)

typedef struct CommentItem { // what an entry of `comments` is checked against
    const char *path, *side, *start_side, *body, *suggestion;
    int64_t line, start_line;
} CommentItem;

// clang-format off
static const FieldDef comment_fields[] = {
    { .name = "path", .type = FIELD_STRING, .offset = offsetof(CommentItem, path), .is_required = true },
    { .name = "line", .type = FIELD_INTEGER, .offset = offsetof(CommentItem, line), .is_required = true,
      .min = 1, .max = G_MAXINT32 },
    { .name = "start_line", .type = FIELD_INTEGER, .offset = offsetof(CommentItem, start_line), .min = 1,
      .max = G_MAXINT32 },
    { .name = "side", .type = FIELD_ENUM, .offset = offsetof(CommentItem, side), .values = side_names },
    { .name = "start_side", .type = FIELD_ENUM, .offset = offsetof(CommentItem, start_side),
      .values = side_names },
    { .name = "body", .type = FIELD_STRING, .offset = offsetof(CommentItem, body) },
    { .name = "suggestion", .type = FIELD_STRING, .offset = offsetof(CommentItem, suggestion) },
    { 0 },
};

static const FieldDef fields[] = {
    { FIELD("op", FIELD_ENUM, op), .values = op_names, .is_required = true },
    { FIELD("number", FIELD_INTEGER, number), .is_required = true, .min = 1, .max = G_MAXINT32,
      .help = "Pull request" },
    { FIELD("repo", FIELD_STRING, repo), .help = "[HOST/]OWNER/REPO" },
    { FIELD("thread", FIELD_STRING, thread), .help = "Id that threads shows" },
    { FIELD("path", FIELD_STRING, path) },
    { FIELD("unresolved", FIELD_BOOLEAN, is_unresolved) },
    { FIELD("line", FIELD_INTEGER, line), .min = 1, .max = G_MAXINT32,
      .help = "Last line; none: the whole file" },
    { FIELD("start_line", FIELD_INTEGER, start_line), .min = 1, .max = G_MAXINT32 },
    { FIELD("side", FIELD_ENUM, side), .values = side_names },
    { FIELD("start_side", FIELD_ENUM, start_side), .values = side_names },
    { FIELD("body", FIELD_STRING, body), .max_chars = PULL_MAX_BODY_CHARS },
    { FIELD("suggestion", FIELD_STRING, suggestion), .help = "New text of the lines" },
    { FIELD("event", FIELD_ENUM, event), .values = event_names },
    { FIELD("comments", FIELD_OBJECT_LIST, comments), .item_fields = comment_fields,
      .max_items = GH_REVIEW_MAX_COMMENTS },
    { FIELD("include_pending", FIELD_BOOLEAN, includes_pending) },
    { FIELD("commit", FIELD_STRING, commit), .help = "Head that was reviewed; others are refused" },
    { 0 },
};

static const struct {
    bool (*run)(ToolCall *call, const GhReview *self, char **ret_text, GError **error);
    GhReviewOp op;
    const char *action; // for what was refused before
    bool is_of_thread;  // its target is the thread, else the pull request
} runs[] = {
    { gh_review_read_threads, GH_REVIEW_THREADS, NULL, false },
    { gh_review_reply, GH_REVIEW_REPLY, "pr review reply", true },
    { gh_review_resolve, GH_REVIEW_RESOLVE, "pr thread resolve", true },
    { gh_review_resolve, GH_REVIEW_UNRESOLVE, "pr thread unresolve", true },
    { gh_review_comment, GH_REVIEW_COMMENT, "pr review comment", false },
    { gh_review_submit, GH_REVIEW_SUBMIT, "pr review", false },
};
// clang-format on

static size_t run_of(GhReviewOp op)
{
    size_t i = 0;
    while (runs[i].op != op) // all are there
        i++;
    return i;
}

static bool tool_gh_review_take(ToolCall *call, GhReview *self, const GhReviewArgs *args,
                                GError **error)
{
    GhCall *frame = &self->frame;
    self->args = args;
    self->op = gh_review_op_of(args->op);
    frame->classified.command = g_strdup(args->op);
    frame->ref = g_strdup_printf("%" G_GINT64_FORMAT, args->number);
    if (!gh_review_take_args(self, tool_call_arguments(call), error) ||
        !gh_call_repo(call, args->repo, &frame->target.context, error))
        return false;
    self->repo = g_strconcat(self->target->host, "/", self->target->repo, NULL);
    frame->words =
        g_strdup_printf("review of pull request %s in %s, op %s", frame->ref, self->repo, args->op);
    frame->classified.effect = self->op == GH_REVIEW_THREADS ? EFFECT_READ : EFFECT_WRITE;
    frame->is_classified = frame->has_target = true;
    return true;
}

/* In the words of gh, so that another way to the same is known for it. */
static void add_action(const GhReview *self, Judgement *judgement)
{
    const size_t i = run_of(self->op);
    if (!runs[i].action)
        return;
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, self->args->number);
    judgement_add_action(judgement, runs[i].action,
                         runs[i].is_of_thread ? self->args->thread : number, judgement->host,
                         judgement->repo);
}

static bool gh_review_judge(ToolCall *call, const void *args, Judgement *ret_judgement,
                            GError **error)
{
    GhReview *self = gh_review_of(call);
    GError *cause = NULL;
    if (!tool_gh_review_take(call, self, args, &cause))
        return gh_review_note_error(self, cause, error);
    bool is_read = self->op == GH_REVIEW_THREADS;
    g_autofree char *summary = gh_review_summary(self);
    *ret_judgement = (Judgement) {
        .effect = is_read ? EFFECT_READ : EFFECT_WRITE,
        .host = g_strdup(self->target->host),
        .repo = g_strdup(self->target->repo),
        .question = is_read ? NULL : gh_review_question(self, summary),
    };
    ret_judgement->summary = g_steal_pointer(&summary);
    add_action(self, ret_judgement);
    return true;
}

/* Before a write and after it: what is read meanwhile may be of either time. A stop that came in
   between does not keep what is old. */
static void forget_views(ToolCall *call, const GhReview *self)
{
    g_autofree char *repo = view_cache_repo(self->repo, tool_call_settings(call));
    view_cache_drop_item(view_cache_of(tool_call_context(call)), repo, self->args->number, NULL);
}

static bool gh_review_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                          GError **error G_GNUC_UNUSED)
{
    GhReview *self = gh_review_of(call);
    bool is_read = self->op == GH_REVIEW_THREADS;
    g_autoptr(GError) failure = NULL;
    g_autofree char *text = NULL;
    int64_t start = time_monotonic_ms();
    if (!is_read)
        forget_views(call, self);
    runs[run_of(self->op)].run(call, self, &text, &failure);
    self->frame.outcome.duration_ms = time_monotonic_ms() - start;
    if (!is_read)
        forget_views(call, self);
    gh_review_answer(call, self, text, failure, result);
    return true;
}

/* By name only: no session has it unless it was asked for. */
static bool is_offered(const Settings *settings)
{
    return gh_profile_offers(settings, GH_DOOR_OTHERS, GH_TOOL_REVIEW);
}

const ToolDef tool_gh_review = {
    .name = "gh_review",
    .label = "GitHub: review",
    .summary = "Review threads of a pull request: read, reply, resolve, comment, submit a review",
    .description =
        "Review threads of a pull request. threads: lists them by file. reply, resolve, unresolve: "
        "one thread. comment: posts one on lines of the diff. submit: sends a review with body and "
        "comments. A review of yours that is not sent stays as it is, unless include_pending adds "
        "to it or sends it. Writes ask the user.",
    .effect = EFFECT_READ,
    .judge = gh_review_judge,
    .flags = TOOL_HIDDEN | TOOL_EXACT | TOOL_KEEPS_TEXT | TOOL_GITHUB | TOOL_GH | TOOL_OPEN_WORLD,
    .fields = fields,
    .args_size = sizeof(GhReviewArgs),
    .is_available = is_offered,
    .run = gh_review_run,
    .refused = gh_review_refused,
    .finished = gh_call_finished,
};
