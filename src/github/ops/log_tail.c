/*
 * Fetching job logs and cutting their ends off.
 */
#include "github/ops/log_tail.h"

#include "base/utf8.h"
#include "github/fan_out.h"
#include "github/gh.h"
#include "github/text.h"

typedef struct LogFetch {
    ToolCall *call;
    const char *repo;
    size_t max_bytes;
    JobLog log;
    GError *error;
} LogFetch;

/* Whole lines at the end of `text`, in at most `max_bytes`; a single longer line is cut. */
static const char *tail_bytes(const char *text, size_t max_bytes)
{
    size_t size = strlen(text);
    if (size <= max_bytes)
        return text;
    const char *start = text + utf8_boundary_after(text, size, size - max_bytes);
    const char *newline = strchr(start, '\n');
    return newline != NULL ? newline + 1 : start;
}

static void log_fetch_run(void *data)
{
    LogFetch *self = data;
    g_autofree char *path =
        g_strdup_printf("/actions/jobs/%" G_GINT64_FORMAT "/logs", self->log.job->id);
    g_auto(GStrv) argv = run_api_argv(self->repo, false, path, NULL);
    const GhSpec spec = {
        .argv = (const char *const *)argv,
        .has_explicit_repo = true,
        .is_raw = true,
        .keeps_tail = true,
    };
    g_autofree char *output = NULL;
    g_autoptr(GError) failure = NULL;
    if (!gh_text(self->call, &spec, &output, &failure)) {
        self->log.failure = text_one_line(failure->message);
        if (error_is(failure, KEDGE_ERROR_CANCELLED))
            self->error = g_steal_pointer(&failure);
        return;
    }
    g_autofree char *text = text_norm_block(output);
    if (text[0] != '\0')
        self->log.full = g_strdup(tail_bytes(text, self->max_bytes));
    else
        self->log.failure = g_strdup("it is empty");
}

static void job_log_clear(void *data)
{
    JobLog *self = data;
    g_clear_pointer(&self->full, g_free);
    g_clear_pointer(&self->failure, g_free);
}

static void log_fetch_clear(void *data)
{
    LogFetch *self = data;
    job_log_clear(&self->log);
    g_clear_error(&self->error);
}

static GArray *log_fetches_new(ToolCall *call, const char *repo, const GPtrArray *runs)
{
    GArray *fetches = g_array_new(false, true, sizeof(LogFetch));
    g_array_set_clear_func(fetches, log_fetch_clear);
    size_t count = MAX(runs_failed_jobs(runs), 1);
    for (unsigned i = 0; i < runs->len; i++) {
        const WatchedRun *run = g_ptr_array_index(runs, i);
        for (unsigned k = 0; k < run->jobs->len; k++) {
            const RunJob *job = g_ptr_array_index(run->jobs, k);
            const LogFetch fetch = { .call = call,
                                     .repo = repo,
                                     .max_bytes = JOB_LOGS_MAX_BYTES / count,
                                     .log = { .run = run, .job = job } };
            if (run_job_has_failed(job))
                g_array_append_val(fetches, fetch);
        }
    }
    return fetches;
}

bool job_logs_fetch(ToolCall *call, const char *repo, const GPtrArray *runs, GArray **ret_logs,
                    GError **error)
{
    g_autoptr(GArray) fetches = log_fetches_new(call, repo, runs);
    fan_out(fetches->data, fetches->len, sizeof(LogFetch), log_fetch_run);

    g_autoptr(GArray) logs = g_array_new(false, true, sizeof(JobLog));
    g_array_set_clear_func(logs, job_log_clear);
    for (unsigned i = 0; i < fetches->len; i++) {
        LogFetch *fetch = &g_array_index(fetches, LogFetch, i);
        if (fetch->error)
            return pass_error(error, &fetch->error);
        g_array_append_val(logs, fetch->log);
        fetch->log.full = fetch->log.failure = NULL;
    }
    *ret_logs = g_steal_pointer(&logs);
    return true;
}

// ---- the tail ----

/* One second after the failing step has ended; its last lines may come late. Caller frees. */
static char *step_end(const RunJob *job)
{
    g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
    g_autoptr(GDateTime) end = job->step_completed_at != NULL
                                   ? g_date_time_new_from_iso8601(job->step_completed_at, utc)
                                   : NULL;
    g_autoptr(GDateTime) later = end != NULL ? g_date_time_add_seconds(end, 1) : NULL;
    g_autoptr(GDateTime) in_utc = later != NULL ? g_date_time_to_utc(later) : NULL;
    return in_utc != NULL ? g_date_time_format(in_utc, "%Y-%m-%dT%H:%M:%S") : NULL;
}

void log_tail_read(const JobLog *log, int64_t lines, LogTail *ret_tail)
{
    g_autofree char *to = step_end(log->job);
    const LogStep step = { .from = log->job->step_started_at, .to = to };
    log_tail_cut(log->full, &step, lines, ret_tail);
}
