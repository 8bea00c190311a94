/*
 * `kedge review [BASE | --pr N]`: what a model finds wrong in a change.
 */
#include "changes/review.h"
#include "base/log.h"
#include "changes/ask_model.h"
#include "changes/review_findings.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/interrupt.h"

typedef struct ReviewOptions {
    const char *context, *model, *repo;
    int64_t pr;
    bool is_json, is_pending;
} ReviewOptions;

static const FieldDef review_options[] = {
    { "pr", FIELD_INTEGER, offsetof(ReviewOptions, pr), .min = 1, .max = 0, .value_name = "N",
      .help = "Review this pull request instead of the work tree" },
    { "repo", FIELD_STRING, offsetof(ReviewOptions, repo), .refuses_blank = true, .value_name = "R",
      .help = "Its repository, [HOST/]OWNER/REPO (default: that of origin)" },
    { "pending", FIELD_BOOLEAN, offsetof(ReviewOptions, is_pending),
      .help = "With --pr: put the findings there as one pending review, which only you see until "
              "you submit it" },
    { "context", FIELD_STRING, offsetof(ReviewOptions, context), .short_flag = 'c',
      .refuses_blank = true, .help = "What the model should know in addition to the diff" },
    { "model", FIELD_STRING, offsetof(ReviewOptions, model), .short_flag = 'm',
      .refuses_blank = true, .value_name = "SELECTOR",
      .help = "Model; default: modelRoles.slow, then default" },
    { "json", FIELD_BOOLEAN, offsetof(ReviewOptions, is_json),
      .help = "Print {summary, findings} as JSON" },
    { 0 },
};

typedef struct ReviewWork {
    ReviewSpec spec;
    ChangeReview review;
} ReviewWork;

static bool review_work(void *data, Cancel *cancel, GError **error)
{
    ReviewWork *self = data;
    return change_review(&self->spec, cancel, &self->review, error);
}

static int show(const ChangeReview *self, bool is_json, const GError *error)
{
    if (self->findings) { // also when it could not be posted
        g_autofree char *text =
            is_json ? json_to_pretty(self->findings) : review_show(self->findings);
        if (!(is_json ? cmd_print_line(text) : cmd_print(text)))
            return EXIT_FAILED;
    }
    if (error)
        return cmd_fail(error);
    if (self->untracked > 0)
        log_warning("%u untracked file%s not part of it; `git add -N` takes them in",
                    self->untracked, self->untracked == 1 ? " is" : "s are");
    if (self->url)
        log_text("A pending review is at %s", self->url);
    return EXIT_OK;
}

static int review_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    ReviewOptions options = { 0 };
    if (!cmd_decode_options(review_options, argc, argv, &options, &kept, words, &error))
        return cmd_fail(error);
    if (words->len > 1 || (words->len == 1 && options.pr) ||
        (!options.pr && (options.is_pending || options.repo))) {
        log_text("usage: kedge review [BASE] | --pr N [--repo R] [--pending]");
        return EXIT_USAGE;
    }
    static const char *const roles[] = { "slow", "default", NULL };
    g_autofree char *cwd = g_get_current_dir();
    g_auto(AskModel) model = { 0 };
    if (!ask_model_open(cmd_load_settings(cwd), cwd, options.model, roles, &model, &error))
        return cmd_fail(error);
    const SummaryContext context = ask_model_context(&model);
    ReviewWork work = { .spec = {
                            .cwd = cwd,
                            .base = words->len ? words->pdata[0] : NULL,
                            .pr = options.pr,
                            .repo = options.repo,
                            .context = options.context,
                            .is_pending = options.is_pending,
                            .model = &context,
                        } };
    int stopped = cmd_run_blocking(review_work, &work, &error);
    int code = stopped ? stopped : show(&work.review, options.is_json, error);
    change_review_clear(&work.review);
    return code;
}

const Command command_review = {
    .name = "review",
    .summary = "What a model finds wrong in your changes, or in a pull request",
    .usage = "[BASE] [-c TEXT] [-m MODEL] [--json] | --pr N [--repo R] [--pending]",
    .options = review_options,
    .help = "Without --pr: all that changed since the branch left BASE, what is not committed "
            "included (files\nthat git tracks); BASE is the default branch when it is not named. "
            "The model sees the diff alone,\nwith known secrets masked and very long files cut.\n"
            "  kedge review\n"
            "  kedge review --pr 42 --pending     # then look at it on GitHub, and submit it",
    .run = review_run,
};
