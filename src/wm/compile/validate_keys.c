/*
 * Keys and values of a task that no one reads, or not as they were meant (validate_task.h): what is
 * misspelled is ignored where tasks run (task-engine §1.4), so that `validate` is where it is said.
 */
#include "wm/compile/validate_task.h"

#include "base/str.h"
#include "wm/task/gate_date.h"
#include "wm/task/triggers.h"

#include <string.h>

typedef struct Keys {
    const WmTask *task;
    GPtrArray *warnings;
} Keys;

// Read, or a key of gh-aw that is known to be ignored (task-engine §2.3).
static const char *const front_keys[] = {
    "on",          "engine",      "timeout-minutes", "max-turns",  "tools",    "safe-outputs",
    "description", "name",        "source",          "network",    "imports",  "max-ai-credits",
    "if",          "steps",       "pre-steps",       "post-steps", "jobs",     "env",
    "runs-on",     "permissions", "concurrency",     "container",  "services", "environment",
    "cache",       "checkout",    "mcp-servers",     "features",   "strict",   "runtimes",
    "secrets",     "labels",      "metadata",        "tracker-id", "private",  "redirect",
    "run-name",    "intent",      "emoji",           NULL,
};

static void check_front(const Keys *self)
{
    const char *key;
    json_t *value;
    json_object_foreach (self->task->front, key, value) {
        // `safe_outputs` is read, too (D12)
        if (g_strv_contains(front_keys, key) || strcmp(key, "safe_outputs") == 0)
            continue;
        g_autofree char *hint = str_did_you_mean(key, front_keys);
        wm_note(self->warnings, WM_KEY(key), "%s is not a key of a task%s; ignored", key, hint);
    }
}

/* Below `address`, a map as it is written: what is not in `known` is not read. */
static void check_options(const Keys *self, const char *address, const json_t *map,
                          const char *const *known, const char *effect)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)map, key, value) {
        g_autofree char *name = g_strdelimit(g_strdup(key), "_", '-');
        if (g_strv_contains(known, key) || g_strv_contains(known, name))
            continue;
        g_autofree char *hint = str_did_you_mean(key, known);
        wm_note(self->warnings, WM_KEY(address, key), "%s.%s is not read%s%s", address, key, hint,
                effect);
    }
}

// Beside the lists of wm_trigger_options().
static const struct {
    const char *key;
    const char *const *known;
} others[] = {
    { "slash_command", (const char *const[]) { "name", "events", NULL } },
    { "label_command", (const char *const[]) { "name", "events", "remove-label", NULL } },
    { "schedule", (const char *const[]) { "cron", "timezone", NULL } },
};

static void check_trigger(const Keys *self, const char *key, const json_t *value)
{
    const char *const *known = wm_trigger_options(key);
    bool has_inputs = strcmp(key, "workflow_dispatch") == 0;
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        if (strcmp(key, others[i].key) == 0)
            known = others[i].known;
    if (!known || has_inputs)
        return;
    g_autofree char *address = g_strconcat("on.", key, NULL);
    check_options(self, address, value, known, "; it filters nothing");
}

static void check_triggers(const Keys *self)
{
    const json_t *on = json_object_get(self->task->front, "on");
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)on, key, value)
        check_trigger(self, key, value);
    bool has_trigger = false;
    json_object_foreach (self->task->on, key, value)
        has_trigger = has_trigger || strcmp(key, WM_GATES) != 0;
    if (!has_trigger)
        wm_note(self->warnings, WM_KEY("on"), "on: no trigger; the task starts only by hand");
}

// What is read of a handler; the kinds that are always allowed have no options.
#define OF_ALL   "max", "staged"
#define OF_CLOSE OF_ALL, "target", "required-labels", "required-title-prefix"
static const char *const *const handler_options[WM_KINDS] = {
    [WM_CREATE_PULL_REQUEST] =
        (const char *const[]) { OF_ALL, "title-prefix", "labels", "draft", "base-branch",
                                "if-no-changes", "reviewers", "assignees", "fallback-as-issue",
                                "protected-files", "allowed-files", "excluded-files", NULL },
    [WM_PUSH_TO_PULL_REQUEST_BRANCH] =
        (const char *const[]) { OF_CLOSE, "title-prefix", "labels", "if-no-changes",
                                "protected-files", "allowed-files", "excluded-files", NULL },
    [WM_CREATE_ISSUE] = (const char *const[]) { OF_ALL, "title-prefix", "labels", "assignees",
                                                "close-older-issues", NULL },
    [WM_UPDATE_ISSUE] =
        (const char *const[]) { OF_ALL, "title-prefix", "target", "title", "body", "status", NULL },
    [WM_CLOSE_ISSUE] = (const char *const[]) { OF_CLOSE, "state-reason", NULL },
    [WM_ADD_COMMENT] = (const char *const[]) { OF_ALL, "target", "hide-older-comments", NULL },
    [WM_ADD_LABELS] = (const char *const[]) { OF_ALL, "allowed", "blocked", "target", NULL },
    [WM_REMOVE_LABELS] = (const char *const[]) { OF_ALL, "allowed", "blocked", "target", NULL },
    [WM_UPDATE_PULL_REQUEST] =
        (const char *const[]) { OF_ALL, "title-prefix", "target", "title", "body", NULL },
    [WM_CLOSE_PULL_REQUEST] = (const char *const[]) { OF_CLOSE, NULL },
    [WM_ADD_REVIEWER] =
        (const char *const[]) { OF_ALL, "reviewers", "allowed-reviewers", "target", NULL },
    [WM_CREATE_REVIEW_COMMENT] = (const char *const[]) { OF_ALL, "side", "target", NULL },
    [WM_SUBMIT_REVIEW] = (const char *const[]) { OF_ALL, "allowed-events", "target", NULL },
    [WM_REPLY_TO_REVIEW_COMMENT] = (const char *const[]) { OF_ALL, "target", NULL },
    [WM_RESOLVE_REVIEW_THREAD] = (const char *const[]) { OF_ALL, NULL },
};

/* What is read of a key of safe-outputs; NULL: it has no options, or no one reads it. */
static const char *const *options_of(const char *key)
{
    static const char *const messages[] = { "run-started", "run-success", "run-failure", "footer",
                                            NULL };
    static const char *const threats[] = { "enabled", "prompt", "engine", "continue-on-error",
                                           NULL };
    g_autofree char *name = g_strdelimit(g_strdup(key), "_", '-');
    WmKind kind = wm_kind_of(key);
    if (strcmp(name, "messages") == 0)
        return messages;
    if (strcmp(name, "threat-detection") == 0)
        return threats;
    return kind < WM_KINDS ? handler_options[kind] : NULL;
}

static void check_outputs(const Keys *self)
{
    const json_t *outputs = wm_task_safe_outputs(self->task);
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)outputs, key, value) {
        const char *const *known = options_of(key);
        g_autofree char *address = g_strconcat("safe-outputs.", key, NULL);
        if (known)
            check_options(self, address, value, known, "");
    }
}

/* A whole number above 0, of which at most `limit` counts (0: no limit). */
static void check_number(const Keys *self, const char *key, int64_t limit, const char *otherwise)
{
    const json_t *value = json_object_get(self->task->front, key);
    double number = json_is_number(value) ? json_number_value(value) : 0;
    bool is_whole = number > 0 && number < 1e9 && (double)(int64_t)number == number;
    g_autofree char *written = value ? json_to_text(value) : NULL;
    if (!value || json_is_null(value))
        return;
    if (!is_whole)
        wm_note(self->warnings, WM_KEY(key), "%s: expected a whole number above 0, not %.60s; %s",
                key, written, otherwise);
    else if (limit > 0 && number > (double)limit)
        wm_note(self->warnings, WM_KEY(key), "%s: at most %" G_GINT64_FORMAT " counts, not %.60s",
                key, limit, written);
}

static void check_text(const Keys *self, const char *key, bool takes_map, const char *otherwise)
{
    const json_t *value = json_object_get(self->task->front, key);
    bool is_good = !value || json_is_null(value) || json_is_string(value) ||
                   (takes_map && json_is_object(value));
    if (!is_good)
        wm_note(self->warnings, WM_KEY(key), "%s: expected a text%s; %s", key,
                takes_map ? ", or a map with id" : "", otherwise);
}

static void check_cooldown(const Keys *self)
{
    const json_t *value = json_object_get(json_get_object(self->task->on, WM_GATES), "cooldown");
    g_autofree char *written = value ? json_to_text(value) : NULL;
    if (value && !json_is_null(value) && wm_gate_duration_ms(value) == 0)
        wm_note(self->warnings, WM_KEY("on", "cooldown"),
                "on.cooldown: expected a time such as 4h or 30m, not %.60s; no run is held back",
                written);
}

/* A tool that is misspelled would be left to the agent. */
static void check_tools(const Keys *self)
{
    static const char *const known[] = { "bash", "edit", "github", NULL };
    const char *key;
    json_t *value;
    json_object_foreach (json_get_object(self->task->front, "tools"), key, value) {
        g_autofree char *hint = str_did_you_mean(key, known);
        if (*hint && !g_strv_contains(known, key))
            wm_note(self->warnings, WM_KEY("tools", key), "tools.%s is not a tool kedge knows%s",
                    key, hint);
    }
}

void wm_task_validate_keys(const WmTask *task, GPtrArray *warnings)
{
    const Keys self = { .task = task, .warnings = warnings };
    check_front(&self);
    check_triggers(&self);
    check_outputs(&self);
    check_number(&self, "timeout-minutes", WM_MAX_MINUTES, "45 counts");
    check_number(&self, "max-turns", 0, "that of .wm/config.yml counts");
    check_number(&self, "max-ai-credits", 0, "no cap");
    check_text(&self, "engine", true, "that of .wm/config.yml counts");
    check_text(&self, "description", false, "ignored");
    check_text(&self, "source", false, "ignored");
    check_cooldown(&self);
    check_tools(&self);
    if (*task->body == '\0')
        wm_note(warnings, WM_FILE,
                "no text below the frontmatter; the prompt is \"%s: process repository event.\"",
                task->name);
}
