/*
 * Which tasks an event starts (match.h): triggers against the payload. Commands are in
 * match_command.c, gates in gates.c.
 */
#include "wm/trigger/match_private.h"

#include "base/str.h"
#include "wm/task/branch_filter.h"
#include "wm/task/schedule.h"
#include "wm/task/triggers.h"

#include <string.h>

// "[a, b]" for messages. Caller frees.
static char *list_text(const json_t *list)
{
    GString *out = g_string_new("[");
    json_each (list, index, item)
        g_string_append_printf(out, "%s%s", index > 0 ? ", " : "", json_string_value(item));
    return g_string_free(g_string_append_c(out, ']'), FALSE);
}

// `value` is, or is not, in `list`, and so there is no match.
static bool refuse_value(const Match *self, const char *what, const char *value, bool is_in,
                         const json_t *list)
{
    if (!self->why)
        return false;
    g_autofree char *text = list_text(list);
    return wm_match_refuse(self, "%s \"%s\" %s %s", what, value, is_in ? "in" : "not in", text);
}

static bool types_ok(const Match *self)
{
    const json_t *types = json_get_array(self->options, "types");
    const char *action = wm_match_action(self);
    if (!types || wm_list_has(types, action))
        return true;
    return refuse_value(self, "action", action, false, types);
}

static bool labels_ok(const Match *self)
{
    const json_t *labels = json_get_array(self->options, "labels");
    const json_t *names = json_get_array(self->options, "names");
    if (!labels && !names)
        return true;
    const char *action = wm_match_action(self);
    bool is_labeled = strcmp(action, "labeled") == 0;
    bool is_either = is_labeled || (names && strcmp(action, "unlabeled") == 0);
    if (!is_either)
        return wm_match_refuse(self, "action \"%s\" is not labeled", action);
    g_autofree char *label = wm_match_label(self);
    if ((is_labeled && wm_list_has(labels, label)) || wm_list_has(names, label))
        return true;
    return refuse_value(self, "label", label, false, labels ? labels : names);
}

static bool branches_ok(const Match *self, const char *branch)
{
    const json_t *wanted = json_get_array(self->options, "branches");
    const json_t *ignored = json_get_array(self->options, "branches-ignore");
    if (!wanted && !ignored)
        return true;
    if (*branch == '\0')
        return wm_match_refuse(self, "no branch");
    bool is_wanted = !wanted || wm_branch_matches(wanted, branch);
    if (is_wanted && (!ignored || !wm_branch_matches(ignored, branch)))
        return true;
    return refuse_value(self, "branch", branch, is_wanted, is_wanted ? ignored : wanted);
}

// Of workflow_run: the generated workflow waits for those of all tasks.
static bool workflow_ok(const Match *self)
{
    const json_t *wanted = json_get_array(self->options, "workflows");
    const char *name = wm_match_text(self, "workflow", "name");
    const char *of_run = wm_match_text(self, "workflow_run", "name");
    bool is_named = *name != '\0' || *of_run != '\0';
    if (!wanted || !is_named || wm_list_has(wanted, name) || wm_list_has(wanted, of_run))
        return true;
    return refuse_value(self, "workflow", *name != '\0' ? name : of_run, false, wanted);
}

// A tag is no branch.
static const char *pushed_branch(const Match *self)
{
    const char *ref = json_get_text(self->event->payload, "ref");
    return ref && str_has_prefix(ref, "refs/heads/") ? ref + strlen("refs/heads/") : "";
}

static const char *base_branch(const Match *self)
{
    const json_t *pull = json_get_object(self->event->payload, "pull_request");
    const char *ref = json_get_text(json_get_object(pull, "base"), "ref");
    return ref ? ref : "";
}

static bool cron_ok(const Match *self)
{
    if (!self->cron)
        return true;
    g_autofree char *wanted = wm_schedule_collapse(self->cron);
    bool matches_any = false;
    g_autoptr(GPtrArray) crons = wm_task_crons(self->task, NULL, &matches_any);
    bool is_match = matches_any || *wanted == '\0';
    for (guint i = 0; !is_match && i < crons->len; i++)
        is_match = strcmp(crons->pdata[i], wanted) == 0;
    return is_match || wm_match_refuse(self, "not at cron \"%s\"", wanted);
}

// Is `self->key` about this event at all?
static bool match_concerns(const Match *self)
{
    if (strcmp(self->key, "slash_command") == 0 || strcmp(self->key, "label_command") == 0)
        return wm_command_concerns(self);
    return wm_match_is_event(self, self->key) || (strcmp(self->key, "pull_request") == 0 &&
                                                  wm_match_is_event(self, "pull_request_target"));
}

static bool match_key(const Match *self)
{
    bool is_pull =
        strcmp(self->key, "pull_request") == 0 || strcmp(self->key, "pull_request_target") == 0;
    if (wm_match_is_own(self))
        return wm_match_refuse(self, "a task wrote this");
    if (strcmp(self->key, "slash_command") == 0)
        return wm_slash_command_matches(self);
    if (strcmp(self->key, "label_command") == 0)
        return wm_label_command_matches(self);
    if (strcmp(self->key, "schedule") == 0)
        return cron_ok(self);
    return types_ok(self) && labels_ok(self) && workflow_ok(self) &&
           branches_ok(self, is_pull ? base_branch(self) : pushed_branch(self));
}

bool wm_match(const WmTask *task, const WmEvent *event, const char *cron, char **ret_reason)
{
    g_autoptr(GString) why = ret_reason ? g_string_new(NULL) : NULL;
    Match self = { .task = task, .event = event, .cron = cron, .why = why };
    bool has_trigger = false, is_match = false;
    json_each_member (task->on, key, options) {
        if (strcmp(key, WM_GATES) == 0)
            continue;
        has_trigger = true;
        self.key = key;
        self.options = options;
        is_match = is_match || (match_concerns(&self) && match_key(&self));
        if (is_match && !ret_reason)
            return true;
        if (is_match) {
            *ret_reason = g_strdup(key);
            return true;
        }
    }
    if (ret_reason)
        *ret_reason = !has_trigger   ? g_strdup("no triggers")
                      : why->len > 0 ? g_strdup(why->str)
                                     : g_strdup_printf("no trigger for event %s", event->name);
    return false;
}
