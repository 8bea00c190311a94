/* See review.h. */
#include "changes/review.h"

#include "base/hidden.h"
#include "changes/diff_digest.h"
#include "changes/diff_question.h"
#include "changes/review_diff.h"
#include "changes/review_findings.h"
#include "github/git.h"
#include "github/remote_url.h"
#include "github/repo_ref.h"
#include "github/rest/rest.h"

#define DIFF_BYTES     ((size_t)400 * 1024) // that the model gets
#define ANSWER_TOKENS  16000
#define RESERVE_TOKENS 24000
#define GITHUB_MS      (5 * 60 * 1000)

typedef struct Work {
    const ReviewSpec *spec;
    Cancel *cancel;
    ChangeReview *result;
    char *owner, *repo, *host; // of the pull request
    char *head;                // its commit
    json_t *files;
} Work;

static void work_clear(Work *self)
{
    g_free(self->owner);
    g_free(self->repo);
    g_free(self->host);
    g_free(self->head);
    json_decref(self->files);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Work, work_clear)

void change_review_clear(ChangeReview *self)
{
    json_decref(self->findings);
    g_free(self->url);
    *self = (ChangeReview) { 0 };
}

static void review_tell(const Work *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void review_tell(const Work *self, const char *format, ...)
{
    if (!self->spec->tell)
        return;
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    self->spec->tell(self->spec->data, text);
}

// ---- a work tree ----

/* The first of these that there is, when no base is named. */
static bool find_base(Work *self, const char *root, char **ret_base, GError **error)
{
    const char *const names[] = { self->spec->base, "origin/HEAD", "origin/main",
                                  "origin/master",  "main",        "master" };
    for (size_t i = self->spec->base ? 0 : 1; i < (self->spec->base ? 1 : G_N_ELEMENTS(names));
         i++) {
        const char *const args[] = { "merge-base", "--end-of-options", names[i], "HEAD", NULL };
        g_auto(GitResult) result = { 0 };
        if (!git_run(root, args, 0, self->cancel, &result, error))
            return false;
        if (result.exit_status == 0) {
            *ret_base = g_strdup(result.output);
            return true;
        }
    }
    return self->spec->base
               ? fail_with(error, KEDGE_ERROR_NOT_FOUND,
                           "no commit %s that HEAD has something in common with", self->spec->base)
               : fail_with(error, KEDGE_ERROR_NOT_FOUND,
                           "no branch main or master here or at origin: name the commit to "
                           "compare with");
}

/* A diff has no files that git does not know: a person who forgot one should hear of it. */
static bool count_untracked(Work *self, const char *root, GError **error)
{
    const char *const args[] = { "ls-files", "-z", "--others", "--exclude-standard", NULL };
    g_autofree char *names = NULL;
    size_t size = 0;
    if (!git_must_bytes(root, args, self->cancel, &names, &size, error))
        return false;
    for (size_t i = 0; i < size; i++)
        self->result->untracked += names[i] == '\0';
    return true;
}

/* From where the branch began to the files as they are. */
static bool read_work_tree(Work *self, GError **error)
{
    g_autofree char *root = NULL, *base = NULL, *diff = NULL;
    if (!git_repo_root(self->spec->cwd, self->cancel, &root, error) ||
        !find_base(self, root, &base, error))
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
    if (!git_must(root, args, 0, self->cancel, &diff, error))
        return false;
    self->files = review_files_of_git(diff);
    return count_untracked(self, root, error);
}

// ---- a pull request ----

/* Whose pull request it is: --repo, else the remote origin. */
static bool find_repository(Work *self, GError **error)
{
    g_auto(RepoRef) ref = { 0 };
    if (self->spec->repo) {
        if (!repo_ref_parse(self->spec->repo, &ref))
            return fail_with(error, KEDGE_ERROR_USAGE, "--repo must be [HOST/]OWNER/REPO, not %s",
                             self->spec->repo);
        const char *slash = strchr(ref.slug, '/');
        self->owner = g_strndup(ref.slug, (size_t)(slash - ref.slug));
        self->repo = g_strdup(slash + 1);
        self->host = g_steal_pointer(&ref.host);
        return true;
    }
    g_autofree char *root = NULL, *raw = NULL, *effective = NULL;
    if (!git_repo_root(self->spec->cwd, self->cancel, &root, error) ||
        !git_remote_urls(root, "origin", self->cancel, &raw, &effective, error))
        return false;
    g_auto(RemoteUrl) url = { 0 };
    if (!effective || !remote_url_parse(effective, &url))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "the remote origin names no repository on GitHub: use --repo OWNER/REPO");
    self->owner = g_steal_pointer(&url.owner);
    self->repo = g_steal_pointer(&url.repo);
    self->host = g_steal_pointer(&url.host);
    return true;
}

static bool open_rest(Work *self, Rest **ret_rest, GError **error)
{
    g_autofree char *repo = g_strconcat(self->owner, "/", self->repo, NULL);
    const RestOptions options = {
        .repo = repo,
        .host = self->host,
        .is_from_argument = self->host,
        .honours_api_url = true,
        .uses_login = true,
        .cwd = self->spec->cwd,
        .user_agent_part = "review",
        .max_wait_s = -1,
        .timeout_ms = GITHUB_MS,
        .settings = self->spec->model->settings,
    };
    return rest_new(&options, self->cancel, ret_rest, error);
}

static bool read_pull_request(Work *self, GError **error)
{
    g_autoptr(Rest) rest = NULL;
    if (!find_repository(self, error) || !open_rest(self, &rest, error))
        return false;
    g_autofree char *path =
        rest_repo_path(self->owner, self->repo, "/pulls/%" G_GINT64_FORMAT, self->spec->pr);
    g_autofree char *files = g_strconcat(path, "/files", NULL);
    const RestCall pull = { .method = "GET", .path = path, .operation = "review" };
    const RestCall list = { .method = "GET", .path = files, .operation = "review" };
    g_auto(RestAnswer) answer = { 0 };
    if (!rest_call(rest, &pull, self->cancel, &answer, error))
        return false;
    self->head = g_strdup(json_get_text(json_get_object(answer.body, "head"), "sha"));
    if (!self->head)
        return rest_fail_unreadable("review", error);
    g_autoptr(json_t) listed = NULL;
    if (!rest_list(rest, &list, NULL, self->cancel, &listed, NULL, error))
        return false;
    HiddenCount hidden = { 0 };
    self->files = hidden_remove_json(listed, &hidden); // its author may be anyone
    return true;
}

// ---- the review ----

static bool take_findings(void *work, const char *answer, GError **error)
{
    Work *self = work;
    return review_findings_read(answer, self->files, &self->result->findings, error);
}

static bool review_ask(Work *self, GError **error)
{
    g_autofree char *whole = review_text(self->files);
    g_autofree char *diff = diff_digest(whole, DIFF_BYTES), *problem = NULL;
    const DiffQuestion question = {
        .model = self->spec->model,
        .system = review_system,
        .diff = diff,
        .context = self->spec->context,
        .task = "Review this change. Answer with the JSON object alone.",
        .answer_tokens = ANSWER_TOKENS,
        .reserve_tokens = RESERVE_TOKENS,
        .take = take_findings,
        .data = self,
    };
    size_t count = json_array_size(self->files);
    review_tell(self, "%s reviews %zu file%s", self->spec->model->model->id, count,
                count == 1 ? "" : "s");
    if (!diff_question_ask(&question, self->cancel, &problem, error))
        return false;
    return !problem || fail_with(error, KEDGE_ERROR_PROTOCOL,
                                 "the model's findings cannot be used, after %d tries:\n%s",
                                 DIFF_ATTEMPTS, problem);
}

static bool post_pending(Work *self, GError **error)
{
    g_autoptr(Rest) rest = NULL;
    if (!open_rest(self, &rest, error))
        return false;
    g_autofree char *path = rest_repo_path(self->owner, self->repo,
                                           "/pulls/%" G_GINT64_FORMAT "/reviews", self->spec->pr);
    g_autoptr(json_t) body = review_request_body(self->result->findings, self->head);
    const RestCall call = { .method = "POST", .path = path, .body = body, .operation = "review" };
    g_auto(RestAnswer) answer = { 0 };
    if (!rest_call(rest, &call, self->cancel, &answer, error))
        return false;
    self->result->url = g_strdup(json_get_text(answer.body, "html_url"));
    return true;
}

/* GitHub keeps one review of each person that is not sent yet, and refuses a second: known before a
   model is paid. */
static bool check_no_pending(Work *self, GError **error)
{
    g_autoptr(Rest) rest = NULL;
    g_autoptr(json_t) reviews = NULL;
    if (!open_rest(self, &rest, error))
        return false;
    g_autofree char *path = rest_repo_path(self->owner, self->repo,
                                           "/pulls/%" G_GINT64_FORMAT "/reviews", self->spec->pr);
    const RestCall call = { .method = "GET", .path = path, .operation = "review" };
    if (!rest_list(rest, &call, NULL, self->cancel, &reviews, NULL, error))
        return false;
    json_each (reviews, i, review) {
        if (g_strcmp0(json_get_text(review, "state"), "PENDING") != 0) // of others none is listed
            continue;
        const char *url = json_get_text(review, "html_url");
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "you have a review of this pull request that is not sent yet; send or "
                         "discard it first: %s",
                         url ? url : "look at its files on GitHub");
    }
    return true;
}

static bool read_change(Work *self, GError **error)
{
    if (self->spec->pr == 0)
        return read_work_tree(self, error);
    review_tell(self, "reading pull request %" G_GINT64_FORMAT, self->spec->pr);
    return read_pull_request(self, error);
}

bool change_review(const ReviewSpec *spec, Cancel *cancel, ChangeReview *ret_review, GError **error)
{
    g_auto(Work) self = { .spec = spec, .cancel = cancel, .result = ret_review };
    if (!read_change(&self, error))
        return false;
    if (json_array_size(self.files) == 0) {
        ret_review->findings =
            json_pack("{s:s, s:[]}", "summary", "Nothing has changed.", "findings");
        return true;
    }
    if (spec->is_pending && !check_no_pending(&self, error))
        return false;
    return review_ask(&self, error) && (!spec->is_pending || post_pending(&self, error));
}
