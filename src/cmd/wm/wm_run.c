/*
 * `kedge wm run`: one task, one event, here or on GitHub (task-engine §3.11).
 */
#include "base/env.h"
#include "base/log.h"
#include "base/path.h"
#include "base/secret_ancestor.h"
#include "cmd/cli/interrupt.h"
#include "cmd/wm/wm.h"
#include "wm/run/run.h"
#include "wm/trigger/dispatch.h"

typedef struct RunFlags {
    const char *root, *task, *event_name, *payload, *repo, *workflow, *ref;
    int64_t issue;
    bool allows_dirty, is_agent_only, is_staged, is_remote, is_in_place;
} RunFlags;

static const FieldDef run_options[] = {
    { "repoRoot", FIELD_STRING, offsetof(RunFlags, root), .default_text = "\".\"",
      .value_name = "DIR", .help = "The repository, which holds .wm/" },
    { "task", FIELD_STRING, offsetof(RunFlags, task), .refuses_blank = true, .value_name = "NAME",
      .help = "The task to run; also without --task" },
    { "eventName", FIELD_STRING, offsetof(RunFlags, event_name), .value_name = "NAME",
      .help = "The event (default: GITHUB_EVENT_NAME)" },
    { "payload", FIELD_STRING, offsetof(RunFlags, payload), .value_name = "FILE",
      .help = "Its payload, JSON (default: GITHUB_EVENT_PATH)" },
    { "allowDirty", FIELD_BOOLEAN, offsetof(RunFlags, allows_dirty),
      .help = "Run although the work tree has changes; the agent does not get them" },
    { "inPlace", FIELD_BOOLEAN, offsetof(RunFlags, is_in_place),
      .help = "Let the agent work in this checkout itself, which nobody else uses (on Actions: "
              "always)" },
    { "agentOnly", FIELD_BOOLEAN, offsetof(RunFlags, is_agent_only),
      .help = "Stop after validation; process-outputs does the rest" },
    { "staged", FIELD_BOOLEAN, offsetof(RunFlags, is_staged),
      .help = "Plan the writes in plan.json, perform none" },
    { "remote", FIELD_BOOLEAN, offsetof(RunFlags, is_remote),
      .help = "Start the workflow on GitHub instead of running here" },
    { "repo", FIELD_STRING, offsetof(RunFlags, repo), .value_name = "OWNER/NAME",
      .help = "With --remote: the repository (default: that of the directory)" },
    { "workflow", FIELD_STRING, offsetof(RunFlags, workflow), .default_text = "\"wm-agent.yml\"",
      .refuses_blank = true, .value_name = "FILE", .help = "With --remote: the workflow's file" },
    { "ref", FIELD_STRING, offsetof(RunFlags, ref), .refuses_blank = true, .value_name = "REF",
      .help = "With --remote: branch or tag (default: the default branch)" },
    { "issue", FIELD_INTEGER, offsetof(RunFlags, issue), .max = G_MAXINT64, .value_name = "N",
      .help = "Number of the issue or pull request, where the payload has none" },
    { 0 },
};

typedef struct Work {
    const RunFlags *flags;
    const char *root; // absolute
} Work;

static bool run_here(const Work *self, Cancel *cancel, GError **error)
{
    const RunFlags *flags = self->flags;
    g_auto(WmEvent) event = { 0 };
    if (!wm_event_read(flags->event_name, flags->payload, &event, error))
        return false;
    const WmRunOptions options = {
        .root = self->root,
        .task_name = flags->task,
        .event = &event,
        .issue = flags->issue,
        .allows_dirty = flags->allows_dirty,
        .is_agent_only = flags->is_agent_only,
        .is_staged = flags->is_staged,
        .is_in_place = flags->is_in_place,
    };
    g_auto(WmRunResult) result = { 0 };
    return wm_run(&options, cancel, &result, error);
}

/* A step's shell that was given the key keeps it for all to see, unless kedge takes its place. */
static void warn_of_ancestor(void)
{
    if (g_strcmp0(env_get_raw("GITHUB_ACTIONS"), "true") != 0)
        return;
    g_autofree char *found = secret_ancestor_find();
    if (found)
        log_warning("%s in its environment, where the agent can read it: let the step end with "
                    "`exec kedge wm run`, or compile the workflow again",
                    found);
}

/* The task first: whatever else is wrong, that it does not exist is what to say. */
static bool work(void *data, Cancel *cancel, GError **error)
{
    const Work *self = data;
    const RunFlags *flags = self->flags;
    g_autoptr(WmProject) project = NULL;
    if (!wm_project_load(self->root, flags->task, NULL, &project, error))
        return false;
    const WmTask *task = wm_project_find(project, flags->task, error);
    if (!task)
        return false;
    if (!flags->is_remote) {
        warn_of_ancestor();
        return run_here(self, cancel, error);
    }
    const WmDispatch dispatch = {
        .project = project,
        .task = task,
        .repo = flags->repo,
        .workflow = flags->workflow,
        .ref = flags->ref,
        .issue = flags->issue,
    };
    return wm_dispatch(&dispatch, cancel, error);
}

/* `kedge wm run fix`, as `kedge wm rehearse fix`; the flag is the one of gh-wm. */
static bool take_task(RunFlags *flags, const GPtrArray *words, GError **error)
{
    const char *word = words->len > 0 ? words->pdata[0] : NULL;
    if (flags->task && word)
        return fail_with(error, KEDGE_ERROR_USAGE, "--task %s and \"%s\": name one task",
                         flags->task, word);
    flags->task = flags->task ? flags->task : word;
    return flags->task || fail_with(error, KEDGE_ERROR_USAGE, "required flag(s) \"task\" not set");
}

static int run(const CommandEnv *env, int argc, char *const *argv)
{
    RunFlags flags = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(GError) error = NULL;
    if (!wm_decode(&command_wm_run, argc, argv, &flags, &kept, words, 0, 1, &error) ||
        !take_task(&flags, words, &error))
        return wm_fail(command_wm_run.name, error);
    g_autofree char *here = g_get_current_dir(), *root = path_absolute(flags.root, here);
    Work data = { .flags = &flags, .root = root };
    int stopped = cmd_run_blocking(work, &data, &error);
    int code = error ? wm_fail(command_wm_run.name, error) : EXIT_OK;
    return stopped ? stopped : code;
}

const Command command_wm_run = {
    .name = "wm run",
    .summary = "Run one task",
    .usage = "TASK [options]",
    .options = run_options,
    .help =
        "Starts the task's agent in a worktree of its own, checks what it leaves, and writes to "
        "GitHub what\nthe task allows. The worktree stays only where it holds what is nowhere "
        "else. Progress is on\nstandard error; what is left of the run is in .wm/runs/ID/.",
    .run = run,
};
