/*
 * A rehearsal (rehearse.h): the run in a clone, and the report of it.
 */
#include "wm/run/rehearse.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "wm/run/run.h"
#include "wm/task/repo_file.h"
#include "wm/task/wm_log.h"
#include "wm/workspace/quarantine.h"
#include "wm/workspace/run_place.h"

#define MAX_COMMITS "100"

/* Configuration and tasks as they are in the work tree, not as they were committed. */
static bool copy_file(const char *from_root, const char *to_root, const char *path, GError **error)
{
    g_autofree char *from = g_build_filename(from_root, path, NULL), *text = NULL;
    return file_read(from, LIMIT_CONFIG_FILE_BYTES, &text, NULL, error) &&
           wm_repo_file_write(to_root, path, text, NULL, error);
}

static bool copy_tasks(const char *dir, void *user_data, GError **error)
{
    const WmProject *project = user_data;
    g_autofree char *config = g_build_filename(project->root, WM_CONFIG_PATH, NULL);
    if (file_exists(config) && !copy_file(project->root, dir, WM_CONFIG_PATH, error))
        return false;
    for (unsigned i = 0; i < project->tasks->len; i++) {
        const WmTask *task = g_ptr_array_index(project->tasks, i);
        if (str_has_prefix(task->path, ".wm/") && !copy_file(project->root, dir, task->path, error))
            return false;
        for (unsigned k = 0; task->imported && k < task->imported->len; k++)
            if (!copy_file(project->root, dir, task->imported->pdata[k], error))
                return false;
    }
    return true;
}

// ---- the report ----

static json_t *usage_of(const WmUsage *usage)
{
    json_t *out = json_object();
    if (usage->cost_usd >= 0)
        json_set_take(out, "cost_usd", json_real(usage->cost_usd));
    if (usage->input_tokens >= 0)
        json_set_int(out, "input_tokens", usage->input_tokens);
    if (usage->output_tokens >= 0)
        json_set_int(out, "output_tokens", usage->output_tokens);
    if (usage->turns >= 0)
        json_set_int(out, "turns", usage->turns);
    return out;
}

/* What git says, or nothing: a report lacks it then. Caller frees. */
static char *git_text(const WmPlace *place, const char *const *args, Cancel *cancel)
{
    const WmGit spec = { .root = place->work, .is_quarantined = true };
    g_autoptr(GError) error = NULL;
    char *text = NULL;
    if (wm_git(&spec, args, 0, cancel, &text, &error))
        return text;
    wm_log(WM_WARN, "wm rehearse: what changed is not known", "reason", error->message, NULL);
    return g_strdup("");
}

static void add_changes(json_t *report, const WmPlace *place, Cancel *cancel)
{
    g_autofree char *base = g_strconcat("refs/remotes/origin/", place->branch, NULL);
    g_autofree char *range = g_strconcat(base, "..HEAD", NULL);
    const char *const log[] = { "log",       "--format=%s",      "-n",  MAX_COMMITS,
                                "--reverse", "--end-of-options", range, NULL };
    const char *const diff[] = {
        "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--end-of-options", base, NULL
    };
    g_autofree char *subjects = git_text(place, log, cancel);
    g_autofree char *text = git_text(place, diff, cancel);
    g_autofree char *shown = str_truncate(text, WM_MAX_REHEARSED_DIFF_BYTES);
    g_auto(GStrv) lines = g_strsplit(subjects, "\n", -1);
    json_t *commits = json_array();
    for (char **line = lines; *line; line++)
        if (**line)
            json_append_take(commits, json_text(*line));
    json_set_take(report, "commits", commits);
    json_set_text(report, "diff", shown);
    json_set_bool(report, "diff_is_cut", strlen(shown) < strlen(text));
}

static json_t *skipped_of(const json_t *outputs)
{
    json_t *skipped = json_array();
    for (size_t i = 0; i < json_array_size(outputs); i++) {
        const json_t *output = json_array_get(outputs, i);
        const char *status = json_get_text(output, "status");
        if (g_strcmp0(status, "skipped") != 0 && g_strcmp0(status, "failed") != 0)
            continue;
        json_t *one = json_object();
        json_set_text(one, "status", status);
        json_set_text(one, "kind", json_get_text(output, "kind"));
        json_set_text(one, "reason", json_get_text(output, "reason"));
        json_append_take(skipped, one);
    }
    return skipped;
}

static void add_run(json_t *report, const WmRunResult *run)
{
    json_set_bool(report, "success", run->is_success);
    json_set_text(report, "phase", run->phase);
    json_t *errors = json_array();
    for (unsigned i = 0; run->errors && i < run->errors->len; i++)
        json_append_take(errors, json_text(g_ptr_array_index(run->errors, i)));
    json_set_take(report, "errors", errors);
    json_set_int(report, "duration_ms", run->duration_ms);
    if (run->has_agent)
        json_set_take(report, "usage", usage_of(&run->agent.usage));
    json_set_take(report, "writes", run->plan ? json_incref(run->plan) : json_array());
    json_set_take(report, "skipped", skipped_of(run->outputs));
    if (run->has_agent)
        json_set_text(report, "response", run->agent.last_response);
}

static json_t *report_of(const WmPlace *place, const char *task_name, const WmEvent *event,
                         const WmRunResult *run)
{
    g_autoptr(Cancel) cancel = cancel_new_timed(NULL, 60 * 1000); // also of what was stopped
    WmNumbers numbers = wm_event_numbers(event, 0);
    int64_t number = numbers.pull > 0 ? numbers.pull : numbers.issue;
    const WmGit spec = { .root = place->work, .is_quarantined = true };
    g_autofree char *branch = NULL;
    json_t *report = json_object();
    json_set_text(report, "task", task_name);
    json_set_text(report, "event", event->name);
    if (number > 0)
        json_set_int(report, "number", number);
    add_run(report, run);
    if (wm_git_branch(&spec, cancel, &branch, NULL) && strcmp(branch, place->branch) != 0)
        json_set_text(report, "branch", branch);
    add_changes(report, place, cancel);
    return report;
}

bool wm_rehearse(const char *root, const char *repo, const char *task_name, const WmEvent *event,
                 Cancel *cancel, json_t **ret_report, GError **error)
{
    g_autoptr(WmProject) project = NULL;
    g_auto(WmPlace) place = { 0 };
    g_auto(WmRunResult) run = { 0 };
    g_auto(WmRepo) github = { 0 };
    g_autoptr(GError) failure = NULL;
    if (!wm_project_load(root, task_name, NULL, &project, error) ||
        !wm_project_find(project, task_name, error) ||
        !wm_place_make_here(root, copy_tasks, project, cancel, &place, error))
        return false;
    // the clone's origin leads nowhere; without a repository nothing is looked up, which is told
    if (!wm_repo_find(repo, root, cancel, &github, NULL) && !cancel_check(cancel, error))
        return false;
    const WmRunOptions options = { .root = place.work,
                                   .repo = github.slug,
                                   .task_name = task_name,
                                   .event = event,
                                   .is_staged = true,
                                   .is_rehearsal = true };
    if (!wm_run(&options, cancel, &run, &failure) && !run.run_dir)
        return pass_error(error, &failure);
    *ret_report = report_of(&place, task_name, event, &run);
    return true;
}
