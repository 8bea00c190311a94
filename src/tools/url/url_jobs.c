/*
 * jobs://: the background jobs of this conversation (agent-tools §4.2): all of them, or one with
 * its result. Reading one tells no one that its result was told.
 */
#include "base/timefmt.h"
#include "tool/context.h"
#include "tools/tools.h"

#define MIN_FENCE 3

/* Longer than every run of backticks in the text, so that nothing in it ends the fence. */
static void append_fenced(GString *out, const char *text)
{
    size_t longest = MIN_FENCE - 1, run = 0;
    for (const char *p = text; *p; p++) {
        run = *p == '`' ? run + 1 : 0;
        longest = MAX(longest, run);
    }
    g_autofree char *fence = g_strnfill(longest + 1, '`');
    g_string_append_printf(out, "%s\n%s%s%s\n", fence, text,
                           g_str_has_suffix(text, "\n") ? "" : "\n", fence);
}

static double duration_s(const Job *job, int64_t now_ms)
{
    int64_t end = job_ended_at(job) > 0 ? job_ended_at(job) : now_ms;
    return (double)MAX(end - job_started_at(job), 0) / 1000;
}

static char *list_text(JobTable *table, int64_t now_ms)
{
    g_autoptr(GPtrArray) jobs = job_table_list(table, now_ms);
    if (jobs->len == 0)
        return g_strdup("# Jobs\n\nNo background jobs found.");
    GString *text = g_string_new("# Jobs\n\n");
    for (unsigned i = 0; i < jobs->len; i++) {
        const Job *job = jobs->pdata[i];
        g_string_append_printf(text, "- [%s](jobs://%s) %s, %s, %.1fs: %s\n", job_id(job),
                               job_id(job), job_type(job), job_status_name(job_status(job)),
                               duration_s(job, now_ms), job_label(job));
    }
    return g_string_free(text, FALSE);
}

static char *job_text(const Job *job, int64_t now_ms)
{
    g_autofree char *start = time_format_iso(job_started_at(job));
    GString *text = g_string_new(NULL);
    g_string_append_printf(text,
                           "# Job %s\n\n- Type: %s\n- Status: %s\n- Label: %s\n- Started: "
                           "%s\n- Duration: %.1fs\n",
                           job_id(job), job_type(job), job_status_name(job_status(job)),
                           job_label(job), start, duration_s(job, now_ms));
    const JobOutcome *outcome = job_outcome(job);
    if (outcome && outcome->text) {
        g_string_append_printf(text, "\n## %s\n\n", outcome->is_failed ? "Error" : "Result");
        append_fenced(text, outcome->text);
    }
    if (outcome && job_error(job)) {
        g_string_append(text, "\n## Error\n\n");
        append_fenced(text, job_error(job)->message);
    }
    return g_string_free(text, FALSE);
}

static bool resolve(ToolCall *call, const InternalUrl *url, UrlResource *ret_resource,
                    GError **error G_GNUC_UNUSED)
{
    JobTable *table = tool_context_jobs(tool_call_context(call));
    int64_t now_ms = tool_call_now_ms(call);
    g_autofree char *id = g_strconcat(url->raw_host, url->raw_path, NULL);
    if (*id == '\0') {
        url_resource_set_text(ret_resource, list_text(table, now_ms), "text/markdown");
        return true;
    }
    g_autoptr(Job) job = job_table_find(table, id);
    char *text =
        job ? job_text(job, now_ms)
            : g_strdup_printf("# Job Not Found\n\n404: No async job found with id `%s`.", id);
    url_resource_set_text(ret_resource, text, "text/markdown");
    return true;
}

const UrlScheme url_jobs = { .name = "jobs", .resolve = resolve };
