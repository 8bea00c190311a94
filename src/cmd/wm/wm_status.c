/*
 * `kedge wm status`: open issues that agents have or wait for (task-engine §3.14).
 */
#include "cmd/wm/wm_here.h"

#include <unistd.h>

#define LABELS "label:\"agent\",\"agent:working\",\"agent:review\""

typedef struct StatusOptions {
    bool is_all, is_json;
    const char *repo;
} StatusOptions;

typedef struct Status {
    const StatusOptions *options;
    char *text; // to be printed
} Status;

static const FieldDef status_options[] = {
    { "all", FIELD_BOOLEAN, offsetof(StatusOptions, is_all), .help = "Of all repositories" },
    { "json", FIELD_BOOLEAN, offsetof(StatusOptions, is_json), .help = "JSON, also on a terminal" },
    { "repo", FIELD_STRING, offsetof(StatusOptions, repo), .value_name = "OWNER/NAME",
      .help = "Repository (default: GITHUB_REPOSITORY, or the remote origin)" },
    { 0 },
};

/* "https://api.github.com/repos/o/r" → "o/r". Borrowed. */
static const char *repository_of(const json_t *issue)
{
    const char *url = json_get_text(issue, "repository_url");
    const char *found = url ? strstr(url, "/repos/") : NULL;
    return found ? found + strlen("/repos/") : "";
}

static json_t *labels_of(const json_t *issue)
{
    json_t *names = json_array();
    json_each (json_object_get(issue, "labels"), index, label) {
        const char *name = json_get_text(label, "name");
        if (name)
            json_append_take(names, json_text(name));
    }
    return names;
}

static json_t *shorten(const json_t *issue, bool is_all)
{
    json_t *row = json_object();
    if (is_all)
        json_set_text(row, "repository", repository_of(issue));
    json_set_int(row, "number", json_get_int(issue, "number", 0));
    const char *title = json_get_text(issue, "title");
    json_set_text(row, "title", title ? title : "");
    if (is_all)
        json_set_text(row, "state", json_get_text(issue, "state"));
    else
        json_set_take(row, "labels", labels_of(issue));
    return row;
}

static void append_row(const json_t *issue, bool is_all, GString *out)
{
    g_autoptr(json_t) labels = labels_of(issue);
    g_autoptr(GString) line = g_string_new(is_all ? repository_of(issue) : NULL);
    const char *title = json_get_text(issue, "title");
    g_string_append_printf(line, "#%" G_GINT64_FORMAT "  %s  [", json_get_int(issue, "number", 0),
                           title ? title : "");
    json_each (labels, index, name)
        g_string_append_printf(line, "%s%s", index > 0 ? ", " : "", json_string_value(name));
    g_string_append_c(line, ']');
    wm_append_line(out, line->str);
}

/* Caller frees. */
static char *describe(const json_t *issues, const StatusOptions *options)
{
    bool is_json = options->is_json || !isatty(STDOUT_FILENO);
    g_autoptr(GString) lines = g_string_new(NULL);
    g_autoptr(json_t) rows = json_array();
    json_each (issues, index, issue) {
        json_append_take(rows, shorten(issue, options->is_all));
        append_row(issue, options->is_all, lines);
    }
    if (!is_json)
        return g_string_free(g_steal_pointer(&lines), FALSE);
    g_autofree char *text = json_to_text(rows);
    return g_strconcat(text, "\n", NULL);
}

/* With --all no repository is needed, only a host and its token. */
static bool open_api(const StatusOptions *options, Cancel *cancel, WmApi **ret_api, GError **error)
{
    if (!options->is_all)
        return wm_here_api(options->repo, cancel, ret_api, error);
    g_autofree char *cwd = g_get_current_dir();
    g_auto(WmRepo) none = { .owner = g_strdup(""), .name = g_strdup("") };
    return wm_api_new(&none, cwd, cancel, ret_api, error);
}

static bool status(void *data, Cancel *cancel, GError **error)
{
    Status *self = data;
    const StatusOptions *options = self->options;
    g_autoptr(WmApi) api = NULL;
    if (!open_api(options, cancel, &api, error))
        return false;
    g_autofree char *query =
        options->is_all
            ? g_strdup("is:issue is:open " LABELS)
            : g_strdup_printf("is:issue is:open " LABELS " repo:%s", wm_api_repo(api)->slug);
    g_autofree char *encoded = wm_encode(query);
    g_autofree char *path =
        g_strdup_printf("/search/issues?q=%s&per_page=%d", encoded, options->is_all ? 30 : 50);
    g_autoptr(json_t) found = NULL;
    if (!wm_api_get(api, path, cancel, &found, error))
        return false;
    self->text = describe(json_get_array(found, "items"), options);
    return true;
}

static int status_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    StatusOptions options = { 0 };
    if (!wm_decode(&command_wm_status, argc, argv, &options, &kept, NULL, 0, 0, &error))
        return wm_fail(command_wm_status.name, error);
    Status self = { .options = &options };
    int code = wm_work(command_wm_status.name, status, &self);
    g_autofree char *text = self.text;
    return code != EXIT_OK || cmd_print(text) ? code : EXIT_FAILED;
}

const Command command_wm_status = {
    .name = "wm status",
    .summary = "Open issues with the labels agent, agent:working, agent:review",
    .usage = "[--all] [--json] [--repo OWNER/NAME]",
    .options = status_options,
    .run = status_run,
};
