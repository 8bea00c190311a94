/* See dispatch.h. */
#include "wm/trigger/dispatch.h"

#include "base/str.h"
#include "wm/task/api.h"
#include "wm/task/wm_log.h"

static bool default_branch(WmApi *api, Cancel *cancel, char **ret_ref, GError **error)
{
    g_autofree char *path = wm_path(api, "%s", "");
    g_autoptr(json_t) repo = NULL;
    if (!wm_api_get(api, path, cancel, &repo, error))
        return false;
    const char *name = json_get_text(repo, "default_branch");
    if (str_is_empty(name))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "remote run: GitHub names no default branch of %s: use --ref",
                         wm_api_repo(api)->slug);
    *ret_ref = g_strdup(name);
    return true;
}

static json_t *make_body(const WmDispatch *self, const char *ref)
{
    json_t *body = json_object(), *inputs = json_object();
    json_set_text(body, "ref", ref);
    json_set_text(inputs, "task_name", self->task->name);
    if (self->issue > 0) {
        g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, (gint64)self->issue);
        json_set_text(inputs, "issue_number", number);
    }
    json_set_take(body, "inputs", inputs);
    return body;
}

bool wm_dispatch(const WmDispatch *self, Cancel *cancel, GError **error)
{
    const char *root = self->project->root;
    g_auto(WmRepo) repo = { 0 };
    if (!wm_repo_find(self->repo, root, cancel, &repo, error)) {
        g_prefix_error(error, "remote run: set --repo or run inside a GitHub checkout: ");
        return false;
    }
    g_autofree char *engine = wm_task_engine(self->task, self->project->config);
    wm_say("wm run: remote workflow_dispatch workflow=%s github_repo=%s task=\"%s\" engine=%s "
           "repo_root=%s",
           self->workflow, repo.slug, self->task->name, engine, root);
    g_autoptr(WmApi) api = NULL;
    g_autofree char *ref = g_strdup(self->ref);
    if (!wm_api_new(&repo, root, cancel, &api, error) ||
        (!ref && !default_branch(api, cancel, &ref, error)))
        return false;
    g_autofree char *file = wm_encode(self->workflow);
    g_autofree char *path = wm_path(api, "/actions/workflows/%s/dispatches", file);
    g_autoptr(json_t) body = make_body(self, ref);
    const WmCall call = { .method = "POST", .path = path, .body = body };
    return wm_api_call(api, &call, cancel, NULL, error);
}
