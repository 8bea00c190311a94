/*
 * `kedge wm resolve`: which tasks an event starts (task-engine §3.10).
 */
#include "base/env.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cmd/cli/interrupt.h"
#include "cmd/wm/wm_here.h"
#include "wm/trigger/match.h"

#include <string.h>

typedef struct ResolveOptions {
    const char *repo_root, *event_name, *payload, *force_task;
    bool is_json, explains;
} ResolveOptions;

static const FieldDef resolve_options[] = {
    { "repoRoot", FIELD_STRING, offsetof(ResolveOptions, repo_root), .value_name = "DIR",
      .help = "Directory with .wm/ (default: .)" },
    { "eventName", FIELD_STRING, offsetof(ResolveOptions, event_name), .value_name = "NAME",
      .help = "Name of the event (default: GITHUB_EVENT_NAME)" },
    { "payload", FIELD_STRING, offsetof(ResolveOptions, payload), .value_name = "FILE",
      .help = "Its JSON (default: GITHUB_EVENT_PATH)" },
    { "json", FIELD_BOOLEAN, offsetof(ResolveOptions, is_json), .default_text = "true",
      .help = "A JSON array on one line; --json=false: one name a line" },
    { "forceTask", FIELD_STRING, offsetof(ResolveOptions, force_task), .value_name = "NAME",
      .help = "This task, whatever the event is" },
    { "explain", FIELD_BOOLEAN, offsetof(ResolveOptions, explains),
      .help = "Say for each task why it starts or not" },
    { 0 },
};

typedef struct ResolveWork {
    const ResolveOptions *options;
    WmProject *project;
    json_t *names;
} ResolveWork;

// For gates: GitHub is asked only when a task has one.
static bool open_api(void *data, Cancel *cancel, WmApi **ret_api, GError **error)
{
    const ResolveWork *work = data;
    g_auto(WmRepo) repo = { 0 };
    return wm_repo_find(NULL, work->project->root, cancel, &repo, error) &&
           wm_api_new(&repo, work->project->root, cancel, ret_api, error);
}

static bool is_wanted(const WmTask *task, void *event)
{
    return wm_match(task, event, NULL, NULL);
}

/* All tasks are looked at where it is said why they do not start, or that none has that cron. */
static bool load(ResolveWork *self, WmEvent *event, GError **error)
{
    const ResolveOptions *options = self->options;
    const char *root = options->repo_root ? options->repo_root : ".";
    const WmWanted wanted = { .is_wanted = is_wanted, .user_data = event };
    g_autoptr(GError) unread = NULL;
    bool is_forced = options->force_task && !utf8_is_blank(options->force_task);
    bool has_event =
        !is_forced && wm_event_read(options->event_name, options->payload, event, &unread);
    bool needs_all = !has_event || options->explains || strcmp(event->name, "schedule") == 0;
    if (!wm_here_load(root, needs_all ? NULL : &wanted, &self->project, error))
        return false;
    if (!unread)
        return true;
    return pass_error(error, &unread);
}

static bool work(void *data, Cancel *cancel, GError **error)
{
    ResolveWork *self = data;
    const ResolveOptions *options = self->options;
    g_auto(WmEvent) event = { 0 };
    if (!load(self, &event, error))
        return false;
    const WmResolve resolve = {
        .project = self->project,
        .event = &event,
        .force_task = options->force_task,
        .cron = env_get_raw("WM_SCHEDULE_CRON"),
        .explains = options->explains,
        .open_api = open_api,
        .user_data = self,
    };
    return wm_resolve(&resolve, cancel, &self->names, error);
}

static bool print_names(const json_t *names, bool is_json)
{
    if (is_json) {
        g_autofree char *text = json_to_text(names);
        return cmd_print_line(text);
    }
    bool is_good = true;
    json_each (names, index, item)
        is_good = is_good && cmd_print_line(json_string_value(item));
    return is_good;
}

static int resolve_run(const CommandEnv *env, int argc, char *const *argv)
{
    ResolveOptions options = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GError) error = NULL;
    if (!wm_decode(&command_wm_resolve, argc, argv, &options, &kept, NULL, 0, 0, &error))
        return wm_fail("wm resolve", error);
    ResolveWork self = { .options = &options };
    memory_expect_much();
    int stopped = cmd_run_blocking(work, &self, &error);
    g_autoptr(WmProject) project G_GNUC_UNUSED = self.project;
    g_autoptr(json_t) names = self.names;
    if (stopped)
        return stopped;
    if (error)
        return wm_fail("wm resolve", error);
    return print_names(names, options.is_json) ? EXIT_OK : EXIT_FAILED;
}

const Command command_wm_resolve = {
    .name = "wm resolve",
    .summary = "Which tasks an event starts",
    .usage = "[options]",
    .options = resolve_options,
    .help = "A task file that cannot be read is reported and left out; the others go on. With\n"
            "WM_SCHEDULE_CRON, an event `schedule` starts only the tasks of that cron.",
    .run = resolve_run,
};
