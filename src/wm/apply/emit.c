/*
 * Items by the environment of an agent (emit.h).
 */
#include "wm/apply/emit.h"

#include "base/env.h"
#include "base/str.h"

static int64_t number_of(const char *variable)
{
    const char *text = env_get_raw(variable);
    int64_t number = 0;
    return text && str_parse_int(text, &number) && number > 0 ? number : 0;
}

bool wm_emit_open(WmEmit *ret_emit, GError **error)
{
    static const char *const names[] = { "WM_REPO_ROOT", "WM_TASK", "WM_SAFE_OUTPUT_FILE" };
    const char *values[G_N_ELEMENTS(names)] = { NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        values[i] = env_get_raw(names[i]);
        if (!values[i])
            return fail_with(error, KEDGE_ERROR_FAILED, "%s is not set", names[i]);
    }
    g_autoptr(WmProject) project = NULL;
    if (!wm_project_load(values[0], values[1], NULL, &project, error))
        return false;
    const WmTask *task = wm_project_find(project, values[1], error);
    if (!task)
        return false;
    WmPolicy *policy = wm_policy_new(wm_task_safe_outputs(task), NULL);
    *ret_emit = (WmEmit) {
        .policy = policy,
        .path = values[2],
        .scope = {
            .policy = policy,
            .task_name = task->name,
            .repo = env_get_raw("GITHUB_REPOSITORY"),
            .root = project->root,
            .issue = number_of("WM_ISSUE_NUMBER"),
            .pull = number_of("WM_PR_NUMBER"),
            .is_emit = true,
        },
    };
    ret_emit->project = g_steal_pointer(&project);
    return true;
}

void wm_emit_clear(WmEmit *self)
{
    wm_project_free(self->project);
    wm_policy_free(self->policy);
    *self = (WmEmit) { 0 };
}

bool wm_emit_append(const WmEmit *self, const json_t *raw, GError **error)
{
    if (wm_items_append(self->path, &self->scope, raw, error))
        return true;
    g_prefix_error(error, "emit: ");
    return false;
}
