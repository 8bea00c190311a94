/*
 * Shared by commands of `kedge wm` (wm_here.h).
 */
#include "cmd/wm/wm_here.h"

#include "base/memory.h"
#include "base/str.h"
#include "base/visible.h"
#include "cmd/cli/interrupt.h"
#include "wm/compile/caller.h"
#include "wm/task/wm_log.h"

void wm_print_warnings(const GPtrArray *warnings)
{
    for (unsigned i = 0; i < warnings->len; i++) {
        g_autofree char *text = wm_note_show(warnings->pdata[i], 0);
        wm_say_as(WM_WARN, "wm: %s", text);
    }
}

static bool has_broken_file(const WmProject *project)
{
    bool is_found = false;
    for (unsigned i = 0; i < project->bad->len; i++)
        is_found = is_found || !((WmBadFile *)project->bad->pdata[i])->is_misnamed;
    return is_found;
}

bool wm_here_load(const char *root, const WmWanted *wanted, WmProject **ret_project, GError **error)
{
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    g_autoptr(WmProject) project = NULL;
    bool is_good = wm_project_load_wanted(root, wanted, warnings, &project, error);
    wm_print_warnings(warnings);
    if (!is_good)
        return false;
    for (unsigned i = 0; i < project->bad->len; i++)
        wm_say_as(WM_WARN, "wm: %s; skipped", ((WmBadFile *)project->bad->pdata[i])->reason);
    if (project->tasks->len + project->left_out == 0 && has_broken_file(project))
        return fail_with(error, KEDGE_ERROR_FAILED, "no task could be loaded");
    *ret_project = g_steal_pointer(&project);
    return true;
}

bool wm_here_compile(const WmCompile *options, GError **error)
{
    memory_expect_much();
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    bool is_good = wm_compile(options, warnings, error);
    wm_print_warnings(warnings);
    if (is_good && !options->only_checks)
        wm_say("Updated " WM_CALLER_PATH);
    return is_good;
}

int wm_work(const char *command, bool (*run)(void *data, Cancel *cancel, GError **error),
            void *data)
{
    g_autoptr(GError) error = NULL;
    int stopped = cmd_run_blocking(run, data, &error);
    return error && !stopped ? wm_fail(command, error) : stopped;
}

bool wm_here_api(const char *repo, Cancel *cancel, WmApi **ret_api, GError **error)
{
    g_autofree char *cwd = g_get_current_dir();
    g_auto(WmRepo) found = { 0 };
    return wm_repo_find(repo, cwd, cancel, &found, error) &&
           wm_api_new(&found, cwd, cancel, ret_api, error);
}

bool wm_issue_number(const char *word, int64_t *ret_number, GError **error)
{
    int64_t number = 0;
    if (!str_parse_int(word + (*word == '#'), &number) || number <= 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "issue number: \"%s\" is not a number", word);
    *ret_number = number;
    return true;
}

void wm_append_line(GString *out, const char *text)
{
    visible_append(out, text);
    g_string_append_c(out, '\n');
}
