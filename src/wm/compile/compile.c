/*
 * Compiling a repository (compile.h): everything is made first, and then written.
 */
#include "wm/compile/compile.h"

#include "base/limits.h"
#include "base/timefmt.h"
#include "wm/compile/caller.h"
#include "wm/task/repo_file.h"
#include "wm/task/template.h"
#include "wm/task/wm_log.h"
#include "wm/trigger/stop_after.h"

#include <string.h>

#define IGNORE_PATH      ".wm/.gitignore"
#define IGNORE_LINE      "runs/"
#define MAX_CALLER_BYTES (4 * MIB)

/* ${{ }} in bodies: the first problem ends it, or each is a warning. */
static bool check_expressions(const WmProject *project, GPtrArray *warnings, GError **error)
{
    if (project->config->expressions == WM_EXPRESSIONS_OFF)
        return true;
    for (unsigned i = 0; i < project->tasks->len; i++) {
        const WmTask *task = g_ptr_array_index(project->tasks, i);
        guint first = warnings->len;
        wm_template_check(task, warnings, NULL);
        wm_notes_set_path(warnings, first, task->path);
        if (warnings->len == first || project->config->expressions != WM_EXPRESSIONS_ERROR)
            continue;
        g_autofree char *text = wm_note_show(warnings->pdata[first], 0);
        g_ptr_array_set_size(warnings, (int)first);
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s", text);
    }
    return true;
}

/* .wm/.gitignore with the line; NULL: it has it. */
static bool make_ignore(const char *root, char **ret_text, GError **error)
{
    g_autofree char *old = NULL;
    if (!wm_repo_file_read(root, IGNORE_PATH, LIMIT_CONFIG_FILE_BYTES, &old, error))
        return false;
    if (!old)
        *ret_text = g_strdup(IGNORE_LINE "\n");
    else if (!strstr(old, IGNORE_LINE))
        *ret_text = g_strconcat(old, *old == '\0' || g_str_has_suffix(old, "\n") ? "" : "\n",
                                IGNORE_LINE "\n", NULL);
    return true;
}

/* .wm/stop-after.json; NULL: there is none and none is needed. */
static bool make_deadlines(const WmCompile *options, const WmProject *project, char **ret_text,
                           GError **error)
{
    g_autoptr(json_t) stored = NULL, settled = NULL;
    g_autofree char *old = NULL;
    if (!wm_stop_after_read(options->root, &stored, error) ||
        !wm_stop_after_settle(project, stored, options->refreshes_stop_after, time_now_ms(),
                              &settled, error) ||
        !wm_repo_file_read(options->root, WM_STOP_AFTER_PATH, LIMIT_CONFIG_FILE_BYTES, &old, error))
        return false;
    if (json_equal(stored, settled)) // or there is no file, and nothing to store
        *ret_text = g_steal_pointer(&old);
    if (json_equal(stored, settled))
        return true;
    g_autofree char *text = json_to_pretty(settled);
    *ret_text = g_strconcat(text, "\n", NULL);
    return true;
}

static bool check_same(const char *root, const char *path, const char *text, GError **error)
{
    g_autofree char *old = NULL;
    if (!wm_repo_file_read(root, path, MAX_CALLER_BYTES, &old, error))
        return false;
    return g_strcmp0(old, text) == 0 ||
           fail_with(error, KEDGE_ERROR_FAILED, "%s is out of date; run kedge wm compile", path);
}

static bool write_fresh(const WmCompile *options, GError **error)
{
    for (guint i = 0; options->fresh && i < options->fresh->len; i++) {
        const WmFreshFile *file = options->fresh->pdata[i];
        if (!wm_repo_file_write(options->root, file->path, file->text, NULL, error))
            return false;
        wm_say("%s %s", options->only_fresh ? "Updated" : "Wrote", file->path);
    }
    return true;
}

bool wm_compile(const WmCompile *options, GPtrArray *warnings, GError **error)
{
    const char *root = options->root;
    g_autoptr(WmProject) project = NULL;
    g_autofree char *caller = NULL, *ignore = NULL, *deadlines = NULL;
    if (!wm_project_load_fresh(root, options->fresh, warnings, &project, error) ||
        !check_expressions(project, warnings, error) ||
        !wm_caller_render(project, warnings, &caller, error) ||
        !make_deadlines(options, project, &deadlines, error))
        return false;
    if (options->only_checks)
        return check_same(root, WM_CALLER_PATH, caller, error) &&
               (!deadlines || check_same(root, WM_STOP_AFTER_PATH, deadlines, error));
    if (options->only_fresh)
        return write_fresh(options, error);
    return make_ignore(root, &ignore, error) && write_fresh(options, error) &&
           (!deadlines || wm_repo_file_write(root, WM_STOP_AFTER_PATH, deadlines, NULL, error)) &&
           wm_repo_file_write(root, WM_CALLER_PATH, caller, NULL, error) &&
           (!ignore || wm_repo_file_write(root, IGNORE_PATH, ignore, NULL, error));
}
