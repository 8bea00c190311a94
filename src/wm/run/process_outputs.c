/*
 * The outputs of a run whose agent ran elsewhere, or earlier (run.h, task-engine §3.12, §9.3,
 * §10.9).
 *
 * In the outputs job all that is in the work tree was written by an agent: the policy comes from a
 * copy that it never saw, the event from the runner, and git runs only after its .git was put in
 * quarantine.
 */
#include "wm/run/run.h"

#include "base/env.h"
#include "base/redact.h"
#include "base/str.h"
#include "wm/run/conclusion.h"
#include "wm/run/notify.h"
#include "wm/run/outcome.h"
#include "wm/run/phase_outputs.h"
#include "wm/task/body.h"
#include "wm/task/wm_log.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define MINUTE_MS  ((int64_t)60 * 1000)
#define REPORT_MS  (60 * 1000)
#define LAST_PHASE "safe-outputs"

typedef struct Outputs { // of wm_process_outputs() alone
    const WmOutputsOptions *options;
    WmPipeline base;
    WmEarlier earlier;
    Fd lock;
    GError *unsafe; // owned: why the work tree's .git cannot be set apart; NULL: it is
} Outputs;

static void outputs_clear(Outputs *self)
{
    wm_pipeline_clear(&self->base);
    wm_earlier_clear(&self->earlier);
    fd_close(self->lock);
    g_clear_error(&self->unsafe);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Outputs, outputs_clear)

// ---- what there is to do ----

static bool open_dir(Outputs *self, GError **error)
{
    const WmOutputsOptions *options = self->options;
    g_autofree char *newest = NULL;
    if (!options->run_dir && !wm_run_dir_newest(options->root, options->task_name, &newest, error))
        return false;
    const char *path = options->run_dir ? options->run_dir : newest;
    struct stat info;
    if (lstat(path, &info) < 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "process-outputs: run directory: %s: %s",
                         path, g_strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return fail_with(error, KEDGE_ERROR_FAILED, "process-outputs: not a directory: %s", path);
    if (!wm_run_dir_open(path, &self->base.dir, error)) {
        g_prefix_error(error, "process-outputs: ");
        return false;
    }
    self->base.result->run_dir = g_strdup(path);
    return true;
}

/* Whose policy counts: with --run-dir alone the directory names the task. */
static bool load_task(Outputs *self, GError **error)
{
    const WmOutputsOptions *options = self->options;
    WmPipeline *base = &self->base;
    const char *name = options->task_name ? options->task_name : base->dir.task_name;
    if (str_is_empty(name))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "process-outputs: empty task_name in meta.json");
    if (base->git.in_actions && !options->policy_root)
        wm_log(WM_WARN, "warning: policy is read from the agent's workspace; use --policy-root",
               NULL);
    const char *root = options->policy_root ? options->policy_root : options->root;
    if (!wm_pipeline_load(base, root, name, options->is_staged, error)) {
        g_prefix_error(error, "process-outputs: ");
        return false;
    }
    g_free(base->dir.task_name);
    base->dir.task_name = g_strdup(base->task->name);
    base->numbers = wm_event_numbers(options->event, 0);
    return true;
}

static bool read_result(Outputs *self, GError **error)
{
    WmPipeline *base = &self->base;
    g_autoptr(GError) failed = NULL;
    if (wm_outcome_read(&base->dir, &self->earlier, &base->result->agent, &failed)) {
        base->result->has_agent = self->earlier.has_agent;
        base->earlier_ms = self->earlier.duration_ms;
        return true;
    }
    if (error_is(failed, KEDGE_ERROR_NOT_FOUND))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "process-outputs: missing result.json (expected after kedge wm run "
                         "--agent-only)");
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "process-outputs: read result.json: %s",
                     failed->message);
}

/* Some of its outputs were applied, then one failed: what is recorded is not done twice. */
static bool is_begun(const Outputs *self)
{
    return !self->earlier.is_success && self->base.result->agent.is_success &&
           g_strcmp0(self->earlier.phase, LAST_PHASE) == 0;
}

static bool check_result(const Outputs *self, GError **error)
{
    const WmEarlier *earlier = &self->earlier;
    const char *reason = NULL;
    if (!earlier->has_agent)
        reason = "result.json has no agent_result snapshot";
    else if (earlier->has_success && !earlier->is_success && !is_begun(self))
        reason = "refusing to apply outputs: result.json success is false";
    else if (!self->base.result->agent.is_success)
        reason = "refusing to apply outputs: agent_result.success is false";
    else if (earlier->is_success && !earlier->is_staged &&
             g_strcmp0(earlier->phase, LAST_PHASE) == 0)
        reason = "outputs of this run were already applied";
    return !reason || fail_with(error, KEDGE_ERROR_DENIED, "process-outputs: %s", reason);
}

/* task-engine §10.9: an agent that failed in a job that may not write has told no one. */
static void report_failure(Outputs *self)
{
    const WmEarlier *earlier = &self->earlier;
    WmPipeline *base = &self->base;
    bool is_failure = earlier->has_success && !earlier->is_success && !is_begun(self);
    if (!is_failure || earlier->is_reported)
        return;
    g_autoptr(Cancel) cancel = cancel_new_timed(base->cancel, REPORT_MS);
    g_autofree char *status = wm_message_status(earlier->first_error);
    if (wm_notify_status(base, base->policy->run_failure, status, cancel))
        wm_outcome_mark_reported(&base->dir, NULL);
}

static bool open_run(Outputs *self, GError **error)
{
    if (!open_dir(self, error) || !load_task(self, error) ||
        !wm_run_dir_lock(&self->base.dir, &self->lock, error) || !read_result(self, error))
        return false;
    if (check_result(self, error))
        return true;
    report_failure(self);
    return false;
}

// ---- the work tree ----

/* Where to push, by the runner's word. */
static bool outputs_url(WmPipeline *base, char **ret_url, GError **error)
{
    if (!env_get_raw("GITHUB_REPOSITORY"))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "process-outputs: GITHUB_REPOSITORY is not set: where to push would be "
                         "up to the agent's .git");
    const char *repo = wm_pipeline_repo(base, base->cancel, error);
    if (!repo)
        return false;
    const char *server = base->git.server_url;
    size_t size = strlen(server);
    while (size > 0 && server[size - 1] == '/')
        size--;
    *ret_url = g_strdup_printf("%.*s/%s.git", (int)size, server, repo);
    return true;
}

/* Nothing of a .git that an agent made is believed; before any git command, and before anything can
   be refused: who comes after us runs git there, too. */
static bool set_apart(Outputs *self, GError **error)
{
    WmPipeline *base = &self->base;
    if (!base->git.in_actions || !self->options->policy_root)
        return true;
    g_autofree char *url = NULL;
    if (!outputs_url(base, &url, error))
        return false;
    base->git.is_quarantined = true;
    return wm_quarantine(base->root, url, error);
}

/* Where the .git stays as the agent left it (not in the outputs job, whose quarantine it is in), a
   push goes from a clone of our own. In Actions the runner says where to, elsewhere the address of
   origin does, which is shown. */
static bool note_push_place(Outputs *self, Cancel *cancel, GError **error)
{
    WmPipeline *base = &self->base;
    g_autofree char *url = NULL;
    if (base->git.is_quarantined || !wm_pipeline_pushes(base))
        return true;
    if (base->git.in_actions && !outputs_url(base, &url, error))
        return false;
    if (!wm_push_place_note_late(&base->git, url, wm_event_default_branch(base->event), cancel,
                                 &base->push, error))
        return false;
    g_autofree char *shown = base->push.url ? redact_text(base->push.url) : NULL;
    wm_pipeline_say(base, "pushes go to %s", shown ? shown : "(there is no origin)");
    return true;
}

/* The run's worktree, where it has left one. Where it is not, it held no commits. Not in the
   outputs job: there the file is the agent's, and no one else uses the work tree. */
static void find_tree(Outputs *self, Cancel *cancel)
{
    static const char *const ask_head[] = { "rev-parse", "HEAD", NULL };
    WmPipeline *base = &self->base;
    g_autoptr(json_t) activation = NULL;
    if (base->git.in_actions ||
        !wm_run_dir_read_json(&base->dir, "activation.json", &activation, NULL) ||
        !json_get_text(activation, "worktree"))
        return;
    if (!wm_run_tree_find(&base->git, &base->dir, cancel, &base->tree)) {
        wm_git(&base->git, ask_head, 0, cancel, &base->start, NULL);
        return;
    }
    base->start = g_strdup(base->tree.start);
    base->git.root = base->tree.root;
    wm_pipeline_say(base, "worktree %s", base->tree.root);
}

// ---- the whole ----

static bool do_phase(Outputs *self, Cancel *cancel, GError **error)
{
    WmPipeline *base = &self->base;
    if (!wm_pipeline_enter(base, LAST_PHASE, error))
        return false;
    if (self->unsafe)
        return pass_error(error, &self->unsafe);
    find_tree(self, cancel);
    return note_push_place(self, cancel, error) && wm_phase_outputs(base, cancel, error);
}

static void outputs_report(const Outputs *self)
{
    const WmRunResult *result = self->base.result;
    g_autofree char *duration = wm_duration_text(result->duration_ms - self->base.earlier_ms);
    wm_say("wm process-outputs: run_dir=%s duration=%s exit_code=%d success=%s phase=%s",
           result->run_dir, duration, result->agent.exit_code,
           result->is_success ? "true" : "false", result->phase);
}

bool wm_process_outputs(const WmOutputsOptions *options, Cancel *cancel, WmRunResult *ret_result,
                        GError **error)
{
    g_auto(Outputs) self = { .options = options, .lock = -1 };
    WmPipeline *base = &self.base;
    GError *failure = NULL;
    wm_pipeline_init(base, "process-outputs", options->root, options->event, cancel, ret_result);
    base->is_elsewhere = true;
    set_apart(&self, &self.unsafe);
    if (!open_run(&self, &failure)) {
        wm_pipeline_fail(base, cancel, &failure);
        return pass_error(error, &failure);
    }
    wm_say("wm process-outputs: run_dir=%s repo=%s", ret_result->run_dir, options->root);
    wm_say("%s", "");
    g_autoptr(Cancel) deadline =
        cancel_new_timed(cancel, wm_task_timeout_minutes(base->task) * MINUTE_MS);
    if (!do_phase(&self, deadline, &failure))
        wm_pipeline_fail(base, deadline, &failure);
    wm_conclude(base, NULL, failure);
    outputs_report(&self);
    if (!failure)
        return true;
    return pass_error(error, &failure);
}
