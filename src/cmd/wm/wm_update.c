/*
 * `kedge wm update`: tasks fetched again from where they came (task-engine §3.8).
 */
#include "base/file.h"
#include "base/git.h"
#include "base/str.h"
#include "cmd/wm/wm_here.h"
#include "wm/task/project.h"
#include "wm/task/task_bundle.h"
#include "wm/task/task_fetch.h"
#include "wm/task/wm_log.h"

#define MARKDOWN ".md"

typedef struct UpdateOptions {
    bool is_forced;
} UpdateOptions;

static const FieldDef update_options[] = {
    { "force", FIELD_BOOLEAN, offsetof(UpdateOptions, is_forced),
      .help = "Overwrite local changes" },
    { 0 },
};

typedef struct Update {
    const GPtrArray *names; // as given
    bool is_forced;
    WmProject *project;
    GPtrArray *tasks; // const WmTask *, chosen
} Update;

static bool has_source(const WmTask *task)
{
    const char *source = wm_task_source(task);
    return source && *source;
}

static bool choose_named(Update *self, const char *given, GError **error)
{
    bool has_suffix = g_str_has_suffix(given, MARKDOWN);
    g_autofree char *name = g_strndup(given, strlen(given) - (has_suffix ? strlen(MARKDOWN) : 0));
    const WmTask *task = wm_project_find(self->project, name, NULL);
    g_autofree char *hint = task ? NULL : wm_project_did_you_mean(self->project, name);
    if (!task)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "unknown task \"%s\"%s", name, hint);
    if (!has_source(task))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "task \"%s\" has no source: field; cannot update", name);
    if (!g_ptr_array_find(self->tasks, task, NULL))
        g_ptr_array_add(self->tasks, (WmTask *)task);
    return true;
}

static bool update_choose(Update *self, GError **error)
{
    for (unsigned i = 0; i < self->names->len; i++)
        if (!choose_named(self, g_ptr_array_index(self->names, i), error))
            return false;
    for (unsigned i = 0; self->names->len == 0 && i < self->project->tasks->len; i++)
        if (has_source(g_ptr_array_index(self->project->tasks, i)))
            g_ptr_array_add(self->tasks, g_ptr_array_index(self->project->tasks, i));
    return true;
}

/* Git knows the file and holds another text. Where there is no git, nothing is known. */
static bool is_modified(const WmTask *task, Cancel *cancel)
{
    const GitSpec spec = {
        .dir = ".",
        .args = (const char *const[]) { "status", "--porcelain", "--", task->path, NULL },
    };
    g_auto(GitResult) result = { 0 };
    return git_start(&spec, cancel, &result, NULL) && result.exit_status == 0 &&
           *result.output != '\0' && !str_has_prefix(result.output, "??");
}

static bool wm_task_fetch(const WmTask *task, Cancel *cancel, WmFetched *ret_fetched,
                          GError **error)
{
    const char *text = wm_task_source(task);
    g_auto(WmSource) source = { 0 };
    if (!wm_source_of_task(text, &source))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "%s: invalid source \"%s\": expected https URL or owner/repo/path",
                         task->name, text);
    g_autofree char *cwd = g_get_current_dir();
    g_autofree char *url = source.kind == WM_FROM_URL ? g_strdup(source.text)
                                                      : wm_source_raw_url(&source, source.path);
    const char *const paths[] = { source.path, NULL };
    if (!wm_fetch(&source, paths, cwd, cancel, ret_fetched, error)) {
        g_prefix_error(error, "%s: fetch \"%s\": ", task->name, url);
        return false;
    }
    g_autofree char *status = wm_status_text(ret_fetched->status);
    return ret_fetched->status == 200 ||
           fail_with(error, KEDGE_ERROR_FAILED, "%s: HTTP %s from %s (source \"%s\")", task->name,
                     status, url, text);
}

/* All tasks as they would be then: one that compile refuses replaces none that it takes. */
static bool check_updated(const GPtrArray *files, GError **error)
{
    g_autoptr(GPtrArray) warnings G_GNUC_UNUSED = wm_notes_new(); // compile says them
    return wm_compile(&(WmCompile) { .root = ".", .fresh = files, .only_fresh = true }, warnings,
                      error);
}

static bool update_task(const Update *self, const WmTask *task, Cancel *cancel, GError **error)
{
    g_auto(WmFetched) fetched = { 0 };
    g_autofree char *text = NULL;
    g_auto(WmSource) source = { 0 };
    g_autoptr(GPtrArray) files = wm_fresh_new();
    bool is_split = false;
    if (!self->is_forced && is_modified(task, cancel))
        return fail_with(error, KEDGE_ERROR_FAILED, "%s: local changes would be lost (use --force)",
                         task->name);
    if (!wm_task_fetch(task, cancel, &fetched, error))
        return false;
    if (!wm_source_check(fetched.text, fetched.size, &is_split, NULL, error) ||
        !wm_source_insert(fetched.text, wm_task_source(task), &text, error)) {
        g_prefix_error(error, "%s: invalid markdown (frontmatter): ", task->name);
        return false;
    }
    wm_fresh_add_first(files, task->path, text);
    return wm_source_of_task(wm_task_source(task), &source) &&
           wm_bundle(&source, ".", task->path, self->is_forced, cancel, files, error) &&
           check_updated(files, error);
}

static bool update_all(Update *self, Cancel *cancel, GError **error)
{
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    if (!file_is_directory(WM_TASKS_DIR))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         WM_TASKS_DIR " not found; run kedge wm init first");
    bool is_loaded = wm_project_load(".", NULL, warnings, &self->project, error);
    wm_print_warnings(warnings);
    if (!is_loaded || !update_choose(self, error))
        return false;
    if (self->tasks->len == 0)
        wm_say("No tasks with source: in frontmatter. Add tasks via kedge wm add <url | "
               "owner/repo/task | path> to record a source.");
    for (unsigned i = 0; i < self->tasks->len; i++)
        if (!update_task(self, g_ptr_array_index(self->tasks, i), cancel, error))
            return false;
    if (self->tasks->len > 0)
        wm_say("Run: kedge wm compile");
    return true;
}

static bool wm_update_run(void *data, Cancel *cancel, GError **error)
{
    Update *self = data;
    bool is_good = update_all(self, cancel, error);
    g_ptr_array_unref(self->tasks);
    wm_project_free(self->project);
    return is_good;
}

static int update_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    UpdateOptions options = { 0 };
    if (!wm_decode(&command_wm_update, argc, argv, &options, &kept, names, 0, G_MAXUINT, &error))
        return wm_fail(command_wm_update.name, error);
    Update self = { .names = names, .is_forced = options.is_forced, .tasks = g_ptr_array_new() };
    return wm_work(command_wm_update.name, wm_update_run, &self);
}

const Command command_wm_update = {
    .name = "wm update",
    .summary = "Fetch tasks again that were added from elsewhere",
    .usage = "[--force] [TASK …]",
    .options = update_options,
    .help =
        "Without names, every task whose frontmatter has a source. Works on the current directory.",
    .run = update_run,
};
