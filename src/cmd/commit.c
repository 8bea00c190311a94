/*
 * `kedge commit`: a message for the staged changes, written by a model, and the commit (agent-core
 * §1.8). What is committed, by which hooks and signed by whom, is git's business as ever.
 */
#include "changes/commit.h"
#include "base/log.h"
#include "base/visible.h"
#include "changes/ask_model.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/interrupt.h"

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

typedef struct CommitWork {
    ChangeCommit commit;
    SummaryContext model;
} CommitWork;

static bool commit_work(void *data, Cancel *cancel, GError **error)
{
    CommitWork *self = data;
    return change_commit_make(&self->commit, &self->model, cancel, error);
}

static int show(const ChangeCommit *self, int stopped, const GError *error)
{
    g_autofree char *said = self->said ? visible_lines(self->said) : NULL; // hooks, too
    if (said && *said && !cmd_print_line(said))
        return EXIT_FAILED;
    if (stopped)
        return stopped;
    if (error)
        return cmd_fail(error);
    return !self->message || !self->is_dry_run || cmd_print_line(self->message) ? EXIT_OK
                                                                                : EXIT_FAILED;
}

static int commit_with(CommitWork *work, const char *selector)
{
    static const char *const roles[] = { "commit", "smol", "default", NULL };
    const char *cwd = work->commit.cwd;
    g_autoptr(GError) error = NULL;
    g_auto(AskModel) model = { 0 };
    if (!change_commit_read(&work->commit, NULL, &error) ||
        !ask_model_open(cmd_load_settings(cwd), cwd, selector, roles, &model, &error))
        return cmd_fail(error);
    work->model = ask_model_context(&model);
    int stopped = cmd_run_blocking(commit_work, work, &error);
    return show(&work->commit, stopped, error);
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
    g_autofree char *cwd = g_get_current_dir();
    CommitWork work = { .commit = {
                            .cwd = cwd,
                            .context = options.context,
                            .wants_all = options.wants_all,
                            .wants_split = options.wants_split,
                            .wants_push = options.wants_push,
                            .is_dry_run = options.is_dry_run,
                        } };
    int code = commit_with(&work, options.model);
    change_commit_clear(&work.commit);
    return code;
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
