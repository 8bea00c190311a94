/*
 * run://ID: an Actions run with its jobs, and its failed jobs explained: which step, what GitHub
 * says about it, the lines of the log around the error, the exit code. Always asked again.
 */
#include "base/utf8.h"
#include "github/ops/run_fetch.h"
#include "github/text.h"
#include "github/urls/item_read.h"
#include "github/urls/job_text.h"

#define JOBS_EXPLAINED 3
#define JOBS_SHOWN     100

static void append_job(GString *out, const RunJob *job)
{
    g_autofree char *name = text_one_line(job->name);
    const char *word = job->conclusion ? job->conclusion : job->status;
    g_string_append_printf(out, "- %s [%s]  job %" G_GINT64_FORMAT "\n", name, word ? word : "?",
                           job->id);
}

static void append_jobs(GString *out, const WatchedRun *run)
{
    if (run->jobs->len == 0)
        return;
    g_string_append_printf(out, "\n## Jobs (%u)\n\n", run->jobs->len);
    for (unsigned i = 0; i < MIN(run->jobs->len, JOBS_SHOWN); i++)
        append_job(out, run->jobs->pdata[i]);
    if (run->jobs->len > JOBS_SHOWN)
        g_string_append_printf(out, "- ... %u more jobs\n", run->jobs->len - JOBS_SHOWN);
}

static void append_head(GString *out, const WatchedRun *run)
{
    g_autofree char *title = text_one_line(run->title);
    g_autofree char *sha = text_sha12(run->head_sha ? run->head_sha : "");
    g_string_append_printf(out, "# GitHub Actions Run #%" G_GINT64_FORMAT "%s%s\n\n", run->id,
                           *title ? ": " : "", title);
    text_line(out, "", "Workflow", run->workflow);
    text_line(out, "", "Status", run->status);
    text_line(out, "", "Conclusion", run->conclusion);
    text_line(out, "", "Branch", run->branch);
    text_line(out, "", "Commit", sha);
    text_line(out, "", "Created", run->created_at);
    text_line(out, "", "Updated", run->updated_at);
    text_line(out, "", "URL", run->url);
}

static const RunJob *find_job(const WatchedRun *run, int64_t id)
{
    for (unsigned i = 0; i < run->jobs->len; i++) {
        const RunJob *job = run->jobs->pdata[i];
        if (job->id == id)
            return job;
    }
    return NULL;
}

static bool explain_failed(ToolCall *call, const char *repo, const WatchedRun *run, GString *out,
                           GError **error)
{
    unsigned failed = 0;
    for (unsigned i = 0; i < run->jobs->len; i++) {
        const RunJob *job = run->jobs->pdata[i];
        if (!run_job_has_failed(job) || failed++ >= JOBS_EXPLAINED)
            continue;
        g_string_append_c(out, '\n');
        if (!job_text_explain(call, repo, run, job, out, error))
            return false;
    }
    if (failed > JOBS_EXPLAINED)
        g_string_append_printf(out,
                               "\n%u more failed jobs; read one with run://%s/%" G_GINT64_FORMAT
                               "/job/<job id>\n",
                               failed - JOBS_EXPLAINED, repo, run->id);
    return true;
}

bool item_read_run(ToolCall *call, const char *repo, const ItemUrl *url, UrlResource *resource,
                   GError **error)
{
    g_autoptr(GPtrArray) runs = NULL;
    if (!run_fetch_one(call, repo, url->number, &runs, error))
        return false;
    const WatchedRun *run = runs->pdata[0];
    g_autoptr(GString) out = g_string_new(NULL);
    if (url->view == ITEM_RUN_JOB) {
        const RunJob *job = find_job(run, url->part);
        if (!job)
            return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                             "run %" G_GINT64_FORMAT " of %s has no job %" G_GINT64_FORMAT
                             "; run://%s/%" G_GINT64_FORMAT " lists its jobs",
                             url->number, repo, url->part, repo, url->number);
        if (!job_text_explain(call, repo, run, job, out, error))
            return false;
    } else {
        append_head(out, run);
        append_jobs(out, run);
        if (!explain_failed(call, repo, run, out, error))
            return false;
    }
    url_resource_set_text(resource, utf8_trim(out->str), "text/markdown");
    g_autofree char *note =
        g_strdup_printf("Live state of run %" G_GINT64_FORMAT " in %s", url->number, repo);
    url_resource_add_note(resource, note);
    return true;
}
