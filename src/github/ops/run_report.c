/* See run_report.h. */
#include "github/ops/run_report.h"

#include "base/utf8.h"
#include "github/text.h"

static void line_count(GString *out, const char *label, unsigned count)
{
    g_string_append_printf(out, "%s: %u\n", label, count);
}

static void jobs_block(GString *out, const GPtrArray *jobs)
{
    if (jobs->len == 0) {
        g_string_append(out, "## Jobs\n\nNo jobs reported yet.\n");
        return;
    }
    g_string_append_printf(out, "## Jobs (%u)\n\n", jobs->len);
    for (unsigned i = 0; i < jobs->len; i++) {
        const RunJob *job = g_ptr_array_index(jobs, i);
        const char *state = job->conclusion != NULL ? job->conclusion : job->status;
        g_string_append_printf(out, "- [%s] %s\n", state != NULL ? state : "unknown", job->name);
        text_line(out, "  ", "Started", job->started_at);
        text_line(out, "  ", "Completed", job->completed_at);
        text_line(out, "  ", "URL", job->url);
    }
}

static void state_lines(GString *out, const WatchedRun *run)
{
    text_line(out, "", "Status", run->status);
    text_line(out, "", "Conclusion", run->conclusion);
    text_line(out, "", "Created", run->created_at);
    text_line(out, "", "Updated", run->updated_at);
    text_line(out, "", "URL", run->url);
}

/* Run mode, up to and without the jobs. */
static void run_head(GString *out, const RunWatch *watch, const WatchedRun *run, bool is_final)
{
    g_string_append_printf(out, "# %s Run #%" G_GINT64_FORMAT "\n\n",
                           is_final ? "GitHub Actions" : "Watching GitHub Actions", run->id);
    text_line(out, "", "Repository", watch->repo);
    text_line(out, "", "Workflow", run->workflow);
    text_line(out, "", "Title", run->title);
    text_line(out, "", "Branch", run->branch);
    state_lines(out, run);
}

/* Commit mode: one run with its jobs, after a blank line. */
static void run_block(GString *out, const WatchedRun *run)
{
    g_string_append_printf(out, "\n### Run #%" G_GINT64_FORMAT, run->id);
    if (run->workflow)
        g_string_append_printf(out, " - %s", run->workflow);
    g_string_append(out, "\n\n");
    g_autofree char *sha = run->head_sha != NULL ? text_sha12(run->head_sha) : NULL;
    text_line(out, "", "Title", run->title);
    text_line(out, "", "Branch", run->branch);
    text_line(out, "", "Commit", sha);
    state_lines(out, run);
    g_string_append_c(out, '\n');
    jobs_block(out, run->jobs);
}

static void commit_head(GString *out, const RunWatch *watch, const char *heading)
{
    g_autofree char *sha = text_sha12(watch->sha);
    g_string_append_printf(out, "# %s %s\n\n", heading, sha);
    text_line(out, "", "Repository", watch->repo);
    text_line(out, "", "Branch", watch->branch);
    text_line(out, "", "Commit", watch->sha);
}

static void failed_count_and_note(GString *out, const RunWatch *watch)
{
    unsigned failed = runs_failed_jobs(watch->runs);
    if (failed > 0)
        line_count(out, "Failed jobs", failed);
    if (watch->note)
        g_string_append_printf(out, "\nNote: %s\n", watch->note);
}

char *run_report_snapshot(const RunWatch *watch)
{
    g_autoptr(GString) out = g_string_new(NULL);
    const GPtrArray *runs = watch->runs;
    if (watch->run_id != 0) {
        const WatchedRun *run = g_ptr_array_index(runs, 0);
        run_head(out, watch, run, false);
        line_count(out, "Poll", watch->poll);
        failed_count_and_note(out, watch);
        g_string_append_c(out, '\n');
        jobs_block(out, run->jobs);
        return utf8_trim(out->str);
    }

    commit_head(out, watch, "Watching GitHub Actions for");
    line_count(out, "Poll", watch->poll);
    line_count(out, "Runs", runs->len);
    g_string_append_printf(out, "Completed runs: %u/%u\n", runs_completed(runs), runs->len);
    failed_count_and_note(out, watch);
    if (runs->len == 0)
        g_string_append(out, "\nWaiting for workflow runs for this commit.\n");
    for (unsigned i = 0; i < runs->len; i++)
        run_block(out, g_ptr_array_index(runs, i));
    return utf8_trim(out->str);
}

static void log_block(GString *out, const RunWatch *watch, const JobLog *log, bool is_full)
{
    g_string_append_printf(out, "### %s [%s]\nRun: #%" G_GINT64_FORMAT "\n", log->job->name,
                           log->job->conclusion, log->run->id);
    text_line(out, "", "Workflow", log->run->workflow);
    text_line(out, "", "Started", log->job->started_at);
    text_line(out, "", "Completed", log->job->completed_at);
    text_line(out, "", "URL", log->job->url);
    g_string_append_c(out, '\n');
    if (!log->full) {
        g_string_append_printf(out, "%s unavailable: %s\n\n", is_full ? "Full log" : "Log tail",
                               log->failure);
        return;
    }
    if (is_full) {
        g_autofree char *fence = text_fence(log->full);
        g_string_append_printf(out, "Full log:\n%stext\n%s\n%s\n\n", fence, log->full, fence);
        return;
    }
    g_auto(LogTail) tail = { 0 };
    log_tail_read(log, watch->tail_lines, &tail);
    if (tail.is_around_an_error)
        g_string_append_printf(out, "Log lines %zu-%zu of %zu, around the last error:\n",
                               tail.first, tail.last, tail.total);
    else
        g_string_append_printf(out, "Last %" G_GINT64_FORMAT " log lines:\n", watch->tail_lines);
    g_autofree char *fence = text_fence(tail.text);
    g_string_append_printf(out, "%stext\n%s\n%s\n\n", fence, tail.text, fence);
}

/* Nothing failed: somebody stopped it. */
static bool was_cancelled(const WatchedRun *run)
{
    if (g_strcmp0(run->conclusion, "cancelled") != 0)
        return false;
    for (unsigned i = 0; i < run->jobs->len; i++) {
        const RunJob *job = g_ptr_array_index(run->jobs, i);
        if (run_job_has_failed(job) && g_strcmp0(job->conclusion, "cancelled") != 0)
            return false;
    }
    return true;
}

static bool were_cancelled(const GPtrArray *runs)
{
    bool is_any = false;
    for (unsigned i = 0; i < runs->len; i++) {
        const WatchedRun *run = g_ptr_array_index(runs, i);
        if (run_outcome(run) == RUN_FAILURE && !was_cancelled(run))
            return false;
        is_any |= was_cancelled(run);
    }
    return is_any;
}

static const char *final_ending(const RunWatch *watch, bool has_failed_jobs)
{
    if (were_cancelled(watch->runs))
        return watch->run_id != 0 ? "The run was cancelled."
                                  : "Workflow runs for this commit were cancelled.";
    if (watch->run_id != 0) {
        if (has_failed_jobs)
            return "Run failed.";
        return run_outcome(g_ptr_array_index(watch->runs, 0)) == RUN_SUCCESS
                   ? "All jobs passed."
                   : "Run completed without successful jobs, but no failed job logs were "
                     "available.";
    }
    if (has_failed_jobs)
        return "Workflow runs for this commit failed.";
    return runs_outcome(watch->runs) == RUN_SUCCESS
               ? "All workflow runs for this commit passed."
               : "Workflow runs for this commit did not complete successfully.";
}

char *run_report_final(const RunWatch *watch, const GArray *logs, bool is_full)
{
    g_autoptr(GString) out = g_string_new(NULL);
    if (watch->run_id != 0) {
        const WatchedRun *run = g_ptr_array_index(watch->runs, 0);
        run_head(out, watch, run, true);
        g_string_append_c(out, '\n');
        jobs_block(out, run->jobs);
    } else {
        commit_head(out, watch, "GitHub Actions for");
        line_count(out, "Runs", watch->runs->len);
        for (unsigned i = 0; i < watch->runs->len; i++)
            run_block(out, g_ptr_array_index(watch->runs, i));
    }
    g_string_append_c(out, '\n');
    if (logs->len > 0)
        g_string_append(out, were_cancelled(watch->runs) ? "## Cancelled Jobs\n\n"
                                                         : "## Failed Jobs\n\n");
    for (unsigned i = 0; i < logs->len; i++)
        log_block(out, watch, &g_array_index(logs, JobLog, i), is_full);
    if (watch->has_given_up) {
        g_autofree char *sha = text_sha12(watch->sha);
        g_string_append_printf(out,
                               "No workflow runs found for %s@%s after %" G_GINT64_FORMAT
                               "s (%u polls). Either no workflow of this repository runs for this "
                               "commit, or GitHub has not started one yet; watch again, or pass "
                               "run.",
                               watch->repo, sha, watch->waited_s, watch->poll);
    } else {
        g_string_append(out, final_ending(watch, logs->len > 0));
    }
    return utf8_trim(out->str);
}

/* Milliseconds since the epoch; false for NULL and for what is no time. */
static bool parse_time(const char *text, int64_t *ret_at)
{
    g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
    g_autoptr(GDateTime) time = text != NULL ? g_date_time_new_from_iso8601(text, utc) : NULL;
    if (!time)
        return false;
    *ret_at = g_date_time_to_unix(time) * 1000 + g_date_time_get_microsecond(time) / 1000;
    return true;
}

static json_t *job_details(const RunJob *job, int64_t now_ms)
{
    json_t *details = json_make("id:%jd name:%s status:%s conclusion:%s", job->id, job->name,
                                job->status, job->conclusion);
    int64_t started_at = 0, ended_at = now_ms;
    if (parse_time(job->started_at, &started_at)) {
        parse_time(job->completed_at, &ended_at);
        json_set_int(details, "durationSeconds", MAX((ended_at - started_at) / 1000, 0));
    }
    json_set_text(details, "url", job->url);
    return details;
}

static json_t *run_details(const WatchedRun *run, int64_t now_ms)
{
    json_t *details = json_make("id:%jd workflowName:%s displayTitle:%s status:%s conclusion:%s "
                                "branch:%s headSha:%s url:%s",
                                run->id, run->workflow, run->title, run->status, run->conclusion,
                                run->branch, run->head_sha, run->url);
    json_t *jobs = json_array();
    for (unsigned i = 0; i < run->jobs->len; i++)
        json_append_take(jobs, job_details(g_ptr_array_index(run->jobs, i), now_ms));
    json_set_take(details, "jobs", jobs);
    return details;
}

static json_t *log_details(const RunWatch *watch, const JobLog *log)
{
    json_t *details = json_make("runId:%jd workflowName:%s jobName:%s conclusion:%s", log->run->id,
                                log->run->workflow, log->job->name, log->job->conclusion);
    g_auto(LogTail) tail = { 0 };
    if (log->full)
        log_tail_read(log, watch->tail_lines, &tail);
    json_add(details, "tail:%s available:%i", tail.text, log->full != NULL);
    return details;
}

/* What both the top level and `watch` say. */
static void set_target(json_t *details, const RunWatch *watch)
{
    const WatchedRun *run = watch->run_id != 0 ? g_ptr_array_index(watch->runs, 0) : NULL;
    json_add(details, "repo:%s branch:%s headSha:%s", watch->repo,
             run != NULL ? run->branch : watch->branch, run != NULL ? run->head_sha : watch->sha);
}

static json_t *watch_details(const RunWatch *watch, const GArray *logs, int64_t now_ms)
{
    json_t *details = json_make("mode:%s state:%s", watch->run_id != 0 ? "run" : "commit",
                                logs == NULL ? "watching" : "completed");
    set_target(details, watch);
    if (!logs) {
        json_add(details, "pollCount:%u note:%s", watch->poll, watch->note);
    }
    if (watch->run_id != 0) {
        json_set_take(details, "run", run_details(g_ptr_array_index(watch->runs, 0), now_ms));
    } else {
        json_t *runs = json_array();
        for (unsigned i = 0; i < watch->runs->len; i++)
            json_append_take(runs, run_details(g_ptr_array_index(watch->runs, i), now_ms));
        json_set_take(details, "runs", runs);
    }
    if (logs && logs->len > 0) {
        json_t *failed = json_array();
        for (unsigned i = 0; i < logs->len; i++)
            json_append_take(failed, log_details(watch, &g_array_index(logs, JobLog, i)));
        json_set_take(details, "failedLogs", failed);
    }
    return details;
}

static char *failed_job_name(const RunWatch *watch, const WatchedRun *run, const RunJob *job)
{
    if (watch->run_id != 0)
        return g_strdup(job->name);
    if (run->workflow)
        return g_strdup_printf("%s: %s", run->workflow, job->name);
    return g_strdup_printf("run %" G_GINT64_FORMAT ": %s", run->id, job->name);
}

static json_t *failed_job_names(const RunWatch *watch)
{
    json_t *names = json_array();
    for (unsigned i = 0; i < watch->runs->len; i++) {
        const WatchedRun *run = g_ptr_array_index(watch->runs, i);
        for (unsigned k = 0; k < run->jobs->len; k++) {
            const RunJob *job = g_ptr_array_index(run->jobs, k);
            g_autofree char *name =
                run_job_has_failed(job) ? failed_job_name(watch, run, job) : NULL;
            if (name)
                json_append_take(names, json_text(name));
        }
    }
    return names;
}

json_t *run_report_details(const RunWatch *watch, const GArray *logs, int64_t now_ms)
{
    static const char *const outcomes[] = {
        [RUN_PENDING] = "pending",
        [RUN_SUCCESS] = "success",
        [RUN_FAILURE] = "failure",
    };
    const GPtrArray *runs = watch->runs;
    json_t *details = json_object();
    set_target(details, watch);
    json_t *ids = json_array();
    for (unsigned i = 0; i < runs->len; i++)
        json_append_take(ids, json_integer(((const WatchedRun *)g_ptr_array_index(runs, i))->id));
    json_set_take(details, "runIds", ids);
    if (watch->run_id != 0) {
        const WatchedRun *run = g_ptr_array_index(runs, 0);
        json_add(details, "runId:%jd status:%s conclusion:%s", run->id, run->status,
                 run->conclusion);
    } else {
        bool is_done = runs->len > 0 && runs_completed(runs) == runs->len;
        json_add(details, "status:%s conclusion:%s", is_done ? "completed" : "in_progress",
                 watch->has_given_up ? "none" : outcomes[runs_outcome(runs)]);
    }
    json_add(details, "failedJobs:%p watch:%p", failed_job_names(watch),
             watch_details(watch, logs, now_ms));
    return details;
}
