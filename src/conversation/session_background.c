/*
 * Results of background jobs as messages (session_background.h).
 */
#include "conversation/session_background.h"

#include "base/timefmt.h"
#include "base/utf8.h"
#include "model/message.h"

#define MAX_CHARS   12000 // of one result in the message
#define SHOWN_CHARS 4000  // of a longer one: its end, which says how it went

/* The artifact that holds all of the result, made where there is none yet. NULL: there is none.
   Caller frees. */
static char *find_artifact(const Job *job, const JobOutcome *outcome, Artifacts *artifacts)
{
    char *id = g_strdup(outcome->artifact_id);
    if (!id && artifacts)
        artifacts_save(artifacts, job_type(job), outcome->text, strlen(outcome->text), &id, NULL);
    return id;
}

/* What a program or a server said neither ends the notice nor begins one of its own: the message
 * speaks for kedge. */
static void append_foreign(GString *text, const char *foreign)
{
    g_autoptr(GRegex) tag =
        g_regex_new("<(?=[\\s/]*system-)", G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);
    g_autofree char *harmless = g_regex_replace_literal(tag, foreign, -1, 0, "‹", 0, NULL);
    g_string_append(text, harmless);
}

static void append_result(GString *text, const Job *job, Artifacts *artifacts)
{
    const JobOutcome *outcome = job_outcome(job);
    if (!outcome->text) {
        const GError *problem = job_error(job);
        append_foreign(text, problem ? problem->message : "(no result)");
        return;
    }
    size_t length = utf8_length(outcome->text);
    if (length <= MAX_CHARS) {
        append_foreign(text, outcome->text);
        return;
    }
    g_autofree char *artifact = find_artifact(job, outcome, artifacts);
    append_foreign(text, g_utf8_offset_to_pointer(outcome->text, (glong)(length - SHOWN_CHARS)));
    g_string_append(text, "\n\n[Output truncated. Showing last 4,000 characters.]");
    if (artifact)
        g_string_append_printf(text, "\nFull output: artifact://%s", artifact);
}

static void append_notice(GString *text, const Job *job, Artifacts *artifacts)
{
    static const char *const ends[] = {
        [JOB_RUNNING] = "goes on",
        [JOB_COMPLETED] = "has completed",
        [JOB_FAILED] = "has failed",
        [JOB_CANCELLED] = "was cancelled",
    };
    g_string_append_printf(text,
                           "%s<system-notice>\nBackground job %s %s. Resume your work using the "
                           "result below.\n\n",
                           text->len > 0 ? "\n" : "", job_id(job), ends[job_status(job)]);
    append_result(text, job, artifacts);
    g_string_append(text, "\n</system-notice>");
}

json_t *session_background_message(const GPtrArray *jobs, Artifacts *artifacts)
{
    g_autoptr(GString) text = g_string_new(NULL);
    json_t *told = json_array();
    for (unsigned i = 0; i < jobs->len; i++) {
        const Job *job = jobs->pdata[i];
        append_notice(text, job, artifacts);
        json_append_take(told, json_pack("{s:s, s:s, s:s, s:s}", "jobId", job_id(job), "type",
                                         job_type(job), "status", job_status_name(job_status(job)),
                                         "label", job_label(job)));
    }
    json_t *content = json_array();
    json_append_take(content, message_text_block(text->str));
    return json_make(
        "role:%s customType:%s content:%p display:%i attribution:%s details:%p timestamp:%jd",
        "custom", "async-result", content, true, "agent", json_pack("{s:o}", "jobs", told),
        time_now_ms());
}

char *session_background_running(JobTable *table)
{
    g_autoptr(GPtrArray) jobs = job_table_list(table, time_now_ms());
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 0; i < jobs->len && job_status(jobs->pdata[i]) == JOB_RUNNING; i++)
        g_string_append_printf(text, "%s%s (%s)", i > 0 ? ", " : "", job_id(jobs->pdata[i]),
                               job_label(jobs->pdata[i]));
    return text->len > 0 ? g_strdup(text->str) : NULL;
}
