/*
 * `kedge review [BASE | --pr N]`: what a model finds wrong in a change.
 */
#include "base/log.h"
#include "changes/ask_model.h"
#include "changes/diff_digest.h"
#include "changes/review_diff.h"
#include "changes/review_findings.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/interrupt.h"
#include "github/git.h"
#include "github/remote_url.h"
#include "github/repo_ref.h"
#include "github/rest/rest.h"

#define DIFF_BYTES     ((size_t)400 * 1024) // that the model gets
#define ANSWER_TOKENS  16000
#define RESERVE_TOKENS 24000
#define ATTEMPTS       3
#define GITHUB_MS      (5 * 60 * 1000)

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

typedef struct ReviewRun {
    const ReviewOptions *options;
    const char *base, *cwd;
    const AskModel *model;
    Cancel *cancel;
    char *owner, *repo, *host; // of the pull request
    char *head;                // its commit
    json_t *files;
    json_t *review;
    char *url;          // of the pending review
    unsigned untracked; // files that are not part of it
    GError *error;
} ReviewRun;

static void review_run_clear(ReviewRun *self)
{
    g_free(self->owner);
    g_free(self->repo);
    g_free(self->host);
    g_free(self->head);
    json_decref(self->files);
    json_decref(self->review);
    g_free(self->url);
    g_clear_error(&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ReviewRun, review_run_clear)

/* The first of these that there is, when nobody says against what. */
static bool find_base(ReviewRun *self, const char *root, char **ret_base)
{
    const char *const names[] = { self->base,      "origin/HEAD", "origin/main",
                                  "origin/master", "main",        "master" };
    for (size_t i = self->base ? 0 : 1; i < (self->base ? 1 : G_N_ELEMENTS(names)); i++) {
        const char *const args[] = { "merge-base", "--end-of-options", names[i], "HEAD", NULL };
        g_auto(GitResult) result = { 0 };
        if (!git_run(root, args, 0, self->cancel, &result, &self->error))
            return false;
        if (result.exit_status == 0) {
            *ret_base = g_strdup(result.output);
            return true;
        }
    }
    return self->base ? fail_with(&self->error, KEDGE_ERROR_NOT_FOUND,
                                  "no commit %s that HEAD has something in common with", self->base)
                      : fail_with(&self->error, KEDGE_ERROR_NOT_FOUND,
                                  "no branch main or master here or at origin: name the commit to "
                                  "compare with");
}

/* A diff has no files that git does not know: whoever forgot one should hear of it. */
static bool count_untracked(ReviewRun *self, const char *root)
{
    const char *const args[] = { "ls-files", "-z", "--others", "--exclude-standard", NULL };
    g_autofree char *names = NULL;
    size_t size = 0;
    if (!git_must_bytes(root, args, self->cancel, &names, &size, &self->error))
        return false;
    for (size_t i = 0; i < size; i++)
        self->untracked += names[i] == '\0';
    return true;
}

/* From where the branch began to the files as they are. */
static bool read_work_tree(ReviewRun *self)
{
    g_autofree char *root = NULL, *base = NULL, *diff = NULL;
    if (!git_repo_root(self->cwd, self->cancel, &root, &self->error) ||
        !find_base(self, root, &base))
        return false;
    const char *const args[] = { "-c",
                                 "core.quotePath=false",
                                 "diff",
                                 "--no-color",
                                 "--find-renames",
                                 "--src-prefix=a/",
                                 "--dst-prefix=b/",
                                 base,
                                 NULL };
    if (!git_must(root, args, 0, self->cancel, &diff, &self->error))
        return false;
    self->files = review_files_of_git(diff);
    return count_untracked(self, root);
}

/* Whose pull request it is: --repo, else the remote origin. */
static bool find_repository(ReviewRun *self)
{
    g_auto(RepoRef) ref = { 0 };
    if (self->options->repo) {
        if (!repo_ref_parse(self->options->repo, &ref))
            return fail_with(&self->error, KEDGE_ERROR_USAGE,
                             "--repo must be [HOST/]OWNER/REPO, not %s", self->options->repo);
        const char *slash = strchr(ref.slug, '/');
        self->owner = g_strndup(ref.slug, (size_t)(slash - ref.slug));
        self->repo = g_strdup(slash + 1);
        self->host = g_steal_pointer(&ref.host);
        return true;
    }
    g_autofree char *root = NULL, *raw = NULL, *effective = NULL;
    if (!git_repo_root(self->cwd, self->cancel, &root, &self->error) ||
        !git_remote_urls(root, "origin", self->cancel, &raw, &effective, &self->error))
        return false;
    g_auto(RemoteUrl) url = { 0 };
    if (!effective || !remote_url_parse(effective, &url))
        return fail_with(&self->error, KEDGE_ERROR_NOT_FOUND,
                         "the remote origin names no repository on GitHub: use --repo OWNER/REPO");
    self->owner = g_steal_pointer(&url.owner);
    self->repo = g_steal_pointer(&url.repo);
    self->host = g_steal_pointer(&url.host);
    return true;
}

static bool open_rest(ReviewRun *self, Rest **ret_rest)
{
    const RestOptions options = {
        .host = self->host,
        .is_from_argument = self->host != NULL,
        .uses_login = true,
        .cwd = self->cwd,
        .user_agent_part = "review",
        .max_wait_s = -1,
        .timeout_ms = GITHUB_MS,
        .settings = self->model->settings,
    };
    return rest_new(&options, self->cancel, ret_rest, &self->error);
}

static bool read_pull_request(ReviewRun *self)
{
    g_autoptr(Rest) rest = NULL;
    if (!find_repository(self) || !open_rest(self, &rest))
        return false;
    g_autofree char *path =
        rest_repo_path(self->owner, self->repo, "/pulls/%" G_GINT64_FORMAT, self->options->pr);
    g_autofree char *files = g_strconcat(path, "/files", NULL);
    const RestCall pull = { .method = "GET", .path = path, .operation = "review" };
    const RestCall list = { .method = "GET", .path = files, .operation = "review" };
    g_auto(RestAnswer) answer = { 0 };
    if (!rest_call(rest, &pull, self->cancel, &answer, &self->error))
        return false;
    self->head = g_strdup(json_get_text(json_get_object(answer.body, "head"), "sha"));
    if (!self->head)
        return rest_fail_unreadable("review", &self->error);
    return rest_list(rest, &list, NULL, self->cancel, &self->files, NULL, &self->error);
}

/* An answer that cannot be used goes back with what is wrong with it. */
static bool find(ReviewRun *self)
{
    g_autofree char *whole = review_text(self->files);
    g_autofree char *diff = diff_digest(whole, DIFF_BYTES), *problem = NULL;
    for (int i = 0; i < ATTEMPTS; i++) {
        g_autofree char *instruction =
            diff_instruction(NULL, self->options->context, problem,
                             "Review this change. Answer with the JSON object alone.");
        g_autofree char *text = NULL;
        g_autoptr(GError) fault = NULL;
        const SummaryRequest request = {
            .system = review_system,
            .tag = "diff",
            .transcript = diff,
            .instruction = instruction,
            .max_tokens = ANSWER_TOKENS,
            .reserve_tokens = RESERVE_TOKENS,
        };
        if (!ask_model_text(self->model, &request, self->cancel, &text, &self->error))
            return false;
        if (review_findings_read(text, self->files, &self->review, &fault))
            return true;
        g_free(problem);
        problem = g_strdup(fault->message);
    }
    return fail_with(&self->error, KEDGE_ERROR_PROTOCOL,
                     "the model's findings cannot be used, after %d tries:\n%s", ATTEMPTS, problem);
}

static bool post_pending(ReviewRun *self)
{
    g_autoptr(Rest) rest = NULL;
    if (!open_rest(self, &rest))
        return false;
    g_autofree char *path = rest_repo_path(
        self->owner, self->repo, "/pulls/%" G_GINT64_FORMAT "/reviews", self->options->pr);
    g_autoptr(json_t) body = review_request_body(self->review, self->head);
    const RestCall call = { .method = "POST", .path = path, .body = body, .operation = "review" };
    g_auto(RestAnswer) answer = { 0 };
    if (!rest_call(rest, &call, self->cancel, &answer, &self->error))
        return false;
    self->url = g_strdup(json_get_text(answer.body, "html_url"));
    return true;
}

static void review_work(void *data)
{
    ReviewRun *self = data;
    if (!(self->options->pr ? read_pull_request(self) : read_work_tree(self)))
        return;
    if (json_array_size(self->files) == 0) {
        self->review = json_object();
        json_set_text(self->review, "summary", "Nothing has changed.");
        json_set_take(self->review, "findings", json_array());
        return;
    }
    if (find(self) && self->options->is_pending)
        post_pending(self);
}

static int show(const ReviewRun *self, int signal_number)
{
    if (signal_number)
        return interrupt_exit_code(signal_number);
    if (self->review) { // also when it could not be posted
        g_autofree char *text =
            self->options->is_json ? json_to_pretty(self->review) : review_show(self->review);
        if (!(self->options->is_json ? cmd_print_line(text) : cmd_print(text)))
            return EXIT_FAILED;
    }
    if (self->error)
        return cmd_fail(self->error);
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
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_auto(AskModel) model = { 0 };
    if (!ask_model_open(cmd_load_settings(cwd), cwd, options.model, roles, &model, &error))
        return cmd_fail(error);
    g_auto(ReviewRun) run = { .options = &options,
                              .base = words->len ? words->pdata[0] : NULL,
                              .cwd = cwd,
                              .model = &model,
                              .cancel = cancel };
    return show(&run, interrupt_run(review_work, &run, cancel));
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
