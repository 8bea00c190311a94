/*
 * What is wrong with configuration and tasks (project.h, wm_project_validate(); task-engine §3.4):
 * the rules of a single task are in validate_task.c and validate_keys.c, those of the
 * configuration in validate_config.c; where in its file it is, validate_lines.c finds.
 */
#include "wm/compile/union_triggers.h"
#include "wm/compile/validate_lines.h"
#include "wm/compile/validate_task.h"
#include "wm/engine/engine.h"

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

/* The engine of the configuration, once, and not with each task that leaves it to it. */
static void check_engine(const WmProject *project, GPtrArray *problems)
{
    for (guint i = 0; i < project->tasks->len; i++) {
        const WmTask *task = project->tasks->pdata[i];
        WmEngineKind kind;
        g_autoptr(GError) error = NULL;
        if (wm_task_names_engine(task) || wm_engine_find(task, project->config, &kind, &error))
            continue;
        take(problems, "%s: %s", WM_CONFIG_PATH, error->message);
        return;
    }
}

// The file that a message is of, "<path>: …"; NULL: none that has lines. Borrowed.
static const char *path_of(const WmProject *project, const char *message)
{
    if (g_str_has_prefix(message, WM_CONFIG_PATH ": "))
        return WM_CONFIG_PATH;
    for (guint i = 0; project && i < project->tasks->len; i++) {
        const char *path = ((WmTask *)project->tasks->pdata[i])->path;
        size_t size = strlen(path);
        if (strncmp(message, path, size) == 0 && g_str_has_prefix(message + size, ": "))
            return path;
    }
    return NULL;
}

/* Each once, with its line. `project` NULL: it could not be loaded. */
static void finish(const char *root, const WmProject *project, GPtrArray *messages)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(WmLines) lines = NULL;
    const char *lines_path = NULL;
    for (guint i = 0; i < messages->len;) {
        if (g_hash_table_contains(seen, messages->pdata[i]))
            g_ptr_array_remove_index(messages, i);
        else
            g_hash_table_add(seen, messages->pdata[i++]);
    }
    g_hash_table_remove_all(seen); // it borrowed what is replaced now
    for (guint i = 0; i < messages->len; i++) {
        char *message = messages->pdata[i];
        const char *path = path_of(project, message);
        if (!path)
            continue;
        if (g_strcmp0(path, lines_path) != 0) {
            g_clear_pointer(&lines, wm_lines_free);
            lines = wm_lines_new(root, lines_path = path);
        }
        messages->pdata[i] = wm_lines_put(lines, path, message + strlen(path) + strlen(": "));
        g_free(message);
    }
}

static void validate(const char *root, GPtrArray *problems, GPtrArray *warnings,
                     WmProject **ret_project)
{
    g_autoptr(WmProject) project = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_project_load_good(root, warnings, &project, &error)) {
        take(problems, "%s", error->message);
        return;
    }
    wm_config_validate(root, project->config, warnings);
    check_engine(project, problems);
    for (guint i = 0; i < project->bad->len; i++)
        take(problems, "%s", ((WmBadFile *)project->bad->pdata[i])->reason);
    for (guint i = 0; i < project->tasks->len; i++)
        check_task(project, project->tasks->pdata[i], problems, warnings);
    g_autoptr(json_t) all G_GNUC_UNUSED = wm_union(project->tasks, warnings); // what compile says
    *ret_project = g_steal_pointer(&project);
}

void wm_project_validate(const char *root, GPtrArray *problems, GPtrArray *warnings)
{
    g_autoptr(WmProject) project = NULL;
    validate(root, problems, warnings, &project);
    finish(root, project, problems);
    finish(root, project, warnings);
}
