/*
 * job: what runs in the background of this conversation (agent-tools §3.25).
 */
#include "base/timefmt.h"
#include "tool/context.h"
#include "tools/tools.h"

#define UPDATE_MS 500
#define MIN_FENCE 3
#define MAX_IDS   JOBS_MAX

typedef struct JobArgs {
    const json_t *poll, *cancel;
} JobArgs;

static const FieldDef job_fields[] = {
    { "poll", FIELD_STRING_LIST, offsetof(JobArgs, poll), .max_items = MAX_IDS,
      .help = "Wait for one of these" },
    { "cancel", FIELD_STRING_LIST, offsetof(JobArgs, cancel), .max_items = MAX_IDS },
    { 0 },
};

static const char description[] =
    "Waits for the first of the background jobs to finish and shows its result; without `poll` and "
    "`cancel` for any of those that run. Cancels those in `cancel`. Results come by themselves, "
    "too: "
    "poll only when you cannot go on without one.";

static bool job_is_available(const Settings *settings)
{
    return settings_get_bool(settings, "async.enabled") ||
           settings_get_bool(settings, "bash.autoBackground.enabled");
}

static int64_t poll_wait_ms(const Settings *settings)
{
    const char *text = settings_get_text(settings, "async.pollWaitDuration");
    char *unit = NULL;
    int64_t count = g_ascii_strtoll(text, &unit, 10); // one of the settings' table
    return count * (*unit == 'm' ? 60 : 1) * 1000;
}

static void begin_section(GString *text, const char *title, unsigned count)
{
    g_string_append_printf(text, "%s## %s (%u)\n\n", text->len > 0 ? "\n\n" : "", title, count);
}

static void cancel_jobs(JobTable *table, const json_t *ids, GString *text)
{
    unsigned count = (unsigned)json_array_size(ids);
    if (count > 0)
        begin_section(text, "Cancelled", count);
    for (unsigned i = 0; i < count; i++) {
        const char *id = json_string_value(json_array_get(ids, i));
        g_autoptr(Job) job = job_table_find(table, id);
        const char *end = i + 1 < count ? "\n" : "";
        if (!job)
            g_string_append_printf(text, "- Background job not found: %s%s", id, end);
        else if (job_cancel(job))
            g_string_append_printf(text, "- Cancelled background job %s.%s", id, end);
        else
            g_string_append_printf(text, "- Background job %s is already %s.%s", id,
                                   job_status_name(job_status(job)), end);
    }
}

static void keep_job(GPtrArray *jobs, Job *job)
{
    g_ptr_array_add(jobs, job_ref(job));
}

static void drop_job(void *job)
{
    job_unref(job);
}

/* Those with these ids, or all that run. */
static GPtrArray *choose_jobs(JobTable *table, const json_t *ids, int64_t now_ms)
{
    GPtrArray *jobs = g_ptr_array_new_with_free_func(drop_job);
    g_autoptr(GPtrArray) all = job_table_list(table, now_ms);
    for (unsigned i = 0; i < all->len; i++) {
        Job *job = all->pdata[i];
        bool is_wanted = !ids && job_status(job) == JOB_RUNNING;
        for (size_t k = 0; k < json_array_size(ids) && !is_wanted; k++)
            is_wanted = strcmp(json_string_value(json_array_get(ids, k)), job_id(job)) == 0;
        if (is_wanted)
            keep_job(jobs, job);
    }
    return jobs;
}

/* Longer than every run of backticks in the text, so that nothing in it ends the fence. */
static char *fence_for(const char *text)
{
    size_t longest = MIN_FENCE - 1, run = 0;
    for (; *text; text++) {
        run = *text == '`' ? run + 1 : 0;
        longest = MAX(longest, run);
    }
    return g_strnfill(longest + 1, '`');
}

static void append_ended(GString *text, const Job *job)
{
    const JobOutcome *outcome = job_outcome(job);
    const GError *problem = job_error(job);
    g_string_append_printf(text, "### %s [%s] — %s\nLabel: %s", job_id(job), job_type(job),
                           job_status_name(job_status(job)), job_label(job));
    if (outcome->text) {
        g_autofree char *fence = fence_for(outcome->text);
        bool has_end = g_str_has_suffix(outcome->text, "\n");
        g_string_append_printf(text, "\n%s\n%s%s%s", fence, outcome->text, has_end ? "" : "\n",
                               fence);
    }
    if (problem)
        g_string_append_printf(text, "\nError: %s", problem->message);
}

static unsigned count_running(const GPtrArray *jobs)
{
    unsigned count = 0;
    for (unsigned i = 0; i < jobs->len; i++)
        count += job_status(jobs->pdata[i]) == JOB_RUNNING ? 1 : 0;
    return count;
}

static void append_running(GString *text, const GPtrArray *jobs)
{
    unsigned running = count_running(jobs);
    if (running > 0)
        begin_section(text, "Still Running", running);
    for (unsigned i = 0, shown = 0; i < jobs->len; i++) {
        const Job *job = jobs->pdata[i];
        if (job_status(job) == JOB_RUNNING)
            g_string_append_printf(text, "%s- `%s` [%s] — %s", shown++ > 0 ? "\n" : "", job_id(job),
                                   job_type(job), job_label(job));
    }
}

/* Ends the watch of each: what has ended by now is told here, the rest will be told later. */
static void append_jobs(ToolCall *call, GString *text, const GPtrArray *jobs)
{
    bool is_told = !cancel_has_fired(tool_call_cancel(call));
    g_autoptr(GPtrArray) ended = g_ptr_array_new();
    g_autoptr(GPtrArray) running = g_ptr_array_new();
    for (unsigned i = 0; i < jobs->len; i++) {
        Job *job = jobs->pdata[i];
        bool has_ended = job_status(job) != JOB_RUNNING;
        g_ptr_array_add(has_ended ? ended : running, job);
        job_unwatch(job, has_ended && is_told);
    }
    if (ended->len > 0)
        begin_section(text, "Completed", ended->len);
    for (unsigned i = 0; i < ended->len; i++) {
        g_string_append(text, i > 0 ? "\n\n" : "");
        append_ended(text, ended->pdata[i]);
    }
    append_running(text, running);
}

static void wait_for_first(ToolCall *call, const GPtrArray *jobs)
{
    int64_t until = time_monotonic_ms() + poll_wait_ms(tool_call_settings(call));
    for (;;) {
        int64_t left = until - time_monotonic_ms();
        if (job_wait_any(jobs, CLAMP(left, 0, UPDATE_MS), tool_call_cancel(call)) || left <= 0 ||
            cancel_has_fired(tool_call_cancel(call)))
            return;
        g_autoptr(GString) text = g_string_new(NULL);
        append_running(text, jobs);
        tool_call_update(call, text->str, NULL);
    }
}

static char *join_ids(const json_t *ids)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < json_array_size(ids); i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
                               json_string_value(json_array_get(ids, i)));
    return g_strdup(text->str);
}

static void poll_jobs(ToolCall *call, const json_t *ids, GString *text)
{
    JobTable *table = tool_context_jobs(tool_call_context(call));
    g_autoptr(GPtrArray) jobs = choose_jobs(table, ids, tool_call_now_ms(call));
    g_autofree char *wanted = join_ids(ids);
    const char *blank = text->len > 0 ? "\n\n" : "";
    if (jobs->len == 0 && ids)
        g_string_append_printf(text, "%sNo matching jobs found for IDs: %s", blank, wanted);
    else if (jobs->len == 0)
        g_string_append_printf(text, "%sNo running background jobs to wait for.", blank);
    for (unsigned i = 0; i < jobs->len; i++)
        job_watch(jobs->pdata[i]);
    if (jobs->len > 0)
        wait_for_first(call, jobs);
    append_jobs(call, text, jobs);
}

static bool job_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const JobArgs *args = args_;
    if (!job_is_available(tool_call_settings(call)))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Async execution is disabled; no background jobs are available.");
    const json_t *poll = json_array_size(args->poll) > 0 ? args->poll : NULL;
    bool has_cancels = json_array_size(args->cancel) > 0;
    g_autoptr(GString) text = g_string_new(NULL);
    cancel_jobs(tool_context_jobs(tool_call_context(call)), args->cancel, text);
    if (poll || !has_cancels)
        poll_jobs(call, poll, text);
    if (!cancel_check(tool_call_cancel(call), error)) // what has ended meanwhile is told later
        return false;
    tool_result_add_text(result, text->str);
    return true;
}

const ToolDef tool_job = {
    .name = "job",
    .label = "Job",
    .summary = "Wait for background jobs, or cancel them",
    .description = description,
    .effect = EFFECT_READ,
    .fields = job_fields,
    .args_size = sizeof(JobArgs),
    .is_available = job_is_available,
    .run = job_run,
};
