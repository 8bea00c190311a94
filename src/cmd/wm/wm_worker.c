/*
 * `kedge wm enqueue` and `kedge wm worker`: runs through a queue that machines share
 * (docs/tasks.md, "More than Actions").
 */
#include "base/env.h"
#include "base/log.h"
#include "base/path.h"
#include "base/timefmt.h"
#include "cmd/cli/interrupt.h"
#include "cmd/wm/wm_here.h"
#include "wm/run/worker.h"
#include "wm/trigger/match.h"

typedef struct QueueOptions {
    const char *root, *db, *repo;
    const char *event_name, *payload, *force_task, *delivery; // enqueue
    int64_t issue;
    bool is_json;
    const char *name; // worker
    int64_t jobs, lease_s, idle_s;
    bool has_idle;
} QueueOptions;

#define QUEUE_OPTIONS                                                                              \
    { "repo-root",                                                                                 \
      FIELD_STRING,                                                                                \
      offsetof(QueueOptions, root),                                                                \
      .value_name = "DIR",                                                                         \
      .default_text = "\".\"",                                                                     \
      .help = "Clone of the repository" },                                                         \
        { "db", FIELD_STRING, offsetof(QueueOptions, db), .value_name = "STORE",                   \
          .help = "The queue: a path, sqlite:/path or postgres://…; default: as of "             \
                  "`kedge agent-tools task`" },                                                    \
    {                                                                                              \
        "repo", FIELD_STRING, offsetof(QueueOptions, repo),                                        \
            .value_name = "OWNER/NAME",                                                            \
            .help = "Repository; default: GITHUB_REPOSITORY, then the remote origin"               \
    }

static const FieldDef enqueue_options[] = {
    QUEUE_OPTIONS,
    { "event-name", FIELD_STRING, offsetof(QueueOptions, event_name), .value_name = "NAME",
      .help = "Default: GITHUB_EVENT_NAME" },
    { "payload", FIELD_STRING, offsetof(QueueOptions, payload), .value_name = "FILE",
      .help = "Default: GITHUB_EVENT_PATH" },
    { "force-task", FIELD_STRING, offsetof(QueueOptions, force_task), .value_name = "NAME",
      .help = "This task, whatever the event" },
    { "delivery", FIELD_STRING, offsetof(QueueOptions, delivery), .refuses_blank = true,
      .max_chars = 200, .value_name = "ID",
      .help = "What distinguishes this event from others: its X-GitHub-Delivery" },
    { "issue", FIELD_INTEGER, offsetof(QueueOptions, issue), .min = 0, .max = INT32_MAX,
      .value_name = "N", .help = "Triggering number when the payload has none" },
    { 0 },
};

static const FieldDef worker_options[] = {
    QUEUE_OPTIONS,
    { "jobs", FIELD_INTEGER, offsetof(QueueOptions, jobs), .min = 1, .max = 64, .value_name = "N",
      .default_text = "1", .help = "Runs at once" },
    { "name", FIELD_STRING, offsetof(QueueOptions, name), .refuses_blank = true, .max_chars = 200,
      .help = "Of this worker; default: host and process" },
    { "lease", FIELD_INTEGER, offsetof(QueueOptions, lease_s), .min = 10, .max = 86400,
      .value_name = "SECONDS", .default_text = "300",
      .help = "A worker that says nothing for so long has died" },
    { "idle", FIELD_INTEGER, offsetof(QueueOptions, idle_s), .min = 0, .max = 86400,
      .value_name = "SECONDS", .has_offset = offsetof(QueueOptions, has_idle),
      .help = "End after so long without a run; default: never" },
    { 0 },
};

typedef struct Work { // of both commands, on a worker
    const QueueOptions *options;
    char *root, *type;
    json_t *rows; // of enqueue
    WmWorkerCounts counts;
} Work;

static void work_clear(Work *self)
{
    g_clear_pointer(&self->root, g_free);
    g_clear_pointer(&self->type, g_free);
    g_clear_pointer(&self->rows, json_decref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Work, work_clear)

static bool find_repo(Work *self, Cancel *cancel, GError **error)
{
    g_auto(WmRepo) repo = { 0 };
    g_autofree char *cwd = g_get_current_dir();
    self->root = path_absolute(self->options->root, cwd);
    if (!wm_repo_find(self->options->repo, self->root, cancel, &repo, error))
        return false;
    self->type = g_strconcat("wm:", repo.slug, NULL);
    return true;
}

static bool open_api(void *user_data, Cancel *cancel, WmApi **ret_api, GError **error)
{
    Work *self = user_data;
    g_auto(WmRepo) repo = { 0 };
    return wm_repo_find(self->options->repo, self->root, cancel, &repo, error) &&
           wm_api_new(&repo, self->root, cancel, ret_api, error);
}

/* "task fix for issue_comment #12". Caller frees. */
static char *wm_worker_describe(const char *task_name, const WmEvent *event,
                                const WmNumbers *numbers)
{
    int64_t number = numbers->pull > 0 ? numbers->pull : numbers->issue;
    g_autofree char *which = number > 0 ? g_strdup_printf(" #%" G_GINT64_FORMAT, number) : NULL;
    return g_strdup_printf("task %s for %s%s", task_name, event->name, which ? which : "");
}

/* The delivery id of the event; NULL: none. A schedule or a dispatch has none, so in Actions it is
   the number of the Actions run. */
static const char *delivery_of(const QueueOptions *options, const WmEvent *event)
{
    static const char *const started[] = { "schedule", "workflow_dispatch", NULL };
    bool is_started = g_strv_contains(started, event->name);
    return options->delivery ? options->delivery : is_started ? env_get_raw("GITHUB_RUN_ID") : NULL;
}

static bool enqueue_one(Work *self, WmQueue *queue, const WmEvent *event, const char *task_name,
                        Cancel *cancel, GError **error)
{
    WmNumbers numbers = wm_event_numbers(event, self->options->issue);
    g_autofree char *description = wm_worker_describe(task_name, event, &numbers);
    const WmRunKey run = { .task_name = task_name,
                           .event = event,
                           .issue = self->options->issue,
                           .delivery = delivery_of(self->options, event),
                           .at_ms = time_now_ms() };
    g_autofree char *key = wm_run_key(&run);
    g_autoptr(json_t) payload = json_object();
    int64_t id = 0;
    bool is_new = false;
    json_add(payload, "task:%s event_name:%s event:%p", task_name, event->name,
             json_incref(event->payload));
    if (self->options->issue > 0)
        json_set_int(payload, "issue", self->options->issue);
    if (!wm_queue_add(queue, description, key, payload, cancel, &id, &is_new, error))
        return false;
    json_append_take(self->rows, json_make("task:%s id:%jd created:%i", task_name, id, is_new));
    return true;
}

static bool enqueue_work(void *data, Cancel *cancel, GError **error)
{
    Work *self = data;
    const QueueOptions *options = self->options;
    g_autoptr(WmProject) project = NULL;
    g_auto(WmEvent) event = { 0 };
    g_autoptr(json_t) names = NULL;
    if (!find_repo(self, cancel, error) ||
        !wm_event_read(options->event_name, options->payload, &event, error) ||
        !wm_here_load(self->root, NULL, &project, error))
        return false;
    const WmResolve resolve = { .project = project,
                                .event = &event,
                                .force_task = options->force_task,
                                .cron = env_get_raw("WM_SCHEDULE_CRON"),
                                .open_api = open_api,
                                .user_data = self };
    if (!wm_resolve(&resolve, cancel, &names, error))
        return false;
    g_autoptr(WmQueue) queue = wm_queue_new(self->root, options->db, self->type);
    for (size_t i = 0; i < json_array_size(names); i++)
        if (!enqueue_one(self, queue, &event, json_string_value(json_array_get(names, i)), cancel,
                         error))
            return false;
    return true;
}

static int enqueue_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    QueueOptions options = { 0 };
    if (!wm_decode(&command_wm_enqueue, argc, argv, &options, &kept, NULL, 0, 0, &error))
        return wm_fail(command_wm_enqueue.name, error);
    g_auto(Work) work = { .options = &options, .rows = json_array() };
    int stopped = cmd_run_blocking(enqueue_work, &work, &error);
    g_autofree char *text = json_to_text(work.rows);
    if (json_array_size(work.rows) > 0 || (!error && !stopped))
        cmd_print_line(text); // also what was added before something failed
    return error && !stopped ? wm_fail(command_wm_enqueue.name, error) : stopped;
}

static bool worker_work(void *data, Cancel *cancel, GError **error)
{
    Work *self = data;
    const QueueOptions *options = self->options;
    if (!find_repo(self, cancel, error))
        return false;
    const WmWorkerOptions worker = { .root = self->root,
                                     .db = options->db,
                                     .type = self->type,
                                     .name = options->name,
                                     .jobs = options->jobs,
                                     .lease_s = options->lease_s,
                                     .idle_s = options->has_idle ? options->idle_s : -1 };
    log_text("wm worker: taking runs of %s, %" G_GINT64_FORMAT " at once", self->type + 3,
             options->jobs);
    return wm_worker_run(&worker, cancel, &self->counts, error);
}

static int worker_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    QueueOptions options = { 0 };
    if (!wm_decode(&command_wm_worker, argc, argv, &options, &kept, NULL, 0, 0, &error))
        return wm_fail(command_wm_worker.name, error);
    g_auto(Work) work = { .options = &options };
    int stopped = cmd_run_blocking(worker_work, &work, &error);
    log_text("wm worker: %" G_GINT64_FORMAT " done, %" G_GINT64_FORMAT " failed, %" G_GINT64_FORMAT
             " given back",
             work.counts.done, work.counts.failed, work.counts.given_back);
    bool has_undone =
        work.counts.failed > 0 || work.counts.given_back > 0 || work.counts.has_no_answer;
    if (!error && !stopped && has_undone && options.has_idle)
        return EXIT_FAILED;
    return error && !stopped ? wm_fail(command_wm_worker.name, error) : stopped;
}

const Command command_wm_enqueue = {
    .name = "wm enqueue",
    .summary = "Put the runs that an event starts into the task queue",
    .usage = "[--event-name NAME] [--payload FILE] [--db STORE]",
    .options = enqueue_options,
    .help = "Resolves the event as `kedge wm resolve` does and adds one row for each task. Prints "
            "[{\"task\",\"id\",\"created\"}]:\nan event that is given twice is added once; a "
            "schedule or a "
            "dispatch, whose payloads are all alike, once a minute.",
    .run = enqueue_run,
};

const Command command_wm_worker = {
    .name = "wm worker",
    .summary = "Take runs from the task queue and do them on this machine",
    .usage = "[--jobs N] [--db STORE]",
    .options = worker_options,
    .help = "Each run gets clones of its own of the default branch of origin; its directory stays "
            "in .wm/runs of the clone\nthat the worker was started in. KEDGE_WM_AGENT_TOKEN is "
            "the token that agents get, one that can only read;\nwithout it they have that of "
            "the worker, and nothing but the prompt keeps them from writing themselves.\nSIGTERM "
            "gives back what has not begun to write, and waits for what has.",
    .run = worker_run,
};
