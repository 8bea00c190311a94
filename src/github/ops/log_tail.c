/*
 * Fetching job logs and cutting their ends off.
 */
#include "github/ops/log_tail.h"

#include "base/ansi.h"
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

#define ERROR_MARK         "##[error]"
#define SECONDS_LENGTH     (sizeof("2026-01-01T00:00:00") - 1)
#define LINES_BEHIND       2 // the error, when there is room
#define MIN_LINES_FOR_THEM 5

void log_tail_clear(LogTail *self)
{
    g_free(self->text);
    *self = (LogTail) { 0 };
}

/* The length of a leading "YYYY-MM-DDTHH:MM:SS[.fraction]Z ", 0 for none. */
static size_t timestamp_length(const char *line)
{
    static const char form[] = "0000-00-00T00:00:00";
    for (size_t i = 0; i < SECONDS_LENGTH; i++) {
        bool is_right = form[i] == '0' ? g_ascii_isdigit(line[i]) : line[i] == form[i];
        if (!is_right) // the end of the text is not right either
            return 0;
    }
    size_t at = SECONDS_LENGTH;
    if (line[at] == '.')
        at += 1 + strspn(line + at + 1, "0123456789");
    return line[at] == 'Z' && line[at + 1] == ' ' ? at + 2 : 0;
}

typedef struct Span { // of time, as timestamps to the second; NULL: open
    const char *from;
    char *to;
} Span;

static void span_clear(Span *self)
{
    g_clear_pointer(&self->to, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Span, span_clear)

/* One second after the failing step has ended; its last lines may come late. */
static Span failing_span(const RunJob *job)
{
    Span span = { .from = job->step_started_at };
    g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
    g_autoptr(GDateTime) end = job->step_completed_at != NULL
                                   ? g_date_time_new_from_iso8601(job->step_completed_at, utc)
                                   : NULL;
    g_autoptr(GDateTime) later = end != NULL ? g_date_time_add_seconds(end, 1) : NULL;
    g_autoptr(GDateTime) in_utc = later != NULL ? g_date_time_to_utc(later) : NULL;
    span.to = in_utc != NULL ? g_date_time_format(in_utc, "%Y-%m-%dT%H:%M:%S") : NULL;
    return span;
}

static bool is_in_span(const char *line, const Span *span)
{
    if (timestamp_length(line) == 0)
        return false;
    if (span->from && strncmp(line, span->from, SECONDS_LENGTH) < 0)
        return false;
    int order = span->to != NULL ? strncmp(line, span->to, SECONDS_LENGTH) : -1;
    return order < 0 || (order == 0 && line[SECONDS_LENGTH] == 'Z');
}

/* As a person reads it. Caller frees. */
static char *plain_line(const char *line)
{
    g_autofree char *plain = ansi_strip(line);
    return g_strdup(plain + timestamp_length(plain));
}

static bool is_error_line(const char *line)
{
    if (!strstr(line, ERROR_MARK))
        return false;
    g_autofree char *plain = plain_line(line);
    return g_str_has_prefix(plain, ERROR_MARK);
}

/* The index of the line to end with. */
static size_t find_error(char *const *lines, size_t count, const RunJob *job, bool *ret_is_found)
{
    g_auto(Span) span = failing_span(job);
    bool has_step = span.from != NULL || span.to != NULL;
    size_t last = 0;
    *ret_is_found = false;
    for (size_t i = count; i > 0; i--) {
        if (!is_error_line(lines[i - 1]))
            continue;
        if (!has_step || is_in_span(lines[i - 1], &span)) {
            *ret_is_found = true;
            return i - 1;
        }
        if (last == 0)
            last = i;
    }
    *ret_is_found = last > 0; // none in the step: the last of the whole log
    return last > 0 ? last - 1 : 0;
}

void log_tail_read(const JobLog *log, int64_t lines, LogTail *ret_tail)
{
    g_autofree char *whole = utf8_trim_end(log->full);
    g_auto(GStrv) all = g_strsplit(whole, "\n", -1);
    size_t count = g_strv_length(all);
    bool is_found = false;
    size_t error_line = find_error(all, count, log->job, &is_found);
    size_t behind = lines >= MIN_LINES_FOR_THEM ? LINES_BEHIND : 0;
    size_t end = is_found ? MIN(error_line + behind + 1, count) : count; // exclusive
    size_t start = end > (size_t)lines ? end - (size_t)lines : 0;
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = start; i < end; i++) {
        g_autofree char *plain = plain_line(all[i]);
        g_string_append_printf(text, "%s%s", i > start ? "\n" : "", plain);
    }
    *ret_tail = (LogTail) {
        .text = utf8_trim_end(text->str),
        .first = start + 1,
        .last = end,
        .total = count,
        .is_around_an_error = end < count,
    };
}
