/* See activation.h. */
#include "wm/run/activation.h"

#include "base/file.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "wm/apply/emit.h"
#include "wm/run/early.h"
#include "wm/run/notify.h"
#include "wm/workspace/feature_branch.h"

#include <string.h>

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

/* `previous` NULL: the checkout stays where it is. */
static bool write_activation(const WmPipeline *self, const char *branch, const char *previous,
                             GError **error)
{
    g_autoptr(json_t) value = json_object();
    if (previous)
        json_set_text(value, "prev_branch", previous);
    json_set_bool(value, "branch_created", true);
    json_set_text(value, "branch", branch);
    if (self->tree.top)
        wm_run_tree_note(&self->tree, value);
    return wm_run_dir_write_json(&self->dir, "activation.json", value, error);
}

/* What an earlier one was killed in, too. */
static bool make_tree(WmPipeline *self, const WmPullHead *head, Cancel *cancel, GError **error)
{
    static const char *const ask_head[] = { "rev-parse", "HEAD", NULL };
    const char *base =
        wm_handler_text(&self->policy->handlers[WM_CREATE_PULL_REQUEST], "base-branch");
    g_autofree char *runs = g_path_get_dirname(self->dir.path), *commit = NULL;
    g_autoptr(GPtrArray) left = NULL;
    wm_run_tree_prune(&self->git, runs, cancel, &left);
    for (unsigned i = 0; i < left->len; i++)
        wm_pipeline_say(self, "activation: a run that was killed has left work in %s",
                        (const char *)left->pdata[i]);
    if (!wm_branch_check_base(&self->git, base, cancel, error) ||
        (!head->commit && !wm_git(&self->git, ask_head, 0, cancel, &commit, error)) ||
        !wm_run_tree_make(&self->git, self->dir.id, self->task->name,
                          head->commit ? head->commit : commit, cancel, &self->tree, error))
        return false;
    if (!wm_git_is_clean(&self->git, cancel, NULL))
        wm_pipeline_say(self, "activation: what is not committed here is not in the worktree");
    self->git.root = self->tree.root;
    wm_pipeline_say(self, "activation: worktree %s (branch %s)", self->tree.root,
                    self->tree.branch);
    g_autofree char *modules = g_build_filename(self->tree.top, ".gitmodules", NULL);
    if (file_exists(modules))
        wm_pipeline_say(self, "activation: submodules are empty there until the agent runs git "
                              "submodule update --init");
    return write_activation(self, self->tree.branch, NULL, error);
}

static bool make_branch(WmPipeline *self, const WmPullHead *head, Cancel *cancel, GError **error)
{
    if (head->commit)
        return wm_pull_head_check_out(head, &self->git, cancel, error);
    const WmHandler *handler = &self->policy->handlers[WM_CREATE_PULL_REQUEST];
    if (!handler->is_enabled)
        return true;
    const WmBranchWish wish = {
        .task_name = self->task->name,
        .of_payload = wm_event_default_branch(self->event),
        .base = wm_handler_text(handler, "base-branch"),
        .at_ms = time_now_ms(),
    };
    g_autofree char *branch = NULL, *previous = NULL;
    if (!wm_branch_prepare(&self->git, &wish, cancel, &branch, &previous, error))
        return false;
    if (strcmp(branch, previous) == 0) {
        wm_pipeline_say(self,
                        "activation: using branch %s (already off default; no new feature branch)",
                        branch);
        return true;
    }
    wm_pipeline_say(self, "activation: created feature branch %s (previous: %s)", branch, previous);
    return write_activation(self, branch, previous, error);
}

bool wm_activate(WmPipeline *self, const WmActivation *activation, Cancel *cancel, GError **error)
{
    g_auto(WmPullHead) head = { 0 };
    if (!make_dir(self, error))
        return false;
    wm_notify_load_checkpoint(self, cancel);
    wm_notify_react(self, activation->reaction, cancel);
    wm_notify_status(self, self->policy->run_started, "", cancel);
    if (!cancel_check(cancel, error) || !wm_pull_head_find(self, cancel, &head, error) ||
        !wm_emit_note(self->dir.path, self->task, head.pull, head.refusal, error))
        return false;
    if (head.commit)
        wm_pipeline_say(self, "activation: on the branch %s of pull request #%" G_GINT64_FORMAT,
                        head.ref, (gint64)json_get_int(head.pull, "number", 0));
    return activation->is_in_place ? make_branch(self, &head, cancel, error)
                                   : make_tree(self, &head, cancel, error);
}
