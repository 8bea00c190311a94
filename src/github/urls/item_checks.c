/*
 * pr://N/checks: what has run on the head of a pull request. Always asked again: it is about now.
 */
#include "base/str.h"
#include "base/utf8.h"
#include "github/gh.h"
#include "github/text.h"
#include "github/urls/item_read.h"

typedef enum {
    CHECK_FAILED,
    CHECK_PENDING,
    CHECK_PASSED,
    CHECK_SKIPPED,
    CHECK_STATES,
} CheckState;

static const char *const state_titles[CHECK_STATES] = { "Failed", "Pending", "Passed", "Skipped" };

/* Of a check run the conclusion, once it has one; of a commit status its state. */
static const char *word_of(const json_t *check)
{
    const char *conclusion = json_get_text(check, "conclusion");
    if (!str_is_empty(conclusion))
        return conclusion;
    const char *status = json_get_text(check, "status");
    if (!str_is_empty(status))
        return status;
    const char *state = json_get_text(check, "state");
    return str_is_empty(state) ? "UNKNOWN" : state;
}

static CheckState state_of(const json_t *check)
{
    static const char *const passed[] = { "SUCCESS", NULL };
    static const char *const skipped[] = { "SKIPPED", "NEUTRAL", NULL };
    static const char *const failed[] = { "FAILURE",         "ERROR",
                                          "TIMED_OUT",       "CANCELLED",
                                          "ACTION_REQUIRED", "STARTUP_FAILURE",
                                          "STALE",           NULL };
    g_autofree char *word = g_ascii_strup(word_of(check), -1);
    if (g_strv_contains(passed, word))
        return CHECK_PASSED;
    if (g_strv_contains(skipped, word))
        return CHECK_SKIPPED;
    return g_strv_contains(failed, word) ? CHECK_FAILED : CHECK_PENDING;
}

static const char *item_checks_either(const json_t *check, const char *key, const char *other)
{
    const char *text = json_get_text(check, key);
    return str_is_empty(text) ? json_get_text(check, other) : text;
}

/* The digits behind `mark`; 0 for none. */
static int64_t number_behind(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    int64_t number = 0;
    if (!at)
        return 0;
    at += strlen(mark);
    g_autofree char *digits = g_strndup(at, strspn(at, "0123456789"));
    return text_parse_posint(digits, &number) ? number : 0;
}

/* "run://REPO/ID/job/JOB" of a job's page; NULL for what is no job of Actions. Caller frees. */
static char *job_address(const char *url, const char *repo)
{
    int64_t run = url ? number_behind(url, "/actions/runs/") : 0;
    int64_t job = url ? number_behind(url, "/job/") : 0;
    if (run == 0 || job == 0)
        return NULL;
    return g_strdup_printf("run://%s/%" G_GINT64_FORMAT "/job/%" G_GINT64_FORMAT, repo, run, job);
}

static void append_check(GString *out, const json_t *check, const char *repo, CheckState state)
{
    g_autofree char *name = text_one_line(item_checks_either(check, "name", "context"));
    g_autofree char *workflow = text_one_line(json_get_text(check, "workflowName"));
    g_autofree char *word = text_one_line(word_of(check));
    g_string_append_printf(out, "- %s [%s]", *name ? name : "(unnamed)", word);
    if (*workflow)
        g_string_append_printf(out, "  (%s)", workflow);
    g_string_append_c(out, '\n');
    if (state == CHECK_PASSED || state == CHECK_SKIPPED)
        return;
    const char *url = item_checks_either(check, "detailsUrl", "targetUrl");
    text_line(out, "  ", "URL", url);
    g_autofree char *address = state == CHECK_FAILED ? job_address(url, repo) : NULL;
    text_line(out, "  ", "Explained", address);
}

static void append_state(GString *out, const json_t *checks, const char *repo, CheckState state,
                         size_t count)
{
    if (count == 0)
        return;
    g_string_append_printf(out, "\n## %s (%zu)\n\n", state_titles[state], count);
    json_each (checks, i, check) {
        if (state_of(check) == state)
            append_check(out, check, repo, state);
    }
}

static char *checks_text(const json_t *data, const char *repo, int64_t number)
{
    const json_t *checks = json_get_array(data, "statusCheckRollup");
    size_t counts[CHECK_STATES] = { 0 };
    json_each (checks, i, check)
        counts[state_of(check)]++;
    g_autofree char *title = text_one_line(json_get_text(data, "title"));
    g_autofree char *head = text_sha12(json_get_text(data, "headRefOid") ?: "");

    g_autoptr(GString) out = g_string_new(NULL);
    g_string_append_printf(out, "# Checks of Pull Request #%" G_GINT64_FORMAT ": %s\n\n", number,
                           *title ? title : "Untitled");
    text_line(out, "", "Head", head);
    g_string_append_printf(out, "Result: %s (%zu failed, %zu pending, %zu passed, %zu skipped)\n",
                           json_array_size(checks) == 0 ? "none reported"
                           : counts[CHECK_FAILED] > 0   ? "failed"
                           : counts[CHECK_PENDING] > 0  ? "pending"
                                                        : "passed",
                           counts[CHECK_FAILED], counts[CHECK_PENDING], counts[CHECK_PASSED],
                           counts[CHECK_SKIPPED]);
    text_line_json(out, "", "URL", data, "url");
    for (CheckState state = 0; state < CHECK_STATES; state++)
        append_state(out, checks, repo, state, counts[state]);
    return utf8_trim(out->str);
}

bool item_read_checks(ToolCall *call, const char *repo, int64_t number, UrlResource *resource,
                      GError **error)
{
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, number);
    const GhSpec spec = {
        .argv = (const char *const[]) { "pr", "view", text, "--repo", repo, "--json",
                                        "headRefOid,number,statusCheckRollup,title,url", NULL },
        .has_explicit_repo = true,
    };
    g_autoptr(json_t) data = NULL;
    if (!gh_json(call, &spec, JSON_OBJECT, &data, error))
        return false;
    url_resource_set_text(resource, checks_text(data, repo, number), "text/markdown");
    g_autofree char *note =
        g_strdup_printf("Live checks of pr://%s/%" G_GINT64_FORMAT, repo, number);
    url_resource_add_note(resource, note);
    return true;
}
