/*
 * `kedge wm process-outputs`: writes to GitHub what an earlier run asked for (task-engine §3.12).
 */
#include "base/path.h"
#include "cmd/cli/interrupt.h"
#include "cmd/wm/wm.h"
#include "wm/run/run.h"

typedef struct OutputsFlags {
    const char *root, *run_dir, *task, *of_task, *event_name, *payload, *policy_root;
    bool is_staged;
} OutputsFlags;

static const FieldDef outputs_options[] = {
    { "repoRoot", FIELD_STRING, offsetof(OutputsFlags, root), .default_text = "\".\"",
      .value_name = "DIR", .help = "The checkout with the agent's changes" },
    { "runDir", FIELD_STRING, offsetof(OutputsFlags, run_dir), .refuses_blank = true,
      .value_name = "DIR", .help = "The directory of the run" },
    { "task", FIELD_STRING, offsetof(OutputsFlags, task), .refuses_blank = true,
      .value_name = "NAME", .help = "Or: the newest run of this task" },
    { "ofTask", FIELD_STRING, offsetof(OutputsFlags, of_task), .refuses_blank = true,
      .value_name = "NAME",
      .help = "With --run-dir: whose policy counts, whatever the directory says" },
    { "eventName", FIELD_STRING, offsetof(OutputsFlags, event_name), .value_name = "NAME",
      .help = "The event (default: GITHUB_EVENT_NAME)" },
    { "payload", FIELD_STRING, offsetof(OutputsFlags, payload), .value_name = "FILE",
      .help = "Its payload, JSON (default: GITHUB_EVENT_PATH)" },
    { "policyRoot", FIELD_STRING, offsetof(OutputsFlags, policy_root), .refuses_blank = true,
      .value_name = "DIR",
      .help = "A trusted copy of .wm/: what may be written is read there (default: the "
              "repository)" },
    { "staged", FIELD_BOOLEAN, offsetof(OutputsFlags, is_staged),
      .help = "Plan the writes in plan.json, perform none" },
    { 0 },
};

static bool check(const OutputsFlags *flags, GError **error)
{
    if (!flags->run_dir && !flags->task)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "wm process-outputs: required flag: --run-dir or --task");
    if (flags->run_dir && flags->task)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "wm process-outputs: specify either --run-dir or --task, not both");
    if (flags->of_task && !flags->run_dir)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "wm process-outputs: --of-task goes with --run-dir");
    return true;
}

/* NULL stays NULL. Caller frees. */
static char *absolute(const char *path)
{
    g_autofree char *here = g_get_current_dir();
    return path ? path_absolute(path, here) : NULL;
}

static bool work(void *data, Cancel *cancel, GError **error)
{
    const OutputsFlags *flags = data;
    g_auto(WmEvent) event = { 0 };
    if (!wm_event_read(flags->event_name, flags->payload, &event, error))
        return false;
    g_autofree char *root = absolute(flags->root), *policy_root = absolute(flags->policy_root);
    g_autofree char *run_dir = absolute(flags->run_dir);
    const WmOutputsOptions options = {
        .root = root,
        .policy_root = policy_root,
        .run_dir = run_dir,
        .task_name = flags->of_task ? flags->of_task : flags->task,
        .event = &event,
        .is_staged = flags->is_staged,
    };
    g_auto(WmRunResult) result = { 0 };
    return wm_process_outputs(&options, cancel, &result, error);
}

static int run(const CommandEnv *env, int argc, char *const *argv)
{
    OutputsFlags flags = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GError) error = NULL;
    const char *name = command_wm_process_outputs.name;
    if (!wm_decode(&command_wm_process_outputs, argc, argv, &flags, &kept, NULL, 0, 0, &error) ||
        !check(&flags, &error))
        return wm_fail(name, error);
    int stopped = cmd_run_blocking(work, &flags, &error);
    int code = error ? wm_fail(name, error) : EXIT_OK;
    return stopped ? stopped : code;
}

const Command command_wm_process_outputs = {
    .name = "wm process-outputs",
    .summary = "Apply what an agent's run asks for",
    .usage = "(--run-dir DIR | --task NAME) [options]",
    .options = outputs_options,
    .help = "Applies the items of output.jsonl of a run with --agent-only, within what the task "
            "allows, and\nconcludes the run. What was applied is not applied again.",
    .run = run,
};
