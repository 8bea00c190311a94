/* See commit.h. */
#include "changes/commit.h"

#include "changes/commit_message.h"
#include "changes/commit_split.h"
#include "changes/diff_digest.h"
#include "changes/diff_question.h"
#include "github/git.h"

#define DIFF_BYTES     ((size_t)160 * 1024) // that the model gets
#define ANSWER_TOKENS  2000
#define RESERVE_TOKENS 8000
#define HOOKS_MS       (30 * 60 * 1000) // that commit and push may take with their hooks
#define RECENT_COMMITS "12"

void change_commit_clear(ChangeCommit *self)
{
    g_free(self->message);
    g_free(self->said);
    g_free(self->root);
    g_free(self->diff);
    *self = (ChangeCommit) { 0 };
}

bool change_commit_read(ChangeCommit *self, Cancel *cancel, GError **error)
{
    if (!git_repo_root(self->cwd, cancel, &self->root, error))
        return false;
    const char *what = self->wants_all ? "HEAD" : "--cached";
    const char *const args[] = { "diff", "--no-color", "--find-renames", what, NULL };
    g_autofree char *diff = NULL;
    if (!git_must(self->root, args, 0, cancel, &diff, error))
        return false;
    if (*diff == '\0')
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         self->wants_all
                             ? "no tracked file has changed"
                             : "nothing is staged: `git add` what the commit is to have, or use "
                               "--all");
    self->diff = diff_digest(diff, DIFF_BYTES);
    self->is_foreign = git_is_pull_checkout(self->root, cancel);
    return true;
}

/* "" before the first commit. */
static bool read_recent(const ChangeCommit *self, char **ret_recent, Cancel *cancel, GError **error)
{
    const char *const args[] = { "log", "-" RECENT_COMMITS, "--format=%s", NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(self->root, args, 0, cancel, &result, error))
        return false;
    *ret_recent = g_strdup(result.exit_status == 0 ? result.output : "");
    return true;
}

typedef struct Message {
    ChangeCommit *commit;
    char *answer; // the last one
} Message;

static bool take_message(void *message, const char *answer, GError **error)
{
    Message *self = message;
    g_free(self->answer);
    self->answer = g_strdup(answer);
    return commit_message_read(answer, &self->commit->message, error);
}

static bool write_message(ChangeCommit *self, const char *recent, const SummaryContext *model,
                          Cancel *cancel, GError **error)
{
    Message message = { .commit = self };
    const DiffQuestion question = {
        .model = model,
        .system = commit_message_system,
        .diff = self->diff,
        .recent = recent,
        .context = self->context,
        .task = "Write the commit message.",
        .answer_tokens = ANSWER_TOKENS,
        .reserve_tokens = RESERVE_TOKENS,
        .take = take_message,
        .data = &message,
    };
    g_autofree char *problem = NULL;
    bool is_asked = diff_question_ask(&question, cancel, &problem, error);
    g_autofree char *answer = message.answer;
    if (!is_asked || !problem)
        return is_asked;
    return fail_with(error, KEDGE_ERROR_PROTOCOL,
                     "the model's message cannot be used, %s; nothing was committed. It was:\n%s",
                     problem, answer);
}

static bool make_commit(ChangeCommit *self, Cancel *cancel, GError **error)
{
    const char *const args[] = { "commit",      "--cleanup=whitespace",           "-m",
                                 self->message, self->wants_all ? "--all" : NULL, NULL };
    const GitSpec spec = {
        .dir = self->root,
        .args = args,
        .timeout_ms = HOOKS_MS,
        .is_own = !self->is_foreign,
    };
    return git_must_spec(&spec, cancel, &self->said, error);
}

/* To the branch's upstream; without one, to a branch of the same name at origin. */
static bool commit_push(const ChangeCommit *self, Cancel *cancel, GError **error)
{
    static const char *const upstream[] = { "rev-parse", "--abbrev-ref", "@{upstream}", NULL };
    static const char *const plain[] = { "push", NULL };
    static const char *const first[] = { "push", "--set-upstream", "origin", "HEAD", NULL };
    g_auto(GitResult) known = { 0 };
    if (!git_run(self->root, upstream, 0, cancel, &known, error))
        return false;
    const GitSpec spec = {
        .dir = self->root,
        .args = known.exit_status == 0 ? plain : first,
        .timeout_ms = HOOKS_MS,
        .is_own = !self->is_foreign,
    };
    if (git_must_spec(&spec, cancel, NULL, error))
        return true;
    g_prefix_error(error, "the commit was made, but not pushed: ");
    return false;
}

static bool make_all(ChangeCommit *self, const SummaryContext *model, Cancel *cancel,
                     GError **error)
{
    g_autofree char *recent = NULL;
    if (!read_recent(self, &recent, cancel, error))
        return false;
    if (!self->wants_split)
        return write_message(self, recent, model, cancel, error) &&
               (self->is_dry_run || make_commit(self, cancel, error));
    const CommitSplit split = {
        .root = self->root,
        .recent = recent,
        .context = self->context,
        .model = model,
        .wants_all = self->wants_all,
        .is_dry_run = self->is_dry_run,
        .is_foreign = self->is_foreign,
    };
    return commit_split(&split, cancel, &self->said, error);
}

/* A person who relies on a hook has to know. */
static void say_without_hooks(ChangeCommit *self)
{
    g_autofree char *before = self->said;
    self->said = g_strconcat(before ? before : "", before ? "\n" : "",
                             "This is the checkout of a pull request, whose files could stand in "
                             "for hooks and filters: none of them ran.",
                             NULL);
}

bool change_commit_make(ChangeCommit *self, const SummaryContext *model, Cancel *cancel,
                        GError **error)
{
    if (!make_all(self, model, cancel, error) ||
        (self->wants_push && !commit_push(self, cancel, error)))
        return false;
    if (self->is_foreign && !self->is_dry_run)
        say_without_hooks(self);
    return true;
}
