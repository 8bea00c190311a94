/*
 * `safe-outputs:` read once, into handlers whose options have one spelling (policy.h).
 */
#include "wm/task/policy.h"

#include "base/str.h"
#include "base/utf8.h"
#include "wm/task/labels.h"
#include "wm/task/notes.h"

#include <inttypes.h>

const WmKindDef wm_kind_table[WM_KINDS] = {
    [WM_CREATE_PULL_REQUEST] = { "create_pull_request", "create-pull-request", 1 },
    [WM_ADD_COMMENT] = { "add_comment", "add-comment", 1 },
    [WM_ADD_LABELS] = { "add_labels", "add-labels", 3 },
    [WM_REMOVE_LABELS] = { "remove_labels", "remove-labels", 3 },
    [WM_CREATE_ISSUE] = { "create_issue", "create-issue", 1 },
    [WM_UPDATE_PULL_REQUEST] = { "update_pull_request", "update-pull-request", 1 },
    [WM_UPDATE_ISSUE] = { "update_issue", "update-issue", 1 },
    [WM_CLOSE_ISSUE] = { "close_issue", "close-issue", 1 },
    [WM_CLOSE_PULL_REQUEST] = { "close_pull_request", "close-pull-request", 10 },
    [WM_ADD_REVIEWER] = { "add_reviewer", "add-reviewer", 3 },
    [WM_CREATE_REVIEW_COMMENT] = { "create_pull_request_review_comment",
                                   "create-pull-request-review-comment", 5 },
    [WM_SUBMIT_REVIEW] = { "submit_pull_request_review", "submit-pull-request-review", 1 },
    [WM_REPLY_TO_REVIEW_COMMENT] = { "reply_to_pull_request_review_comment",
                                     "reply-to-pull-request-review-comment", 10 },
    [WM_RESOLVE_REVIEW_THREAD] = { "resolve_pull_request_review_thread",
                                   "resolve-pull-request-review-thread", 5 },
    [WM_PUSH_TO_PULL_REQUEST_BRANCH] = { "push_to_pull_request_branch",
                                         "push-to-pull-request-branch", 1 },
    [WM_NOOP] = { "noop", "noop", 0 },
    [WM_MISSING_TOOL] = { "missing_tool", "missing-tool", 0 },
    [WM_MISSING_DATA] = { "missing_data", "missing-data", 0 },
};

// beside the handlers; NULL-terminated
#define OUTPUTS "safe-outputs"

static const char *const other_keys[] = {
    "messages",
    "staged",
    "threat-detection",
    "mentions",
    "github-token",
    "github-app",
    "runs-on",
    "allowed-domains",
    "jobs",
    "env",
    "footer",
    "max-patch-size",
    "environment",
    "report-failed-jobs",
    NULL,
};

/* Of a handler that is not there. Caller frees. */
static char *handler_hint(const char *key)
{
    const char *known[WM_KINDS + 1] = { NULL };
    for (WmKind kind = 0; kind < WM_KINDS; kind++)
        known[kind] = wm_kind_table[kind].handler;
    return str_did_you_mean(key, known);
}

static char *with_dashes(const char *name)
{
    return g_strdelimit(g_strdup(name), "_", '-');
}

WmKind wm_kind_of(const char *type)
{
    if (!type)
        return WM_KINDS;
    g_autofree char *trimmed = utf8_trim(type), *lower = g_ascii_strdown(trimmed, -1);
    g_autofree char *handler = with_dashes(lower);
    WmKind kind = 0;
    while (kind < WM_KINDS && strcmp(wm_kind_table[kind].handler, handler) != 0)
        kind++;
    return kind;
}

/* The part of the map `from` with names in dashes; where both spellings stand, that with dashes
   counts. `where` is for warnings. New reference. */
static json_t *normal_names(const json_t *from, const char *where, GPtrArray *warnings)
{
    json_t *normal = json_object();
    json_each_member (from, key, value) {
        g_autofree char *name = with_dashes(key);
        bool is_normal = strcmp(name, key) == 0;
        if (!is_normal && json_object_get(from, name)) {
            wm_note(warnings, WM_KEY(where, key), "%s: both \"%s\" and \"%s\"; \"%s\" counts",
                    where, key, name, name);
            continue;
        }
        if (!is_normal && wm_kind_of(key) < WM_KINDS)
            wm_note(warnings, WM_KEY(where, key), "%s: \"%s\" is written \"%s\"", where, key, name);
        json_set_take(normal, name, json_incref(value));
    }
    return normal;
}

static json_t *trimmed_option(const char *name, const char *text)
{
    g_autofree char *trimmed = utf8_trim(text);
    if (trimmed[0] == '\0' || !g_str_has_suffix(name, "title-prefix"))
        return json_text(trimmed);
    // a blank at its end is meant (D11); a title is one line
    g_autofree char *from_start = g_strdup(strstr(text, trimmed));
    return json_text(g_strdelimit(from_start, "\r\n", ' '));
}

static void rename_option(json_t *options, const char *from, const char *to)
{
    json_t *value = json_object_get(options, from);
    if (value && !json_object_get(options, to))
        json_object_set(options, to, value);
    json_object_del(options, from);
}

/* Of a handler that is a map. New reference. */
static json_t *normal_options(WmKind kind, const json_t *given, GPtrArray *warnings)
{
    g_autofree char *where = g_strconcat("safe-outputs.", wm_kind_table[kind].handler, NULL);
    json_t *options = normal_names(given, where, warnings);
    const char *name = NULL;
    json_t *value = NULL;
    void *next = NULL;
    json_object_foreach_safe (options, next, name, value)
        if (json_is_string(value))
            json_object_set_new(options, name, trimmed_option(name, json_string_value(value)));
    if (kind == WM_PUSH_TO_PULL_REQUEST_BRANCH) {
        rename_option(options, "title-prefix", "required-title-prefix");
        rename_option(options, "labels", "required-labels");
    } else if (kind == WM_ADD_REVIEWER) {
        rename_option(options, "reviewers", "allowed-reviewers");
    }
    return options;
}

static void check_blocked(const WmHandler *handler, const char *name, GPtrArray *warnings)
{
    g_autoptr(json_t) blocked = wm_handler_list(handler, "blocked");
    for (size_t i = 0; i < json_array_size(blocked); i++) {
        const char *pattern = json_string_value(json_array_get(blocked, i));
        if (!wm_label_pattern_is_valid(pattern))
            wm_note(warnings, WM_KEY(OUTPUTS, name, "blocked"),
                    "safe-outputs.%s.blocked: pattern \"%s\" is malformed and matches nothing",
                    name, pattern);
    }
}

static void check_target(const WmHandler *handler, const char *name, GPtrArray *warnings)
{
    const json_t *target = json_object_get(handler->options, "target");
    const char *text = json_string_value(target);
    int64_t number = json_integer_value(target);
    bool is_word = g_strcmp0(text, "triggering") == 0 || g_strcmp0(text, "*") == 0;
    bool is_number = number > 0 || (text && str_parse_int(text, &number) && number > 0);
    if (target && !is_word && !is_number)
        wm_note(
            warnings, WM_KEY(OUTPUTS, name, "target"),
            "safe-outputs.%s.target: expected triggering, \"*\" or a number; read as triggering",
            name);
}

/* NULL when the handler's value enables nothing. New reference. */
static json_t *options_of(WmKind kind, const json_t *value, GPtrArray *warnings)
{
    const char *name = wm_kind_table[kind].handler;
    bool has_labels = kind == WM_ADD_LABELS || kind == WM_REMOVE_LABELS;
    if (json_is_object(value))
        return normal_options(kind, value, warnings);
    if (json_is_null(value) || json_is_true(value))
        return json_object();
    if (has_labels && json_is_array(value))
        return json_pack("{s:O}", "allowed", value);
    if (!json_is_false(value))
        wm_note(warnings, WM_KEY(OUTPUTS, name),
                "safe-outputs.%s: expected true, false or a map; not enabled", name);
    return NULL;
}

static void read_handler(WmPolicy *self, WmKind kind, const json_t *value, GPtrArray *warnings)
{
    const WmKindDef *def = &wm_kind_table[kind];
    WmHandler *handler = &self->handlers[kind];
    json_t *options = options_of(kind, value, warnings);
    if (!options)
        return;
    json_object_set_new(self->options, def->handler, options);
    handler->options = options;
    handler->is_enabled = true;
    const json_t *max = json_object_get(options, "max");
    if (json_integer_value(max) > 0 && def->default_max > 0)
        handler->max = json_integer_value(max);
    else if (max)
        wm_note(warnings, WM_KEY(OUTPUTS, def->handler, "max"),
                "safe-outputs.%s.max: expected a whole number above 0; read as %" PRId64,
                def->handler, def->default_max);
    handler->is_staged = json_get_bool(options, "staged", false);
    check_blocked(handler, def->handler, warnings);
    check_target(handler, def->handler, warnings);
}

static const char *message_of(const json_t *messages, const char *name)
{
    const char *text = json_get_text(messages, name);
    return str_is_empty(text) ? NULL : text;
}

/* `messages` are kept trimmed, with dashes in their names. */
static void read_messages(WmPolicy *self, const json_t *given, GPtrArray *warnings)
{
    json_t *messages = normal_names(given, "safe-outputs.messages", warnings);
    json_object_set_new(self->options, "messages", messages);
    const char *name = NULL;
    json_t *value = NULL;
    void *next = NULL;
    json_object_foreach_safe (messages, next, name, value)
        if (json_is_string(value))
            json_object_set_new(messages, name, trimmed_option(name, json_string_value(value)));
    self->run_started = message_of(messages, "run-started");
    self->run_success = message_of(messages, "run-success");
    self->run_failure = message_of(messages, "run-failure");
    self->footer = message_of(messages, "footer");
}

static void read_keys(WmPolicy *self, const json_t *keys, GPtrArray *warnings)
{
    json_each_member (keys, key, value) {
        WmKind kind = wm_kind_of(key);
        if (kind < WM_NOOP)
            read_handler(self, kind, value, warnings);
        else if (kind == WM_KINDS && !g_strv_contains(other_keys, key)) {
            g_autofree char *hint = handler_hint(key);
            wm_note(warnings, WM_KEY(OUTPUTS, key),
                    "safe-outputs: \"%s\" is not supported%s; items of this type are skipped", key,
                    hint);
        }
    }
    if (json_is_object(json_object_get(keys, "messages")))
        read_messages(self, json_object_get(keys, "messages"), warnings);
    self->is_staged = json_get_bool(keys, "staged", false);
    self->keeps_mentions = json_get_bool(keys, "mentions", true);
    json_t *threats = json_object_get(keys, "threat-detection");
    json_set_take(self->options, "threat-detection", json_incref(threats));
    self->threats = threats;
}

WmPolicy *wm_policy_new(const json_t *safe_outputs, GPtrArray *warnings)
{
    WmPolicy *self = g_new0(WmPolicy, 1);
    self->options = json_object();
    self->keeps_mentions = true;
    json_t *none = json_object();
    json_object_set_new(self->options, "", none);
    for (WmKind kind = 0; kind < WM_KINDS; kind++)
        self->handlers[kind] = (WmHandler) {
            .is_enabled = kind >= WM_NOOP,
            .max = wm_kind_table[kind].default_max,
            .options = none,
        };
    if (json_is_object(safe_outputs)) {
        self->has_keys = json_object_size(safe_outputs) > 0;
        g_autoptr(json_t) keys = normal_names(safe_outputs, "safe-outputs", warnings);
        read_keys(self, keys, warnings);
    } else if (safe_outputs && !json_is_null(safe_outputs)) {
        wm_note(warnings, WM_KEY(OUTPUTS), "safe-outputs: expected a map; nothing is allowed");
    }
    return self;
}

void wm_policy_free(WmPolicy *self)
{
    if (!self)
        return;
    json_decref(self->options);
    g_free(self);
}

json_t *wm_handler_list(const WmHandler *self, const char *option)
{
    const json_t *value = json_object_get(self->options, option);
    return value ? wm_text_list(value) : NULL;
}

bool wm_handler_admits(const WmHandler *self, const char *option, const char *text)
{
    const json_t *value = json_object_get(self->options, option);
    bool is_empty_list = json_is_array(value) && json_array_size(value) == 0;
    if (!value || json_is_null(value) || is_empty_list)
        return true;
    g_autoptr(json_t) list = wm_text_list(value);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (str_equal_nocase(json_string_value(json_array_get(list, i)), text))
            return true;
    return false;
}

const char *wm_handler_text(const WmHandler *self, const char *option)
{
    const char *text = json_get_text(self->options, option);
    return str_is_empty(text) ? NULL : text;
}

static bool is_blocked(const WmHandler *handler, const char *label)
{
    g_autoptr(json_t) blocked = wm_handler_list(handler, "blocked");
    for (size_t i = 0; i < json_array_size(blocked); i++)
        if (wm_label_matches(label, json_string_value(json_array_get(blocked, i))))
            return true;
    return false;
}

bool wm_policy_allows_label(const WmPolicy *self, WmKind kind, const char *label, GError **error)
{
    if (!wm_label_is_valid(label)) {
        g_autofree char *shown = utf8_ellipsize(label, WM_MAX_LABEL_CHARS);
        return fail_with(error, KEDGE_ERROR_DENIED, "label \"%s\" is not a valid label name",
                         shown);
    }
    if (kind != WM_ADD_LABELS && kind != WM_REMOVE_LABELS)
        return true;
    const WmHandler *handler = &self->handlers[kind];
    g_autoptr(json_t) allowed = wm_handler_list(handler, "allowed");
    // exactly so: what is spelled otherwise was not meant
    bool is_allowed = json_array_size(allowed) == 0 ? wm_handler_admits(handler, "allowed", label)
                                                    : wm_text_list_has(allowed, label);
    if (is_blocked(handler, label) || !is_allowed)
        return fail_with(error, KEDGE_ERROR_DENIED, "label \"%s\" not allowed by policy", label);
    return true;
}
