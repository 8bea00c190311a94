/* See conclusion.h. */
#include "wm/run/conclusion.h"

#include "wm/apply/outputs_summary.h"
#include "wm/run/notify.h"
#include "wm/run/outcome.h"
#include "wm/task/body.h"

#define NETWORK_MS             (60 * 1000)
#define INTERRUPTED_NETWORK_MS (2 * 1000) // somebody waits
#define TREE_MS                (60 * 1000)

/* For what is said on GitHub: time of its own, that a signal ends unless it came before. */
static Cancel *network_token(const WmPipeline *self)
{
    return wm_pipeline_is_interrupted(self) ? cancel_new_timed(NULL, INTERRUPTED_NETWORK_MS)
                                            : cancel_new_timed(self->cancel, NETWORK_MS);
}

/* The worktree goes unless something would be lost with it. */
static void leave_tree(WmPipeline *self)
{
    if (!self->tree.top)
        return;
    // not what a signal ends: the worktree would stay for nothing
    g_autoptr(Cancel) cancel = cancel_new_timed(NULL, TREE_MS);
    const WmGit checkout = { .root = self->root };
    g_autofree char *left = NULL;
    wm_run_tree_end(&self->tree, &checkout, cancel, &left);
    if (!left)
        return;
    self->result->worktree = g_strdup(self->tree.root);
    wm_pipeline_say(self, "the worktree %s stays: %s", self->tree.root, left);
}

static void speak(WmPipeline *self, const GError *failure)
{
    g_autoptr(Cancel) cancel = network_token(self);
    if (failure) {
        g_autofree char *status = wm_message_status(failure->message);
        if (wm_notify_status(self, self->policy->run_failure, status, cancel))
            self->is_reported = true;
        return;
    }
    wm_notify_status(self, self->policy->run_success, "", cancel);
    wm_notify_post_checkpoint(self, cancel);
}

/* All of them are tried; the first problem is the one to tell of. */
static bool write_files(WmPipeline *self, const char *phase, bool is_success, GError **error)
{
    self->result->duration_ms = wm_pipeline_duration_ms(self);
    bool is_done = wm_run_dir_set_phase(&self->dir, phase, is_success, error);
    is_done = wm_outcome_write_result(self, is_done ? error : NULL) && is_done;
    return wm_outcome_write_run(self, is_done ? error : NULL) && is_done;
}

static void summarize(const WmPipeline *self, const WmAgentSpec *spec)
{
    const WmRunResult *result = self->result;
    if (self->is_rehearsal)
        return;
    if (spec && result->has_agent) {
        g_autofree char *duration = wm_duration_text(result->duration_ms);
        g_autofree char *text = wm_summary_text(spec, &result->agent, result->is_success, duration);
        wm_summary_append(text);
    }
    if (self->is_agent_only)
        return;
    g_autofree char *more = NULL;
    if (self->is_staged || json_array_size(result->plan) > 0)
        more = wm_staged_summary(self->task->name, result->plan);
    else if (self->is_elsewhere)
        more = wm_outputs_summary(self->task->name, result->outputs);
    wm_summary_append(more);
    if (result->judge_usage.cost_usd >= 0) {
        char cost[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(cost, sizeof(cost), "%.6f", result->judge_usage.cost_usd);
        g_autofree char *line =
            g_strdup_printf("\nThe model that looked for threats cost $%s more.\n", cost);
        wm_summary_append(line);
    }
}

void wm_conclude(WmPipeline *self, const WmAgentSpec *spec, const GError *failure)
{
    WmRunResult *result = self->result;
    bool is_short = self->is_agent_only && !failure; // outputs and the rest of it are to come
    result->is_success = failure == NULL;
    g_autoptr(GError) error = NULL;
    if (!is_short) {
        wm_pipeline_log_phase(self, "conclusion");
        // first of all, so that a run that is killed now is known to have come so far
        if (self->dir.path)
            write_files(self, "conclusion", result->is_success, NULL);
        speak(self, failure);
    }
    leave_tree(self);
    if (self->dir.path &&
        !write_files(self, is_short ? "validation" : "conclusion", result->is_success, &error)) {
        wm_pipeline_note(self, "", error);
        result->is_success = result->is_success && !is_short;
    }
    result->duration_ms = wm_pipeline_duration_ms(self);
    summarize(self, spec);
}
