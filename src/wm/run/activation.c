/* See activation.h. */
#include "wm/run/activation.h"

#include "base/timefmt.h"
#include "base/utf8.h"
#include "wm/run/notify.h"
#include "wm/workspace/feature_branch.h"

bool wm_activation_check(const WmPipeline *self, WmActivation *ret_activation, GError **error)
{
    if (utf8_is_blank(self->event->name))
        return fail_with(error, KEDGE_ERROR_FAILED, "event name is empty");
    return wm_task_reaction(self->task, &ret_activation->reaction, error) &&
           wm_engine_find(self->task, self->project->config, &ret_activation->engine, error);
}

static bool make_dir(WmPipeline *self, GError **error)
{
    if (!wm_run_dir_make(self->root, self->task->name, self->event, &self->dir, error))
        return false;
    self->result->run_dir = g_strdup(self->dir.path);
    wm_pipeline_say(self, "activation: run directory %s", self->dir.path);
    return true;
}

static bool write_activation(const WmPipeline *self, const char *branch, GError **error)
{
    g_autoptr(json_t) value = json_object();
    json_set_text(value, "prev_branch", self->previous_branch);
    json_set_bool(value, "branch_created", true);
    json_set_text(value, "branch", branch);
    return wm_run_dir_write_json(&self->dir, "activation.json", value, error);
}

static bool make_branch(WmPipeline *self, Cancel *cancel, GError **error)
{
    const WmHandler *handler = &self->policy->handlers[WM_CREATE_PULL_REQUEST];
    if (!handler->is_enabled)
        return true;
    const WmBranchWish wish = {
        .task_name = self->task->name,
        .of_payload = wm_event_default_branch(self->event),
        .base = wm_handler_text(handler, "base-branch"),
        .at_ms = time_now_ms(),
    };
    g_auto(WmBranch) branch = { 0 };
    if (!wm_branch_prepare(&self->git, &wish, cancel, &branch, error))
        return false;
    if (!branch.is_new) {
        wm_pipeline_say(self,
                        "activation: using branch %s (already off default; no new feature branch)",
                        branch.name);
        return true;
    }
    self->previous_branch = g_strdup(branch.previous);
    wm_pipeline_say(self, "activation: created feature branch %s (previous: %s)", branch.name,
                    branch.previous);
    return write_activation(self, branch.name, error);
}

bool wm_activate(WmPipeline *self, const WmActivation *activation, Cancel *cancel, GError **error)
{
    if (!make_dir(self, error))
        return false;
    wm_notify_load_checkpoint(self, cancel);
    wm_notify_react(self, activation->reaction, cancel);
    wm_notify_status(self, self->policy->run_started, "", cancel);
    return cancel_check(cancel, error) && make_branch(self, cancel, error);
}
