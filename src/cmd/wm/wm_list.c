/*
 * `kedge wm list`: the tasks of a repository (task-engine §3.5).
 */
#include "cmd/cli/columns.h"
#include "cmd/wm/wm.h"
#include "cmd/wm/wm_here.h"
#include "wm/task/project.h"
#include "wm/task/schedule.h"
#include "wm/task/triggers.h"
#include "wm/task/wm_log.h"

#include <string.h>

typedef struct ListOptions {
    const char *repo_root;
    bool is_json;
} ListOptions;

static const FieldDef list_options[] = {
    { "repoRoot", FIELD_STRING, offsetof(ListOptions, repo_root), .value_name = "DIR",
      .help = "Directory with .wm/ (default: .)" },
    { "json", FIELD_BOOLEAN, offsetof(ListOptions, is_json), .help = "A JSON array" },
    { 0 },
};

static json_t *triggers_of(const WmTask *task)
{
    json_t *triggers = json_array();
    json_each_member (task->on, key, options)
        if (strcmp(key, WM_GATES) != 0)
            json_append_take(triggers, json_text(key));
    return triggers;
}

// As they are understood; what is no schedule stands as it is written.
static json_t *schedule_of(const WmTask *task)
{
    json_t *crons = json_array();
    const json_t *schedule = json_get_object(task->on, "schedule");
    json_each (json_get_array(schedule, "entries"), index, entry) {
        g_autofree char *cron = wm_schedule_normalize(json_string_value(entry), task->path);
        json_append_take(crons, json_text(cron));
    }
    return crons;
}

static json_t *json_of(const WmTask *task, const WmConfig *config)
{
    g_autofree char *engine = wm_task_engine(task, config);
    return json_make("name:%s path:%s engine:%s triggers:%p schedule:%p description:%s", task->name,
                     task->path, engine, triggers_of(task), schedule_of(task),
                     wm_task_description(task));
}

static bool print_json(const WmProject *project)
{
    g_autoptr(json_t) tasks = json_array();
    for (guint i = 0; i < project->tasks->len; i++)
        json_append_take(tasks, json_of(project->tasks->pdata[i], project->config));
    g_autofree char *text = json_to_text(tasks);
    return cmd_print_line(text);
}

static void add_task(const WmTask *task, const WmConfig *config, Columns *rows)
{
    g_autofree char *engine = wm_task_engine(task, config);
    g_autoptr(json_t) triggers = triggers_of(task);
    g_autoptr(GString) names = g_string_new(NULL);
    size_t index;
    json_t *trigger;
    json_array_foreach (triggers, index, trigger)
        g_string_append_printf(names, "%s%s", index > 0 ? "," : "", json_string_value(trigger));
    const char *description = wm_task_description(task);
    g_autofree char *first = g_strndup(description, strcspn(description, "\r\n"));
    const char *const cells[] = { task->name, index == 0 ? "-" : names->str, engine, first, NULL };
    columns_add(rows, cells);
}

static bool print_tasks(const WmProject *project)
{
    g_autoptr(Columns) rows = columns_new();
    for (guint i = 0; i < project->tasks->len; i++)
        add_task(project->tasks->pdata[i], project->config, rows);
    g_autofree char *text = columns_text(rows, columns_terminal_width());
    return cmd_print(text);
}

static void say_all(const WmProject *project, GPtrArray *warnings)
{
    for (guint i = 0; i < project->tasks->len; i++)
        g_ptr_array_unref(wm_task_crons(project->tasks->pdata[i], warnings, NULL));
    wm_print_warnings(warnings);
    for (guint i = 0; i < project->bad->len; i++)
        wm_say("wm: %s; skipped", ((WmBadFile *)project->bad->pdata[i])->reason);
}

static int list_run(const CommandEnv *env, int argc, char *const *argv)
{
    ListOptions options = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_decode(&command_wm_list, argc, argv, &options, &kept, NULL, 0, 0, &error))
        return wm_fail("wm list", error);
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    g_autoptr(WmProject) project = NULL;
    if (!wm_project_load_good(options.repo_root ? options.repo_root : ".", warnings, &project,
                              &error))
        return wm_fail("wm list", error);
    say_all(project, warnings);
    bool is_good = options.is_json ? print_json(project) : print_tasks(project);
    if (is_good && project->tasks->len == 0 && project->bad->len == 0)
        wm_say("No tasks in " WM_TASKS_DIR ". Write one, or: kedge wm add");
    bool has_none = project->tasks->len == 0 && project->bad->len > 0;
    return is_good && !has_none ? EXIT_OK : EXIT_FAILED;
}

const Command command_wm_list = {
    .name = "wm list",
    .summary = "The tasks and their triggers",
    .usage = "[options]",
    .options = list_options,
    .help = "One line a task: its name, what starts it, its engine, its description.\n\n"
            "  kedge wm list\n"
            "  kedge wm list --json | jq -r '.[] | select(.schedule != []) | .name'",
    .run = list_run,
};
