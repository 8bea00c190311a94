/*
 * Calls in the background (background.h). The job works on a call of its own, so that the first one
 * may answer and go.
 */
#include "tool/background.h"

#include "base/lock.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "tool/call_private.h"
#include "tool/context.h"

#define LABEL_BYTES   ((size_t)120)
#define WAIT_ROUND_MS 60000

typedef struct Background {
    ToolCall call; // what run() gets
    ToolCallSpec spec;
    ToolDoor door;
    CallOutcome outcome;
    Judgement judgement;
    char *call_id;
    BackgroundFunc run;
    Job *job; // borrowed, while it runs
    pthread_mutex_t lock;
    json_t *details; // of the last update; under the lock
    bool is_behind;  // no one waits any more; under the lock
    bool has_ended;  // the same
    bool is_told;    // the job itself has finished the call
    ToolResult result;
    GError *error; // in place of it
} Background;

static void background_free(void *background)
{
    Background *self = background;
    if (self->call.prepared_destroy)
        self->call.prepared_destroy(self->call.prepared);
    call_arguments_clear(&self->call.arguments);
    g_ptr_array_unref(self->call.hooks);
    judgement_clear(&self->judgement);
    tool_result_clear(&self->result);
    g_clear_error(&self->error);
    json_decref(self->details);
    cancel_unref(self->call.cancel);
    pthread_mutex_destroy(&self->lock);
    g_free(self->call_id);
    g_free(self);
}

static void on_update(const char *text, const json_t *details, void *background)
{
    Background *self = background;
    pthread_mutex_lock(&self->lock);
    json_decref(self->details);
    self->details = json_incref((json_t *)details);
    pthread_mutex_unlock(&self->lock);
    job_set_progress(self->job, text);
}

static void copy_outcome(Background *self, const CallOutcome *outcome)
{
    const Judgement *judged = outcome->judgement;
    self->outcome = *outcome;
    self->outcome.end = CALL_RAN;
    self->outcome.reason = NULL;
    if (!judged)
        return;
    self->judgement = (Judgement) {
        .effect = judged->effect,
        .summary = g_strdup(judged->summary),
        .host = g_strdup(judged->host),
        .repo = g_strdup(judged->repo),
        .is_github = judged->is_github,
    };
    self->outcome.judgement = &self->judgement;
}

static void copy_arguments(Background *self, const ToolCall *call)
{
    const CallArguments *from = &call->arguments;
    self->call.arguments = (CallArguments) {
        .whole = json_incref(from->whole),
        .given = json_incref(from->given),
        .decoded = json_incref(from->decoded),
        .fields = g_memdup2(from->fields, from->fields ? call->spec->tool->args_size : 0),
        .ignored = from->ignored ? g_ptr_array_ref(from->ignored) : NULL,
    };
}

static void move_prepared(ToolCall *from, ToolCall *to)
{
    to->prepared = g_steal_pointer(&from->prepared);
    to->prepared_destroy = from->prepared_destroy;
    from->prepared_destroy = NULL;
}

static Background *background_new(ToolCall *call, BackgroundFunc run)
{
    Background *self = g_new0(Background, 1);
    const ToolDoor *door = call->spec->door;
    pthread_mutex_init(&self->lock, NULL);
    self->run = run;
    self->call_id = g_strdup(tool_call_id(call));
    self->door = (ToolDoor) {
        .kind = door->kind,
        .via = door->via,
        .allow_hint = door->allow_hint,
        .wants_whole_text = door->wants_whole_text,
    };
    self->spec = (ToolCallSpec) {
        .tool = call->spec->tool,
        .call_id = self->call_id,
        .context = call->spec->context,
        .door = &self->door,
        .on_update = on_update,
        .user_data = self,
    };
    self->call = (ToolCall) {
        .spec = &self->spec,
        .permit = { .call = &self->call },
        .outcome = &self->outcome,
        .is_permitted = call->is_permitted,
        .hooks = g_ptr_array_ref(call->hooks),
    };
    copy_outcome(self, call->outcome);
    copy_arguments(self, call);
    move_prepared(call, &self->call);
    return self;
}

// ---- the job ----

/* True: whoever waited has gone. */
static bool note_end(Background *self)
{
    HOLD_LOCK(&self->lock);
    self->has_ended = true;
    return self->is_behind;
}

/* As tool_call() does it. What the call would answer stays as it is, should it still wait. */
static void background_tell(Background *self, JobOutcome *outcome)
{
    g_auto(ToolResult) whole = {
        .content = json_deep_copy(self->result.content),
        .details = json_deep_copy(self->result.details),
        .meta = json_deep_copy(self->result.meta),
        .is_error = self->result.is_error,
    };
    origin_copy(&whole.origin, &self->result.origin);
    self->call.is_behind = true;
    call_finish(&self->call, &whole, &self->outcome, self->error);
    self->is_told = true;
    const json_t *cut = json_object_get(json_object_get(whole.details, "meta"), "truncation");
    outcome->artifact_id = g_strdup(json_get_text(cut, "artifactId"));
    outcome->text = tool_result_text(&whole);
    outcome->is_failed = whole.is_error;
}

static bool background_work(Job *job, void *background, JobOutcome *ret_outcome,
                            GError **error G_GNUC_UNUSED)
{
    Background *self = background;
    int64_t start = time_monotonic_ms();
    self->job = job;
    self->call.cancel = cancel_ref(job_cancel_token(job));
    self->spec.cancel = self->call.cancel;
    self->run(&self->call, call_arguments_of(&self->call), &self->result, &self->error);
    self->outcome.duration_ms = time_monotonic_ms() - start;
    self->call.is_permitted = false;
    if (note_end(self))
        background_tell(self, ret_outcome);
    return true;
}

static bool background_start(ToolCall *call, const BackgroundSpec *spec, Background *background,
                             Job **ret_job, GError **error)
{
    g_autofree char *line = g_strdelimit(g_strdup(spec->label), "\r\n\t", ' ');
    g_autofree char *label = str_truncate(line, LABEL_BYTES);
    const Judgement *judgement = background->outcome.judgement;
    bool writes = judgement && judgement->effect != EFFECT_READ;
    const JobSpec job = {
        .type = spec->type,
        .label = label,
        .run = background_work,
        .data = background,
        .destroy = background_free,
        .tells_cancelled = writes,
        .is_in_front = true,
        .max_jobs = settings_get_int(tool_call_settings(call), "async.maxJobs"),
    };
    return job_table_start(tool_context_jobs(tool_call_context(call)), &job, ret_job, error);
}

// ---- the call that waits ----

static void pass_update(ToolCall *call, Background *background, const char *text)
{
    pthread_mutex_lock(&background->lock);
    g_autoptr(json_t) details = json_incref(background->details);
    pthread_mutex_unlock(&background->lock);
    tool_call_update(call, text, details);
}

/* Until it has ended, `until` is here or the call is stopped. */
static void wait_in_front(ToolCall *call, Job *job, int64_t until)
{
    for (;;) {
        int64_t left = until - time_monotonic_ms();
        bool has_ended = job_wait(job, CLAMP(left, 0, WAIT_ROUND_MS), call->cancel);
        g_autofree char *news = job_take_progress(job);
        if (news)
            pass_update(call, job_data(job), news);
        if (has_ended || left <= 0 || cancel_has_fired(call->cancel))
            return;
    }
}

/* From here on the job finishes the call. False: it has ended, or there are too many. */
static bool leave_behind(ToolCall *call, Job *job)
{
    Background *background = job_data(job);
    pthread_mutex_lock(&background->lock);
    background->is_behind = !background->has_ended;
    bool is_behind = background->is_behind;
    pthread_mutex_unlock(&background->lock);
    return is_behind &&
           job_send_to_background(job, settings_get_int(tool_call_settings(call), "async.maxJobs"));
}

static void answer_started(const Job *job, ToolResult *result)
{
    g_autofree char *text = g_strdup_printf(
        "Background job %s started: %s\n"
        "Result will be delivered automatically when complete.\n"
        "You can use `job` to poll until complete, but prefer to continue with another task in the "
        "meanwhile if it's not blocking.",
        job_id(job), job_label(job));
    tool_result_add_text(result, text);
    json_set_take(tool_result_details(result), "async",
                  json_pack("{s:s, s:s, s:s}", "state", "running", "jobId", job_id(job), "type",
                            job_type(job)));
}

/* It is over, or is now made to be. */
static bool finish_in_front(ToolCall *call, Job *job, ToolResult *result, GError **error)
{
    if (cancel_has_fired(call->cancel))
        job_cancel(job);
    while (!job_wait(job, WAIT_ROUND_MS, NULL))
        continue;
    Background *self = job_data(job);
    call->is_handed_over = self->is_told; // it ended just when it was left
    move_prepared(&self->call, call);
    if (self->error)
        return pass_error(error, &self->error);
    *result = self->result;
    self->result = (ToolResult) { 0 };
    return true;
}

bool background_is_possible(const ToolCall *call)
{
    return settings_get_bool(tool_call_settings(call), "async.enabled") &&
           job_table_is_heard(tool_context_jobs(tool_call_context(call)));
}

int64_t background_github_patience_ms(const ToolCall *call)
{
    int64_t after_s = settings_get_int(tool_call_settings(call), "github.backgroundAfterSec");
    return after_s > 0 ? MIN(after_s, 24 * 3600) * 1000 : -1;
}

bool background_run(ToolCall *call, const BackgroundSpec *spec, ToolResult *result, GError **error)
{
    if (spec->patience_ms < 0 || !background_is_possible(call))
        return spec->run(call, call_arguments_of(call), result, error);
    g_autoptr(Job) job = NULL;
    Background *background = background_new(call, spec->run);
    if (!background_start(call, spec, background, &job, error))
        return false;
    wait_in_front(call, job, time_monotonic_ms() + spec->patience_ms);
    if (!cancel_has_fired(call->cancel) && leave_behind(call, job)) {
        call->is_handed_over = true;
        answer_started(job, result);
        return true;
    }
    if (!cancel_has_fired(call->cancel)) // ended, or too many: then it stays in front
        wait_in_front(call, job, G_MAXINT64);
    return finish_in_front(call, job, result, error);
}
