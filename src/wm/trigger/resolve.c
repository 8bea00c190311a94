/*
 * Event → names of tasks (match.h; task-engine §4.2).
 */
#include "wm/trigger/match.h"

#include "base/timefmt.h"
#include "wm/task/triggers.h"
#include "wm/task/wm_log.h"
#include "wm/trigger/gates.h"

#include <string.h>

#define MAX_MATCHES 256 // jobs of a matrix of GitHub Actions

static bool is_blank(const char *text)
{
    return !text || text[strspn(text, " \t\r\n")] == '\0';
}

static bool resolve_forced(const WmResolve *self, json_t **ret_names, GError **error)
{
    g_autofree char *name = g_strstrip(g_strdup(self->force_task));
    for (guint i = 0; i < self->project->bad->len; i++) {
        const WmBadFile *bad = self->project->bad->pdata[i];
        if (strcmp(bad->name, name) == 0)
            return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s", bad->reason);
    }
    if (!wm_project_find(self->project, name, error))
        return false;
    *ret_names = json_array();
    json_append_take(*ret_names, json_text(name));
    return true;
}

// Does the event start the task? *ret_reason says why, or why not; NULL unless it is explained.
static bool starts(const WmResolve *self, const WmTask *task, WmGates *gates, Cancel *cancel,
                   char **ret_reason)
{
    bool is_automated = wm_event_is_automated(self->event);
    if (is_automated && !wm_gates_let_bot(task, self->event)) {
        *ret_reason = g_strdup("the sender is a bot");
        return false;
    }
    g_autofree char *reason = NULL;
    if (!wm_match(task, self->event, self->cron, self->explains ? &reason : NULL) ||
        !wm_gates_pass(gates, task, cancel, ret_reason)) {
        if (!*ret_reason)
            *ret_reason = g_steal_pointer(&reason);
        return false;
    }
    *ret_reason = g_steal_pointer(&reason);
    return true;
}

static bool has_schedule(const WmProject *project)
{
    for (guint i = 0; i < project->tasks->len; i++) {
        const WmTask *task = project->tasks->pdata[i];
        if (json_object_get(task->on, "schedule"))
            return true;
    }
    return false;
}

static bool is_event(const char *name)
{
    bool is_command = strcmp(name, "slash_command") == 0 || strcmp(name, "label_command") == 0;
    return !is_command && wm_trigger_options(name);
}

// A name that is mistyped matches nothing, which looks like a task that does not want the event.
static void say_of_event(const char *name)
{
    if (strcmp(name, WM_NO_EVENT) == 0) {
        wm_say("wm: no event is given: use --event-name, or set GITHUB_EVENT_NAME");
    } else if (!is_event(name)) {
        g_autofree char *hint = wm_trigger_options(name) ? g_strdup(" (it comes as issue_comment, "
                                                                    "issues or pull_request)")
                                                         : wm_trigger_did_you_mean(name);
        wm_say("wm: \"%s\" is not an event that starts tasks%s", name, hint);
    }
}

static void say_what_is_odd(const WmResolve *self, const char *cron, size_t matches)
{
    say_of_event(self->event->name);
    if (matches > MAX_MATCHES)
        wm_say("wm: %zu tasks match; only the first %d are started", matches, MAX_MATCHES);
    if (matches == 0 && cron && strcmp(self->event->name, "schedule") == 0 &&
        has_schedule(self->project))
        wm_say("wm: no task matches cron \"%s\"; run kedge wm compile to refresh wm-agent.yml",
               cron);
}

bool wm_resolve(const WmResolve *self, Cancel *cancel, json_t **ret_names, GError **error)
{
    if (!is_blank(self->force_task))
        return resolve_forced(self, ret_names, error);
    WmResolve plain = *self;
    if (is_blank(plain.cron))
        plain.cron = NULL;
    g_autoptr(WmGates) gates = wm_gates_new(&plain, time_now_ms());
    g_autoptr(json_t) names = json_array();
    size_t matches = 0;
    for (guint i = 0; i < plain.project->tasks->len; i++) {
        const WmTask *task = plain.project->tasks->pdata[i];
        g_autofree char *reason = NULL;
        bool is_match = starts(&plain, task, gates, cancel, &reason);
        if (cancel && cancel_has_fired(cancel))
            return fail_with(error, KEDGE_ERROR_CANCELLED, "cancelled");
        if (plain.explains)
            wm_say("%s: %s (%s)", task->name, is_match ? "match" : "no match", reason);
        if (is_match && ++matches <= MAX_MATCHES)
            json_append_take(names, json_text(task->name));
    }
    say_what_is_odd(&plain, plain.cron, matches);
    *ret_names = g_steal_pointer(&names);
    return true;
}
