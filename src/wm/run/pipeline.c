/*
 * What the phases of a run share (pipeline.h).
 */
#include "wm/run/pipeline.h"

#include "base/env.h"
#include "base/redact.h"
#include "base/timefmt.h"
#include "wm/task/policy_expand.h"
#include "wm/task/wm_log.h"

#include <stdarg.h>
#include <string.h>

#define DEFAULT_SERVER_URL "https://github.com"

void wm_pipeline_init(WmPipeline *self, const char *actor, const char *root, const WmEvent *event,
                      Cancel *cancel, WmRunResult *result)
{
    const char *server = env_get_raw("GITHUB_SERVER_URL");
    *self = (WmPipeline) {
        .actor = actor,
        .root = root,
        .event = event,
        .cancel = cancel,
        .result = result,
        .git = {
            .root = root,
            .server_url = server ? server : DEFAULT_SERVER_URL,
            .in_actions = g_strcmp0(env_get_raw("GITHUB_ACTIONS"), "true") == 0,
        },
        .tree = WM_RUN_TREE_NONE,
        .started_ms = time_monotonic_ms(),
    };
    *result = (WmRunResult) {
        .phase = g_strdup("activation"),
        .errors = g_ptr_array_new_with_free_func(g_free),
        .agent = { .exit_code = -1, .usage = WM_USAGE_UNKNOWN },
        .judge_usage = WM_USAGE_UNKNOWN,
        .outputs = json_array(),
    };
}

void wm_pipeline_clear(WmPipeline *self)
{
    wm_project_free(self->project);
    wm_policy_free(self->policy);
    wm_run_dir_clear(&self->dir);
    wm_push_place_clear(&self->push);
    wm_run_tree_clear(&self->tree);
    g_free(self->start);
    g_free(self->checkpoint);
    wm_repo_clear(&self->repo);
    wm_api_free(self->api);
}

void wm_run_result_clear(WmRunResult *self)
{
    g_clear_pointer(&self->phase, g_free);
    g_clear_pointer(&self->errors, g_ptr_array_unref);
    g_clear_pointer(&self->run_dir, g_free);
    g_clear_pointer(&self->worktree, g_free);
    wm_agent_result_clear(&self->agent);
    g_clear_pointer(&self->outputs, json_decref);
    g_clear_pointer(&self->plan, json_decref);
}

bool wm_pipeline_load(WmPipeline *self, const char *root, const char *task_name, bool is_staged,
                      GError **error)
{
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    bool is_loaded = wm_project_load(root, task_name, warnings, &self->project, error);
    for (unsigned i = 0; i < warnings->len; i++) {
        g_autofree char *shown = wm_note_show(warnings->pdata[i], 0);
        g_autofree char *text = g_strconcat("wm: ", shown, NULL);
        wm_log(WM_WARN, text, NULL);
    }
    self->task = is_loaded ? wm_project_find(self->project, task_name, error) : NULL;
    if (!self->task)
        return false;
    self->policy = wm_policy_new(wm_task_safe_outputs(self->task), NULL);
    if (self->project->config->expands)
        wm_policy_expand(self->policy, self->task->name, self->event);
    self->is_staged =
        is_staged || self->is_rehearsal || self->policy->is_staged || env_flag("WM_STAGED");
    return true;
}

void wm_pipeline_say(const WmPipeline *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    wm_say("wm %s: %s", self->actor, text);
}

void wm_pipeline_note(WmPipeline *self, const char *prefix, const GError *error)
{
    g_autofree char *shown = redact_text(error->message);
    char *text = g_strconcat(prefix, shown, NULL);
    g_ptr_array_add(self->result->errors, text);
    g_autofree char *line = g_strconcat("wm: ", text, NULL);
    wm_log(WM_WARN, line, NULL);
}

static void add_error(WmPipeline *self, const char *message)
{
    g_ptr_array_add(self->result->errors, redact_text(message));
}

void wm_pipeline_fail(WmPipeline *self, Cancel *cancel, GError **failure)
{
    GError *seen = *failure;
    bool is_stopped = wm_pipeline_is_interrupted(self);
    bool is_cancelled = error_is(seen, KEDGE_ERROR_CANCELLED);
    self->result->was_interrupted = is_stopped;
    if (!is_stopped && !(is_cancelled && cancel_is_late(cancel))) {
        add_error(self, seen->message);
        return;
    }
    *failure = NULL;
    if (is_stopped)
        fail_with(failure, KEDGE_ERROR_FAILED, "interrupted by signal");
    else
        fail_with(failure, KEDGE_ERROR_FAILED, "%s " WM_TIMED_OUT, self->result->phase);
    add_error(self, (*failure)->message);
    if (!is_cancelled && strcmp(seen->message, (*failure)->message) != 0)
        add_error(self, seen->message);
    g_error_free(seen);
}

void wm_pipeline_log_phase(const WmPipeline *self, const char *phase)
{
    // people read the lines of progress
    if (g_strcmp0(env_get_raw("WM_LOG_FORMAT"), "json") == 0)
        wm_log(WM_INFO, "wm pipeline", "task", self->task->name, "phase", phase, NULL);
}

bool wm_pipeline_enter(WmPipeline *self, const char *phase, GError **error)
{
    g_free(self->result->phase);
    self->result->phase = g_strdup(phase);
    wm_pipeline_log_phase(self, phase);
    return !self->dir.path || wm_run_dir_set_phase(&self->dir, phase, false, error);
}

const char *wm_pipeline_repo(WmPipeline *self, Cancel *cancel, GError **error)
{
    if (!self->repo.slug && self->has_agent_been) {
        fail_with(error, KEDGE_ERROR_NOT_FOUND,
                  "the repository was not known before the agent began: set GITHUB_REPOSITORY or "
                  "use --repo");
        return NULL;
    }
    if (!self->repo.slug && !wm_repo_find(self->given_repo, self->root, cancel, &self->repo, error))
        return NULL;
    return self->repo.slug;
}

bool wm_pipeline_api(WmPipeline *self, Cancel *cancel, WmApi **ret_api, GError **error)
{
    if (!wm_pipeline_repo(self, cancel, error))
        return false;
    if (!self->api && !wm_api_new(&self->repo, self->root, cancel, &self->api, error))
        return false;
    *ret_api = self->api;
    return true;
}

bool wm_pipeline_speaks(const WmPipeline *self)
{
    return !self->is_staged && !self->is_rehearsal && env_get_raw("GITHUB_REPOSITORY") != NULL;
}

bool wm_pipeline_pushes(const WmPipeline *self)
{
    const WmHandler *handlers = self->policy->handlers;
    return handlers[WM_CREATE_PULL_REQUEST].is_enabled ||
           handlers[WM_PUSH_TO_PULL_REQUEST_BRANCH].is_enabled;
}

int64_t wm_pipeline_number(const WmPipeline *self)
{
    return self->numbers.pull > 0 ? self->numbers.pull : self->numbers.issue;
}

int64_t wm_pipeline_duration_ms(const WmPipeline *self)
{
    return time_monotonic_ms() - self->started_ms + self->earlier_ms;
}

bool wm_pipeline_is_interrupted(const WmPipeline *self)
{
    return self->cancel && cancel_has_fired(self->cancel) && !cancel_is_late(self->cancel);
}
