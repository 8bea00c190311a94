/*
 * op: run_watch (github-tool §4): polls one Actions run, or every run of a commit, until it has
 * failed or everything has passed, and reports with the logs of the failed jobs.
 */
#include "base/str.h"
#include "github/gh.h"
#include "github/gh_error.h"
#include "github/git.h"
#include "github/ops/github_args.h"
#include "github/ops/run_report.h"
#include "github/repo_ref.h"
#include "github/safe/gh_call_context.h"
#include "github/text.h"

#define WATCH_INTERVAL_MS   (3 * 1000)
#define WATCH_SLOW_MS       (15 * 1000) // later: an hour would take 1,200 polls of the quota
#define WATCH_SLOW_AFTER_MS (60 * 1000)
#define WATCH_GRACE_MS      (5 * 1000)
#define WATCH_RATE_LIMIT_MS (15 * 1000)
#define WATCH_MAX_RETRIES   5 // in a row
#define WATCH_TAIL_DEFAULT  15
#define WATCH_TAIL_MAX      200

#define NOTE_FAILURE                                                                               \
    "Failure detected. Waiting 5s to capture concurrent failures before fetching logs."
#define NOTE_SUCCESS                                                                               \
    "All known workflow runs completed successfully. Waiting 3s to ensure no additional runs "     \
    "appear for "                                                                                  \
    "this commit."

typedef struct WatchTarget {
    char *repo;
    int64_t run_id; // 0: commit mode
    char *branch, *sha;
    int64_t tail_lines;
} WatchTarget;

static void watch_target_clear(WatchTarget *self)
{
    g_clear_pointer(&self->repo, g_free);
    g_clear_pointer(&self->branch, g_free);
    g_clear_pointer(&self->sha, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WatchTarget, watch_target_clear)

typedef struct Watcher {
    ToolCall *call;
    const WatchTarget *target;
    GPtrArray *runs; // the last snapshot; NULL before the first poll
    unsigned poll;
    int64_t started_at; // when the first poll was made
    bool has_seen_runs;
    bool has_given_up;
} Watcher;

static void watcher_clear(Watcher *self)
{
    g_clear_pointer(&self->runs, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Watcher, watcher_clear)

/* github-tool §5.4: an id, or the URL of a run, whose repository is then in *ret_repo. */
static bool parse_run(ToolCall *call, const char *run, int64_t *ret_id, char **ret_repo,
                      GError **error)
{
    if (text_parse_posint(run, ret_id))
        return true;
    g_auto(GithubUrl) url = { 0 };
    if (!github_url_parse(run, "actions/runs", &url))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "run must be a numeric workflow run ID or a full GitHub Actions run URL");
    g_autofree char *repo = github_url_repo(&url, tool_call_settings(call));
    if (!github_repo_argument(call, repo, false, ret_repo, error)) // is its host known?
        return false;
    *ret_id = url.number;
    return true;
}

/* What can be checked without starting a process. */
static bool check_arguments(ToolCall *call, const GithubArgs *args, WatchTarget *target,
                            GError **error)
{
    g_autofree char *run = github_opt(args->run);
    g_autofree char *url_repo = NULL;
    if (!github_repo_argument(call, args->repo, false, &target->repo, error))
        return false;
    if (run && !parse_run(call, run, &target->run_id, &url_repo, error))
        return false;
    if (target->repo && url_repo &&
        !repo_ref_equal(target->repo, url_repo, tool_call_settings(call)))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "run URL repository does not match the provided repo");
    if (!github_count("tail", args->has_tail, args->tail, WATCH_TAIL_DEFAULT, WATCH_TAIL_MAX,
                      &target->tail_lines, error))
        return false;
    target->branch = run == NULL ? github_opt(args->branch) : NULL;
    if (!target->repo)
        target->repo = g_steal_pointer(&url_repo);
    return true;
}

/* Watching this checkout's commit in another repository would report on the wrong thing. */
static bool check_same_repo(ToolCall *call, const char *repo, GError **error)
{
    g_autoptr(GError) cause = NULL;
    g_autofree char *here = NULL;
    if (!gh_call_here_name(call, &here, &cause) && error_is(cause, KEDGE_ERROR_CANCELLED))
        return pass_error(error, &cause);
    if (here && repo_ref_equal(here, repo, tool_call_settings(call)))
        return true;
    return fail_with(
        error, KEDGE_ERROR_USAGE,
        "Cannot infer the watched commit for %s: current checkout is %s. Pass `branch` or `run` "
        "to scope the watch.",
        repo, here != NULL ? here : "not a GitHub repository");
}

static bool resolve_repo(ToolCall *call, WatchTarget *target, GError **error)
{
    if (target->repo)
        return target->run_id != 0 || target->branch != NULL ||
               check_same_repo(call, target->repo, error);
    g_autoptr(GError) failure = NULL;
    if (gh_call_here_name(call, &target->repo, &failure))
        return true;
    return error_is(failure, KEDGE_ERROR_CANCELLED) ? pass_error(error, &failure)
                                                    : gh_error_no_repository(error);
}

static bool resolve_commit(ToolCall *call, WatchTarget *target, GError **error)
{
    if (target->branch)
        return run_fetch_branch_sha(call, target->repo, target->branch, &target->sha, error);
    Cancel *cancel = tool_call_cancel(call);
    g_autofree char *root = NULL;
    return git_repo_root(tool_call_cwd(call), cancel, &root, error) &&
           git_current_branch(root, cancel, &target->branch, error) &&
           git_head_sha(root, cancel, &target->sha, error);
}

static int64_t elapsed_ms(const Watcher *self)
{
    return tool_call_now_ms(self->call) - self->started_at;
}

static RunWatch watch_now(const Watcher *self, const char *note)
{
    return (RunWatch) {
        .repo = self->target->repo,
        .run_id = self->target->run_id,
        .branch = self->target->branch,
        .sha = self->target->sha,
        .tail_lines = self->target->tail_lines,
        .poll = self->poll,
        .note = note,
        .runs = self->runs,
        .has_given_up = self->has_given_up,
        .waited_s = elapsed_ms(self) / 1000,
    };
}

static void send_update(const Watcher *self, const char *note)
{
    const RunWatch watch = watch_now(self, note);
    g_autofree char *text = run_report_snapshot(&watch);
    g_autoptr(json_t) details = run_report_details(&watch, NULL, tool_call_now_ms(self->call));
    tool_call_update(self->call, text, details);
}

static bool fetch_runs(const Watcher *self, GPtrArray **ret_runs, GError **error)
{
    const WatchTarget *target = self->target;
    if (target->run_id != 0)
        return run_fetch_one(self->call, target->repo, target->run_id, ret_runs, error);
    return run_fetch_commit(self->call, target->repo, target->sha, self->runs, ret_runs, error);
}

static void take_runs(Watcher *self, GPtrArray *runs)
{
    g_clear_pointer(&self->runs, g_ptr_array_unref);
    self->runs = runs;
}

static bool is_rate_limit(const GError *error)
{
    return !error_is(error, KEDGE_ERROR_CANCELLED) &&
           (str_contains_nocase(error->message, "rate limit") ||
            str_contains_nocase(error->message, "HTTP 429") ||
            str_contains_nocase(error->message, "abuse detection"));
}

/* A failure of the way to GitHub, or of GitHub, that is worth another try soon. */
static bool is_transient(const GError *error)
{
    static const char *const words[] = {
        "connection reset",
        "connection refused",
        "broken pipe",
        "unexpected EOF",
        ": EOF",
        "stream error",
        "GOAWAY",
        "timeout",
        "timed out",
        "TLS handshake",
        "error connecting to",
        "no such host",
        "temporary failure in name resolution",
        "network is unreachable",
    };
    if (error_is(error, KEDGE_ERROR_CANCELLED))
        return false;
    if (error_is(error, KEDGE_ERROR_TIMEOUT))
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (str_contains_nocase(error->message, words[i]))
            return true;
    }
    static const char status[] = "http 5";
    g_autofree char *text = g_ascii_strdown(error->message, -1);
    for (const char *at = strstr(text, status); at; at = strstr(at + 1, status)) {
        const char *digits = at + strlen(status);
        if (g_ascii_isdigit(digits[0]) && g_ascii_isdigit(digits[1]))
            return true;
    }
    return false;
}

/* How long to wait before the same poll is made again; 0: its error ends the watch. */
static int64_t retry_wait_ms(const GError *error, unsigned retries)
{
    static const int64_t transient_ms[WATCH_MAX_RETRIES] = { 2000, 4000, 8000, 16000, 30000 };
    if (retries >= WATCH_MAX_RETRIES)
        return 0;
    if (is_rate_limit(error))
        return WATCH_RATE_LIMIT_MS;
    return is_transient(error) ? transient_ms[retries] : 0;
}

/* One turn's fetch and its update. */
static bool poll_once(Watcher *self, GError **error)
{
    if (self->poll++ == 0)
        self->started_at = tool_call_now_ms(self->call);
    for (unsigned retries = 0;; retries++) {
        g_autoptr(GError) cause = NULL;
        GPtrArray *runs = NULL;
        if (fetch_runs(self, &runs, &cause)) {
            take_runs(self, runs);
            self->has_seen_runs = self->has_seen_runs || runs->len > 0;
            send_update(self, NULL);
            return true;
        }
        int64_t wait_ms = retry_wait_ms(cause, retries);
        if (wait_ms == 0)
            return pass_error(error, &cause);
        if (!tool_call_sleep(self->call, wait_ms, error))
            return false;
    }
}

/* Waits for other jobs that are about to fail, and looks once more. What was seen first stays when
   the second look fails or no longer shows a failure (an automatic retry). */
static bool wait_for_more_failures(Watcher *self, GError **error)
{
    send_update(self, NOTE_FAILURE);
    if (!tool_call_sleep(self->call, WATCH_GRACE_MS, error))
        return false;
    g_autoptr(GError) cause = NULL;
    g_autoptr(GPtrArray) runs = NULL;
    if (!fetch_runs(self, &runs, &cause)) {
        if (!error_is(cause, KEDGE_ERROR_CANCELLED))
            return true;
        return pass_error(error, &cause);
    }
    bool still_fails =
        self->target->run_id != 0 ? runs_failed_jobs(runs) > 0 : runs_outcome(runs) == RUN_FAILURE;
    if (still_fails)
        take_runs(self, g_steal_pointer(&runs));
    return true;
}

/* The id of the artifact with the whole logs; NULL when there is nowhere to put it. Caller frees.
 */
static char *save_logs(const Watcher *self, const RunWatch *watch, const GArray *logs)
{
    Artifacts *artifacts = tool_call_artifacts(self->call);
    if (!artifacts)
        return NULL;
    g_autofree char *full = run_report_final(watch, logs, true);
    g_autoptr(GError) error = NULL; // the report is worth more than the artifact
    char *id = NULL;
    return artifacts_save(artifacts, "github", full, strlen(full), &id, &error) ? id : NULL;
}

static bool watcher_report(Watcher *self, bool is_failure, ToolResult *result, GError **error)
{
    g_autoptr(GArray) logs = NULL;
    if (!job_logs_fetch(self->call, self->target->repo, self->runs, &logs, error) ||
        !cancel_check(tool_call_cancel(self->call), error))
        return false;
    const RunWatch watch = watch_now(self, NULL);
    g_autofree char *text = run_report_final(&watch, logs, false);
    g_autofree char *artifact_id = is_failure ? save_logs(self, &watch, logs) : NULL;
    g_autoptr(GString) out = g_string_new(text);
    if (artifact_id)
        g_string_append_printf(out, "\n\nFull failed-job logs: artifact://%s", artifact_id);
    tool_result_add_text(result, out->str);

    g_autoptr(json_t) details = run_report_details(&watch, logs, tool_call_now_ms(self->call));
    json_set_text(details, "artifactId", artifact_id);
    json_object_update(tool_result_details(result), details);
    const WatchedRun *run = self->target->run_id != 0 ? g_ptr_array_index(self->runs, 0) : NULL;
    if (run && run->url)
        tool_result_set_source_url(result, run->url);
    return true;
}

static int64_t interval_ms(const Watcher *self)
{
    return elapsed_ms(self) < WATCH_SLOW_AFTER_MS ? WATCH_INTERVAL_MS : WATCH_SLOW_MS;
}

static bool watch_run(Watcher *self, ToolResult *result, GError **error)
{
    for (;;) {
        if (!poll_once(self, error))
            return false;
        bool is_completed = run_is_completed(g_ptr_array_index(self->runs, 0));
        if (runs_failed_jobs(self->runs) > 0)
            return (is_completed || wait_for_more_failures(self, error)) &&
                   watcher_report(self, true, result, error);
        if (is_completed)
            return watcher_report(self, false, result, error);
        if (!tool_call_sleep(self->call, interval_ms(self), error))
            return false;
    }
}

static int compare_ids(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* The run ids in order, joined with commas. Caller frees. */
static char *runs_signature(const GPtrArray *runs)
{
    g_autoptr(GArray) ids = g_array_new(false, false, sizeof(int64_t));
    for (unsigned i = 0; i < runs->len; i++)
        g_array_append_val(ids, ((WatchedRun *)g_ptr_array_index(runs, i))->id);
    g_array_sort(ids, compare_ids);
    GString *out = g_string_new(NULL);
    for (unsigned i = 0; i < ids->len; i++)
        g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "",
                               g_array_index(ids, int64_t, i));
    return g_string_free(out, false);
}

/* What is left of the time in which a run must have appeared; -1: there is no such time. */
static int64_t patience_ms(const Watcher *self)
{
    int64_t allowed_s =
        settings_get_int(tool_call_settings(self->call), "github.watch.noRunsAfter");
    if (self->has_seen_runs || allowed_s <= 0 || allowed_s > G_MAXINT32)
        return -1;
    return MAX(allowed_s * 1000 - elapsed_ms(self), 0);
}

static bool watch_commit(Watcher *self, ToolResult *result, GError **error)
{
    g_autofree char *passed = NULL; // signature of the last success
    for (;;) {
        if (!poll_once(self, error))
            return false;
        RunOutcome outcome = runs_outcome(self->runs);
        if (outcome == RUN_FAILURE)
            return wait_for_more_failures(self, error) && watcher_report(self, true, result, error);

        g_autofree char *signature = outcome == RUN_SUCCESS ? runs_signature(self->runs) : NULL;
        if (signature && g_strcmp0(signature, passed) == 0)
            return watcher_report(self, false, result, error);
        int64_t patience = patience_ms(self);
        if (patience == 0) {
            self->has_given_up = true;
            return watcher_report(self, false, result, error);
        }
        if (signature)
            send_update(self, NOTE_SUCCESS);
        int64_t wait_ms = signature != NULL ? WATCH_INTERVAL_MS : interval_ms(self);
        if (patience > 0)
            wait_ms = MIN(wait_ms, patience);
        g_free(passed);
        passed = g_steal_pointer(&signature);
        if (!tool_call_sleep(self->call, wait_ms, error))
            return false;
    }
}

bool github_run_watch(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error)
{
    g_auto(WatchTarget) target = { 0 };
    if (!check_arguments(call, args, &target, error) || !resolve_repo(call, &target, error))
        return false;
    g_auto(Watcher) watcher = { .call = call, .target = &target };
    if (target.run_id != 0)
        return watch_run(&watcher, result, error);
    return resolve_commit(call, &target, error) && watch_commit(&watcher, result, error);
}
