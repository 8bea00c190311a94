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

static void check_task(const WmProject *project, const WmTask *task, GPtrArray *problems,
                       GPtrArray *warnings)
{
    guint problem = problems->len, warning = warnings->len;
    g_autoptr(WmPolicy) policy = wm_policy_new(wm_task_safe_outputs(task), warnings);
    wm_task_validate(task, project->config, problems, warnings);
    for (guint i = 0; i < project->tasks->len; i++)
        wm_task_validate_starts(task, policy, project->tasks->pdata[i], warnings);
    wm_notes_set_path(problems, problem, task->path);
    wm_notes_set_path(warnings, warning, task->path);
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
        guint first = problems->len;
        wm_note(problems, WM_KEY("engine"), "%s", error->message);
        wm_notes_set_path(problems, first, WM_CONFIG_PATH);
        return;
    }
}

/* Each once, with its line, as texts. */
static void show(const char *root, const GPtrArray *notes, GPtrArray *texts)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(WmLines) lines = NULL;
    const char *lines_path = NULL;
    for (guint i = 0; i < notes->len; i++) {
        const WmNote *note = notes->pdata[i];
        if (note->path && g_strcmp0(note->path, lines_path) != 0) {
            g_clear_pointer(&lines, wm_lines_free);
            lines = wm_lines_new(root, lines_path = note->path);
        }
        char *text = wm_note_show(note, note->path ? wm_lines_of(lines, note) : 0);
        if (g_hash_table_contains(seen, text)) {
            g_free(text);
            continue;
        }
        g_hash_table_add(seen, text);
        g_ptr_array_add(texts, text);
    }
}

static void validate(const char *root, GPtrArray *problems, GPtrArray *warnings)
{
    g_autoptr(WmProject) project = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_project_load_good(root, warnings, &project, &error)) {
        WmNote *value = wm_config_problem(root);
        if (value)
            g_ptr_array_add(problems, value);
        else
            wm_note(problems, WM_FILE, "%s", error->message);
        return;
    }
    wm_config_validate(root, project->config, warnings);
    check_engine(project, problems);
    for (guint i = 0; i < project->bad->len; i++)
        wm_note(problems, WM_FILE, "%s", ((WmBadFile *)project->bad->pdata[i])->reason);
    for (guint i = 0; i < project->tasks->len; i++)
        check_task(project, project->tasks->pdata[i], problems, warnings);
    g_autoptr(json_t) all G_GNUC_UNUSED = wm_union(project->tasks, warnings); // what compile says
}

void wm_project_validate(const char *root, GPtrArray *problems, GPtrArray *warnings)
{
    g_autoptr(GPtrArray) bad = wm_notes_new(), odd = wm_notes_new();
    validate(root, bad, odd);
    show(root, bad, problems);
    show(root, odd, warnings);
}
