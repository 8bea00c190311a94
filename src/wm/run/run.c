/*
 * A run from its checks to its end (run.h).
 */
#include "wm/run/run.h"

#include "base/mask.h"
#include "wm/apply/item.h"
#include "wm/run/activation.h"
#include "wm/run/conclusion.h"
#include "wm/run/early.h"
#include "wm/run/outcome.h"
#include "wm/run/phase_outputs.h"
#include "wm/task/prompt.h"
#include "wm/task/wm_log.h"
#include "wm/workspace/run_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define MINUTE_MS  ((int64_t)60 * 1000)
#define LOG_MS     ((int64_t)2 * 60 * 1000)
#define EVENT_FILE "event.json"

typedef struct Run { // of wm_run() alone
    const WmRunOptions *options;
    WmPipeline base;
    WmActivation activation;
    WmAgentSpec spec; // borrows from here
    bool has_spec;
    char *prompt, *system_text, *event_path;
    Fd lock; // while outputs are applied
} Run;

static void run_clear(Run *self)
{
    wm_pipeline_clear(&self->base);
    g_free(self->prompt);
    g_free(self->system_text);
    g_free(self->event_path);
    fd_close(self->lock);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

// ---- before the run ----

static bool run_load(Run *self, GError **error)
{
    const WmRunOptions *options = self->options;
    self->base.is_rehearsal = options->is_rehearsal;
    self->base.given_repo = options->repo;
    self->base.is_agent_only = options->is_agent_only;
    self->base.numbers = wm_event_numbers(options->event, options->issue);
    return wm_pipeline_load(&self->base, options->root, options->task_name, options->is_staged,
                            error);
}

static void say_banner(const Run *self)
{
    const WmPipeline *base = &self->base;
    g_autofree char *branch = NULL;
    if (!wm_git_branch(&base->git, base->cancel, &branch, NULL))
        branch = g_strdup("(unknown)");
    g_autofree char *engine = wm_task_engine(base->task, base->project->config);
    wm_say("wm run: task=\"%s\" repo=%s branch=%s engine=%s timeout=%" G_GINT64_FORMAT "m",
           base->task->name, base->root, branch, engine,
           (gint64)wm_task_timeout_minutes(base->task));
    wm_say("%s", "");
}

// ---- phases 2 and 3 ----

static bool make_prompt(Run *self, GError **error)
{
    const WmPipeline *base = &self->base;
    const WmPrompt prompt = {
        .project = base->project,
        .task = base->task,
        .policy = base->policy,
        .event = base->event,
        .numbers = base->numbers,
        .checkpoint = base->checkpoint,
    };
    if (!wm_prompt_make(&prompt, &self->prompt, error))
        return false;
    self->system_text = wm_prompt_system(base->policy);
    return run_file_write(base->dir.path, "prompt.md", self->prompt, strlen(self->prompt), error);
}

static void make_spec(Run *self, Cancel *cancel)
{
    WmPipeline *base = &self->base;
    self->event_path = g_build_filename(base->dir.path, EVENT_FILE, NULL);
    self->spec = (WmAgentSpec) {
        .project = base->project,
        .task = base->task,
        .engine = self->activation.engine,
        .prompt = self->prompt,
        .system_text = self->system_text,
        .root = base->git.root,
        .run_dir = base->dir.path,
        .run_id = base->dir.id,
        .repo = wm_pipeline_repo(base, cancel, NULL),
        .event_name = base->event->name,
        .event_path = self->event_path,
        .issue = base->numbers.issue,
        .pull = base->numbers.pull,
        .is_rehearsal = base->is_rehearsal,
        .grace_ms = self->options->grace_ms,
    };
    self->has_spec = true;
}

static bool run_agent(Run *self, Cancel *cancel, GError **error)
{
    WmPipeline *base = &self->base;
    WmAgentResult *agent = &base->result->agent;
    if (!wm_pipeline_enter(base, "agent", error) || !make_prompt(self, error))
        return false;
    make_spec(self, cancel);
    if (!cancel_check(cancel, error))
        return false;
    wm_pipeline_say(base, "agent: starting subprocess (live stream on stderr below)");
    wm_agent_result_clear(agent);
    base->has_agent_been = true;
    base->result->has_agent = wm_agent_run(&self->spec, cancel, agent, error);
    if (!base->result->has_agent || agent->is_success)
        return base->result->has_agent;
    base->result->was_interrupted = agent->was_interrupted;
    return fail_with(error, KEDGE_ERROR_FAILED, "%s",
                     agent->error_text ? agent->error_text : "agent: failed");
}

/* task-engine §10.5: claude tells what it has cost when it is over. */
static bool check_cost(const Run *self, GError **error)
{
    const WmPipeline *base = &self->base;
    double cap = wm_task_cost_usd(base->task, base->project->config);
    double cost = base->result->agent.usage.cost_usd;
    if (self->activation.engine != WM_ENGINE_CLAUDE || cap <= 0 || cost <= cap)
        return true;
    return fail_with(error, KEDGE_ERROR_FAILED, "cost %.2f USD exceeds the cap of %.2f USD", cost,
                     cap);
}

/* Here the keys that the agent had are known; the job that applies what it asked for has others,
   and could not tell. What cannot be read is not applied either. */
static bool check_items(const WmPipeline *base, GError **error)
{
    g_autofree char *path = g_build_filename(base->dir.path, "output.jsonl", NULL);
    g_autoptr(json_t) items = NULL;
    if (!base->is_agent_only || !base->policy->has_keys || !wm_items_read(path, &items, NULL))
        return true;
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        WmKind kind = wm_kind_of(json_get_text(item, "type"));
        if (mask_finds_in_json(item))
            return fail_with(error, KEDGE_ERROR_DENIED, "%s: text contains a secret",
                             kind < WM_KINDS ? wm_kind_table[kind].type : "item");
    }
    return true;
}

/* Its keys in what would be pushed: `env >log` and `git add -A` is soon done. More than git shows
   at once is not looked at, and neither is what it cannot show; both are told. */
static bool check_commits(const Run *self, Cancel *cancel, GError **error)
{
    const WmPipeline *base = &self->base;
    if (!base->start || !wm_pipeline_pushes(base))
        return true;
    g_autofree char *range = g_strconcat(base->start, "..HEAD", NULL);
    for (WmGitLog what = WM_GIT_LOG_PATCHES; what <= WM_GIT_LOG_WORDS; what++) {
        g_autofree char *text = NULL;
        g_autoptr(GError) failed = NULL;
        if (!wm_git_log(&base->git, range, what, LOG_MS, cancel, &text, &failed)) {
            wm_log(WM_WARN, "wm: the commits are not looked through for keys", "reason",
                   failed->message, NULL);
            return cancel_check(cancel, error);
        }
        if (mask_finds(text, strlen(text)))
            return fail_with(error, KEDGE_ERROR_DENIED, "a commit contains a secret");
    }
    return true;
}

static bool run_validate(Run *self, Cancel *cancel, GError **error)
{
    WmPipeline *base = &self->base;
    const WmAgentResult *agent = &base->result->agent;
    if (!wm_pipeline_enter(base, "validation", error))
        return false;
    wm_pipeline_say(base, "validation: checking agent output size and exit status");
    if (agent->has_timed_out || cancel_is_late(cancel))
        return fail_with(error, KEDGE_ERROR_FAILED, "agent " WM_TIMED_OUT);
    if (!agent->is_success)
        return fail_with(error, KEDGE_ERROR_FAILED, "agent process failed (exit code %d)",
                         agent->exit_code);
    struct stat info;
    if (!agent->log_path || stat(agent->log_path, &info) < 0)
        return fail_with_errno(error, agent->log_path ? errno : ENOENT, "agent output stat");
    if (MAX((uint64_t)info.st_size, agent->log_bytes) > WM_MAX_AGENT_LOG_BYTES)
        return fail_with(error, KEDGE_ERROR_FAILED, "agent output exceeds maximum size (%zu bytes)",
                         WM_MAX_AGENT_LOG_BYTES);
    return cancel_check(cancel, error) && check_cost(self, error) && check_items(base, error) &&
           check_commits(self, cancel, error);
}

// ---- the whole ----

/* A run that is killed from here on leaves what --agent-only leaves: process-outputs goes on. */
static bool begin_outputs(Run *self, GError **error)
{
    WmPipeline *base = &self->base;
    if (!wm_run_dir_lock(&base->dir, &self->lock, error))
        return false;
    base->result->duration_ms = wm_pipeline_duration_ms(base);
    base->result->is_success = true;
    bool is_written = wm_outcome_write_result(base, error);
    base->result->is_success = false;
    return is_written && wm_pipeline_enter(base, "safe-outputs", error);
}

/* What is to be believed of git after the agent is asked before it. A rehearsal pushes nothing, and
   its clone is one that nobody else uses. */
static bool note_push_place(WmPipeline *base, Cancel *cancel, GError **error)
{
    return base->is_agent_only || base->is_rehearsal || !wm_pipeline_pushes(base) ||
           wm_push_place_note(&base->git, wm_event_default_branch(base->event), cancel, &base->push,
                              error);
}

static bool do_phases(Run *self, Cancel *cancel, GError **error)
{
    WmPipeline *base = &self->base;
    if (!wm_pipeline_enter(base, "activation", error) ||
        !wm_activate(base, &self->activation, cancel, error))
        return false;
    const char *const ask_start[] = { "rev-parse", "--verify", "--quiet", "HEAD^{commit}", NULL };
    wm_git(&base->git, ask_start, 0, cancel, &base->start, NULL);
    if (!note_push_place(base, cancel, error) || !run_agent(self, cancel, error) ||
        !run_validate(self, cancel, error))
        return false;
    if (base->is_agent_only)
        return true;
    return begin_outputs(self, error) && wm_phase_outputs(base, cancel, error);
}

static void run_do_report(const Run *self)
{
    const WmRunResult *result = self->base.result;
    g_autofree char *duration = wm_duration_text(result->duration_ms);
    if (result->run_dir)
        wm_say("wm run: artifacts=%s", result->run_dir);
    if (result->worktree)
        wm_say("wm run: worktree=%s", result->worktree);
    wm_say("%s", "");
    wm_say("---");
    wm_say("wm run: task=\"%s\" repo=%s duration=%s exit_code=%d success=%s phase=%s",
           self->base.task->name, self->base.root, duration,
           result->has_agent ? result->agent.exit_code : -1, result->is_success ? "true" : "false",
           result->phase);
    if (!result->is_success)
        wm_say("failure phase: %s%s", result->phase,
               strcmp(result->phase, "safe-outputs") == 0 ? " (post-agent)" : "");
}

/* False without a word but the error: nothing has begun. */
static bool run_begin(Run *self, GError **error)
{
    const WmRunOptions *options = self->options;
    WmPipeline *base = &self->base;
    if (!run_load(self, error) ||
        (!options->allows_dirty && !wm_git_is_clean(&base->git, base->cancel, error)))
        return false;
    // a checkout of Actions, or of a rehearsal, is the run's alone; one without a commit has no
    // worktree
    self->activation.is_in_place = options->is_in_place || options->is_rehearsal ||
                                   base->git.in_actions ||
                                   !wm_run_tree_is_possible(&base->git, base->cancel);
    return cancel_check(base->cancel, error);
}

static bool run_finish(Run *self, GError *failure, GError **error)
{
    WmRunResult *result = self->base.result;
    if (self->base.dir.path)
        wm_conclude(&self->base, self->has_spec ? &self->spec : NULL, failure);
    else
        result->duration_ms = wm_pipeline_duration_ms(&self->base);
    run_do_report(self);
    if (failure)
        return pass_error(error, &failure);
    if (result->is_success)
        return true;
    // of the conclusion, which has listed it
    return fail_with(error, KEDGE_ERROR_IO, "%s",
                     (const char *)g_ptr_array_index(result->errors, result->errors->len - 1));
}

bool wm_run(const WmRunOptions *options, Cancel *cancel, WmRunResult *ret_result, GError **error)
{
    g_auto(Run) run = { .options = options, .lock = -1 };
    GError *failure = NULL;
    wm_pipeline_init(&run.base, "run", options->root, options->event, cancel, ret_result);
    if (!run_begin(&run, &failure)) {
        wm_pipeline_fail(&run.base, cancel, &failure);
        ret_result->duration_ms = wm_pipeline_duration_ms(&run.base);
        return pass_error(error, &failure);
    }
    say_banner(&run);
    int64_t timeout_ms = options->timeout_ms ? options->timeout_ms
                                             : wm_task_timeout_minutes(run.base.task) * MINUTE_MS;
    g_autoptr(Cancel) deadline = cancel_new_timed(cancel, timeout_ms);
    if (!wm_activation_check(&run.base, &run.activation, &failure) ||
        !wm_early_check(&run.base, run.activation.engine, deadline, &failure) ||
        !do_phases(&run, deadline, &failure))
        wm_pipeline_fail(&run.base, deadline, &failure);
    return run_finish(&run, failure, error);
}
