/*
 * `on:` in its normal form (triggers.h): what stands under one key. The words that stand for whole
 * triggers are in trigger_words.c.
 */
#include "wm/task/notes.h"
#include "wm/task/trigger_words.h"

#include "base/str.h"

#include <string.h>

typedef struct TriggerDef {
    const char *key;
    const char *const *options; // lists that are read
} TriggerDef;

static const char *const no_options[] = { NULL };
static const char *const types_only[] = { "types", NULL };
static const char *const run_options[] = { "types", "workflows", NULL };
static const char *const item_options[] = { "types", "labels", "names", NULL };
static const char *const pull_options[] = {
    "types", "labels", "names", "branches", "branches-ignore", NULL,
};
static const char *const push_options[] = { "types", "branches", "branches-ignore", NULL };

static const TriggerDef triggers[] = {
    { "issues", item_options },
    { "issue_comment", types_only },
    { "pull_request", pull_options },
    { "pull_request_target", pull_options },
    { "pull_request_review_comment", types_only },
    { "pull_request_review", types_only },
    { "slash_command", no_options },
    { "label_command", no_options },
    { "schedule", no_options },
    { "workflow_dispatch", no_options },
    { "discussion", types_only },
    { "discussion_comment", types_only },
    { "push", push_options },
    { "release", types_only },
    { "label", types_only },
    { "milestone", types_only },
    { "workflow_run", run_options },
    { "repository_dispatch", types_only },
    { "deployment_status", types_only },
    { "check_run", types_only },
    { "check_suite", types_only },
    { "status", types_only },
    { "watch", types_only },
    { "fork", types_only },
    { "create", types_only },
    { "delete", types_only },
};

// Keys under `on:` that start nothing: kept as they are written.
static const char *const gate_keys[] = {
    "reaction",        "roles",
    "skip-roles",      "bots",
    "skip-bots",       "stop-after",
    "skip-if-match",   "skip-if-no-match",
    "cooldown",        "user-rate-limit",
    "manual-approval", "status-comment",
    "github-token",    "github-app",
    "steps",           "permissions",
    "needs",           "skip-author-associations",
    "lock-for-agent",  NULL,
};

typedef struct Normal {
    json_t *out;
    const char *id;
    GPtrArray *warnings; // NULL: no one wants them
} Normal;

static const TriggerDef *find_trigger(const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(triggers); i++)
        if (strcmp(triggers[i].key, key) == 0)
            return &triggers[i];
    return NULL;
}

const char *const *wm_trigger_options(const char *key)
{
    const TriggerDef *def = find_trigger(key);
    return def ? def->options : NULL;
}

char *wm_trigger_did_you_mean(const char *key)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(triggers); i++)
        g_ptr_array_add(known, (void *)triggers[i].key);
    for (const char *const *gate = gate_keys; *gate; gate++)
        g_ptr_array_add(known, (void *)*gate);
    g_ptr_array_add(known, NULL);
    return str_did_you_mean(key, (const char *const *)known->pdata);
}

static bool is_empty_list(const json_t *value)
{
    return !value || json_is_null(value) || (json_is_array(value) && json_array_size(value) == 0);
}

// What is written as a filter and has nothing that can be used must not become "no filter".
static bool add_options(const Normal *self, const TriggerDef *def, const json_t *value, json_t *out)
{
    for (const char *const *name = def->options; *name; name++) {
        const json_t *written = json_object_get(value, *name);
        if (is_empty_list(written))
            continue;
        json_t *list = wm_trigger_list(written);
        size_t size = json_array_size(list);
        json_set_take(out, *name, list);
        if (size == 0) {
            wm_note(self->warnings, WM_KEY("on", def->key, *name),
                    "on.%s.%s: no text in it; the trigger never fires", def->key, *name);
            return false;
        }
    }
    return true;
}

static json_t *command_names(const json_t *value)
{
    g_autoptr(json_t) list = wm_trigger_list(value);
    json_t *names = json_array();
    json_each (list, index, item) {
        const char *name = json_string_value(item);
        name += *name == '/';
        while (g_ascii_isspace(*name)) // "/ go"
            name++;
        if (*name)
            json_append_take(names, json_text(name));
    }
    return names;
}

static void add_texts(json_t *list, const char *const *texts)
{
    for (const char *const *text = texts; *text; text++)
        json_append_take(list, json_text(*text));
}

// `usual`: those of a command that names none.
static json_t *command_events(const Normal *self, const char *key, const json_t *written,
                              const char *const *known, const char *const *usual)
{
    json_t *events = json_array();
    if (!written || json_is_null(written)) {
        add_texts(events, usual);
        return events;
    }
    g_autoptr(json_t) list = wm_trigger_list(written);
    bool has_all = false;
    json_each (list, index, item) {
        g_autofree char *event = g_ascii_strdown(json_string_value(item), -1);
        has_all = has_all || strcmp(event, "*") == 0;
        if (g_strv_contains(known, event))
            json_append_take(events, json_text(event));
        else if (strcmp(event, "*") != 0)
            wm_note(self->warnings, WM_KEY("on", key, "events"),
                    "on.%s.events: \"%s\" is not an event kedge understands", key, event);
    }
    if (has_all) {
        json_array_clear(events);
        add_texts(events, known);
    }
    return events;
}

/* slash_command and label_command: a name, several, or a map. */
static bool add_command(const Normal *self, const char *key, const json_t *value, json_t *out)
{
    static const char *const slash_events[] = {
        "issue_comment", "pull_request_comment", "pull_request_review_comment", "issues",
        "pull_request",  "discussion",           "discussion_comment",          NULL,
    };
    static const char *const label_events[] = { "issues", "pull_request", "discussion", NULL };
    static const char *const usual_slash_events[] = { "issue_comment", NULL };
    static const char *const usual_label_events[] = { "issues", "pull_request", NULL };
    bool is_slash = strcmp(key, "slash_command") == 0;
    bool is_map = json_is_object(value), is_name = json_is_string(value) || json_is_array(value);
    const json_t *names = is_name ? value : json_object_get(value, "name");
    if (is_name || (is_map && names))
        json_set_take(out, "name", command_names(names));
    if (names && json_array_size(json_get_array(out, "name")) == 0)
        wm_note(self->warnings, WM_KEY("on", key), "on.%s: empty name; the trigger never fires",
                key);

    json_set_take(out, "events",
                  command_events(self, key, json_object_get(value, "events"),
                                 is_slash ? slash_events : label_events,
                                 is_slash ? usual_slash_events : usual_label_events));
    json_t *removes = json_object_get(value, "remove_label");
    if (!is_slash && json_is_boolean(removes))
        json_object_set(out, "remove_label", removes);
    return true;
}

// One entry of a schedule: a text, or a map with `cron`.
static bool add_entry(const Normal *self, const json_t *item, json_t *entries)
{
    if (json_object_get(item, "timezone"))
        wm_note(self->warnings, WM_KEY("on", "schedule"),
                "on.schedule: timezone is not read; the time is in UTC");
    const json_t *text = json_is_object(item) ? json_object_get(item, "cron") : item;
    return wm_trigger_add_text(entries, text) || json_is_string(item);
}

/* An empty schedule matches every tick; one that holds only what is no schedule matches none. */
static bool add_schedule(const Normal *self, const json_t *value, json_t *out)
{
    json_t *entries = json_array();
    json_set_take(out, "entries", entries);
    bool is_good = !json_is_object(value) || json_object_get(value, "cron");
    if (json_is_string(value) || json_is_object(value))
        is_good = is_good && add_entry(self, value, entries);
    json_each (value, index, item)
        if (!add_entry(self, item, entries))
            wm_note(self->warnings, WM_KEY("on", "schedule"),
                    "on.schedule: entry %zu is neither a text nor a map with cron", index + 1);
    if (json_is_array(value) && json_array_size(value) > 0 && json_array_size(entries) == 0)
        is_good = false;
    if (!is_good)
        wm_note(self->warnings, WM_KEY("on", "schedule"),
                "on.schedule: nothing in it is a schedule; the trigger never fires");
    return is_good;
}

static bool add_body(const Normal *self, const TriggerDef *def, const json_t *value, json_t *out)
{
    bool is_schedule = strcmp(def->key, "schedule") == 0;
    bool is_command =
        strcmp(def->key, "slash_command") == 0 || strcmp(def->key, "label_command") == 0;
    bool has_no_options = json_is_null(value) || json_is_true(value);
    bool has_short_form =
        (is_schedule || is_command) && (json_is_string(value) || json_is_array(value));
    if (!has_no_options && !json_is_object(value) && !has_short_form) {
        wm_note(self->warnings, WM_KEY("on", def->key), "on.%s: expected a map; ignored", def->key);
        return false;
    }
    if (is_schedule)
        return add_schedule(self, value, out);
    if (is_command)
        return add_command(self, def->key, value, out);
    return add_options(self, def, value, out);
}

// A key that is no trigger's.
static void add_gate(const Normal *self, const char *key, const json_t *value)
{
    g_autofree char *gate = g_strdelimit(g_strdup(key), "_", '-');
    if (!g_strv_contains(gate_keys, gate)) {
        g_autofree char *hint = wm_trigger_did_you_mean(key);
        wm_note(self->warnings, WM_KEY("on", key), "on.%s is not a trigger kedge understands%s",
                key, hint);
        return;
    }
    json_t *gates = json_get_object(self->out, WM_GATES);
    if (!gates)
        json_set_take(self->out, WM_GATES, gates = json_object());
    json_set_take(gates, gate, json_deep_copy(value));
}

static void add_trigger(const Normal *self, const char *key, const json_t *value)
{
    const TriggerDef *def = find_trigger(key);
    if (!def) {
        add_gate(self, key, value);
        return;
    }
    json_object_del(self->out, key);
    if (json_is_false(value))
        return;
    g_autoptr(json_t) out = json_object();
    if (add_body(self, def, value, out))
        json_set_take(self->out, key, g_steal_pointer(&out));
}

static void add_map(const Normal *self, const json_t *map)
{
    json_each_member (map, key, value)
        add_trigger(self, key, value);
}

static void add_word(const Normal *self, const char *text)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    g_autoptr(json_t) map = find_trigger(trimmed) ? json_pack("{s:{}}", trimmed)
                                                  : wm_trigger_of_words(trimmed, self->id);
    if (map) {
        add_map(self, map);
        return;
    }
    g_autofree char *hint = wm_trigger_did_you_mean(trimmed);
    wm_note(self->warnings, WM_KEY("on"), "on: \"%s\" is not a trigger kedge understands%s",
            trimmed, hint);
}

static void add_any(const Normal *self, const json_t *on)
{
    if (json_is_string(on))
        add_word(self, json_string_value(on));
    else if (json_is_object(on))
        add_map(self, on);
    else if (on && !json_is_null(on))
        wm_note(self->warnings, WM_KEY("on"), "on: expected a trigger, a list or a map");
}

json_t *wm_triggers_normal(const json_t *on, const char *id, GPtrArray *warnings)
{
    json_t *out = json_object();
    const Normal self = { .out = out, .id = id, .warnings = warnings };
    if (!json_is_array(on))
        add_any(&self, on);
    json_each (on, index, item)
        add_any(&self, item);
    return out;
}
