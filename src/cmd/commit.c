/*
 * `kedge commit`: a message for the staged changes, written by a model, and the commit (agent-core
 * §1.8). What is committed, by which hooks and signed by whom, is git's business as ever.
 */
#include "base/log.h"
#include "base/str.h"
#include "base/visible.h"
#include "changes/ask_model.h"
#include "changes/commit_message.h"
#include "changes/commit_split.h"
#include "changes/diff_digest.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/interrupt.h"
#include "github/git.h"

#define DIFF_BYTES     ((size_t)160 * 1024) // that the model gets
#define ANSWER_TOKENS  2000
#define RESERVE_TOKENS 8000
#define ATTEMPTS       3
#define HOOKS_MS       (30 * 60 * 1000) // that commit and push may take with their hooks
#define RECENT_COMMITS "12"

typedef struct CommitOptions {
    const char *context, *model;
    bool wants_push, is_dry_run, wants_all, wants_split, is_without_changelog;
} CommitOptions;

static const FieldDef commit_options[] = {
    { "all", FIELD_BOOLEAN, offsetof(CommitOptions, wants_all), .short_flag = 'a',
      .help = "Commit all changes of tracked files, as git commit --all does" },
    { "context", FIELD_STRING, offsetof(CommitOptions, context), .short_flag = 'c',
      .refuses_blank = true, .help = "What the model should know in addition to the diff" },
    { "model", FIELD_STRING, offsetof(CommitOptions, model), .short_flag = 'm',
      .refuses_blank = true, .value_name = "SELECTOR",
      .help = "Model; default: modelRoles.commit, then smol, then default" },
    { "split", FIELD_BOOLEAN, offsetof(CommitOptions, wants_split),
      .help = "Make several commits of it where it is several steps" },
    { "dryRun", FIELD_BOOLEAN, offsetof(CommitOptions, is_dry_run),
      .help = "Print the message, or the commits of --split; commit nothing" },
    { "push", FIELD_BOOLEAN, offsetof(CommitOptions, wants_push),
      .help = "Push the branch afterwards" },
    { "noChangelog", FIELD_BOOLEAN, offsetof(CommitOptions, is_without_changelog),
      .help = "For scripts written for other programs: kedge writes no change log anyhow" },
    { 0 },
};

typedef struct Commit {
    const CommitOptions *options;
    const AskModel *model;
    Cancel *cancel;
    char *root, *diff, *recent;
    char *message;
    char *said; // by git
    GError *error;
} Commit;

static void commit_clear(Commit *self)
{
    g_free(self->root);
    g_free(self->diff);
    g_free(self->recent);
    g_free(self->message);
    g_free(self->said);
    g_clear_error(&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Commit, commit_clear)

static bool read_diff(Commit *self)
{
    const char *what = self->options->wants_all ? "HEAD" : "--cached";
    const char *const args[] = { "diff", "--no-color", "--find-renames", what, NULL };
    g_autofree char *diff = NULL;
    if (!git_must(self->root, args, 0, self->cancel, &diff, &self->error))
        return false;
    if (*diff == '\0')
        return fail_with(&self->error, KEDGE_ERROR_NOT_FOUND,
                         self->options->wants_all
                             ? "no tracked file has changed"
                             : "nothing is staged: `git add` what the commit is to have, or use "
                               "--all");
    self->diff = diff_digest(diff, DIFF_BYTES);
    return true;
}

/* "" before the first commit. */
static bool read_recent(Commit *self)
{
    const char *const args[] = { "log", "-" RECENT_COMMITS, "--format=%s", NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(self->root, args, 0, self->cancel, &result, &self->error))
        return false;
    self->recent = g_strdup(result.exit_status == 0 ? result.output : "");
    return true;
}

/* An answer that cannot be used goes back with what is wrong with it. */
static bool write_message(Commit *self)
{
    g_autofree char *problem = NULL;
    g_autofree char *text = NULL;
    for (int i = 0; i < ATTEMPTS; i++) {
        g_autofree char *instruction = diff_instruction(self->recent, self->options->context,
                                                        problem, "Write the commit message.");
        const SummaryRequest request = {
            .system = commit_message_system,
            .tag = "diff",
            .transcript = self->diff,
            .instruction = instruction,
            .max_tokens = ANSWER_TOKENS,
            .reserve_tokens = RESERVE_TOKENS,
        };
        g_autoptr(GError) fault = NULL;
        g_clear_pointer(&text, g_free);
        if (!ask_model_text(self->model, &request, self->cancel, &text, &self->error))
            return false;
        if (commit_message_read(text, &self->message, &fault))
            return true;
        g_free(problem);
        problem = g_strdup(fault->message);
    }
    return fail_with(&self->error, KEDGE_ERROR_PROTOCOL,
                     "the model's message cannot be used, %s; nothing was committed. It was:\n%s",
                     problem, text);
}

static bool make_commit(Commit *self)
{
    const char *const args[] = { "commit",
                                 "--cleanup=whitespace",
                                 "-m",
                                 self->message,
                                 self->options->wants_all ? "--all" : NULL,
                                 NULL };
    return git_must(self->root, args, HOOKS_MS, self->cancel, &self->said, &self->error);
}

/* To the branch's upstream; without one, to a branch of the same name at origin. */
static bool push(Commit *self)
{
    static const char *const upstream[] = { "rev-parse", "--abbrev-ref", "@{upstream}", NULL };
    static const char *const plain[] = { "push", NULL };
    static const char *const first[] = { "push", "--set-upstream", "origin", "HEAD", NULL };
    g_auto(GitResult) known = { 0 };
    if (!git_run(self->root, upstream, 0, self->cancel, &known, &self->error))
        return false;
    if (git_must(self->root, known.exit_status == 0 ? plain : first, HOOKS_MS, self->cancel, NULL,
                 &self->error))
        return true;
    g_prefix_error(&self->error, "the commit was made, but not pushed: ");
    return false;
}

static bool make_commits(Commit *self)
{
    const CommitSplit split = {
        .root = self->root,
        .recent = self->recent,
        .context = self->options->context,
        .model = self->model,
        .wants_all = self->options->wants_all,
        .is_dry_run = self->options->is_dry_run,
    };
    return commit_split(&split, self->cancel, &self->said, &self->error);
}

static void commit_work(void *data)
{
    Commit *self = data;
    if (!read_recent(self))
        return;
    if (self->options->wants_split) {
        if (!make_commits(self))
            return;
    } else if (!write_message(self) || self->options->is_dry_run || !make_commit(self)) {
        return;
    }
    if (self->options->wants_push)
        push(self);
}

static int show(const Commit *self, int signal_number)
{
    g_autofree char *said = self->said ? visible_lines(self->said) : NULL; // hooks, too
    if (said && *said && !cmd_print_line(said))
        return EXIT_FAILED;
    if (signal_number)
        return interrupt_exit_code(signal_number);
    if (self->error)
        return cmd_fail(self->error);
    return !self->message || !self->options->is_dry_run || cmd_print_line(self->message)
               ? EXIT_OK
               : EXIT_FAILED;
}

static int commit_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    CommitOptions options = { 0 };
    if (!cmd_decode_options(commit_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    if (options.wants_push && options.is_dry_run) {
        log_error("--push and --dry-run cannot be used together");
        return EXIT_USAGE;
    }
    static const char *const roles[] = { "commit", "smol", "default", NULL };
    g_autofree char *cwd = g_get_current_dir();
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_auto(AskModel) model = { 0 };
    g_auto(Commit) commit = { .options = &options, .model = &model, .cancel = cancel };
    if (!git_repo_root(cwd, cancel, &commit.root, &error))
        return cmd_fail(error);
    if (!read_diff(&commit)) // before a model is looked for
        return cmd_fail(commit.error);
    if (!ask_model_open(cmd_load_settings(cwd), cwd, options.model, roles, &model, &error))
        return cmd_fail(error);
    return show(&commit, interrupt_run(commit_work, &commit, cancel));
}

const Command command_commit = {
    .name = "commit",
    .summary = "Commit the staged changes with a message that a model writes",
    .usage = "[--all] [--split] [-c TEXT] [-m MODEL] [--dry-run | --push]",
    .options = commit_options,
    .help =
        "The message follows Conventional Commits; the model sees the diff, with known secrets "
        "masked and\n"
        "very long files cut, and the subjects of the latest commits. Hooks and signing are "
        "those of git. With --split the model puts hunks and files into commits; kedge makes all "
        "of them,\n"
        "which together are the change to the byte, or none.\n"
        "  git add -p && kedge commit --dry-run\n"
        "  kedge commit -c \"the limit is what the server enforces\" --push",
    .run = commit_run,
};
