/*
 * `kedge wm logs`: the runs of the caller workflow for one issue (task-engine §3.15).
 */
#include "cmd/wm/wm_here.h"
#include "wm/task/wm_log.h"

#define SHOWN 40

typedef struct LogsOptions {
    const char *repo;
} LogsOptions;

static const FieldDef logs_options[] = {
    { "repo", FIELD_STRING, offsetof(LogsOptions, repo), .value_name = "OWNER/NAME",
      .help = "Repository (default: GITHUB_REPOSITORY, or the remote origin)" },
    { 0 },
};

typedef struct Logs {
    const LogsOptions *options;
    int64_t number;
    char *text; // to be printed
} Logs;

/* Does the title hold "#7", and not "#70"? */
static bool is_about(const json_t *run, const char *mark)
{
    const char *title = json_get_text(run, "display_title");
    for (const char *at = title; at && (at = strstr(at, mark)); at++)
        if (!g_ascii_isdigit(at[strlen(mark)]))
            return true;
    return false;
}

static const char *text_of(const json_t *run, const char *key)
{
    const char *text = json_get_text(run, key);
    return text ? text : "";
}

static void append_run(const json_t *run, GString *out)
{
    g_autofree char *head =
        g_strdup_printf("%s  %s", text_of(run, "created_at"), text_of(run, "display_title"));
    g_autofree char *url = g_strdup_printf("  %s", text_of(run, "html_url"));
    wm_append_line(out, head);
    wm_append_line(out, url);
}

/* Caller frees. */
static char *describe(const json_t *runs, int64_t number)
{
    g_autofree char *mark = g_strdup_printf("#%" G_GINT64_FORMAT, number);
    g_autoptr(GString) kept = g_string_new(NULL), all = g_string_new(NULL);
    json_each (runs, index, run) {
        append_run(run, all);
        if (is_about(run, mark))
            append_run(run, kept);
    }
    if (kept->len > 0)
        return g_string_free(g_steal_pointer(&kept), FALSE);
    wm_say("No runs whose title contains \"%s\" (showing last %d runs):", mark, SHOWN);
    return g_string_free(g_steal_pointer(&all), FALSE);
}

static bool logs(void *data, Cancel *cancel, GError **error)
{
    Logs *self = data;
    g_autoptr(WmApi) api = NULL;
    g_autoptr(json_t) found = NULL;
    if (!wm_here_api(self->options->repo, cancel, &api, error))
        return false;
    g_autofree char *path = wm_path(api, "/actions/workflows/wm-agent.yml/runs?per_page=%d", SHOWN);
    if (!wm_api_get(api, path, cancel, &found, error)) {
        if (error && wm_api_status(*error) == 404)
            g_prefix_error(error, "is .github/workflows/wm-agent.yml on the default branch? ");
        return false;
    }
    self->text = describe(json_get_array(found, "workflow_runs"), self->number);
    return true;
}

static int logs_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    LogsOptions options = { 0 };
    Logs self = { .options = &options };
    if (!wm_decode(&command_wm_logs, argc, argv, &options, &kept, words, 1, 1, &error) ||
        !wm_issue_number(g_ptr_array_index(words, 0), &self.number, &error))
        return wm_fail(command_wm_logs.name, error);
    int code = wm_work(command_wm_logs.name, logs, &self);
    g_autofree char *text = self.text;
    return code != EXIT_OK || cmd_print(text) ? code : EXIT_FAILED;
}

const Command command_wm_logs = {
    .name = "wm logs",
    .summary = "Runs of the caller workflow for an issue",
    .usage = "[--repo OWNER/NAME] ISSUE",
    .options = logs_options,
    .run = logs_run,
};
