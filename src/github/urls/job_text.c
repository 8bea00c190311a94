/*
 * Why a job failed: its step, annotations, and the log around the error.
 */
#include "github/urls/job_text.h"

#include "base/str.h"
#include "github/gh.h"
#include "github/ops/log_tail.h"
#include "github/text.h"

#define LOG_LINES         30
#define LINE_MAX_BYTES    300
#define PATH_MAX_BYTES    120
#define ANNOTATIONS_SHOWN 5
#define EXIT_MARK         "Process completed with exit code "

/* One line of at most about `max_bytes`, with "…" where it was cut. Caller frees. */
static char *short_line(const char *text, size_t max_bytes)
{
    g_autofree char *line = text_one_line(text);
    if (strlen(line) <= max_bytes)
        return g_steal_pointer(&line);
    g_autofree char *head = str_truncate(line, max_bytes);
    return g_strconcat(head, "…", NULL);
}

/* GitHub has none, or this login may not see it; another failure may be over the next time. */
static bool is_absent(const char *failure)
{
    return strstr(failure, "HTTP 404") || strstr(failure, "HTTP 410");
}

/* NULL when there is none to be had, after a line of `out` that says why when it is no absence;
   false only when the call was stopped. */
static bool job_text_fetch(ToolCall *call, const char *repo, const char *path, json_type wanted,
                           const char *what, GString *out, json_t **ret_value, GError **error)
{
    g_auto(GStrv) argv = run_api_argv(repo, false, path, NULL);
    const GhSpec spec = { .argv = (const char *const *)argv, .has_explicit_repo = true };
    g_autoptr(GError) failure = NULL;
    *ret_value = NULL;
    if (gh_json(call, &spec, wanted, ret_value, &failure))
        return true;
    if (error_is(failure, KEDGE_ERROR_CANCELLED))
        return pass_error(error, &failure);
    if (is_absent(failure->message))
        return true;
    g_autofree char *line = short_line(failure->message, LINE_MAX_BYTES);
    g_string_append_printf(out, "%s unavailable: %s\n", what, line);
    return true;
}

static bool has_failed(const json_t *step)
{
    static const char *const failed[] = { "failure", "timed_out", "cancelled", NULL };
    const char *conclusion = json_get_text(step, "conclusion");
    return conclusion && g_strv_contains(failed, conclusion);
}

static bool append_steps(ToolCall *call, const char *repo, const RunJob *job, GString *out,
                         GError **error)
{
    g_autofree char *path = g_strdup_printf("/actions/jobs/%" G_GINT64_FORMAT, job->id);
    g_autoptr(json_t) data = NULL;
    if (!job_text_fetch(call, repo, path, JSON_OBJECT, "Step", out, &data, error))
        return false;
    json_each (json_get_array(data, "steps"), i, step) {
        if (!has_failed(step))
            continue;
        g_autofree char *name = short_line(json_get_text(step, "name"), LINE_MAX_BYTES);
        g_string_append_printf(out, "Step: %" G_GINT64_FORMAT ". %s [%s]\n",
                               json_get_int(step, "number", (int64_t)i + 1), name,
                               json_get_text(step, "conclusion"));
        return true; // what comes after it was only skipped, or cleaned up
    }
    return true;
}

static void append_annotation(GString *out, const json_t *annotation)
{
    g_autofree char *path = short_line(json_get_text(annotation, "path"), PATH_MAX_BYTES);
    g_autofree char *level = short_line(json_get_text(annotation, "annotation_level"), 20);
    g_autofree char *message = short_line(json_get_text(annotation, "message"), LINE_MAX_BYTES);
    int64_t line = json_get_int(annotation, "start_line", 0);
    g_string_append_printf(out, "- %s", *path ? path : "(no file)");
    if (line > 0)
        g_string_append_printf(out, ":%" G_GINT64_FORMAT, line);
    g_string_append_printf(out, " [%s] %s\n", *level ? level : "?", message);
}

static bool append_annotations(ToolCall *call, const char *repo, const RunJob *job, GString *out,
                               GError **error)
{
    // a job of Actions is the check run of the same number
    g_autofree char *path =
        g_strdup_printf("/check-runs/%" G_GINT64_FORMAT "/annotations", job->id);
    g_autoptr(json_t) list = NULL;
    if (!job_text_fetch(call, repo, path, JSON_ARRAY, "Annotations", out, &list, error))
        return false;
    size_t count = json_array_size(list);
    if (count > 0)
        g_string_append(out, "\nAnnotations:\n");
    for (size_t i = 0; i < MIN(count, ANNOTATIONS_SHOWN); i++)
        append_annotation(out, json_array_get(list, i));
    if (count > ANNOTATIONS_SHOWN)
        g_string_append_printf(out, "- ... %zu more\n", count - ANNOTATIONS_SHOWN);
    return true;
}

/* The log of this job alone: `run` with one job. */
static bool fetch_log(ToolCall *call, const char *repo, const WatchedRun *run, const RunJob *job,
                      GArray **ret_logs, GError **error)
{
    g_autoptr(GPtrArray) jobs = g_ptr_array_new();
    g_ptr_array_add(jobs, (void *)job);
    WatchedRun alone = *run;
    alone.jobs = jobs;
    g_autoptr(GPtrArray) runs = g_ptr_array_new();
    g_ptr_array_add(runs, &alone);
    return job_logs_fetch(call, repo, runs, ret_logs, error);
}

static void append_exit_code(GString *out, const char *log)
{
    const char *mark = NULL;
    for (const char *at = strstr(log, EXIT_MARK); at; at = strstr(at + 1, EXIT_MARK))
        mark = at + strlen(EXIT_MARK);
    if (mark)
        g_string_append_printf(out, "Exit code: %.*s\n", (int)MIN(strspn(mark, "0123456789"), 12),
                               mark);
}

/* `room` is what the section has left. */
static void append_log(GString *out, const JobLog *log, size_t room)
{
    g_auto(LogTail) tail = { 0 };
    log_tail_read(log, LOG_LINES, &tail);
    g_autofree char *fence = text_fence(tail.text);
    size_t frame = 2 * strlen(fence) + 100; // with the line above it
    size_t dropped = 0;
    g_autofree char *text = log_tail_fit(tail.text, room > frame ? room - frame : 0, &dropped);
    if (*text == '\0')
        return;
    g_string_append_printf(out, "\nLog, lines %zu to %zu of %zu:\n%s\n%s\n%s\n",
                           tail.first + dropped, tail.last, tail.total, fence, text, fence);
}

static void append_no_log(GString *out, const JobLog *log)
{
    g_autofree char *line = short_line(log->failure, LINE_MAX_BYTES);
    g_string_append_printf(out, "\nThe log is not available%s: %s\n",
                           is_absent(line) ? " (yet, or no more)" : "", line);
}

static void append_head(GString *out, const RunJob *job)
{
    g_autofree char *name = short_line(job->name, LINE_MAX_BYTES);
    g_autofree char *word = short_line(job->conclusion ? job->conclusion : job->status, 20);
    g_autofree char *url = short_line(job->url, LINE_MAX_BYTES);
    g_string_append_printf(out, "## %s [%s]\n\n", name, *word ? word : "?");
    g_string_append_printf(out, "Job: %" G_GINT64_FORMAT "\n", job->id);
    text_line(out, "", "Started", job->started_at);
    text_line(out, "", "Completed", job->completed_at);
    text_line(out, "", "URL", url);
}

bool job_text_explain(ToolCall *call, const char *repo, const WatchedRun *run, const RunJob *job,
                      GString *out, GError **error)
{
    g_autoptr(GString) section = g_string_new(NULL);
    g_autoptr(GString) annotations = g_string_new(NULL);
    g_autoptr(GArray) logs = NULL;
    append_head(section, job);
    if (!run_job_has_failed(job)) {
        g_string_append(out, section->str);
        return true;
    }
    if (!append_steps(call, repo, job, section, error) ||
        !append_annotations(call, repo, job, annotations, error) ||
        !fetch_log(call, repo, run, job, &logs, error))
        return false;
    const JobLog *log = &g_array_index(logs, JobLog, 0); // of the one job, which has failed
    bool has_log = log->full != NULL;
    if (has_log)
        append_exit_code(section, log->full);
    g_string_append(section, annotations->str);
    if (has_log)
        append_log(section, log, JOB_TEXT_MAX_BYTES - MIN(section->len, JOB_TEXT_MAX_BYTES));
    else
        append_no_log(section, log);
    g_string_append(out, section->str);
    return true;
}
