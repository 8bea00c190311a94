/*
 * The worker (worker.h): job threads that take runs, and for each run a thread that keeps its
 * lease.
 */
#include "wm/run/worker.h"

#include "base/env.h"
#include "base/file.h"
#include "base/proc_guard.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/worker.h"
#include "wm/task/wm_log.h"
#include "wm/workspace/run_dir.h"
#include "wm/workspace/run_place.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAKE_WAIT_S     20 // of one question to the queue
#define TROUBLE_WAIT_MS 5000
#define TELL_MS         (60 * 1000) // for the queue to be there again when a run has ended
#define TELL_STOP_MS    (5 * 1000)  // the same when the worker is to end
#define TELL_PAUSE_MS   1000
#define PLACE_VARIABLE  "KEDGE_WM_PLACE" // by which the watcher of a run knows what belongs to it
#define LEFT_GRACE_MS   2000             // for what a run has left behind
#define RUN_GRACE_MS    (30 * 1000) // from SIGTERM to SIGKILL: a run ends its agent, and says so
#define RUN_MS          (10 * 60 * 60 * 1000) // a task's own time is 8 hours at most
#define OUTPUT_BYTES    (64 * 1024) // of a child that is kept; all of it is shown as it comes
#define LINE_BYTES      4096
#define REASON_BYTES    2000

typedef struct Crew { // of one worker; shared by its jobs
    const WmWorkerOptions *options;
    WmQueue *queue;
    Cancel *stop;
    const char *name;
    pthread_mutex_t lock; // guards the rest
    WmWorkerCounts counts;
    int64_t busy, idle_since_ms;
} Crew;

typedef struct Run { // one run of a job
    Crew *crew;
    WmRow row;
    const char *task_name; // borrowed from the row
    WmPlace place;
    Cancel *cancel;    // fires with `stop`, and when the lease is lost
    Cancel *beat_stop; // ends the thread that keeps the lease
    bool is_lost;      // set by that thread before it fires `cancel`
    char *run_dir;     // NULL: none was made
    GString *line;     // of the child's output, not yet whole
    char *last_error;  // "error: …" of the child; NULL
} Run;

static void run_clear(Run *self)
{
    wm_row_clear(&self->row);
    wm_place_clear(&self->place);
    g_clear_pointer(&self->cancel, cancel_unref);
    g_clear_pointer(&self->beat_stop, cancel_unref);
    g_clear_pointer(&self->run_dir, g_free);
    g_clear_pointer(&self->last_error, g_free);
    if (self->line)
        g_string_free(self->line, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

/* Its payload is the same each time. */
static bool is_recurrent(const WmEvent *event)
{
    static const char *const names[] = { "schedule", "workflow_dispatch", NULL };
    return g_strv_contains(names, event->name) || json_object_size(event->payload) == 0;
}

char *wm_run_key(const WmRunKey *run)
{
    bool has_delivery = !str_is_empty(run->delivery);
    int64_t minute = !has_delivery && is_recurrent(run->event) ? run->at_ms / (60 * 1000) : 0;
    g_autofree char *text = has_delivery ? NULL : json_to_canonical(run->event->payload);
    g_autofree char *numbers = g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                                               (gint64)run->issue, (gint64)minute);
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    const char *const parts[] = { run->task_name, run->event->name, numbers,
                                  has_delivery ? run->delivery : "", text ? text : "" };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) // the end of a text is part of it
        g_checksum_update(sum, (const guchar *)parts[i], (gssize)strlen(parts[i]) + 1);
    return g_strdup(g_checksum_get_string(sum));
}

// ---- the lease ----

static void keep_lease(void *data)
{
    Run *self = data;
    const WmWorkerOptions *options = self->crew->options;
    int64_t pause_ms = options->lease_s * 1000 / 3;
    while (cancel_sleep(self->beat_stop, pause_ms, NULL)) {
        g_autoptr(GError) error = NULL;
        bool goes_on = true;
        if (!wm_queue_beat(self->crew->queue, &self->row, options->lease_s, self->beat_stop,
                           &goes_on, &error)) {
            if (!cancel_has_fired(self->beat_stop))
                wm_log(WM_WARN, "wm worker: the lease could not be extended", "run",
                       self->task_name, "reason", error->message, NULL);
            continue;
        }
        if (!goes_on) {
            self->is_lost = true;
            cancel_fire(self->cancel);
            return;
        }
    }
}

// ---- the child ----

static void take_line(Run *self, const char *line)
{
    static const char made[] = "wm run: activation: run directory ";
    if (!self->run_dir && str_has_prefix(line, made)) // before the agent can say anything
        self->run_dir = g_strdup(line + strlen(made));
    if (str_has_prefix(line, "error: ")) {
        g_free(self->last_error);
        self->last_error = g_strdup(line + strlen("error: "));
    }
    wm_say("[%" G_GINT64_FORMAT " %s] %s", self->row.id, self->task_name, line);
}

static void take_output(const char *data, size_t size, void *user_data)
{
    Run *self = user_data;
    for (size_t i = 0; i < size; i++) {
        if (data[i] != '\n' && self->line->len < LINE_BYTES) {
            g_string_append_c(self->line, data[i] ? data[i] : ' ');
            continue;
        }
        g_autofree char *valid = g_utf8_make_valid(self->line->str, (gssize)self->line->len);
        take_line(self, valid);
        g_string_truncate(self->line, 0);
        if (data[i] != '\n')
            g_string_append_c(self->line, data[i]);
    }
}

/* Caller frees with g_strfreev(). */
static char **child_environment(const Crew *crew)
{
    g_autofree char *runs = g_build_filename(crew->options->root, ".wm/runs", NULL);
    char **env = env_for_agent();
    env = g_environ_setenv(env, "WM_RUN_DIR", runs, TRUE);
    return g_environ_setenv(env, "GITHUB_REPOSITORY", crew->options->type + strlen("wm:"), TRUE);
}

/* `words` behind "kedge wm". */
static bool run_child(Run *self, const char *const *words, Cancel *cancel, int *ret_status,
                      GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_auto(GStrv) env = child_environment(self->crew);
    env = g_environ_setenv(env, PLACE_VARIABLE, self->place.dir, TRUE);
    g_ptr_array_add(argv, program ? program : (char *)"kedge");
    g_ptr_array_add(argv, (char *)"wm");
    for (size_t i = 0; words[i]; i++)
        g_ptr_array_add(argv, (char *)words[i]);
    g_ptr_array_add(argv, NULL);
    const ProcSpec spec = {
        .argv = (const char *const *)argv->pdata,
        .cwd = self->place.work,
        .env = (const char *const *)env,
        .profile = PROC_PROFILE_FREE,
        .timeout_ms = RUN_MS,
        .max_output_bytes = OUTPUT_BYTES,
        .grace_ms = RUN_GRACE_MS,
        .on_output = take_output,
        .user_data = self,
    };
    g_auto(ProcResult) result = { 0 };
    if (!proc_run(&spec, cancel, &result, error))
        return false;
    if (self->line->len > 0)
        take_output("\n", 1, self);
    *ret_status = result.exit_status;
    return true;
}

/* With the number that was given as that of a dispatch, which both halves of a run look at. New
   reference. */
static json_t *event_of(const Run *self)
{
    json_t *event = json_copy(json_get_object(self->row.payload, "event"));
    const json_t *given = json_object_get(self->row.payload, "issue");
    const json_t *inputs = json_get_object(event, "inputs");
    if (!json_is_integer(given) || json_object_get(inputs, "issue_number"))
        return event;
    json_t *more = inputs ? json_copy((json_t *)inputs) : json_object();
    json_set_int(more, "issue_number", json_integer_value(given));
    json_set_take(event, "inputs", more);
    return event;
}

static bool write_event(const Run *self, const char *dir, char **ret_path, GError **error)
{
    g_autoptr(json_t) event = event_of(self);
    g_autofree char *text = json_to_text(event);
    *ret_path = g_build_filename(dir, "event.json", NULL);
    return file_write_atomic(*ret_path, text, strlen(text), 0600, error);
}

// ---- one run ----

/* What became of it, for the queue. */
typedef enum { RUN_DONE, RUN_FAILED, RUN_AGAIN, RUN_BACK, RUN_LOST } RunEnd;

static char *reason_of(const Run *self, const char *otherwise)
{
    const char *text = self->last_error ? self->last_error : otherwise;
    return g_strndup(text, MIN(strlen(text), REASON_BYTES));
}

typedef struct Patience { // with a queue that does not answer
    int64_t began_ms;
    bool is_told; // to who reads the log
} Patience;

/* One that is away for a moment is worth a wait: the agent's work would be lost. False: it is over,
   or would not help. */
static bool wait_for_queue(const Run *self, Patience *patience, const GError *problem)
{
    int64_t most_ms = cancel_has_fired(self->crew->stop) ? TELL_STOP_MS : TELL_MS;
    if (error_is(problem, KEDGE_ERROR_DENIED) || error_is(problem, KEDGE_ERROR_CANCELLED) ||
        time_monotonic_ms() - patience->began_ms >= most_ms)
        return false;
    if (!patience->is_told)
        wm_log(WM_WARN, "wm worker: the queue does not answer; it is asked again", "run",
               self->task_name, "reason", problem->message, NULL);
    patience->is_told = true;
    cancel_sleep(NULL, TELL_PAUSE_MS, NULL);
    return true;
}

/* Is the run still this worker's, and is nothing of it written yet? */
static bool ask_whether(Run *self, bool *ret_is_ours, bool *ret_is_first, GError **error)
{
    WmQueue *queue = self->crew->queue;
    int64_t lease_s = self->crew->options->lease_s;
    return wm_queue_beat(queue, &self->row, lease_s, self->cancel, ret_is_ours, error) &&
           (!*ret_is_ours || wm_queue_mark(queue, &self->row, self->cancel, ret_is_first, error));
}

static bool may_write(Run *self, bool *ret_is_ours, bool *ret_is_first, GError **error)
{
    Patience patience = { .began_ms = time_monotonic_ms() };
    for (;;) {
        g_autoptr(GError) problem = NULL;
        if (ask_whether(self, ret_is_ours, ret_is_first, &problem))
            return true;
        if (!wait_for_queue(self, &patience, problem))
            return pass_error(error, &problem);
    }
}

/* Of what the agent can have written nothing is believed: task and event are those of the row. */
static bool apply_child(Run *self, const char *event_path, int *ret_status, GError **error)
{
    const char *event_name = json_get_text(self->row.payload, "event_name");
    const char *const words[] = { "process-outputs",   "--repo-root",
                                  self->place.policy,  "--policy-root",
                                  self->place.trusted, "--run-dir",
                                  self->run_dir,       "--of-task",
                                  self->task_name,     "--event-name",
                                  event_name,          "--payload",
                                  event_path,          NULL };
    return run_child(self, words, NULL, ret_status, error);
}

/* The second half: what the agent asked for is applied from a clone that it has not seen. Once it
   has begun only its own end ends it. */
static RunEnd run_apply(Run *self, char **ret_reason)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *event_path = NULL;
    bool is_ours = false, is_first = false;
    int status = 0;
    if (!wm_place_set_apart(&self->place, self->crew->options->root, self->cancel, &error) ||
        !wm_place_take_branch(&self->place, self->cancel, &error) ||
        !write_event(self, self->place.apart, &event_path, &error) ||
        !may_write(self, &is_ours, &is_first, &error)) {
        *ret_reason = g_strdup(error->message);
        return error_is(error, KEDGE_ERROR_PROTOCOL) ? RUN_FAILED : RUN_AGAIN;
    }
    if (!is_ours)
        return RUN_LOST;
    if (!is_first) {
        *ret_reason = g_strdup("a worker before this one died while it applied what was asked for; "
                               "look at what is there, then start the task again");
        return RUN_FAILED;
    }
    if (!apply_child(self, event_path, &status, &error)) {
        *ret_reason = g_strdup(error->message);
        return RUN_FAILED;
    }
    if (status != 0)
        *ret_reason = reason_of(self, "its outputs could not be applied");
    return status == 0 ? RUN_DONE : RUN_FAILED;
}

/* A killed worker ends it: another one would start a second agent beside this. The second half is
   left to its own end. */
static bool run_agent(Run *self, const char *const *words, int *ret_status, GError **error)
{
    ProcGuard guard = { 0 };
    g_autofree char *mark = g_strconcat(PLACE_VARIABLE "=", self->place.dir, NULL);
    proc_guard_begin(&guard, mark);
    bool is_good = run_child(self, words, self->cancel, ret_status, error);
    proc_guard_end(&guard, LEFT_GRACE_MS);
    return is_good;
}

static RunEnd do_run(Run *self, char **ret_reason)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *event_path = NULL;
    const char *event_name = json_get_text(self->row.payload, "event_name");
    int status = 0;
    if (!wm_place_make(self->crew->options->root, self->cancel, &self->place, &error) ||
        !write_event(self, self->place.dir, &event_path, &error)) {
        *ret_reason = g_strdup(error->message);
        return RUN_BACK; // not the run's fault: no network, no room on the disk
    }
    const char *const words[] = { "run",           "--repo-root",  self->place.work, "--task",
                                  self->task_name, "--event-name", event_name,       "--payload",
                                  event_path,      "--agent-only", "--in-place",     NULL };
    if (!run_agent(self, words, &status, &error)) {
        *ret_reason = g_strdup(error->message);
        return RUN_AGAIN;
    }
    if (status != 0 || !self->run_dir) {
        g_autofree char *reason = reason_of(self, "the run failed");
        *ret_reason = self->run_dir ? g_steal_pointer(&reason)
                                    : g_strdup_printf("%s (on the branch %s of origin)", reason,
                                                      self->place.branch);
        return RUN_FAILED;
    }
    return run_apply(self, ret_reason);
}

static json_t *result_of(const Run *self)
{
    g_auto(WmRunDir) dir = { 0 };
    g_autoptr(json_t) result = NULL;
    json_t *out = json_object();
    json_set_text(out, "run_dir", self->run_dir);
    if (wm_run_dir_open(self->run_dir, &dir, NULL) &&
        wm_run_dir_read_json(&dir, "result.json", &result, NULL))
        json_set_take(out, "outputs", json_incref(json_get_array(result, "outputs")));
    return out;
}

static bool worker_report(Run *self, RunEnd end, const char *reason, GError **error)
{
    WmQueue *queue = self->crew->queue;
    g_autoptr(json_t) result = end == RUN_DONE ? result_of(self) : NULL;
    switch (end) {
    case RUN_DONE:
        return wm_queue_complete(queue, &self->row, result, NULL, error);
    case RUN_FAILED:
        return wm_queue_fail(queue, &self->row, reason, false, NULL, error);
    case RUN_AGAIN:
        return wm_queue_fail(queue, &self->row, reason, true, NULL, error);
    case RUN_BACK:
        return wm_queue_release(queue, &self->row, NULL, error);
    case RUN_LOST:
        break;
    }
    return true;
}

/* A run that the queue does not hear of would be done again, or pass for one whose worker died
   while it wrote. */
static bool worker_tell(Run *self, RunEnd end, const char *reason, GError **error)
{
    Patience patience = { .began_ms = time_monotonic_ms() };
    for (;;) {
        g_autoptr(GError) problem = NULL;
        if (worker_report(self, end, reason, &problem))
            return true;
        if (!wait_for_queue(self, &patience, problem))
            return pass_error(error, &problem);
    }
}

static void crew_count(Crew *crew, RunEnd end)
{
    pthread_mutex_lock(&crew->lock);
    crew->counts.done += end == RUN_DONE;
    crew->counts.failed += end == RUN_FAILED || end == RUN_AGAIN;
    crew->counts.given_back += end == RUN_BACK || end == RUN_LOST;
    crew->busy--;
    crew->idle_since_ms = time_monotonic_ms();
    pthread_mutex_unlock(&crew->lock);
}

/* With its lease kept meanwhile. */
static RunEnd do_leased(Run *self, char **ret_reason)
{
    Worker *keeper = worker_start("wm-lease", keep_lease, self);
    if (!keeper) {
        *ret_reason = g_strdup("no thread can be made that keeps its lease");
        return RUN_BACK;
    }
    RunEnd end = do_run(self, ret_reason);
    cancel_fire(self->beat_stop);
    worker_join(keeper);
    bool is_over = end == RUN_AGAIN || end == RUN_BACK;
    if (is_over && self->is_lost)
        return RUN_LOST;
    return is_over && cancel_has_fired(self->crew->stop) ? RUN_BACK : end;
}

/* Takes `row`. */
static RunEnd crew_handle(Crew *crew, WmRow *row)
{
    static const char *const ends[] = { "done", "failed", "failed; another try may follow",
                                        "given back", "taken away" };
    g_autoptr(GError) error = NULL;
    g_autofree char *reason = NULL;
    g_auto(Run) self = { .crew = crew,
                         .row = *row,
                         .cancel = cancel_new(crew->stop),
                         .beat_stop = cancel_new(NULL),
                         .line = g_string_new(NULL) };
    *row = (WmRow) { 0 };
    self.task_name = json_get_text(self.row.payload, "task");
    RunEnd end = RUN_FAILED;
    if (!self.task_name || !json_get_text(self.row.payload, "event_name") ||
        !json_get_object(self.row.payload, "event")) {
        self.task_name = "?";
        reason = g_strdup("the row of the queue names no task, or no event with its payload");
    } else {
        end = do_leased(&self, &reason);
    }
    if (!worker_tell(&self, end, reason, &error))
        wm_log(WM_ERROR, "wm worker: the queue was not updated", "run", self.task_name, "reason",
               error->message, NULL);
    wm_say("wm worker: run %" G_GINT64_FORMAT " task=\"%s\": %s%s%s", self.row.id, self.task_name,
           ends[end], reason ? ": " : "", reason ? reason : "");
    crew_count(crew, end);
    return end;
}

// ---- jobs ----

static bool is_idle_for_long(Crew *crew)
{
    int64_t idle_s = crew->options->idle_s;
    pthread_mutex_lock(&crew->lock);
    bool is_idle = idle_s >= 0 && crew->busy == 0 &&
                   time_monotonic_ms() - crew->idle_since_ms >= idle_s * 1000;
    pthread_mutex_unlock(&crew->lock);
    return is_idle;
}

/* A job that may not end yet, because others are busy, waits with them. */
static int64_t wait_of(Crew *crew)
{
    int64_t idle_s = crew->options->idle_s;
    pthread_mutex_lock(&crew->lock);
    bool has_busy = crew->busy > 0;
    pthread_mutex_unlock(&crew->lock);
    return idle_s >= 0 ? CLAMP(idle_s, has_busy, TAKE_WAIT_S) : TAKE_WAIT_S;
}

static void note_answer(Crew *crew, bool is_given)
{
    pthread_mutex_lock(&crew->lock);
    crew->counts.has_no_answer = !is_given;
    pthread_mutex_unlock(&crew->lock);
}

/* False: there was none, or no answer. */
static bool take_one(Crew *crew)
{
    g_autoptr(GError) error = NULL;
    g_auto(WmRow) row = { 0 };
    bool is_given = wm_queue_take(crew->queue, crew->name, crew->options->lease_s, wait_of(crew),
                                  crew->stop, &row, &error);
    note_answer(crew, is_given);
    if (!is_given) {
        if (!cancel_has_fired(crew->stop))
            wm_log(WM_WARN, "wm worker: no answer from the queue", "reason", error->message, NULL);
        cancel_sleep(crew->stop, TROUBLE_WAIT_MS, NULL);
        return false;
    }
    if (row.id == 0)
        return false;
    pthread_mutex_lock(&crew->lock);
    crew->busy++;
    pthread_mutex_unlock(&crew->lock);
    if (crew_handle(crew, &row) != RUN_BACK)
        return true;
    cancel_sleep(crew->stop, TROUBLE_WAIT_MS, NULL); // the next one would go no better
    return false;
}

static void job_main(void *data)
{
    Crew *crew = data;
    bool had_one;
    do
        had_one = take_one(crew);
    while (!cancel_has_fired(crew->stop) && (had_one || !is_idle_for_long(crew)));
}

static bool check_runs_dir(const char *root, GError **error)
{
    struct stat status;
    g_autofree char *runs = g_build_filename(root, ".wm", "runs", NULL);
    if (lstat(runs, &status) == 0 && !S_ISDIR(status.st_mode))
        return fail_with(error, KEDGE_ERROR_DENIED, "%s is no directory of its own", runs);
    return file_make_dirs(runs, 0700, error);
}

static char *own_name(void)
{
    return g_strdup_printf("%s:%d", g_get_host_name(), (int)getpid());
}

bool wm_worker_run(const WmWorkerOptions *options, Cancel *stop, WmWorkerCounts *ret_counts,
                   GError **error)
{
    if (!check_runs_dir(options->root, error))
        return false;
    wm_place_prune();
    g_autofree char *name = options->name ? g_strdup(options->name) : own_name();
    g_autoptr(WmQueue) queue = wm_queue_new(options->root, options->db, options->type);
    Crew crew = { .options = options,
                  .queue = queue,
                  .stop = stop,
                  .name = name,
                  .lock = PTHREAD_MUTEX_INITIALIZER,
                  .idle_since_ms = time_monotonic_ms() };
    g_autoptr(GPtrArray) jobs = g_ptr_array_new();
    for (int64_t i = 0; i < options->jobs; i++) {
        Worker *job = worker_start("wm-job", job_main, &crew);
        if (job)
            g_ptr_array_add(jobs, job);
    }
    for (unsigned i = 0; i < jobs->len; i++)
        worker_join(g_ptr_array_index(jobs, i));
    *ret_counts = crew.counts;
    pthread_mutex_destroy(&crew.lock);
    return jobs->len > 0 || fail_with(error, KEDGE_ERROR_IO, "no thread can be made for a job");
}
