/*
 * How often tasks ran (gates_private.h; task-engine §10.13): cooldown of a task, and the runs of
 * one actor. A cooldown that cannot be looked up does not hold a task back; a limit on an actor
 * does.
 */
#include "wm/trigger/gates_private.h"

#include "base/timefmt.h"
#include "wm/task/wm_log.h"
#include "wm/trigger/match_private.h"

#include <string.h>

#define RUNS_PATH       "/actions/workflows/wm-agent.yml/runs"
#define MAX_RUNS        30 // whose jobs are looked at: each is a request
#define DEFAULT_RUNS    5
#define DEFAULT_MINUTES 60
#define MINUTE_MS       ((int64_t)60 * 1000)

// When `object[key]` was; 0: it does not say.
static int64_t time_at(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    int64_t at_ms = 0;
    return text && wm_gate_parse_date(text, &at_ms) ? at_ms : 0;
}

/* Has `run` a job of a task whose name has `mark`, that ended at or after `since_ms`? 0: at any
   time, or is not at its end. */
static bool has_job(WmApi *api, int64_t run, const char *mark, int64_t since_ms, Cancel *cancel,
                    bool *ret_has, GError **error)
{
    g_autofree char *path =
        wm_path(api, "/actions/runs/%" G_GINT64_FORMAT "/jobs?per_page=100", run);
    g_autoptr(json_t) answer = NULL;
    if (!wm_api_get(api, path, cancel, &answer, error))
        return false;
    bool is_found = false;
    json_each (json_get_array(answer, "jobs"), index, job) {
        const char *name = json_get_text(job, "name");
        bool was_skipped = g_strcmp0(json_get_text(job, "conclusion"), "skipped") == 0;
        is_found = is_found || (name && strstr(name, mark) && !was_skipped &&
                                time_at(job, "completed_at") >= since_ms);
    }
    *ret_has = is_found;
    return true;
}

static bool ran_since(WmGates *self, const char *task_name, int64_t since_ms, Cancel *cancel,
                      bool *ret_ran, GError **error)
{
    WmApi *api;
    if (!wm_gate_api(self, cancel, &api, error))
        return false;
    g_autofree char *mark = g_strdup_printf("(%s)", task_name);
    g_autofree char *path = wm_path(api, RUNS_PATH "?status=completed&per_page=%d", MAX_RUNS + 1);
    g_autoptr(json_t) answer = NULL;
    if (!wm_api_get(api, path, cancel, &answer, error))
        return false;
    bool has_run = false, has_more = false;
    json_each (json_get_array(answer, "workflow_runs"), index, run) {
        int64_t id = json_get_int(run, "id", 0);
        if (has_run || id <= 0 || time_at(run, "updated_at") < since_ms)
            continue;
        has_more = index >= MAX_RUNS;
        if (has_more)
            break;
        if (!has_job(api, id, mark, since_ms, cancel, &has_run, error))
            return false;
    }
    if (has_more)
        wm_say(
            "wm: %s: cooldown: only the newest %d runs of wm-agent.yml were looked at; not skipped",
            task_name, MAX_RUNS);
    *ret_ran = has_run;
    return true;
}

static bool pass_cooldown(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason)
{
    const json_t *value = wm_gate_value(task, "cooldown");
    if (!value)
        return true;
    int64_t pause_ms = wm_gate_duration_ms(value);
    g_autoptr(GError) error = NULL;
    bool ran = false;
    if (pause_ms == 0)
        wm_say_as(WM_WARN, "wm: %s: cooldown: not a time such as 4h or 30m; not skipped",
                  task->name);
    else if (!ran_since(self, task->name, self->now_ms - pause_ms, cancel, &ran, &error))
        wm_say_as(WM_WARN, "wm: %s: cooldown: %s; not skipped", task->name, error->message);
    return !ran || wm_gate_refuse(task, ret_reason, "cooldown: the last run ended too recently");
}

/* How many of the actor's `runs` started a task, as far as it matters: a comment that is no command
   is a run of the workflow, too. */
static bool count_started(WmApi *api, const json_t *runs, int64_t limit, Cancel *cancel,
                          int64_t *ret_count, GError **error)
{
    int64_t count = 0;
    for (size_t i = 0; i < MIN(json_array_size(runs), MAX_RUNS) && count < limit; i++) {
        int64_t id = json_get_int(json_array_get(runs, i), "id", 0);
        bool has_started = false;
        if (id > 0 && !has_job(api, id, "(", 0, cancel, &has_started, error))
            return false;
        count += has_started;
    }
    *ret_count = count;
    return true;
}

/* Whether the actor started fewer than `limit` runs since; the one that asks is not among them yet.
 */
static bool is_below_limit(WmGates *self, int64_t window_ms, int64_t limit, Cancel *cancel,
                           bool *ret_is_below, GError **error)
{
    const char *login = wm_gate_actor(self->resolve->event);
    WmApi *api;
    if (!wm_login_is_valid(login))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "the event names no sender");
    if (!wm_gate_api(self, cancel, &api, error))
        return false;
    g_autofree char *since = time_format_iso_seconds(self->now_ms - window_ms);
    g_autofree char *actor = wm_encode(login), *start = wm_encode(since);
    g_autofree char *path = wm_path(api, RUNS_PATH "?actor=%s&created=%%3E%%3D%s&per_page=%d",
                                    actor, start, MAX_RUNS + 1);
    g_autoptr(json_t) answer = NULL;
    if (!wm_api_get(api, path, cancel, &answer, error))
        return false;
    int64_t total = json_get_int(answer, "total_count", -1), started = 0;
    if (total < 0)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "the answer has no total_count");
    *ret_is_below = total <= limit; // of these one is that which asks
    if (*ret_is_below)
        return true;
    const json_t *runs = json_get_array(answer, "workflow_runs");
    if (!count_started(api, runs, limit, cancel, &started, error))
        return false;
    if (started < limit && total > (int64_t)MIN(json_array_size(runs), MAX_RUNS))
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "%" G_GINT64_FORMAT " runs, of which only %d are looked at", total,
                         MAX_RUNS);
    *ret_is_below = started < limit;
    return true;
}

static bool pass_rate(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason)
{
    const json_t *value = wm_gate_value(task, "user-rate-limit");
    if (!value || wm_event_is_exempt(self->resolve->event))
        return true;
    int64_t limit = json_get_int(value, "max-runs-per-window", DEFAULT_RUNS);
    const json_t *window = json_object_get(value, "window");
    int64_t window_ms = window ? wm_gate_duration_ms(window) : DEFAULT_MINUTES * MINUTE_MS;
    bool is_below = false;
    g_autoptr(GError) error = NULL;
    if (!json_is_object(value) || limit <= 0 || window_ms == 0)
        return wm_gate_refuse(task, ret_reason,
                              "user-rate-limit: expected max-runs-per-window and window");
    if (!is_below_limit(self, window_ms, limit, cancel, &is_below, &error))
        return wm_gate_refuse(task, ret_reason, "user-rate-limit: %s", error->message);
    return is_below || wm_gate_refuse(task, ret_reason,
                                      "user-rate-limit: @%s started %" G_GINT64_FORMAT
                                      " runs, as many as are allowed",
                                      wm_gate_actor(self->resolve->event), limit);
}

bool wm_gate_runs(WmGates *self, const WmTask *task, Cancel *cancel, char **ret_reason)
{
    return pass_cooldown(self, task, cancel, ret_reason) &&
           pass_rate(self, task, cancel, ret_reason);
}
