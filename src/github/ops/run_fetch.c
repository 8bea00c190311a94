/*
 * Reading runs and jobs through `gh api`.
 */
#include "github/ops/run_fetch.h"

#include "base/str.h"
#include "base/worker.h"
#include "github/fan_out.h"
#include "github/gh.h"
#include "github/repo_ref.h"
#include "github/text.h"

#define JOBS_PER_PAGE  100
#define JOBS_MAX_PAGES 100 // a server that never ends its list must not keep us

static void job_free(void *data)
{
    RunJob *self = data;
    g_free(self->name);
    g_free(self->status);
    g_free(self->conclusion);
    g_free(self->started_at);
    g_free(self->completed_at);
    g_free(self->url);
    g_free(self->step_started_at);
    g_free(self->step_completed_at);
    g_free(self);
}

static void run_free(void *data)
{
    WatchedRun *self = data;
    g_free(self->workflow);
    g_free(self->title);
    g_free(self->status);
    g_free(self->conclusion);
    g_free(self->branch);
    g_free(self->head_sha);
    g_free(self->created_at);
    g_free(self->updated_at);
    g_free(self->url);
    g_clear_pointer(&self->jobs, g_ptr_array_unref);
    g_free(self);
}

bool run_is_completed(const WatchedRun *run)
{
    return g_strcmp0(run->status, "completed") == 0;
}

/* Of a job, or one of its steps. */
static bool is_failure(const char *conclusion)
{
    static const char *const failed[] = { "failure", "timed_out", "cancelled", "action_required",
                                          NULL };
    return conclusion != NULL && g_strv_contains(failed, conclusion);
}

bool run_job_has_failed(const RunJob *job)
{
    return is_failure(job->conclusion);
}

RunOutcome run_outcome(const WatchedRun *run)
{
    static const char *const success[] = { "success", "neutral", "skipped", NULL };
    static const char *const failure[] = {
        "failure", "timed_out", "cancelled", "action_required", "startup_failure", "stale", NULL
    };
    if (!run_is_completed(run) || !run->conclusion)
        return RUN_PENDING;
    if (g_strv_contains(success, run->conclusion))
        return RUN_SUCCESS;
    return g_strv_contains(failure, run->conclusion) ? RUN_FAILURE : RUN_PENDING;
}

static unsigned run_failed_jobs(const WatchedRun *run)
{
    unsigned count = 0;
    for (unsigned i = 0; i < run->jobs->len; i++)
        count += run_job_has_failed(g_ptr_array_index(run->jobs, i)) ? 1 : 0;
    return count;
}

unsigned runs_failed_jobs(const GPtrArray *runs)
{
    unsigned count = 0;
    for (unsigned i = 0; i < runs->len; i++)
        count += run_failed_jobs(g_ptr_array_index(runs, i));
    return count;
}

unsigned runs_completed(const GPtrArray *runs)
{
    unsigned count = 0;
    for (unsigned i = 0; i < runs->len; i++)
        count += run_is_completed(g_ptr_array_index(runs, i)) ? 1 : 0;
    return count;
}

RunOutcome runs_outcome(const GPtrArray *runs)
{
    bool is_pending = runs->len == 0;
    for (unsigned i = 0; i < runs->len; i++) {
        const WatchedRun *run = g_ptr_array_index(runs, i);
        RunOutcome outcome = run_outcome(run);
        if (outcome == RUN_FAILURE || run_failed_jobs(run) > 0)
            return RUN_FAILURE;
        is_pending = is_pending || outcome == RUN_PENDING;
    }
    return is_pending ? RUN_PENDING : RUN_SUCCESS;
}

/* The text, or NULL when missing (github-tool §0.1). Caller frees. */
static char *run_fetch_field(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return str_is_empty(text) ? NULL : g_strdup(text);
}

static void read_failing_step(RunJob *job, const json_t *steps)
{
    for (size_t i = json_array_size(steps); i > 0; i--) {
        const json_t *step = json_array_get(steps, i - 1);
        if (!is_failure(json_get_text(step, "conclusion")))
            continue;
        job->step_started_at = run_fetch_field(step, "started_at");
        job->step_completed_at = run_fetch_field(step, "completed_at");
        return;
    }
}

/* NULL when it has no numeric id. */
static RunJob *job_read(const json_t *reply)
{
    int64_t id = json_get_int(reply, "id", 0);
    if (id <= 0)
        return NULL;
    RunJob *job = g_new0(RunJob, 1);
    job->id = id;
    job->name = run_fetch_field(reply, "name");
    if (!job->name)
        job->name = g_strdup_printf("job-%" G_GINT64_FORMAT, id);
    job->status = run_fetch_field(reply, "status");
    job->conclusion = run_fetch_field(reply, "conclusion");
    job->started_at = run_fetch_field(reply, "started_at");
    job->completed_at = run_fetch_field(reply, "completed_at");
    job->url = run_fetch_field(reply, "html_url");
    read_failing_step(job, json_get_array(reply, "steps"));
    return job;
}

/* Without jobs yet; NULL when it has no numeric id. */
static WatchedRun *run_read(const json_t *reply)
{
    int64_t id = json_get_int(reply, "id", 0);
    if (id <= 0)
        return NULL;
    WatchedRun *run = g_new0(WatchedRun, 1);
    run->id = id;
    run->workflow = run_fetch_field(reply, "name");
    run->title = run_fetch_field(reply, "display_title");
    run->status = run_fetch_field(reply, "status");
    run->conclusion = run_fetch_field(reply, "conclusion");
    run->branch = run_fetch_field(reply, "head_branch");
    run->head_sha = run_fetch_field(reply, "head_sha");
    run->created_at = run_fetch_field(reply, "created_at");
    run->updated_at = run_fetch_field(reply, "updated_at");
    run->url = run_fetch_field(reply, "html_url");
    return run;
}

char **run_api_argv(const char *repo, bool has_method, const char *path, ...)
{
    g_auto(RepoRef) reference = { 0 };
    bool is_reference = repo_ref_parse(repo, &reference);
    g_assert(is_reference);

    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    g_strv_builder_add(argv, "api");
    if (reference.host)
        g_strv_builder_add_many(argv, "--hostname", reference.host, NULL);
    if (has_method)
        g_strv_builder_add_many(argv, "--method", "GET", NULL);
    g_autofree char *whole = g_strconcat("/repos/", reference.slug, path, NULL);
    g_strv_builder_add(argv, whole);

    va_list list;
    va_start(list, path);
    for (const char *text = va_arg(list, const char *); text; text = va_arg(list, const char *))
        g_strv_builder_add_many(argv, "-F", text, NULL);
    va_end(list);
    return g_strv_builder_end(argv);
}

static bool api_json(ToolCall *call, char *const *argv, json_t **ret_reply, GError **error)
{
    const GhSpec spec = { .argv = (const char *const *)argv, .has_explicit_repo = true };
    return gh_json(call, &spec, JSON_OBJECT, ret_reply, error);
}

bool run_fetch_branch_sha(ToolCall *call, const char *repo, const char *branch, char **ret_sha,
                          GError **error)
{
    g_autofree char *encoded = text_percent_encode(branch);
    g_autofree char *path = g_strconcat("/branches/", encoded, NULL);
    g_auto(GStrv) argv = run_api_argv(repo, true, path, NULL);
    g_autoptr(json_t) reply = NULL;
    if (!api_json(call, argv, &reply, error))
        return false;
    *ret_sha = run_fetch_field(json_get_object(reply, "commit"), "sha");
    if (!*ret_sha)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "head SHA for branch %s must not be empty",
                         branch);
    return true;
}

static bool fetch_jobs(ToolCall *call, const char *repo, int64_t id, GPtrArray **ret_jobs,
                       GError **error)
{
    g_autoptr(GPtrArray) jobs = g_ptr_array_new_with_free_func(job_free);
    g_autofree char *path = g_strdup_printf("/actions/runs/%" G_GINT64_FORMAT "/jobs", id);
    int64_t collected = 0;
    for (unsigned page = 1; page <= JOBS_MAX_PAGES; page++) {
        g_autofree char *parameter = g_strdup_printf("page=%u", page);
        g_auto(GStrv) argv = run_api_argv(repo, true, path, "per_page=100", parameter, NULL);
        g_autoptr(json_t) reply = NULL;
        if (!api_json(call, argv, &reply, error))
            return false;

        const json_t *items = json_get_array(reply, "jobs");
        for (size_t i = 0; i < json_array_size(items); i++) {
            RunJob *job = job_read(json_array_get(items, i));
            if (job)
                g_ptr_array_add(jobs, job);
        }
        collected += (int64_t)json_array_size(items);
        if (json_array_size(items) < JOBS_PER_PAGE ||
            collected >= json_get_int(reply, "total_count", G_MAXINT64))
            break;
    }
    *ret_jobs = g_steal_pointer(&jobs);
    return true;
}

typedef struct JobsFetch {
    ToolCall *call;
    const char *repo;
    WatchedRun *run; // gets the jobs
    int64_t id;
    GPtrArray *jobs;
    GError *error;
} JobsFetch;

static void jobs_fetch_run(void *data)
{
    JobsFetch *self = data;
    fetch_jobs(self->call, self->repo, self->id, &self->jobs, &self->error);
}

static void jobs_fetch_clear(void *data)
{
    JobsFetch *self = data;
    g_clear_pointer(&self->jobs, g_ptr_array_unref);
    g_clear_error(&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(JobsFetch, jobs_fetch_clear)

static bool fetch_run(ToolCall *call, const char *repo, int64_t id, WatchedRun **ret_run,
                      GError **error)
{
    g_autofree char *path = g_strdup_printf("/actions/runs/%" G_GINT64_FORMAT, id);
    g_auto(GStrv) argv = run_api_argv(repo, true, path, NULL);
    g_autoptr(json_t) reply = NULL;
    if (!api_json(call, argv, &reply, error))
        return false;
    *ret_run = run_read(reply);
    if (!*ret_run)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "GitHub Actions run response did not include a run ID.");
    return true;
}

bool run_fetch_one(ToolCall *call, const char *repo, int64_t id, GPtrArray **ret_runs,
                   GError **error)
{
    g_auto(JobsFetch) fetch = { .call = call, .repo = repo, .id = id };
    Worker *worker = worker_start("run-jobs", jobs_fetch_run, &fetch);
    WatchedRun *run = NULL;
    bool is_ok = fetch_run(call, repo, id, &run, error);
    worker_join(worker);
    if (!is_ok)
        return false;
    if (!worker)
        jobs_fetch_run(&fetch); // no thread to be had: one after the other

    g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func(run_free);
    g_ptr_array_add(runs, run);
    if (fetch.error)
        return pass_error(error, &fetch.error);
    run->jobs = g_steal_pointer(&fetch.jobs);
    *ret_runs = g_steal_pointer(&runs);
    return true;
}

/* Nothing more can happen to its jobs, unless the run changes. */
static bool has_settled_jobs(const WatchedRun *run)
{
    for (unsigned i = 0; i < run->jobs->len; i++) {
        const RunJob *job = g_ptr_array_index(run->jobs, i);
        if (g_strcmp0(job->status, "completed") != 0)
            return false;
    }
    return run->jobs->len > 0 && run_is_completed(run);
}

/* The jobs read before, or NULL when they have to be read (again). */
static GPtrArray *known_jobs(const GPtrArray *previous, const WatchedRun *run)
{
    for (unsigned i = 0; previous && i < previous->len; i++) {
        const WatchedRun *old = g_ptr_array_index(previous, i);
        if (old->id == run->id && run_is_completed(run) && has_settled_jobs(old) &&
            g_strcmp0(old->updated_at, run->updated_at) == 0 &&
            g_strcmp0(old->conclusion, run->conclusion) == 0)
            return g_ptr_array_ref(old->jobs);
    }
    return NULL;
}

/* Fills in the jobs of every run that has none yet. */
static bool fetch_all_jobs(ToolCall *call, const char *repo, const GPtrArray *runs, GError **error)
{
    g_autoptr(GArray) fetches = g_array_new(false, true, sizeof(JobsFetch));
    g_array_set_clear_func(fetches, jobs_fetch_clear);
    for (unsigned i = 0; i < runs->len; i++) {
        WatchedRun *run = g_ptr_array_index(runs, i);
        const JobsFetch fetch = { .call = call, .repo = repo, .run = run, .id = run->id };
        if (!run->jobs)
            g_array_append_val(fetches, fetch);
    }
    fan_out(fetches->data, fetches->len, sizeof(JobsFetch), jobs_fetch_run);
    for (unsigned i = 0; i < fetches->len; i++) {
        JobsFetch *fetch = &g_array_index(fetches, JobsFetch, i);
        if (fetch->error)
            return pass_error(error, &fetch->error);
        fetch->run->jobs = g_steal_pointer(&fetch->jobs);
    }
    return true;
}

bool run_fetch_commit(ToolCall *call, const char *repo, const char *sha, const GPtrArray *previous,
                      GPtrArray **ret_runs, GError **error)
{
    g_autofree char *head = g_strconcat("head_sha=", sha, NULL);
    g_auto(GStrv) argv = run_api_argv(repo, true, "/actions/runs", head, "per_page=100", NULL);
    g_autoptr(json_t) reply = NULL;
    if (!api_json(call, argv, &reply, error))
        return false;

    g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func(run_free);
    const json_t *items = json_get_array(reply, "workflow_runs");
    for (size_t i = 0; i < json_array_size(items); i++) {
        WatchedRun *run = run_read(json_array_get(items, i));
        if (!run)
            continue;
        run->jobs = known_jobs(previous, run);
        g_ptr_array_add(runs, run);
    }
    if (!fetch_all_jobs(call, repo, runs, error))
        return false;
    *ret_runs = g_steal_pointer(&runs);
    return true;
}
