/*
 * `kedge wm rehearse`: what a task would do, without doing it (docs/tasks.md, "Try it first").
 */
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "base/visible.h"
#include "cmd/cli/interrupt.h"
#include "cmd/wm/wm_here.h"
#include "export/report_pages.h"
#include "wm/run/rehearse.h"
#include "wm/trigger/match.h"

#define SHOWN_DIFF_LINES 400

typedef struct RehearseOptions {
    const char *root, *repo, *event_name, *event, *html;
    int64_t issue, pull, replay;
    bool is_json, is_list;
} RehearseOptions;

static const FieldDef rehearse_options[] = {
    { "repo-root", FIELD_STRING, offsetof(RehearseOptions, root), .value_name = "DIR",
      .default_text = "\".\"", .help = "The repository" },
    { "repo", FIELD_STRING, offsetof(RehearseOptions, repo), .value_name = "OWNER/NAME",
      .help = "On GitHub; default: GITHUB_REPOSITORY, then the remote origin" },
    { "issue", FIELD_INTEGER, offsetof(RehearseOptions, issue), .min = 1, .max = INT32_MAX,
      .value_name = "N", .help = "As if this issue had started it" },
    { "pr", FIELD_INTEGER, offsetof(RehearseOptions, pull), .min = 1, .max = INT32_MAX,
      .value_name = "N", .help = "As if this pull request had" },
    { "event", FIELD_STRING, offsetof(RehearseOptions, event), .value_name = "FILE",
      .help = "As if this webhook had; with --event-name" },
    { "event-name", FIELD_STRING, offsetof(RehearseOptions, event_name), .value_name = "NAME",
      .help = "Its name: issues, issue_comment, pull_request …" },
    { "replay", FIELD_INTEGER, offsetof(RehearseOptions, replay), .min = 1, .max = 100,
      .value_name = "N",
      .help = "The last N events of the repository, each with what it would start" },
    { "list", FIELD_BOOLEAN, offsetof(RehearseOptions, is_list),
      .help = "With --replay: only what would start, no agent" },
    { "json", FIELD_BOOLEAN, offsetof(RehearseOptions, is_json), .help = "Print JSON" },
    { "html", FIELD_STRING, offsetof(RehearseOptions, html), .refuses_blank = true,
      .value_name = "FILE", .help = "Write a page for the browser" },
    { 0 },
};

typedef struct Rehearse { // on a worker
    const RehearseOptions *options;
    const char *task_name; // NULL: whatever the events start
    Cancel *cancel;        // borrowed
    char *root;
    WmApi *api; // NULL: not needed
    json_t *reports;
    json_t *table; // of --replay: [{"event","at","actor","number"?,"tasks":[…]}]
} Rehearse;

static void rehearse_clear(Rehearse *self)
{
    g_clear_pointer(&self->root, g_free);
    g_clear_pointer(&self->api, wm_api_free);
    g_clear_pointer(&self->reports, json_decref);
    g_clear_pointer(&self->table, json_decref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rehearse, rehearse_clear)

/* Also for gates: roles are asked for as they are now. */
static bool make_api(void *user_data, Cancel *cancel, WmApi **ret_api, GError **error)
{
    const Rehearse *self = user_data;
    g_auto(WmRepo) repo = { 0 };
    return wm_repo_find(self->options->repo, self->root, cancel, &repo, error) &&
           wm_api_new(&repo, self->root, cancel, ret_api, error);
}

static bool open_api(Rehearse *self, GError **error)
{
    return make_api(self, self->cancel, &self->api, error);
}

static bool rehearse_one(Rehearse *self, const char *task_name, const WmEvent *event,
                         GError **error)
{
    g_autoptr(json_t) report = NULL;
    if (!wm_rehearse(self->root, self->options->repo, task_name, event, self->cancel, &report,
                     error))
        return false;
    json_append_take(self->reports, g_steal_pointer(&report));
    return true;
}

static bool find_event(Rehearse *self, const WmTask *task, WmEvent *ret_event, GError **error)
{
    const RehearseOptions *options = self->options;
    if (options->event)
        return wm_event_read(options->event_name, options->event, ret_event, error);
    int64_t number = options->pull > 0 ? options->pull : options->issue;
    if (number > 0 && !open_api(self, error))
        return false;
    return wm_rehearse_event(task, self->api, number, options->pull > 0, self->cancel, ret_event,
                             error);
}

static bool rehearse_task(Rehearse *self, const WmProject *project, GError **error)
{
    g_auto(WmEvent) event = { 0 };
    const WmTask *task = wm_project_find(project, self->task_name, error);
    return task && find_event(self, task, &event, error) &&
           rehearse_one(self, self->task_name, &event, error);
}

/* One event of the past: a line of the table, and the rehearsals of what it starts. */
static bool replay_one(Rehearse *self, const WmProject *project, const json_t *past, GError **error)
{
    WmEvent event = { .name = (char *)json_get_text(past, "name"),
                      .payload = json_get_object(past, "payload") };
    const WmResolve resolve = {
        .project = project, .event = &event, .open_api = make_api, .user_data = self
    };
    g_autoptr(json_t) names = NULL;
    if (!wm_resolve(&resolve, self->cancel, &names, error))
        return false;
    WmNumbers numbers = wm_event_numbers(&event, 0);
    int64_t number = numbers.pull > 0 ? numbers.pull : numbers.issue;
    json_t *row = json_object(), *tasks = json_array();
    json_add(row, "event:%s at:%s actor:%s", event.name, json_get_text(past, "at"),
             json_get_text(past, "actor"));
    if (number > 0)
        json_set_int(row, "number", number);
    json_set_take(row, "tasks", tasks);
    json_append_take(self->table, row);
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (self->task_name && strcmp(name, self->task_name) != 0)
            continue;
        json_append_take(tasks, json_text(name));
        if (!self->options->is_list && !rehearse_one(self, name, &event, error))
            return false;
    }
    return true;
}

static bool rehearse_replay(Rehearse *self, const WmProject *project, GError **error)
{
    g_autoptr(json_t) events = NULL;
    self->table = json_array();
    if (!open_api(self, error) ||
        !wm_rehearse_history(self->api, self->options->replay, self->cancel, &events, error))
        return false;
    for (size_t i = 0; i < json_array_size(events); i++)
        if (!replay_one(self, project, json_array_get(events, i), error))
            return false;
    return true;
}

static bool wm_rehearse_work(void *data, Cancel *cancel, GError **error)
{
    Rehearse *self = data;
    self->cancel = cancel;
    g_autofree char *cwd = g_get_current_dir();
    g_autoptr(WmProject) project = NULL;
    self->root = path_absolute(self->options->root, cwd);
    if (!(self->task_name ? wm_project_load(self->root, self->task_name, NULL, &project, error)
                          : wm_here_load(self->root, NULL, &project, error)))
        return false;
    return self->options->replay > 0 ? rehearse_replay(self, project, error)
                                     : rehearse_task(self, project, error);
}

// ---- for people ----

static void append_lines(GString *out, const char *text, size_t most)
{
    g_autofree char *shown = visible_lines(text ? text : "");
    g_auto(GStrv) lines = g_strsplit(shown, "\n", -1);
    size_t count = g_strv_length(lines);
    for (size_t i = 0; i < MIN(count, most); i++)
        g_string_append_printf(out, "  %s\n", lines[i]);
    if (count > most)
        g_string_append_printf(out, "  … %zu lines more: --html or --json has them\n",
                               count - most);
}

static void append_write(GString *out, const json_t *write)
{
    const json_t *body = json_get_object(write, "body");
    int64_t number = json_get_int(write, "number", 0);
    g_string_append(out, "\n* ");
    visible_append(out, json_get_text(write, "kind"));
    if (number > 0)
        g_string_append_printf(out, " → #%" G_GINT64_FORMAT, number);
    g_string_append_c(out, '\n');
    json_each_member (body, key, value) {
        if (strcmp(key, "body") == 0)
            continue;
        g_autofree char *text =
            json_is_string(value) ? g_strdup(json_string_value(value)) : json_to_text(value);
        g_string_append(out, "  ");
        visible_append(out, key);
        g_string_append(out, ": ");
        visible_append(out, text);
        g_string_append_c(out, '\n');
    }
    if (json_get_text(body, "body"))
        append_lines(out, json_get_text(body, "body"), SHOWN_DIFF_LINES);
}

/* What was asked for and would not be written: the policy may leave it out, and a write may fail.
 */
static void append_skipped(GString *out, const json_t *skipped)
{
    json_each (skipped, index, one) {
        g_autofree char *line =
            g_strdup_printf("%s: %s: %s", json_get_text(one, "status"), json_get_text(one, "kind"),
                            json_get_text(one, "reason") ? json_get_text(one, "reason") : "");
        append_lines(out, line, 1);
    }
}

static void append_report(GString *out, const json_t *report)
{
    const json_t *usage = json_get_object(report, "usage");
    const json_t *writes = json_get_array(report, "writes");
    const json_t *errors = json_get_array(report, "errors");
    const json_t *skipped = json_get_array(report, "skipped");
    bool is_good = json_get_bool(report, "success", false);
    int64_t number = json_get_int(report, "number", 0);
    double cost = json_get_number(usage, "cost_usd", -1);
    g_string_append_printf(out, "%s for %s", json_get_text(report, "task"),
                           json_get_text(report, "event"));
    if (number > 0)
        g_string_append_printf(out, " #%" G_GINT64_FORMAT, number);
    g_string_append_printf(out, ": %s in %.1f s", is_good ? "success" : "failed",
                           (double)json_get_int(report, "duration_ms", 0) / 1000);
    if (cost >= 0)
        g_string_append_printf(out, ", $%.4f", cost);
    g_string_append_c(out, '\n');
    for (size_t i = 0; i < json_array_size(errors); i++)
        append_lines(out, json_string_value(json_array_get(errors, i)), SHOWN_DIFF_LINES);
    g_string_append_printf(out, "\nIt would write %zu thing%s%s\n", json_array_size(writes),
                           json_array_size(writes) == 1 ? "" : "s",
                           json_array_size(writes) == 0 ? "." : ":");
    for (size_t i = 0; i < json_array_size(writes); i++)
        append_write(out, json_array_get(writes, i));
    append_skipped(out, skipped);
    const char *diff = json_get_text(report, "diff");
    if (diff && *diff) {
        g_string_append(out, "\nIt changed:\n");
        append_lines(out, diff, SHOWN_DIFF_LINES);
    }
    g_string_append_c(out, '\n');
}

static void append_table(GString *out, const json_t *table)
{
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i);
        const json_t *tasks = json_get_array(row, "tasks");
        int64_t number = json_get_int(row, "number", 0);
        g_autofree char *which =
            number > 0 ? g_strdup_printf("#%" G_GINT64_FORMAT, number) : g_strdup("");
        g_autoptr(GString) line = g_string_new(NULL);
        g_string_append_printf(line, "%-20s  %-28s  %-6s  %-20s  ",
                               json_get_text(row, "at") ? json_get_text(row, "at") : "",
                               json_get_text(row, "event"), which,
                               json_get_text(row, "actor") ? json_get_text(row, "actor") : "");
        for (size_t j = 0; j < json_array_size(tasks); j++)
            g_string_append_printf(line, "%s%s", j > 0 ? ", " : "",
                                   json_string_value(json_array_get(tasks, j)));
        if (json_array_size(tasks) == 0)
            g_string_append_c(line, '-');
        visible_append(out, line->str);
        g_string_append_c(out, '\n');
    }
}

static bool print_text(const Rehearse *self)
{
    g_autoptr(GString) out = g_string_new(NULL);
    if (self->table) {
        append_table(out, self->table);
        if (json_array_size(self->reports) > 0)
            g_string_append_c(out, '\n');
    }
    for (size_t i = 0; i < json_array_size(self->reports); i++)
        append_report(out, json_array_get(self->reports, i));
    g_string_append(out, "Nothing was written to GitHub.\n");
    return cmd_print(out->str);
}

static bool print_json(const Rehearse *self)
{
    g_autoptr(json_t) all = json_make("reports:%p", json_incref(self->reports));
    if (self->table)
        json_set_take(all, "events", json_incref(self->table));
    g_autofree char *text = json_to_pretty(self->table ? all : json_array_get(self->reports, 0));
    return cmd_print_line(text);
}

/* The exit code. */
static int rehearse_show(const Rehearse *self, GError **error)
{
    const RehearseOptions *options = self->options;
    if (options->html) {
        g_autofree char *page = rehearsal_page(self->reports);
        if (!file_write_atomic(options->html, page, strlen(page), 0600, error))
            return EXIT_FAILED;
        log_text("wm rehearse: wrote %s", options->html);
    }
    if (!(options->is_json ? print_json(self) : print_text(self)))
        return EXIT_FAILED;
    for (size_t i = 0; i < json_array_size(self->reports); i++)
        if (!json_get_bool(json_array_get(self->reports, i), "success", false))
            return EXIT_FAILED;
    return EXIT_OK;
}

static bool check_options(const RehearseOptions *options, const char *task_name, GError **error)
{
    int given = (options->issue > 0) + (options->pull > 0) + (options->event != NULL) +
                (options->replay > 0);
    if (given > 1)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "only one of --issue, --pr, --event and --replay may be given");
    if (!task_name && options->replay == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "accepts 1 arg(s), received 0");
    if (options->event && !options->event_name)
        return fail_with(error, KEDGE_ERROR_USAGE, "required flag(s) \"event-name\" not set");
    return true;
}

static int rehearse_run(const CommandEnv *env, int argc, char *const *argv)
{
    const Command *command = &command_wm_rehearse;
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    RehearseOptions options = { 0 };
    if (!wm_decode(command, argc, argv, &options, &kept, words, 0, 1, &error))
        return wm_fail(command->name, error);
    const char *task_name = words->len > 0 ? g_ptr_array_index(words, 0) : NULL;
    if (!check_options(&options, task_name, &error))
        return wm_fail(command->name, error);
    g_auto(Rehearse)
        self = { .options = &options, .task_name = task_name, .reports = json_array() };
    int stopped = cmd_run_blocking(wm_rehearse_work, &self, &error);
    if (stopped)
        return stopped;
    int code = error ? EXIT_FAILED : rehearse_show(&self, &error);
    return error ? wm_fail(command->name, error) : code;
}

const Command command_wm_rehearse = {
    .name = "wm rehearse",
    .summary = "Show what a task would do, without doing it",
    .usage = "TASK [--issue N | --pr N | --event FILE] [--json] [--html FILE]",
    .options = rehearse_options,
    .help =
        "Runs the task in a clone that is thrown away. What it asks for is checked and planned, "
        "not written; its agent has\nno token (but KEDGE_WM_AGENT_TOKEN, if you set one that can "
        "only read), and its git remote leads nowhere.\n--replay N without TASK: every task that "
        "the last N events of the repository would start.",
    .run = rehearse_run,
};
