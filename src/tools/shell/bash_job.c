/* See bash_job.h. */
#include "tools/shell/bash_job.h"

#include "base/timefmt.h"
#include "tool/lent_calls.h"
#include "tool/notice.h"

#define LABEL_CHARS     120
#define LABEL_CUT_CHARS 117
#define TIMEOUT_ROOM_MS 1000 // an answer comes this much before the command's own end
#define WAIT_ROUND_MS   60000

typedef struct BashJob {
    BashWork *work;
    ToolResult result; // for the call that waits; without notices, which tool_call() adds
    GError *error;     // in place of it
} BashJob;

static void bash_job_free(void *self_)
{
    BashJob *self = self_;
    bash_work_free(self->work);
    tool_result_clear(&self->result);
    g_clear_error(&self->error);
    g_free(self);
}

/* The same result as a text that says all of it. */
static void tell_outcome(const BashJob *self, JobOutcome *outcome)
{
    g_auto(ToolResult) whole = {
        .content = json_deep_copy(self->result.content),
        .meta = json_deep_copy(self->result.meta),
        .is_error = self->result.is_error,
    };
    if (self->error)
        tool_result_add_text(&whole, self->error->message);
    tool_result_mask(&whole);
    const json_t *cut = json_object_get(whole.meta, "truncation");
    outcome->artifact_id = g_strdup(json_get_text(cut, "artifactId"));
    if (!self->error)
        result_add_notice(&whole);
    outcome->text = tool_result_text(&whole);
    outcome->is_failed = whole.is_error || self->error;
}

static void take_progress(const char *text, void *job)
{
    job_set_progress(job, text);
}

static bool work_in_job(Job *job, void *self_, JobOutcome *ret_outcome, GError **error)
{
    BashJob *self = self_;
    if (!bash_work_run(self->work, take_progress, job, job_cancel_token(job), error)) {
        self->error = g_error_copy(*error);
        return false;
    }
    bash_work_result(self->work, &self->result, &self->error);
    tell_outcome(self, ret_outcome);
    return true;
}

static char *make_label(const char *command)
{
    char *line = g_strdelimit(g_strstrip(g_strdup(command)), "\r\n\t", ' ');
    if (g_utf8_strlen(line, -1) <= LABEL_CHARS)
        return line;
    g_autofree char *whole = line;
    g_autofree char *head = g_utf8_substring(whole, 0, LABEL_CUT_CHARS);
    return g_strconcat(head, "...", NULL);
}

static bool bash_job_do_start(ToolCall *call, BashWork *work, const char *command, bool is_in_front,
                              Job **ret_job, GError **error)
{
    g_autofree char *label = make_label(command);
    BashJob *job = g_new0(BashJob, 1);
    job->work = work;
    const JobSpec spec = {
        .type = "bash",
        .label = label,
        .run = work_in_job,
        .data = job,
        .destroy = bash_job_free,
        .is_in_front = is_in_front,
        .max_jobs = settings_get_int(tool_call_settings(call), "async.maxJobs"),
    };
    return job_table_start(tool_context_jobs(tool_call_context(call)), &spec, ret_job, error);
}

static void add_started(const Job *job, const char *output, const BashTimeout *timeout,
                        ToolResult *result)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *note = bash_timeout_note(timeout);
    if (output && *output)
        g_string_append_printf(text, "%s\n\n", output);
    if (note)
        g_string_append_printf(text, "%s\n\n", note);
    g_string_append_printf(
        text,
        "Background job %s started: %s\n"
        "Result will be delivered automatically when complete.\n"
        "You can use `job` to poll until complete, but prefer to continue with another task in the "
        "meanwhile if it's not blocking.",
        job_id(job), job_label(job));
    tool_result_add_text(result, text->str);
    bash_timeout_add_details(timeout, result);
    json_set_take(
        tool_result_details(result), "async",
        json_pack("{s:s, s:s, s:s}", "state", "running", "jobId", job_id(job), "type", "bash"));
}

bool bash_job_start(ToolCall *call, BashWork *work, const BashTimeout *timeout, const char *label,
                    ToolResult *result, GError **error)
{
    g_autoptr(Job) job = NULL;
    if (!bash_job_do_start(call, work, label, false, &job, error))
        return false;
    add_started(job, NULL, timeout, result);
    return true;
}

/* Until the job has ended or `until` is here, which comes later when a person was asked meanwhile;
   what it prints goes to the call. Returns the last of that. */
static char *wait_in_front(ToolCall *call, Job *job, int64_t until)
{
    Cancel *cancel = tool_call_cancel(call);
    int64_t asked_ms = lent_calls_asked_ms(tool_call_context(call));
    char *shown = NULL;
    for (;;) {
        int64_t more = lent_calls_asked_ms(tool_call_context(call)) - asked_ms;
        int64_t left = until - time_monotonic_ms() + more;
        bool has_ended = job_wait(job, CLAMP(left, 0, WAIT_ROUND_MS), cancel);
        char *news = job_take_progress(job);
        if (news) {
            g_free(shown);
            shown = news;
            tool_call_update(call, shown, NULL);
        }
        if (has_ended || left <= 0 || cancel_has_fired(cancel))
            return shown;
    }
}

/* It is over, or is now made to be. */
static bool finish_in_front(Job *job, ToolResult *result, GError **error)
{
    while (!job_wait(job, WAIT_ROUND_MS, NULL))
        continue;
    BashJob *self = job_data(job);
    if (self->error)
        return pass_error(error, &self->error);
    *result = self->result;
    self->result = (ToolResult) { 0 };
    return true;
}

bool bash_job_run(ToolCall *call, BashWork *work, const BashTimeout *timeout, const char *label,
                  ToolResult *result, GError **error)
{
    const Settings *settings = tool_call_settings(call);
    g_autoptr(Job) job = NULL;
    if (!bash_job_do_start(call, work, label, true, &job, error))
        return false;
    int64_t threshold_ms = settings_get_int(settings, "bash.autoBackground.thresholdMs");
    int64_t patience_ms = MIN(threshold_ms, (int64_t)(timeout->seconds * 1000) - TIMEOUT_ROOM_MS);
    int64_t until = time_monotonic_ms() + MAX(patience_ms, 0);
    g_autofree char *shown = wait_in_front(call, job, until);
    if (cancel_has_fired(tool_call_cancel(call)))
        job_cancel(job);
    else if (job_send_to_background(job, settings_get_int(settings, "async.maxJobs"))) {
        add_started(job, shown, timeout, result);
        return true;
    } else { // it has ended, or there are too many: then it stays in front
        g_free(wait_in_front(call, job, G_MAXINT64));
        if (cancel_has_fired(tool_call_cancel(call)))
            job_cancel(job);
    }
    return finish_in_front(job, result, error);
}
