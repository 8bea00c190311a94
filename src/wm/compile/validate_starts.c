/*
 * Writes of a task that start tasks (validate_task.h): GitHub starts nothing for the token of a
 * job, but it does for a person's (task-engine §9.9).
 */
#include "base/str.h"
#include "wm/compile/validate_task.h"

#include "wm/task/labels.h"

#include <string.h>

#define MARKED "; only the marker in its text keeps it from that"

typedef struct Effect { // of an item: what GitHub reports
    WmKind kind;
    const char *event, *action;
    bool is_marked; // matching knows the text by its marker
} Effect;

static const Effect effects[] = {
    { WM_CREATE_ISSUE, "issues", "opened", true },
    { WM_UPDATE_ISSUE, "issues", "edited", false },
    { WM_CLOSE_ISSUE, "issues", "closed", false },
    { WM_CREATE_PULL_REQUEST, "pull_request", "opened", true },
    { WM_UPDATE_PULL_REQUEST, "pull_request", "edited", false },
    { WM_CLOSE_PULL_REQUEST, "pull_request", "closed", false },
    { WM_ADD_REVIEWER, "pull_request", "review_requested", false },
    { WM_PUSH_TO_PULL_REQUEST_BRANCH, "pull_request", "synchronize", false },
    { WM_SUBMIT_REVIEW, "pull_request_review", "submitted", true },
};

/* Of `event`, without a list of types: GitHub reports three of a pull request, and all of others.
 */
static bool starts_on_action(const json_t *options, const char *event, const char *action)
{
    static const char *const usual[] = { "opened", "synchronize", "reopened", NULL };
    const json_t *types = json_get_array(options, "types");
    if (json_get_array(options, "labels") || json_get_array(options, "names"))
        return false;
    return types ? wm_text_list_has(types, action)
                 : !str_has_prefix(event, "pull_request") || g_strv_contains(usual, action);
}

static const json_t *options_of(const WmTask *other, const char *event)
{
    const json_t *options = json_object_get(other->on, event);
    return options || strcmp(event, "pull_request") != 0
               ? options
               : json_object_get(other->on, "pull_request_target");
}

static void check_effect(const Effect *effect, const WmTask *task, const WmTask *other,
                         GPtrArray *warnings)
{
    const json_t *options = options_of(other, effect->event);
    if (options && (other == task || !effect->is_marked) &&
        starts_on_action(options, effect->event, effect->action))
        wm_note(warnings, WM_FILE, "%s may trigger task \"%s\" (%s: %s)%s",
                wm_kind_table[effect->kind].handler, other->name, effect->event, effect->action,
                effect->is_marked ? MARKED : "");
}

/* A body that is changed may begin with a command. */
static void check_command(const WmPolicy *policy, const WmTask *other, GPtrArray *warnings)
{
    static const struct {
        WmKind kind;
        const char *event;
    } bodies[] = { { WM_UPDATE_ISSUE, "issues" }, { WM_UPDATE_PULL_REQUEST, "pull_request" } };
    const json_t *command = json_object_get(other->on, "slash_command");
    const json_t *events = json_get_array(command, "events");
    for (size_t i = 0; events && i < G_N_ELEMENTS(bodies); i++)
        if (policy->handlers[bodies[i].kind].is_enabled &&
            wm_text_list_has(events, bodies[i].event))
            wm_note(warnings, WM_FILE, "%s may trigger task \"%s\" (a text with its command)",
                    wm_kind_table[bodies[i].kind].handler, other->name);
}

// ---- labels ----

static void add_labels(json_t *labels, const json_t *more)
{
    json_each (more, index, item)
        json_array_append(labels, item);
}

/* The labels that start it when they are added. New reference. */
static json_t *trigger_labels(const WmTask *task)
{
    static const char *const keys[] = { "issues", "pull_request", "pull_request_target" };
    json_t *labels = json_array();
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        const json_t *options = json_get_object(task->on, keys[i]);
        add_labels(labels, json_get_array(options, "labels"));
        add_labels(labels, json_get_array(options, "names"));
    }
    const json_t *command = json_get_object(task->on, "label_command");
    json_t *names = json_get_array(command, "name");
    add_labels(labels, names);
    if (command && !names)
        json_append_take(labels, json_text(task->name));
    return labels;
}

/* Of what is opened: labels of the policy, which it always gets. */
static bool gives_label(const WmPolicy *policy, WmKind kind, const char *label)
{
    const WmHandler *handler = &policy->handlers[kind];
    if (kind == WM_ADD_LABELS)
        return wm_policy_allows_label(policy, kind, label, NULL);
    g_autoptr(json_t) labels = wm_handler_list(handler, "labels");
    return labels && wm_text_list_has(labels, label);
}

static void check_labels(const WmPolicy *policy, const WmTask *other, GPtrArray *warnings)
{
    static const WmKind kinds[] = { WM_ADD_LABELS, WM_CREATE_ISSUE, WM_CREATE_PULL_REQUEST };
    g_autoptr(json_t) labels = trigger_labels(other);
    json_each (labels, index, item) {
        const char *label = json_string_value(item);
        for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
            if (policy->handlers[kinds[i]].is_enabled && gives_label(policy, kinds[i], label))
                wm_note(warnings, WM_FILE, "%s may trigger task \"%s\" (label \"%s\")",
                        wm_kind_table[kinds[i]].handler, other->name, label);
    }
}

void wm_task_validate_starts(const WmTask *task, const WmPolicy *policy, const WmTask *other,
                             GPtrArray *warnings)
{
    check_labels(policy, other, warnings);
    check_command(policy, other, warnings);
    for (size_t i = 0; i < G_N_ELEMENTS(effects); i++)
        if (policy->handlers[effects[i].kind].is_enabled)
            check_effect(&effects[i], task, other, warnings);
}
