/*
 * What is wrong with configuration and tasks (project.h, wm_project_validate(); task-engine §3.4):
 * the rules of a single task are in validate_task.c.
 */
#include "workflow/validate_task.h"

#include <string.h>

static void take(GPtrArray *into, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void take(GPtrArray *into, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_ptr_array_add(into, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

// A label that `other` starts on, and that the outputs of a task may add.
static void check_labels(const WmTask *task, const WmPolicy *policy, const WmTask *other,
                         GPtrArray *warnings)
{
    g_autoptr(json_t) labels = wm_task_trigger_labels(other);
    size_t index;
    json_t *item;
    json_array_foreach (labels, index, item) {
        const char *label = json_string_value(item);
        if (wm_policy_allows_label(policy, WM_ADD_LABELS, label, NULL))
            take(warnings, "%s: add-labels may trigger task \"%s\" (label \"%s\")", task->path,
                 other->name, label);
    }
}

static void check_task(const WmProject *project, const WmTask *task, GPtrArray *problems,
                       GPtrArray *warnings)
{
    g_autoptr(GPtrArray) more = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(WmPolicy) policy = wm_policy_new(wm_task_safe_outputs(task), more);
    for (guint i = 0; i < more->len; i++)
        take(warnings, "%s: %s", task->path, (char *)more->pdata[i]);
    wm_task_validate(task, project->config, problems, warnings);
    for (guint i = 0; policy->handlers[WM_ADD_LABELS].is_enabled && i < project->tasks->len; i++)
        check_labels(task, policy, project->tasks->pdata[i], warnings);
}

void wm_project_validate(const char *root, GPtrArray *problems, GPtrArray *warnings)
{
    g_autoptr(WmProject) project = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_project_load_good(root, warnings, &project, &error)) {
        take(problems, "%s", error->message);
        return;
    }
    for (guint i = 0; i < project->bad->len; i++)
        take(problems, "%s", ((WmBadFile *)project->bad->pdata[i])->reason);
    for (guint i = 0; i < project->tasks->len; i++)
        check_task(project, project->tasks->pdata[i], problems, warnings);
}
